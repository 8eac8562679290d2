package retry

import (
	"context"
	"fmt"
	"time"
)

// unsent says why the call ends with a failure before which nothing was sent.
// Zero: it does not, or something was.
func (c *Call) unsent(ctx context.Context, f Failure, now time.Time) StopReason {
	switch {
	case !f.NotSent:
		return 0
	case ctx.Err() != nil:
		return stopOf(ctx)
	case !c.deadline.IsZero() && !now.Before(c.deadline):
		return StopDeadline
	case f.Class != Transient && f.Class != Throttling:
		return StopTerminal
	}
	return 0
}

// withdraw ends the call with a failure before which nothing was sent. It is
// no attempt, except for observers, which were told that it begins.
func (c *Call) withdraw(ctx context.Context, history []Decision, w *watch, f Failure, stop StopReason) ([]Decision, *StopError) {
	number := c.Attempt()
	history, stopped := c.abandon(ctx, history, stop)
	w.attemptEnded(false, Decision{
		Attempt: number, Class: f.Class, Rule: f.Rule, Code: f.Code,
		Quota: c.quota.Level(), Stop: stop, NotActed: true, Err: f.Err,
	})
	w.attempts-- // of those that were made
	stopped.Err = f.Err
	if n := len(history); n > 0 {
		stopped.Err = unsentError(history[n-1].Err, f.Err)
		history[n-1].Err = stopped.Err
	}
	return history, stopped
}

// unsentError joins the failure of the last attempt with why no other
// followed.
func unsentError(last, why error) error {
	switch {
	case last == nil:
		return why
	case why == nil:
		return last
	}
	return fmt.Errorf("%w; the retry was not sent: %w", last, why)
}
