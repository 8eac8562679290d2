package retry

import (
	"math"
	"time"
)

// Call is the state of one call under a policy. It does no I/O and reads no
// clock. The zero value is not usable; begin one with [Policy.Begin]. A Call
// belongs to one goroutine.
//
// Each attempt goes through [Call.Send] and then either [Call.Succeed] or
// [Call.Next]; a retry that is not sent after all ends with [Call.Abandon].
// A Call that is simply dropped, because its attempt panicked, say, does no
// harm to the quota: what its last retry cost stays lost, as if it had failed.
type Call struct {
	policy   *Policy
	quota    *Quota
	limiter  *Limiter
	opts     CallOptions
	deadline time.Time // zero: none
	attempts int       // failed attempts so far
	held     int       // cost of the last granted retry, in tokens
	sending  bool      // the rate limiter's token of the next attempt is taken
}

// CallOptions are what the core must know of an operation.
type CallOptions struct {
	// Unsafe is set for an operation that is not idempotent: repeating it may
	// make the server act twice.
	Unsafe bool
	// LongPolling is set for an operation that is expected to wait. When the
	// quota refuses its retry, the backoff is waited for before the error is
	// returned, so that a polling loop does not turn into a busy one. A delay
	// that the server asks for adds at most [DefaultClampMargin] to that wait.
	LongPolling bool
	// PollWait is how long the server was asked to wait before it answers; the
	// attempt timeout grows by it.
	PollWait time.Duration
	// Deadline is when the caller stops waiting. Zero: never.
	Deadline time.Time
	// Outer is set when an outer retry owns the call: it makes one attempt.
	// [Run] sets it from the context's mark; see [WithNested].
	Outer bool
	// Quota, if not nil, is used in place of the policy's.
	Quota *Quota
	// Limiter, if not nil, is used in place of the policy's.
	Limiter *Limiter
	// Service and Operation name what is called, for observers.
	Service, Operation string
}

// Begin starts a call at time now.
func (p *Policy) Begin(now time.Time, opts CallOptions) Call {
	c := Call{policy: p, quota: p.quota, limiter: p.limiter, opts: opts, deadline: opts.Deadline}
	if opts.Quota != nil {
		c.quota = opts.Quota
	}
	if opts.Limiter != nil {
		c.limiter = opts.Limiter
	}
	if total := p.settings.TotalTimeout; total > 0 {
		if end := now.Add(total); c.deadline.IsZero() || end.Before(c.deadline) {
			c.deadline = end
		}
	}
	return c
}

// Attempt returns the number of the attempt that is next or under way; the
// first is 1.
func (c *Call) Attempt() int { return c.attempts + 1 }

// MaxAttempts returns the most attempts that the call makes.
func (c *Call) MaxAttempts() int {
	if c.opts.Outer || c.policy.settings.Mode == Off {
		return 1
	}
	return c.policy.settings.MaxAttempts
}

// Deadline returns the end of the call's time, or false if it has none.
func (c *Call) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }

// Send takes the rate limiter's token for the next attempt at time now and
// returns how long to wait before the attempt is sent: zero except in mode
// [Adaptive]. It returns false, and takes nothing, if the wait does not fit
// before the deadline. An attempt that is then not sent must be given back
// with [Call.Abandon].
func (c *Call) Send(now time.Time) (wait time.Duration, ok bool) {
	if c.policy.settings.Mode != Adaptive {
		return 0, true
	}
	limit := time.Duration(math.MaxInt64)
	if !c.deadline.IsZero() {
		limit = c.deadline.Sub(now)
		if c.attempts > 0 {
			limit -= c.policy.settings.MinAttemptTime
		}
	}
	wait, ok = c.limiter.Take(now, limit)
	c.sending = ok
	return wait, ok
}

// answered tells the rate limiter how an attempt ended.
func (c *Call) answered(now time.Time, throttled bool) {
	c.sending = false
	if c.policy.settings.Mode == Adaptive {
		c.limiter.Answered(now, throttled)
	}
}

