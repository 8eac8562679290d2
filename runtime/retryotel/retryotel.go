// Package retryotel traces and counts what calls do with OpenTelemetry. It is
// a package of its own, so that programs which do not use it do not link it.
//
// # Spans
//
// A call is a span of kind client, named "service operation" ("call" under
// [retry.Do]); each of its attempts is an internal span below it, named
// "attempt". The context of an attempt carries its span, so that the spans
// of an instrumented HTTP transport hang below the attempt they belong to.
// Attributes:
//
//	rpc.method                 "service/operation", on both
//	http.request.resend_count  on attempts after the first: attempts before it
//	error.type                 of what failed: the error code, else the status
//	                           that the rule names ("500"), else the rule
//	                           without what it quotes, else the error's Go
//	                           type; on a call, that of the last attempt
//	retry.class, retry.rule    of a failed attempt
//	retry.delay                seconds until the next attempt
//	retry.server_delay         seconds that the server asked for
//	retry.send_wait            seconds that the rate limiter held it back
//	retry.quota.level          tokens left
//	retry.attempts, retry.wait, retry.stop_reason  of a call
//
// # Metrics
//
//	retry.attempts         counter of attempts by retry.kind ("first" or
//	                       "retry"), retry.class ("success" for one that
//	                       succeeded) and retry.rule
//	retry.attempt.duration histogram of seconds by retry.kind and retry.class
//	retry.call.duration    histogram of seconds by retry.stop_reason ("none"
//	                       for a success)
//	retry.wait             histogram of seconds that calls waited between and
//	                       before attempts
//	retry.give_ups         counter of calls by retry.stop_reason
//	retry.quota.level      gauge of tokens, by retry.service, at the end of
//	                       its latest call
//	retry.limiter.rate     gauge of attempts a second, by retry.service, in
//	                       mode adaptive once the limiter is enabled
//
// All but the gauges carry rpc.method too. Under a transport of package
// httpapi, whose operations are HTTP methods, measurements carry
// http.request.method in its place, "_OTHER" for an uncommon one, and no
// retry.service: hosts would make too many series. Names without retry. are those of
// the semantic conventions 1.43. No text of an error, no header and no body
// becomes an attribute.
package retryotel

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/retrygen/retrygen/runtime/internal/redact"
	"github.com/retrygen/retrygen/runtime/retry"
)

// scope is the name of the instrumentation.
const scope = "github.com/retrygen/retrygen/runtime/retryotel"

// The attributes that the semantic conventions have no name for.
const (
	classKey       = attribute.Key("retry.class")
	ruleKey        = attribute.Key("retry.rule")
	kindKey        = attribute.Key("retry.kind")
	stopKey        = attribute.Key("retry.stop_reason")
	delayKey       = attribute.Key("retry.delay")
	serverDelayKey = attribute.Key("retry.server_delay")
	sendWaitKey    = attribute.Key("retry.send_wait")
	quotaKey       = attribute.Key("retry.quota.level")
	attemptsKey    = attribute.Key("retry.attempts")
	waitKey        = attribute.Key("retry.wait")
	serviceKey     = attribute.Key("retry.service")
)

// An Option chooses where spans and measurements go.
type Option func(*config)

type config struct {
	tracers trace.TracerProvider
	meters  metric.MeterProvider
}

// WithTracerProvider sends spans to p. The default is the global provider.
func WithTracerProvider(p trace.TracerProvider) Option { return func(c *config) { c.tracers = p } }

// WithMeterProvider sends measurements to p. The default is the global
// provider.
func WithMeterProvider(p metric.MeterProvider) Option { return func(c *config) { c.meters = p } }

// New returns an observer for [retry.WithObserver]. The error is that of an
// instrument that the meter provider refuses.
func New(opts ...Option) (retry.Observer, error) {
	c := config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider()}
	for _, opt := range opts {
		opt(&c)
	}
	o := &observer{tracer: c.tracers.Tracer(scope)}
	var err error
	if o.meters, err = newMeters(c.meters.Meter(scope)); err != nil {
		return nil, fmt.Errorf("retryotel: %w", err)
	}
	return o, nil
}

type observer struct {
	tracer trace.Tracer
	meters *meters
}

// spanKey is the context's key of an observer's own span: other observers may
// put theirs above it.
type spanKey struct {
	observer *observer
	attempt  bool
}

// Observe implements [retry.Observer].
func (o *observer) Observe(ctx context.Context, e retry.Event) context.Context {
	switch e := e.(type) {
	case retry.CallBegun:
		return o.begin(ctx, false, spanName(e.CallInfo), trace.SpanKindClient, method(e.CallInfo))
	case retry.AttemptBegun:
		return o.begin(ctx, true, "attempt", trace.SpanKindInternal, attemptAttributes(e))
	case retry.AttemptEnded:
		o.meters.attempt(ctx, e)
		o.endAttempt(ctx, e)
	case retry.CallEnded:
		o.meters.call(ctx, e)
		o.endCall(ctx, e)
	}
	return nil
}

