package retry

import (
	"errors"
	"math"
	"time"
)

// What settings of before 2026 need beside those of today.
const (
	// Free is the cost of a retry that takes nothing from the quota. If all
	// costs are Free, no retry is refused.
	Free = math.MinInt32
	// NoMaxBackoff leaves the exponential series without a cap.
	NoMaxBackoff = time.Duration(math.MaxInt64)
)

// Numbers of aws-sdk-go-v2 before 2026. Its first retry was drawn from two
// seconds.
const (
	LegacyMaxAttempts = 3
	LegacyBaseDelay   = 2 * time.Second
	LegacyMaxBackoff  = 20 * time.Second
	LegacyRetryCost   = 5
	LegacyTimeoutCost = 10
)

// LegacyDefaults are the settings of mode [Legacy]: those of aws-sdk-go-v2
// before 2026. [WithLegacy] replaces them.
func LegacyDefaults() Settings {
	return Settings{
		MaxAttempts: LegacyMaxAttempts,
		BaseDelay:   BaseDelay{LegacyBaseDelay, LegacyBaseDelay},
		MaxBackoff:  LegacyMaxBackoff,
		Jitter:      JitterSettings{FullJitterBelowCap, FullJitterBelowCap},
		Quota: QuotaSettings{
			Capacity:           DefaultQuotaCapacity,
			TransientCost:      LegacyRetryCost,
			TimeoutCost:        LegacyTimeoutCost,
			ThrottlingCost:     LegacyRetryCost,
			FirstAttemptRefund: DefaultFirstAttemptRefund,
		},
		ServerDelay: Ignore,
	}
}

// WithDefaults lays s under what all other options set and over [Defaults].
// In mode [Legacy], the settings of that mode win over s.
func WithDefaults(s Settings) Option {
	return option(func(c *config) { c.layers.defaults = s.Over(c.layers.defaults) })
}

// WithLegacy replaces [LegacyDefaults]: the settings that mode [Legacy] has
// under what other options set. What s does not set is as in other modes. The
// mode itself is chosen by [WithMode].
func WithLegacy(s Settings) Option {
	return option(func(c *config) { c.layers.legacy = s })
}

// LegacySettings returns what [WithLegacy] chose for mode [Legacy].
func (p *Policy) LegacySettings() Settings { return p.layers.legacy }

// SettingsOf returns the settings that opts set, all others unset.
func SettingsOf(opts ...Option) Settings { return config{}.with(opts).settings }

// layers are the settings of a policy before they are laid over each other.
type layers struct{ explicit, legacy, defaults Settings }

// settings lays them over each other.
func (l *layers) settings() Settings {
	s := l.explicit.Over(l.defaults)
	if s.Mode == Legacy {
		s = l.explicit.Over(l.legacy).Over(l.defaults)
		s.Mode = Legacy
	}
	return s
}

// isTimeout reports whether err says that it is a timeout.
func isTimeout(err error) bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}
