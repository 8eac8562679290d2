package retry

import (
	"context"
	"errors"
	"time"
)

// Do calls f until it succeeds or p says stop, and waits between the
// attempts. f gets ctx, bounded by the policy's attempt timeout and by its
// total timeout. A nil p means [Defaults] with a quota of the call's own.
//
// The error, if any, is a [*StopError]; the value is that of the last attempt.
// A nil ctx or f makes no attempt.
// A panic of f propagates; what the last retry cost stays lost to the quota.
func Do[T any](ctx context.Context, p *Policy, f func(ctx context.Context) (T, error)) (T, error) {
	p = orDefaults(p)
	var out T
	if f == nil {
		return out, refused("nil function")
	}
	_, stop := Run(ctx, p, CallOptions{}, func(ctx context.Context, a Attempt) *Failure {
		ctx, cancel := a.bound(ctx)
		defer cancel()
		v, err := f(ctx)
		out = v
		if err == nil {
			return nil
		}
		failure := p.describe(err)
		return &failure
	})
	if stop != nil {
		return out, stop
	}
	return out, nil
}

// refused is the end of a call that cannot begin.
func refused(why string) *StopError {
	return &StopError{Stop: StopTerminal, Err: errors.New("retry: " + why)}
}

func orDefaults(p *Policy) *Policy {
	if p == nil {
		p, _ = New() // the defaults are valid
	}
	return p
}

// Attempt tells an attempt function which attempt it is.
type Attempt struct {
	Number int // the first is 1
	Max    int // most attempts of the call
	// SendWait is how long the rate limiter held the attempt back.
	SendWait time.Duration
	// Deadline is when this attempt must have ended: the earlier of the
	// call's deadline and the attempt timeout. Zero: never. The attempt
	// function applies it, because only it knows what may outlive the
	// attempt (a body that is read later, say).
	Deadline time.Time
}

// bound returns ctx with the attempt's deadline, ctx itself if that ends no
// later.
func (a Attempt) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if a.Deadline.IsZero() || ok && !a.Deadline.Before(end) {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, a.Deadline)
}

// Run is the loop under [Do] and under package httpapi: it makes attempts
// until one returns nil or the call's decision is to stop, and waits between
// them with a timer that ends with ctx. It returns the history of the failed
// attempts, also on success. A nil p means [Defaults] with a quota of the
// call's own.
//
// An attempt's context is marked as under a retry, if more than one attempt
// may follow; a call under such a mark makes one attempt ([WithNested]).
//
// The expiry of ctx, or of the policy's total timeout, is final whatever
// Failure the attempt returns.
func Run(ctx context.Context, p *Policy, opts CallOptions, attempt func(context.Context, Attempt) *Failure) ([]Decision, *StopError) {
	p = orDefaults(p)
	switch {
	case ctx == nil:
		return nil, refused("nil context")
	case attempt == nil:
		return nil, refused("nil function")
	}
	if deadline, ok := ctx.Deadline(); ok && (opts.Deadline.IsZero() || deadline.Before(opts.Deadline)) {
		opts.Deadline = deadline
	}
	opts.Outer = opts.Outer || !p.nested && HasOuter(ctx)
	now := time.Now()
	call := p.Begin(now, opts)
	w := watch{observers: p.observers}
	inner := w.begin(ctx, &call)
	if call.MaxAttempts() > 1 {
		inner = ContextWithOuter(inner)
	}
	defer w.close(&call)
	history, stop := call.run(ctx, inner, now, &w, attempt)
	if stop != nil {
		stop.unsafe = opts.Unsafe && p.settings.Replay != ReplayAny
	}
	w.end(&call, stop)
	return history, stop
}

// run makes the attempts, in the context inner, while ctx lives.
func (c *Call) run(ctx, inner context.Context, now time.Time, w *watch, attempt func(context.Context, Attempt) *Failure) ([]Decision, *StopError) {
	if ctx.Err() != nil {
		return nil, stopError(ctx, nil, stopOf(ctx))
	}
	var history []Decision
	for {
		sendWait, stop := c.admit(ctx, now)
		if stop != 0 {
			return c.abandon(ctx, history, stop)
		}
		a := c.begin(now.Add(sendWait), sendWait)
		failure := attempt(w.attemptBegun(inner, a), a)
		if failure == nil {
			level := c.Succeed(time.Now())
			w.attemptEnded(true, Decision{Attempt: a.Number, Quota: level})
			return history, nil
		}
		if stop := c.unsent(ctx, *failure, time.Now()); stop != 0 {
			return c.withdraw(ctx, history, w, *failure, stop)
		}
		d := c.decide(ctx, *failure, time.Now())
		w.attemptEnded(false, d)
		history = append(history, d)
		waited := wait(ctx, d.Delay)
		if !d.Retry() {
			return history, stopError(ctx, history, d.Stop)
		}
		if !waited {
			return c.abandon(ctx, history, stopOf(ctx))
		}
		now = time.Now()
	}
}

// admit waits for the rate limiter, from now on. A stop reason says that the
// attempt must not be sent.
func (c *Call) admit(ctx context.Context, now time.Time) (time.Duration, StopReason) {
	delay, fits := c.Send(now)
	if !fits {
		return 0, StopDeadline
	}
	if delay > 0 && !wait(ctx, delay) {
		return 0, stopOf(ctx)
	}
	return delay, 0
}

// abandon ends the call before an attempt that is not sent.
func (c *Call) abandon(ctx context.Context, history []Decision, stop StopReason) ([]Decision, *StopError) {
	level := c.Abandon()
	if len(history) > 0 {
		last := &history[len(history)-1]
		last.Stop, last.Cost, last.Quota = stop, 0, level
	}
	return history, stopError(ctx, history, stop)
}

// begin describes the attempt that starts at now.
func (c *Call) begin(now time.Time, sendWait time.Duration) Attempt {
	a := Attempt{Number: c.Attempt(), Max: c.MaxAttempts(), SendWait: sendWait, Deadline: c.deadline}
	if limit := c.policy.settings.AttemptTimeout; limit > 0 {
		end := now.Add(saturatingAdd(limit, max(c.opts.PollWait, 0)))
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
// deadline cut off. What a retry cost is lost: it was sent. The rate limiter
// learns nothing: there was no answer.
func (c *Call) interrupted(f Failure, stop StopReason) Decision {
	c.attempts++
	c.sending = false
	return Decision{
		Attempt: c.attempts, Class: Terminal, Rule: "caller's " + stop.String(), Code: f.Code,
		Quota: c.quota.Level(), Stop: stop, Err: f.Err,
	}
}

func stopError(ctx context.Context, history []Decision, stop StopReason) *StopError {
	e := &StopError{Stop: stop, Attempts: history}
	if len(history) > 0 {
		e.Err = history[len(history)-1].Err
	}
	if stop == StopCanceled || stop == StopDeadline {
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

// wait blocks for d and reports whether ctx is still alive at its end.
func wait(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}
