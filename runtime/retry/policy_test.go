package retry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestDefaults(t *testing.T) {
	want := retry.Settings{
		Mode:        retry.Standard,
		MaxAttempts: 3,
		BaseDelay:   retry.BaseDelay{Transient: 50 * time.Millisecond, Throttling: time.Second},
		MaxBackoff:  20 * time.Second,
		Jitter:      retry.JitterSettings{Transient: retry.FullJitter, Throttling: retry.FullJitter},
		Quota:       retry.QuotaSettings{Capacity: 500, TransientCost: 14, ThrottlingCost: 5, FirstAttemptRefund: 1},
		ServerDelay: retry.Clamp,
		Replay:      retry.ReplaySafe,
	}
	if got := newPolicy(t).Settings(); got != want {
		t.Errorf("settings %+v, want %+v", got, want)
	}
}

// other differs from the defaults in every field.
var other = retry.Settings{
	Mode:           retry.Off,
	MaxAttempts:    7,
	BaseDelay:      retry.BaseDelay{Transient: 1, Throttling: 2},
	MaxBackoff:     3,
	Jitter:         retry.JitterSettings{Transient: retry.HalfJitter, Throttling: retry.NoJitter},
	AttemptTimeout: 4,
	TotalTimeout:   5,
	Quota:          retry.QuotaSettings{Capacity: 6, TransientCost: 8, TimeoutCost: 11, ThrottlingCost: 9, FirstAttemptRefund: 10},
	ServerDelay:    retry.Honour,
	Replay:         retry.ReplayAny,
}

func TestSettingsOver(t *testing.T) {
	base := retry.Defaults()
	if got := other.Over(base); got != other {
		t.Errorf("set fields: %+v, want %+v", got, other)
	}
	if got := (retry.Settings{}).Over(other); got != other {
		t.Errorf("unset fields: %+v, want %+v", got, other)
	}
	part := retry.Settings{BaseDelay: retry.BaseDelay{Transient: 99}, Quota: retry.QuotaSettings{ThrottlingCost: 99}}
	want := other
	want.BaseDelay.Transient, want.Quota.ThrottlingCost = 99, 99
	if got := part.Over(other); got != want {
		t.Errorf("some fields: %+v, want %+v", got, want)
	}
}

func TestOptions(t *testing.T) {
	got := newPolicy(t,
		retry.WithMode(retry.Off),
		retry.WithMaxAttempts(7),
		retry.WithBaseDelay(retry.BaseDelay{Transient: 1}),
		retry.WithBaseDelay(retry.BaseDelay{Throttling: 2}),
		retry.WithMaxBackoff(3),
		retry.WithAttemptTimeout(4),
		retry.WithTotalTimeout(5),
		retry.WithSettings(retry.Settings{Quota: other.Quota, Jitter: other.Jitter}),
		retry.WithServerDelay(retry.Honour),
		retry.WithReplay(retry.ReplayAny),
	).Settings()
	if got != other {
		t.Errorf("settings %+v, want %+v", got, other)
	}
}