// Succeed settles the quota after an attempt that succeeded at time now: it
// refunds what the last retry cost or, after a first attempt, adds the
// first-attempt refund. It returns the level.
func (c *Call) Succeed(now time.Time) int {
	c.answered(now, false)
	if c.attempts == 0 {
		c.quota.give(c.policy.settings.Quota.FirstAttemptRefund)
	} else {
		c.quota.give(c.held)
		c.held = 0
	}
	return c.quota.Level()
}

// Next decides what follows an attempt that failed with f at time now. If it
// grants a retry, the retry's cost has been taken from the quota; a retry
// that is then never sent must be given back with [Call.Abandon].
func (c *Call) Next(f Failure, now time.Time) Decision {
	c.attempts++
	c.answered(now, f.Class == Throttling)
	d := Decision{
		Attempt: c.attempts, Class: f.Class, Rule: f.Rule, Code: f.Code, Err: f.Err,
		ServerDelay: f.ServerDelay, HasServerDelay: f.HasServerDelay, NotActed: f.NotActed,
	}
	d.Stop = c.gate(f)
	if d.Stop == 0 {
		c.charge(&d, f, now)
	}
	d.Quota = c.quota.Level()
	return d
}

// gate asks what can be answered without the quota and the backoff.
func (c *Call) gate(f Failure) StopReason {
	switch {
	case f.OutcomeUnknown:
		return StopNotIdempotent
	case f.Class != Transient && f.Class != Throttling:
		return StopTerminal
	case c.opts.Unsafe && c.policy.settings.Replay != ReplayAny && !f.NotActed:
		return StopNotIdempotent
	case f.BodySpent:
		return StopBody
	case c.attempts < c.MaxAttempts():
		return 0
	case c.opts.Outer && c.policy.retries():
		return StopOuter
	}
	return StopAttempts
}

// charge draws the backoff and pays for the retry. The tokens are taken last,
// so that a wait which does not fit takes none.
func (c *Call) charge(d *Decision, f Failure, now time.Time) {
	s := &c.policy.settings
	cost := s.Quota.cost(f.Class, f.Err)
	refused := c.quota.Level() < cost
	if refused && !c.opts.LongPolling {
		d.Stop = StopQuota
		return
	}
	// The exponent counts the retries of the call, whatever their class.
	drawn := s.backoff(f.Class, c.attempts-1, c.policy.jitter())
	if !refused {
		delay := f.wait(s.ServerDelay, drawn)
		if !c.fits(now, delay) {
			d.Stop = StopDeadline
			return
		}
		if c.quota.take(cost) {
			d.Delay, d.Cost, c.held = delay, cost, cost
			return
		}
	}
	d.Stop = StopQuota
	if wait := f.wait(s.ServerDelay.forced(), drawn); c.opts.LongPolling && c.fits(now, wait) {
		d.Delay = wait
	}
}

// wait combines the drawn backoff with what the server asked for, if it did.
func (f *Failure) wait(p ServerDelayPolicy, drawn time.Duration) time.Duration {
	if !f.HasServerDelay {
		return drawn
	}
	return p.delay(drawn, f.ServerDelay)
}

// fits reports whether a wait of delay ends before the deadline, and leaves
// time for an attempt.
func (c *Call) fits(now time.Time, delay time.Duration) bool {
	if c.deadline.IsZero() {
		return true
	}
	left := c.deadline.Sub(now)
	return delay < left && left-delay >= c.policy.settings.MinAttemptTime
}

// Abandon gives back what was taken for an attempt that is not sent: the cost
// of the retry and the rate limiter's token. It returns the quota's level.
func (c *Call) Abandon() int {
	if c.sending {
		c.limiter.Return()
		c.sending = false
	}
	c.quota.give(c.held)
	c.held = 0
	return c.quota.Level()
}
