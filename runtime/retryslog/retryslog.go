// Package retryslog writes what calls do to a [log/slog.Logger]: one record
// for each retry and one for the end of each call.
//
// Nothing that a request or an answer carries is written: no body, no header
// or query value, no idempotency key, and no text of an error, because such
// texts quote them. An error is written as its type, with the error code if
// that looks like one. [WithErrorText] adds the text.
//
// # Levels
//
// By default a retry and a success at the first attempt are written at
// [slog.LevelDebug], because the service that stumbled once is not worth a
// line that someone reads; a success after retries at [slog.LevelInfo]; a
// call that is given up although its failure was retryable, or whose outcome
// is unknown, at [slog.LevelWarn]. A terminal failure is an answer that the
// caller gets and judges, and what an outer retry repeats or the caller
// cancelled is no one's worry: both are Debug. [WithLevels] chooses others.
package retryslog

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/retrygen/retrygen/runtime/internal/redact"
	"github.com/retrygen/retrygen/runtime/retry"
)

// Levels are the levels of the records.
type Levels struct {
	// Retry is for a failed attempt that is retried.
	Retry slog.Level
	// Success is for a call that succeeds at its first attempt, Recovered for
	// one that succeeds later.
	Success, Recovered slog.Level
	// GaveUp is for a call that retrying did not help: attempts, quota or time
	// were used up, its body was spent, or its outcome is unknown.
	GaveUp slog.Level
	// Failed is for a call whose failure is terminal, that was cancelled, or
	// that an outer retry owns.
	Failed slog.Level
}

// DefaultLevels are the levels that the package comment explains.
func DefaultLevels() Levels {
	return Levels{
		Retry: slog.LevelDebug, Success: slog.LevelDebug, Recovered: slog.LevelInfo,
		GaveUp: slog.LevelWarn, Failed: slog.LevelDebug,
	}
}

// An Option changes what is written.
type Option func(*observer)

// WithLevels replaces [DefaultLevels].
func WithLevels(l Levels) Option { return func(o *observer) { o.levels = l } }

// WithErrorText writes the text of errors. It may quote the beginning of an
// answer's body, and a URL.
func WithErrorText() Option { return func(o *observer) { o.text = true } }

// New returns an observer that writes to logger; nil means [slog.Default] at
// the time of each record. It is for [retry.WithObserver].
func New(logger *slog.Logger, opts ...Option) retry.Observer {
	o := &observer{logger: logger, levels: DefaultLevels()}
	for _, opt := range opts {
		opt(o)
	}
	return o
}

type observer struct {
	logger *slog.Logger
	levels Levels
	text   bool
}

// Observe implements [retry.Observer].
func (o *observer) Observe(ctx context.Context, e retry.Event) context.Context {
	switch e := e.(type) {
	case retry.AttemptEnded:
		if !e.OK && !e.Panicked && e.Decision.Retry() {
			o.retry(ctx, e)
		}
	case retry.CallEnded:
		o.end(ctx, e)
	}
	return nil
}

func (o *observer) retry(ctx context.Context, e retry.AttemptEnded) {
	d := e.Decision
	o.write(ctx, o.levels.Retry, "retry", e.CallInfo, func() []slog.Attr {
		attrs := []slog.Attr{
			slog.Int("attempt", d.Attempt), slog.Int("max_attempts", e.MaxAttempts),
			slog.String("class", d.Class.String()), slog.String("rule", d.Rule),
			slog.Duration("delay", d.Delay), slog.Int("quota", d.Quota), slog.Duration("duration", e.Duration),
		}
		if d.HasServerDelay {
			attrs = append(attrs, slog.Duration("server_delay", d.ServerDelay))
		}
		return append(attrs, o.failure(d.Code, d.Rule, d.Err)...)
	})
}

func (o *observer) end(ctx context.Context, e retry.CallEnded) {
	level, message := o.judge(e)
	o.write(ctx, level, message, e.CallInfo, func() []slog.Attr {
		attrs := []slog.Attr{
			slog.Int("attempts", e.Attempts), slog.Duration("duration", e.Duration), slog.Duration("wait", e.Wait),
			slog.Int("quota", e.Quota),
		}
		if e.Limiter.Enabled {
			attrs = append(attrs, slog.Float64("rate", e.Limiter.FillRate))
		}
		stop, ok := e.Err.(*retry.StopError)
		if !ok {
			return attrs
		}
		attrs = append(attrs, slog.String("stop", e.Stop.String()))
		code, rule := "", ""
		if n := len(stop.Attempts); n > 0 {
			last := stop.Attempts[n-1]
			attrs = append(attrs, slog.String("class", last.Class.String()), slog.String("rule", last.Rule))
			code, rule = last.Code, last.Rule
		}
		return append(attrs, o.failure(code, rule, stop.Err)...)
	})
}

// judge returns the level and the message for the end of a call.
func (o *observer) judge(e retry.CallEnded) (slog.Level, string) {
	switch {
	case e.Panicked:
		return slog.LevelError, "call panicked"
	case e.Stop == 0 && e.Attempts > 1:
		return o.levels.Recovered, "call succeeded after retries"
	case e.Stop == 0:
		return o.levels.Success, "call succeeded"
	case e.Stop == retry.StopTerminal || e.Stop == retry.StopCanceled || e.Stop == retry.StopOuter:
		return o.levels.Failed, "call failed"
	}
	return o.levels.GaveUp, "call given up"
}

// failure describes an error without its text.
func (o *observer) failure(code, rule string, err error) []slog.Attr {
	var attrs []slog.Attr
	if code = redact.Code(code, rule); code != "" {
		attrs = append(attrs, slog.String("code", code))
	}
	if err == nil {
		return attrs
	}
	attrs = append(attrs, slog.String("error_type", fmt.Sprintf("%T", err)))
	if o.text {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	return attrs
}

func (o *observer) write(ctx context.Context, level slog.Level, message string, call retry.CallInfo, attrs func() []slog.Attr) {
	logger := o.logger
	if logger == nil {
		logger = slog.Default()
	}
	if !logger.Enabled(ctx, level) {
		return
	}
	named := make([]slog.Attr, 0, 12)
	if call.Service != "" {
		named = append(named, slog.String("service", call.Service))
	}
	if call.Operation != "" {
		named = append(named, slog.String("operation", call.Operation))
	}
	logger.LogAttrs(ctx, level, message, append(named, attrs()...)...)
}
