package httpapi

import (
	"context"
	"time"
)

// errAttemptTimeout is the cause of an attempt's end by its own timeout.
var errAttemptTimeout error = attemptTimeout{}

type attemptTimeout struct{}

func (attemptTimeout) Error() string        { return "attempt timeout" }
func (attemptTimeout) Timeout() bool        { return true }
func (attemptTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// attemptLimit bounds one attempt. It is no context with a deadline, because
// a streamed answer outlives the attempt's timeout. The zero value is no
// bound beside the caller's context.
type attemptLimit struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
}

// limitAttempt returns the context of an attempt that ends at deadline. Zero,
// or a deadline that the caller's own context has as well, costs nothing.
func limitAttempt(ctx context.Context, deadline time.Time) (context.Context, attemptLimit) {
	if own, ok := ctx.Deadline(); deadline.IsZero() || ok && !deadline.Before(own) {
		return ctx, attemptLimit{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(time.Until(deadline), func() { cancel(errAttemptTimeout) })
	return ctx, attemptLimit{ctx, cancel, timer}
}

// cause returns the timeout in place of err if that ended the attempt.
func (l attemptLimit) cause(err error) error {
	if l.ctx != nil && context.Cause(l.ctx) == errAttemptTimeout {
		return errAttemptTimeout
	}
	return err
}

// extend replaces the bound of an attempt whose answer is streamed. Zero: none.
func (l attemptLimit) extend(deadline time.Time) {
	switch {
	case l.timer == nil:
	case deadline.IsZero():
		l.timer.Stop()
	default:
		l.timer.Reset(time.Until(deadline))
	}
}

// end releases the timer and the context.
func (l attemptLimit) end() {
	if l.timer != nil {
		l.timer.Stop()
		l.cancel(nil)
	}
}
