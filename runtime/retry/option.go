package retry

import "time"

// An Option changes one setting of a policy; later options win. Values are
// checked together by [New] and [Policy.With].
type Option interface{ apply(*config) }

type config struct {
	settings Settings
	quota    *Quota
	jitter   func() float64
	classify Classifier
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

// WithSettings sets every field that s has set.
func WithSettings(s Settings) Option {
	return option(func(c *config) { c.settings = s.Over(c.settings) })
}

// WithMode switches retrying on or off.
func WithMode(m Mode) Option {
	return option(func(c *config) { c.settings.Mode = m })
}

// WithMaxAttempts limits the attempts of a call, the first included.
func WithMaxAttempts(n int) Option {
	return option(func(c *config) { c.settings.MaxAttempts = invalidZero(n) })
}

// WithBaseDelay sets the base delays; a zero field is left as it was.
func WithBaseDelay(b BaseDelay) Option {
	return WithSettings(Settings{BaseDelay: b})
}

// WithMaxBackoff caps the backoff, before jitter.
func WithMaxBackoff(d time.Duration) Option {
	return option(func(c *config) { c.settings.MaxBackoff = invalidZero(d) })
}

// WithAttemptTimeout limits each attempt.
func WithAttemptTimeout(d time.Duration) Option {
	return option(func(c *config) { c.settings.AttemptTimeout = d })
}

// WithTotalTimeout limits the whole call, attempts and waits.
func WithTotalTimeout(d time.Duration) Option {
	return option(func(c *config) { c.settings.TotalTimeout = d })
}

// WithQuota shares q: calls under this policy draw on the same tokens as all
// other users of q.
func WithQuota(q *Quota) Option {
	return option(func(c *config) { c.quota = q })
}

// WithServerDelay chooses what becomes of a delay that the server asks for.
func WithServerDelay(s ServerDelayPolicy) Option {
	return option(func(c *config) { c.settings.ServerDelay = s })
}

// WithReplay chooses which operations may be repeated.
func WithReplay(r ReplayRule) Option {
	return option(func(c *config) { c.settings.Replay = r })
}

// WithClassifier replaces [Classify]. A nil classifier restores it.
func WithClassifier(f Classifier) Option {
	return option(func(c *config) { c.classify = f })
}

// WithJitter replaces the source of randomness: draw must return numbers in
// [0, 1] and be safe for concurrent use. Tests and simulations pin it.
func WithJitter(draw func() float64) Option {
	return option(func(c *config) { c.jitter = draw })
}

// invalidZero keeps an explicit zero from reading as "not set", so that the
// check reports it.
func invalidZero[T ~int | ~int64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}
