package retry

import (
	"context"
	"time"
)

// Do calls f until it succeeds or p says stop, and waits between the
// attempts. f gets ctx, bounded by the policy's attempt timeout and by its
// total timeout. A nil p means [Defaults] with a quota of the call's own.
//
// The error, if any, is a [*StopError]; the value is that of the last attempt.
func Do[T any](ctx context.Context, p *Policy, f func(ctx context.Context) (T, error)) (T, error) {
	if p == nil {
		p, _ = New()
	}
	var out T
	_, err := Run(ctx, p, CallOptions{}, func(ctx context.Context, a Attempt) *Failure {
		if !a.Deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, a.Deadline)
			defer cancel()
		}
		v, err := f(ctx)
		out = v
		if err == nil {
			return nil
		}
		failure := p.classify(err)
		failure.Err = err
		return &failure
	})
	if err != nil {
		return out, err
	}
	return out, nil
}

// Attempt tells an attempt function which attempt it is.
type Attempt struct {
	Number int // the first is 1
	Max    int // most attempts of the call
	// Deadline is when this attempt must have ended: the earlier of the
	// call's deadline and the attempt timeout. Zero: never. The attempt
	// function applies it, because only it knows what may outlive the
	// attempt (a body that is read later, say).
	Deadline time.Time
}

// Run is the loop under [Do] and under package httpapi: it makes attempts
// until one returns nil or the call's decision is to stop, and waits between
// them with a timer that ends with ctx. It returns the history of the failed
// attempts, also on success.
//
// The expiry of ctx, or of the policy's total timeout, is final whatever
// Failure the attempt returns.
func Run(ctx context.Context, p *Policy, opts CallOptions, attempt func(context.Context, Attempt) *Failure) ([]Decision, *StopError) {
	if ctx.Err() != nil {
		return nil, &StopError{Stop: stopOf(ctx), Cause: context.Cause(ctx)}
	}
	if deadline, ok := ctx.Deadline(); ok && (opts.Deadline.IsZero() || deadline.Before(opts.Deadline)) {
		opts.Deadline = deadline
	}
	now := time.Now()
	call := p.Begin(now, opts)
	var history []Decision
	for {
		failure := attempt(ctx, call.begin(now))
		if failure == nil {
			call.Succeed()
			return history, nil
		}
		d := call.decide(ctx, *failure, time.Now())
		history = append(history, d)
		waited := wait(ctx, d.Delay)
		if d.Retry() && !waited {
			last := &history[len(history)-1]
			last.Stop, last.Cost, last.Quota = stopOf(ctx), 0, call.Abandon()
		}
		if last := history[len(history)-1]; !last.Retry() {
			return history, stopError(ctx, history, last)
		}
		now = time.Now()
	}
}

// begin describes the attempt that starts at now.
func (c *Call) begin(now time.Time) Attempt {
	a := Attempt{Number: c.Attempt(), Max: c.MaxAttempts(), Deadline: c.deadline}
	if limit := c.policy.settings.AttemptTimeout; limit > 0 {
		end := now.Add(limit + c.opts.PollWait)
		if a.Deadline.IsZero() || end.Before(a.Deadline) {
			a.Deadline = end
		}
	}
	return a
}

// decide is [Call.Next], except that the end of the caller's time is final.
func (c *Call) decide(ctx context.Context, f Failure, now time.Time) Decision {
	switch {
	case ctx.Err() != nil:
		return c.interrupted(f, stopOf(ctx))
	case !c.deadline.IsZero() && !now.Before(c.deadline):
		return c.interrupted(f, StopDeadline)
	}
	return c.Next(f, now)
}

// interrupted is the decision on an attempt that the caller's own context or
// deadline cut off. What a retry cost is lost: it was sent.
func (c *Call) interrupted(f Failure, stop StopReason) Decision {
	c.attempts++
	return Decision{
		Attempt: c.attempts, Class: Terminal, Rule: "caller's " + stop.String(), Code: f.Code,
		Quota: c.policy.quota.Level(), Stop: stop, Err: f.Err,
	}
}

func stopError(ctx context.Context, history []Decision, last Decision) *StopError {
	e := &StopError{Stop: last.Stop, Attempts: history, Err: last.Err}
	if last.Stop == StopCanceled || last.Stop == StopDeadline {
		e.Cause = context.Cause(ctx)
	}
	return e
}

func stopOf(ctx context.Context) StopReason {
	if ctx.Err() == context.DeadlineExceeded {
		return StopDeadline
	}
	return StopCanceled
}

// wait blocks for d and reports whether ctx was still alive at its end.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
