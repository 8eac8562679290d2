package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// A Fleet decides for the clients of one run. Calls that are under way at the
// same time have different numbers; the number of a call that has ended is
// used again.
type Fleet interface {
	// Begin starts call number call of client. A zero deadline means none.
	Begin(call, client int, now, deadline time.Time)
	// Send asks how long the next attempt is held back; false says that it is
	// not sent, because that does not fit the deadline.
	Send(call int, now time.Time) (wait time.Duration, ok bool)
	// Succeed tells that an attempt, and so the call, succeeded.
	Succeed(call int, now time.Time)
	// Fail tells that an attempt failed, and returns the delay before the
	// next one or why there is none.
	Fail(call int, f retry.Failure, now time.Time) (delay time.Duration, stop retry.StopReason)
}

// FleetConfig is what a [Fleet] may need to know.
type FleetConfig struct {
	Clients  int
	Strategy Strategy
	// Settings are those that the strategy's options come to.
	Settings retry.Settings
	// Start is the time at which the simulation begins.
	Start time.Time
	// Random is the source of jitter.
	Random *rand.Rand
}

// coreFleet runs every call on the retry core.
type coreFleet struct {
	policies []*retry.Policy // one for all or, because of the rate limiter, of one client each
	quotas   []*retry.Quota  // of one client each; empty: the policy's
	calls    []coreCall
	draw     decorrelated
}

type coreCall struct {
	retry.Call
	delay time.Duration // before the last retry
}

func newCoreFleet(c FleetConfig) (Fleet, error) {
	f := &coreFleet{}
	base, err := retry.New(f.options(c)...)
	if err != nil {
		return nil, fmt.Errorf("strategy %q: %w", c.Strategy.Name, err)
	}
	f.policies = []*retry.Policy{base}
	if c.Strategy.Budget == Own {
		f.quotas = make([]*retry.Quota, c.Clients)
		for i := range f.quotas {
			f.quotas[i] = retry.NewQuota(c.Settings.Quota.Capacity)
		}
	}
	if c.Strategy.Budget == Shared || c.Settings.Mode != retry.Adaptive {
		return f, nil
	}
	f.policies = make([]*retry.Policy, c.Clients)
	for i := range f.policies {
		if f.policies[i], err = base.With(retry.WithLimiter(retry.NewLimiter(c.Start))); err != nil {
			return nil, fmt.Errorf("strategy %q: %w", c.Strategy.Name, err)
		}
	}
	return f, nil
}

// options are those of the strategy. Decorrelated jitter, which knows no
// exponential series, is drawn as a fraction of the limit.
func (f *coreFleet) options(c FleetConfig) []retry.Option {
	s := c.Strategy
	opts := append(slices.Clone(s.Options), retry.WithLimiter(retry.NewLimiter(c.Start)), retry.WithJitter(c.Random.Float64))
	if s.Decorrelated > 0 {
		limit := c.Settings.MaxBackoff
		f.draw = decorrelated{random: c.Random, base: s.Decorrelated, limit: limit}
		opts = append(opts, retry.WithJitter(f.draw.fraction), retry.WithSettings(retry.Settings{
			BaseDelay: retry.BaseDelay{Transient: limit, Throttling: limit},
			Jitter:    retry.JitterSettings{Transient: retry.FullJitter, Throttling: retry.FullJitter},
		}))
	}
	if s.Budget == NoQuota {
		opts = append(opts, retry.WithQuota(retry.NewQuota(math.MaxInt)))
	}
	return opts
}

func (f *coreFleet) Begin(call, client int, now, deadline time.Time) {
	for call >= len(f.calls) {
		f.calls = append(f.calls, coreCall{})
	}
	policy, opts := f.policies[0], retry.CallOptions{Deadline: deadline}
	if len(f.policies) > 1 {
		policy = f.policies[client]
	}
	if len(f.quotas) > 0 {
		opts.Quota = f.quotas[client]
	}
	c := &f.calls[call]
	c.Call, c.delay = policy.Begin(now, opts), 0
}

func (f *coreFleet) Send(call int, now time.Time) (time.Duration, bool) {
	c := &f.calls[call]
	wait, ok := c.Send(now)
	if !ok {
		c.Abandon()
	}
	return wait, ok
}

func (f *coreFleet) Succeed(call int, now time.Time) { f.calls[call].Succeed(now) }

func (f *coreFleet) Fail(call int, failure retry.Failure, now time.Time) (time.Duration, retry.StopReason) {
	c := &f.calls[call]
	f.draw.last = c.delay
	d := c.Next(failure, now)
	c.delay = d.Delay
	return d.Delay, d.Stop
}

// decorrelated draws delays between a base and three times the delay before.
type decorrelated struct {
	random      *rand.Rand
	base, limit time.Duration
	last        time.Duration // delay before the last retry of the call that draws
}

// fraction is a delay as a fraction of the limit.
func (d *decorrelated) fraction() float64 {
	last := max(d.last, d.base)
	delay := float64(d.base) + d.random.Float64()*(3*float64(last)-float64(d.base))
	return min(1, delay/float64(d.limit))
}