func (o *observer) begin(ctx context.Context, attempt bool, name string, kind trace.SpanKind, attrs []attribute.KeyValue) context.Context {
	ctx, span := o.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attrs...))
	return context.WithValue(ctx, spanKey{o, attempt}, span)
}

func (o *observer) endAttempt(ctx context.Context, e retry.AttemptEnded) {
	span, ok := ctx.Value(spanKey{o, true}).(trace.Span)
	if !ok {
		return
	}
	defer span.End()
	d := e.Decision
	switch {
	case e.Panicked:
		fail(span, "panic", "panic")
		return
	case !e.OK:
		span.SetAttributes(classKey.String(d.Class.String()), ruleKey.String(d.Rule))
		fail(span, errorType(d), d.Class.String())
	}
	span.SetAttributes(quotaKey.Int(d.Quota))
	if !e.OK && d.Retry() {
		span.SetAttributes(delayKey.Float64(d.Delay.Seconds()))
	}
	if d.HasServerDelay {
		span.SetAttributes(serverDelayKey.Float64(d.ServerDelay.Seconds()))
	}
}

func (o *observer) endCall(ctx context.Context, e retry.CallEnded) {
	span, ok := ctx.Value(spanKey{o, false}).(trace.Span)
	if !ok {
		return
	}
	defer span.End()
	span.SetAttributes(attemptsKey.Int(e.Attempts), waitKey.Float64(e.Wait.Seconds()), quotaKey.Int(e.Quota))
	switch {
	case e.Panicked:
		fail(span, "panic", "panic")
	case e.Stop != 0:
		span.SetAttributes(stopKey.String(e.Stop.String()))
		fail(span, callErrorType(e), e.Stop.String())
	}
}

func fail(span trace.Span, errorType, description string) {
	span.SetAttributes(semconv.ErrorTypeKey.String(errorType))
	span.SetStatus(codes.Error, description)
}

// attemptAttributes are those that are known when an attempt begins.
func attemptAttributes(e retry.AttemptBegun) []attribute.KeyValue {
	attrs := method(e.CallInfo)
	if e.Attempt.Number > 1 {
		attrs = append(attrs, semconv.HTTPRequestResendCount(e.Attempt.Number-1))
	}
	if e.Attempt.SendWait > 0 {
		attrs = append(attrs, sendWaitKey.Float64(e.Attempt.SendWait.Seconds()))
	}
	return attrs
}

func spanName(c retry.CallInfo) string {
	switch {
	case c.Operation == "":
		return "call"
	case c.Service == "":
		return c.Operation
	}
	return c.Service + " " + c.Operation
}

// method is the name of what is called, nothing under [retry.Do].
func method(c retry.CallInfo) []attribute.KeyValue {
	switch {
	case c.Operation == "":
		return nil
	case c.Service == "":
		return []attribute.KeyValue{semconv.RPCMethodKey.String(c.Operation)}
	}
	return []attribute.KeyValue{semconv.RPCMethodKey.String(c.Service + "/" + c.Operation)}
}

// errorType is error.type of a failed attempt.
func errorType(d retry.Decision) string {
	code := redact.Code(d.Code, d.Rule)
	switch {
	case code != "":
		return code
	case d.Rule != "":
		return ruleType(d.Rule)
	case d.Err != nil:
		return fmt.Sprintf("%T", d.Err)
	}
	return semconv.ErrorTypeOther.Value.AsString()
}

// ruleType is error.type of what a rule decided: the status alone if it names
// one of a failure, as in "status 503 with Retry-After", else the rule up to
// what it quotes, as in `declared error "Busy"`.
func ruleType(rule string) string {
	if _, status, ok := strings.Cut(rule, "status "); ok {
		status, _, _ = strings.Cut(status, " ")
		if n, err := strconv.Atoi(status); err == nil && n >= 300 && n <= 599 {
			return status
		}
	}
	if name, _, _ := strings.Cut(rule, ` "`); name != "" {
		return name
	}
	return semconv.ErrorTypeOther.Value.AsString()
}

// callErrorType is error.type of a call that was given up.
func callErrorType(e retry.CallEnded) string {
	if stop, ok := errors.AsType[*retry.StopError](e.Err); ok && len(stop.Attempts) > 0 {
		return errorType(stop.Attempts[len(stop.Attempts)-1])
	}
	return e.Stop.String()
}
