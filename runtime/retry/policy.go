package retry

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Numbers of the AWS SDKs' standard retry mode of 2026, from the AWS
// reference page on retry behaviour.
const (
	DefaultMaxAttempts         = 3
	DefaultTransientBaseDelay  = 50 * time.Millisecond
	DefaultThrottlingBaseDelay = time.Second
	DefaultMaxBackoff          = 20 * time.Second
	DefaultQuotaCapacity       = 500
	DefaultTransientCost       = 14
	DefaultThrottlingCost      = 5
	DefaultFirstAttemptRefund  = 1
	// DefaultClampMargin is how far beyond the drawn backoff a server delay
	// may reach under [Clamp].
	DefaultClampMargin = 5 * time.Second
)

// Settings are the numbers and choices of a policy. A zero field means "not
// set" and is filled by [Settings.Over] or, at last, from the defaults above.
type Settings struct {
	// Mode is [Standard] unless set.
	Mode Mode
	// MaxAttempts counts the first attempt. Default 3.
	MaxAttempts int
	// BaseDelay holds the first terms of the exponential series.
	BaseDelay BaseDelay
	// MaxBackoff caps the series, before jitter. It must not be less than a
	// base delay, other than the default one for throttling. Default 20 s. See
	// [NoMaxBackoff].
	MaxBackoff time.Duration
	// Jitter says how a wait is drawn. Default [FullJitter].
	Jitter JitterSettings
	// AttemptTimeout limits each attempt. Zero: no limit but the deadline.
	AttemptTimeout time.Duration
	// TotalTimeout limits the whole call, attempts and waits, as a deadline
	// of the context would; the earlier of both counts. Zero: no limit.
	TotalTimeout time.Duration
	// MinAttemptTime is the least time that is worth an attempt: a retry that
	// would begin with less than that before the deadline is not made. Zero:
	// any time will do.
	MinAttemptTime time.Duration
	// Quota configures the token bucket.
	Quota QuotaSettings
	// ServerDelay says what becomes of a delay that the server asks for.
	// Default [Clamp].
	ServerDelay ServerDelayPolicy
	// Replay says which operations may be repeated. Default
	// [ReplaySafe].
	Replay ReplayRule
}

// BaseDelay holds the base delay of each class.
type BaseDelay struct {
	Transient  time.Duration // default 50 ms
	Throttling time.Duration // default 1 s
}

// QuotaSettings configures a [Quota] and what retries cost, in tokens. A zero
// field means the default, a cost of [Free] none. For a quota that never
// grants a retry, give [WithQuota] one of capacity zero.
type QuotaSettings struct {
	// Capacity sizes a new bucket. A bucket that is shared keeps its own
	// capacity. Default 500.
	Capacity      int
	TransientCost int // default 14
	// TimeoutCost is the cost after a transient failure whose error says
	// Timeout() bool. Default: TransientCost.
	TimeoutCost        int
	ThrottlingCost     int // default 5
	FirstAttemptRefund int // default 1
}

// Mode switches retrying as a whole.
type Mode uint8

const (
	// Standard retries as package retry describes.
	Standard Mode = iota + 1
	// Off makes exactly one attempt.
	Off
	// Adaptive is Standard with a rate limiter, which may hold back any
	// attempt, the first too; see [Limiter].
	Adaptive
	// Legacy is Standard with the numbers of before 2026, for comparison and
	// migration: those of [WithLegacy] take the place of [Defaults] and of
	// [WithDefaults].
	Legacy
)

var modeNames = [...]string{Standard: "standard", Off: "off", Adaptive: "adaptive", Legacy: "legacy"}

// modeList names the modes for errors.
const modeList = "standard, adaptive, legacy or off"

func (m Mode) valid() bool { return m >= Standard && m <= Legacy }

// ParseMode is the inverse of [Mode.String].
func ParseMode(s string) (Mode, error) {
	for m := Standard; m.valid(); m++ {
		if s == m.String() {
			return m, nil
		}
	}
	return 0, fmt.Errorf("retry: mode %q: want %s", s, modeList)
}

