package retryotel

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/retrygen/retrygen/runtime/retry"
)

// meters are the instruments of an observer.
type meters struct {
	attempts, giveUps                   metric.Int64Counter
	attemptDuration, callDuration, wait metric.Float64Histogram
	quota                               metric.Int64Gauge
	rate                                metric.Float64Gauge
}

func newMeters(m metric.Meter) (*meters, error) {
	var out meters
	var errs [7]error
	out.attempts, errs[0] = m.Int64Counter("retry.attempts",
		metric.WithUnit("{attempt}"), metric.WithDescription("Attempts, first ones and retries."))
	out.giveUps, errs[1] = m.Int64Counter("retry.give_ups",
		metric.WithUnit("{call}"), metric.WithDescription("Calls that failed, by the reason why there was no further attempt."))
	out.attemptDuration, errs[2] = m.Float64Histogram("retry.attempt.duration",
		metric.WithUnit("s"), metric.WithDescription("Duration of attempts, without waits."))
	out.callDuration, errs[3] = m.Float64Histogram("retry.call.duration",
		metric.WithUnit("s"), metric.WithDescription("Duration of calls, attempts and waits."))
	out.wait, errs[4] = m.Float64Histogram("retry.wait",
		metric.WithUnit("s"), metric.WithDescription("Time that calls waited before and between attempts."))
	out.quota, errs[5] = m.Int64Gauge("retry.quota.level",
		metric.WithUnit("{token}"), metric.WithDescription("Tokens left in the retry quota."))
	out.rate, errs[6] = m.Float64Gauge("retry.limiter.rate",
		metric.WithUnit("{attempt}/s"), metric.WithDescription("Rate that the client-side rate limiter allows."))
	return &out, errors.Join(errs[:]...)
}

func (m *meters) attempt(ctx context.Context, e retry.AttemptEnded) {
	kind, class := "first", e.Decision.Class.String()
	if e.Decision.Attempt > 1 {
		kind = "retry"
	}
	switch {
	case e.OK:
		class = "success"
	case e.Panicked:
		class = "panic"
	}
	attrs := append(measured(e.CallInfo), kindKey.String(kind), classKey.String(class))
	m.attemptDuration.Record(ctx, e.Duration.Seconds(), metric.WithAttributes(attrs...))
	if e.Decision.Rule != "" {
		attrs = append(attrs, ruleKey.String(e.Decision.Rule))
	}
	m.attempts.Add(ctx, 1, metric.WithAttributes(attrs...))
}

func (m *meters) call(ctx context.Context, e retry.CallEnded) {
	reason := "none"
	switch {
	case e.Panicked:
		reason = "panic"
	case e.Stop != 0:
		reason = e.Stop.String()
		m.giveUps.Add(ctx, 1, metric.WithAttributes(append(measured(e.CallInfo), stopKey.String(reason))...))
	}
	m.callDuration.Record(ctx, e.Duration.Seconds(), metric.WithAttributes(append(measured(e.CallInfo), stopKey.String(reason))...))
	m.wait.Record(ctx, e.Wait.Seconds(), metric.WithAttributes(measured(e.CallInfo)...))
	var service []attribute.KeyValue
	if e.Service != "" && !isHTTP(e.CallInfo) {
		service = append(service, serviceKey.String(e.Service))
	}
	m.quota.Record(ctx, int64(e.Quota), metric.WithAttributes(service...))
	if e.Limiter.Enabled {
		m.rate.Record(ctx, e.Limiter.FillRate, metric.WithAttributes(service...))
	}
}

// measured is what measurements say of what is called: one of few values,
// while hosts may be many.
func measured(c retry.CallInfo) []attribute.KeyValue {
	switch {
	case !isHTTP(c):
		return method(c)
	case slices.Contains(commonMethods, c.Operation):
		return []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(c.Operation)}
	}
	return []attribute.KeyValue{semconv.HTTPRequestMethodOther}
}

// commonMethods are those of RFC 9110, PATCH of RFC 5789 and QUERY.
var commonMethods = []string{"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"}

// isHTTP reports whether a call is a request of a transport, which has a host
// for a service and an HTTP method, all capitals, for an operation.
func isHTTP(c retry.CallInfo) bool {
	return c.Operation != "" && c.Operation == strings.ToUpper(c.Operation)
}