func TestInvalidSettings(t *testing.T) {
	settings := func(s retry.Settings) retry.Option { return retry.WithSettings(s) }
	tests := []struct {
		opt  retry.Option
		want string
	}{
		{retry.WithMode(9), "Mode: got Mode(9), want standard, adaptive, legacy or off"},
		{retry.WithMaxAttempts(0), "MaxAttempts: got 0, want at least 1"},
		{retry.WithMaxAttempts(-1), "MaxAttempts: got -1, want at least 1"},
		{retry.WithBaseDelay(retry.BaseDelay{Transient: -1}), "BaseDelay.Transient: got -1ns, want more than 0s"},
		{retry.WithBaseDelay(retry.BaseDelay{Throttling: -1}), "BaseDelay.Throttling: got -1ns, want more than 0s"},
		{retry.WithMaxBackoff(0), "MaxBackoff: got 0s, want more than 0s"},
		{retry.WithMaxBackoff(-1), "MaxBackoff: got -1ns, want more than 0s"},
		{retry.WithAttemptTimeout(-1), "AttemptTimeout: got -1ns, want at least 0s"},
		{retry.WithTotalTimeout(-1), "TotalTimeout: got -1ns, want at least 0s"},
		{settings(retry.Settings{Quota: retry.QuotaSettings{Capacity: -1}}), "Quota.Capacity: got -1, want at least 1"},
		{settings(retry.Settings{Quota: retry.QuotaSettings{TransientCost: -1}}), "Quota.TransientCost: got -1, want at least 1, or Free"},
		{settings(retry.Settings{Quota: retry.QuotaSettings{ThrottlingCost: -1}}), "Quota.ThrottlingCost: got -1, want at least 1, or Free"},
		{settings(retry.Settings{Quota: retry.QuotaSettings{FirstAttemptRefund: -1}}), "Quota.FirstAttemptRefund: got -1, want at least 0"},
		{settings(retry.Settings{Quota: retry.QuotaSettings{TimeoutCost: -1}}), "Quota.TimeoutCost: got -1, want at least 1, or Free"},
		{settings(retry.Settings{Jitter: retry.JitterSettings{Transient: 9}}), "Jitter.Transient: got Jitter(9), want a jitter of this package"},
		{settings(retry.Settings{Jitter: retry.JitterSettings{Throttling: 9}}), "Jitter.Throttling: got Jitter(9), want a jitter of this package"},
		{retry.WithServerDelay(9), "ServerDelay: got ServerDelayPolicy(9), want clamp, honour or ignore"},
		{retry.WithReplay(9), "Replay: got ReplayRule(9), want safe or any"},
		{nil, "nil option"},
	}
	var all []retry.Option
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			_, err := retry.New(tt.opt)
			if err == nil || err.Error() != "retry: "+tt.want {
				t.Errorf("New: error %v, want %q", err, "retry: "+tt.want)
			}
			_, err = newPolicy(t).With(tt.opt)
			if err == nil || err.Error() != "retry: "+tt.want {
				t.Errorf("With: error %v, want %q", err, "retry: "+tt.want)
			}
		})
		all = append(all, tt.opt)
	}
	_, err := retry.New(all...)
	for _, field := range []string{"Mode:", "MaxAttempts:", "BaseDelay.Transient:", "BaseDelay.Throttling:", "MaxBackoff:",
		"AttemptTimeout:", "TotalTimeout:", "Quota.Capacity:", "ServerDelay:", "Replay:", "nil option"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("the error does not name %s together with the others: %v", field, err)
		}
	}
}

func TestWith(t *testing.T) {
	p := newPolicy(t, retry.WithMaxAttempts(5), retry.WithMode(retry.Adaptive), pinned(1))
	same, err := p.With()
	if err != nil || same != p {
		t.Errorf("With() = %p, %v, want %p itself", same, err, p)
	}
	q, err := p.With(retry.WithMaxBackoff(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if s := q.Settings(); s.MaxAttempts != 5 || s.Mode != retry.Adaptive || s.MaxBackoff != time.Minute {
		t.Errorf("settings %+v, want those of the first policy with another cap", s)
	}
	if p.Settings().MaxBackoff != retry.DefaultMaxBackoff {
		t.Error("With changed its receiver")
	}
	if q.Quota() != p.Quota() || q.Limiter() != p.Limiter() {
		t.Error("quota or limiter are not shared")
	}
	quota, limiter := retry.NewQuota(0), retry.NewLimiter(time.Now())
	own, err := q.With(retry.WithQuota(quota), retry.WithLimiter(limiter))
	if err != nil || own.Quota() != quota || own.Limiter() != limiter {
		t.Errorf("quota or limiter are not those of the options (error %v)", err)
	}
	fresh, err := q.With(retry.WithQuota(nil), retry.WithLimiter(nil))
	if err != nil || fresh.Quota() == q.Quota() || fresh.Limiter() == q.Limiter() {
		t.Errorf("quota or limiter are not new (error %v)", err)
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ got, want string }{
		{retry.Terminal.String(), "terminal"},
		{retry.Transient.String(), "transient"},
		{retry.Throttling.String(), "throttling"},
		{retry.Class(9).String(), "Class(9)"},
		{retry.Standard.String(), "standard"},
		{retry.Off.String(), "off"},
		{retry.Adaptive.String(), "adaptive"},
		{retry.Mode(0).String(), "Mode(0)"},
		{retry.ReplaySafe.String(), "safe"},
		{retry.ReplayAny.String(), "any"},
		{retry.ReplayRule(0).String(), "ReplayRule(0)"},
		{retry.Clamp.String(), "clamp"},
		{retry.Honour.String(), "honour"},
		{retry.Ignore.String(), "ignore"},
		{retry.ServerDelayPolicy(0).String(), "ServerDelayPolicy(0)"},
		{retry.StopCanceled.String(), "cancelled"},
		{retry.StopReason(0).String(), "StopReason(0)"},
		{retry.StopReason(99).String(), "StopReason(99)"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	for _, class := range []retry.Class{retry.Terminal, retry.Transient, retry.Throttling} {
		if got, err := retry.ParseClass(class.String()); got != class || err != nil {
			t.Errorf("ParseClass(%q) = %v, %v", class, got, err)
		}
	}
	if _, err := retry.ParseClass("Transient"); err == nil {
		t.Error("ParseClass takes a name in another case")
	}
}