// String returns "standard", "off", "adaptive" or "legacy".
func (m Mode) String() string {
	if m.valid() {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// ReplayRule says which operations may be repeated after a failure that does
// not prove that the server did nothing.
type ReplayRule uint8

const (
	// ReplaySafe repeats idempotent operations only.
	ReplaySafe ReplayRule = iota + 1
	// ReplayAny repeats any operation, as the AWS SDKs do.
	ReplayAny
)

// String returns "safe" or "any".
func (r ReplayRule) String() string {
	switch r {
	case ReplaySafe:
		return "safe"
	case ReplayAny:
		return "any"
	}
	return fmt.Sprintf("ReplayRule(%d)", uint8(r))
}

// Over returns s with its unset fields taken from base, field by field.
func (s Settings) Over(base Settings) Settings {
	return Settings{
		Mode:           or(s.Mode, base.Mode),
		MaxAttempts:    or(s.MaxAttempts, base.MaxAttempts),
		BaseDelay:      BaseDelay{or(s.BaseDelay.Transient, base.BaseDelay.Transient), or(s.BaseDelay.Throttling, base.BaseDelay.Throttling)},
		MaxBackoff:     or(s.MaxBackoff, base.MaxBackoff),
		Jitter:         JitterSettings{or(s.Jitter.Transient, base.Jitter.Transient), or(s.Jitter.Throttling, base.Jitter.Throttling)},
		AttemptTimeout: or(s.AttemptTimeout, base.AttemptTimeout),
		TotalTimeout:   or(s.TotalTimeout, base.TotalTimeout),
		MinAttemptTime: or(s.MinAttemptTime, base.MinAttemptTime),
		Quota: QuotaSettings{
			Capacity:           or(s.Quota.Capacity, base.Quota.Capacity),
			TransientCost:      or(s.Quota.TransientCost, base.Quota.TransientCost),
			TimeoutCost:        or(s.Quota.TimeoutCost, base.Quota.TimeoutCost),
			ThrottlingCost:     or(s.Quota.ThrottlingCost, base.Quota.ThrottlingCost),
			FirstAttemptRefund: or(s.Quota.FirstAttemptRefund, base.Quota.FirstAttemptRefund),
		},
		ServerDelay: or(s.ServerDelay, base.ServerDelay),
		Replay:      or(s.Replay, base.Replay),
	}
}

func or[T comparable](v, fallback T) T {
	var unset T
	if v == unset {
		return fallback
	}
	return v
}

// Defaults are the settings of the standard mode.
func Defaults() Settings {
	return Settings{
		Mode:        Standard,
		MaxAttempts: DefaultMaxAttempts,
		BaseDelay:   BaseDelay{DefaultTransientBaseDelay, DefaultThrottlingBaseDelay},
		MaxBackoff:  DefaultMaxBackoff,
		Jitter:      JitterSettings{FullJitter, FullJitter},
		Quota: QuotaSettings{
			Capacity:           DefaultQuotaCapacity,
			TransientCost:      DefaultTransientCost,
			ThrottlingCost:     DefaultThrottlingCost,
			FirstAttemptRefund: DefaultFirstAttemptRefund,
		},
		ServerDelay: Clamp,
		Replay:      ReplaySafe,
	}
}

// Policy is a checked set of [Settings] with the state that its calls share:
// the retry quota and the rate limiter. It is safe for concurrent use and is
// not changed after [New]. The zero value is not usable.
type Policy struct {
	settings Settings
	layers   layers // what settings came from
	quota    *Quota
	limiter  *Limiter
	jitter   func() float64
	classify Classifier // nil: Classify
	// observers are told of every call; nested lets calls retry under an
	// outer retry.
	observers []Observer
	nested    bool
}

// New returns the policy that opts describe on top of [Defaults]. The error
// lists every invalid setting by its name.
func New(opts ...Option) (*Policy, error) {
	c := config{layers: layers{legacy: LegacyDefaults(), defaults: Defaults()}}
	return c.with(opts).policy()
}

// With returns a policy with opts applied over p's settings. It shares p's
// quota and rate limiter, whatever the settings become, unless opts name
// others with [WithQuota] and [WithLimiter].
func (p *Policy) With(opts ...Option) (*Policy, error) {
	if len(opts) == 0 {
		return p, nil
	}
	c := config{layers: p.layers, quota: p.quota, limiter: p.limiter, jitter: p.jitter, classify: p.classify, observers: p.observers, nested: p.nested}
	return c.with(opts).policy()
}

// Settings returns the effective settings. Only the
// timeouts and Quota.TimeoutCost may be zero.
func (p *Policy) Settings() Settings { return p.settings }

// Quota returns the bucket that calls under p share.
func (p *Policy) Quota() *Quota { return p.quota }

// Limiter returns the rate limiter that calls under p share. It is used in
// mode [Adaptive] only.
func (p *Policy) Limiter() *Limiter { return p.limiter }

func (c config) policy() (*Policy, error) {
	c.layers.explicit = c.settings.Over(c.layers.explicit)
	p := &Policy{
		settings: c.layers.settings(),
		layers:   c.layers,
		quota:    c.quota,
		limiter:  c.limiter,
		jitter:   c.jitter,
		classify: c.classify,

		observers: c.observers,
		nested:    c.nested,
	}
	if err := errors.Join(append(c.errs, p.settings.check())...); err != nil {
		return nil, err
	}
	if p.quota == nil {
		p.quota = NewQuota(p.settings.Quota.Capacity)
	}
	if p.limiter == nil {
		p.limiter = NewLimiter(time.Now())
	}
	if p.jitter == nil {
		p.jitter = rand.Float64
	}
	return p, nil
}

// check reports every setting that is out of range.
func (s Settings) check() error {
	var errs []error
	check := func(ok bool, name string, got any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("retry: %s: got %v, want %s", name, got, want))
		}
	}
	check(s.Mode.valid(), "Mode", s.Mode, modeList)
	check(s.MaxAttempts >= 1, "MaxAttempts", s.MaxAttempts, "at least 1")
	check(s.BaseDelay.Transient > 0, "BaseDelay.Transient", s.BaseDelay.Transient, "more than 0s")
	check(s.BaseDelay.Throttling > 0, "BaseDelay.Throttling", s.BaseDelay.Throttling, "more than 0s")
	check(s.MaxBackoff > 0, "MaxBackoff", s.MaxBackoff, "more than 0s")
	check(s.Jitter.Transient.valid(), "Jitter.Transient", s.Jitter.Transient, "a jitter of this package")
	check(s.Jitter.Throttling.valid(), "Jitter.Throttling", s.Jitter.Throttling, "a jitter of this package")
	check(s.AttemptTimeout >= 0, "AttemptTimeout", s.AttemptTimeout, "at least 0s")
	check(s.TotalTimeout >= 0, "TotalTimeout", s.TotalTimeout, "at least 0s")
	check(s.MinAttemptTime >= 0, "MinAttemptTime", s.MinAttemptTime, "at least 0s")
	check(s.capsBase(s.BaseDelay.Transient, 0), "MaxBackoff", s.MaxBackoff, fmt.Sprintf("at least BaseDelay.Transient, %v", s.BaseDelay.Transient))
	check(s.capsBase(s.BaseDelay.Throttling, DefaultThrottlingBaseDelay), "MaxBackoff", s.MaxBackoff, fmt.Sprintf("at least BaseDelay.Throttling, %v", s.BaseDelay.Throttling))
	check(s.Quota.Capacity >= 1, "Quota.Capacity", s.Quota.Capacity, "at least 1")
	check(validCost(s.Quota.TransientCost), "Quota.TransientCost", s.Quota.TransientCost, "at least 1, or Free")
	check(s.Quota.TimeoutCost == 0 || validCost(s.Quota.TimeoutCost), "Quota.TimeoutCost", s.Quota.TimeoutCost, "at least 1, or Free")
	check(validCost(s.Quota.ThrottlingCost), "Quota.ThrottlingCost", s.Quota.ThrottlingCost, "at least 1, or Free")
	check(s.Quota.FirstAttemptRefund >= 0, "Quota.FirstAttemptRefund", s.Quota.FirstAttemptRefund, "at least 0")
	check(s.ServerDelay.valid(), "ServerDelay", s.ServerDelay, "clamp, honour or ignore")
	check(s.Replay == ReplaySafe || s.Replay == ReplayAny, "Replay", s.Replay, "safe or any")
	return errors.Join(errs...)
}

func validCost(cost int) bool { return cost >= 1 || cost == Free }

// cost returns what a retry after a failure of class with err costs.
func (q *QuotaSettings) cost(class Class, err error) int {
	cost := q.TransientCost
	switch {
	case class == Throttling:
		cost = q.ThrottlingCost
	case q.TimeoutCost != 0 && isTimeout(err):
		cost = q.TimeoutCost
	}
	return max(cost, 0) // of Free
}
