package retry

import (
	"errors"
	"fmt"
	"time"
)

// An Option changes one setting of a policy; later options win. Values are
// checked together by [New] and [Policy.With].
type Option interface{ apply(*config) }

type config struct {
	settings Settings // set by options
	layers   layers   // of the policy under the options
	quota    *Quota
	limiter  *Limiter
	jitter   func() float64
	classify Classifier
	errs     []error

	observers []Observer
	nested    bool
}

// with returns c with opts applied.
func (c config) with(opts []Option) config {
	for _, opt := range opts {
		if opt == nil {
			c.errs = append(c.errs, errors.New("retry: nil option"))
			continue
		}
		opt.apply(&c)
	}
	return c
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

// WithSettings sets every field that s has set.
func WithSettings(s Settings) Option {
	return option(func(c *config) { c.settings = s.Over(c.settings) })
}

// WithMode chooses how retrying works as a whole.
func WithMode(m Mode) Option {
	return option(func(c *config) { c.settings.Mode = m })
}

// WithMaxAttempts limits the attempts of a call, the first included.
func WithMaxAttempts(n int) Option {
	return option(func(c *config) {
		c.settings.MaxAttempts = n
		c.refuseZero("MaxAttempts", n == 0, "0, want at least 1")
	})
}

// WithBaseDelay sets the base delays; a zero field is left as it was.
func WithBaseDelay(b BaseDelay) Option {
	return WithSettings(Settings{BaseDelay: b})
}

// WithMaxBackoff caps the backoff, before jitter.
func WithMaxBackoff(d time.Duration) Option {
	return option(func(c *config) {
		c.settings.MaxBackoff = d
		c.refuseZero("MaxBackoff", d == 0, "0s, want more than 0s")
	})
}

// WithAttemptTimeout limits each attempt. Zero leaves the limit as it was.
func WithAttemptTimeout(d time.Duration) Option {
	return option(func(c *config) { c.settings.AttemptTimeout = d })
}

// WithTotalTimeout limits the whole call, attempts and waits. Zero leaves the
// limit as it was.
func WithTotalTimeout(d time.Duration) Option {
	return option(func(c *config) { c.settings.TotalTimeout = d })
}

// WithMinAttemptTime refuses retries that would begin with less than d before
// the deadline. Zero leaves the limit as it was.
func WithMinAttemptTime(d time.Duration) Option {
	return option(func(c *config) { c.settings.MinAttemptTime = d })
}

// WithQuota shares q: calls under this policy draw on the same tokens as all
// other users of q. A nil q means a new quota.
func WithQuota(q *Quota) Option {
	return option(func(c *config) { c.quota = q })
}

// WithLimiter shares l: in mode [Adaptive], calls under this policy wait for
// the same tokens as all other users of l. A nil l means a new limiter.
func WithLimiter(l *Limiter) Option {
	return option(func(c *config) { c.limiter = l })
}

// WithServerDelay chooses what becomes of a delay that the server asks for.
func WithServerDelay(s ServerDelayPolicy) Option {
	return option(func(c *config) { c.settings.ServerDelay = s })
}

// WithReplay chooses which operations may be repeated.
func WithReplay(r ReplayRule) Option {
	return option(func(c *config) { c.settings.Replay = r })
}

// WithClassifier replaces [Classify]. A nil classifier restores it. In package
// httpapi it is asked last, about failures that are classified already; see
// [Policy.Reclassify].
func WithClassifier(f Classifier) Option {
	return option(func(c *config) { c.classify = f })
}

// WithJitter replaces the source of randomness: draw must return numbers in
// [0, 1] and be safe for concurrent use. Tests and simulations pin it. A nil
// draw restores the default, [math/rand/v2.Float64].
func WithJitter(draw func() float64) Option {
	return option(func(c *config) { c.jitter = draw })
}

// refuseZero keeps an explicit zero from reading as "not set".
func (c *config) refuseZero(name string, zero bool, got string) {
	if zero {
		c.errs = append(c.errs, fmt.Errorf("retry: %s: got %s", name, got))
	}
}
