package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// TestLegacy: the numbers of before 2026 take the place of defaults, not of
// what options say, and only in that mode.
func TestLegacy(t *testing.T) {
	service := retry.Settings{MaxAttempts: 4, BaseDelay: retry.BaseDelay{Transient: 25 * time.Millisecond}, Replay: retry.ReplayAny}
	standard := newPolicy(t, retry.WithDefaults(service))
	if got, want := standard.Settings(), service.Over(retry.Defaults()); got != want {
		t.Errorf("standard: %+v, want %+v", got, want)
	}
	legacy, err := standard.With(retry.WithMode(retry.Legacy))
	if err != nil {
		t.Fatal(err)
	}
	want := retry.LegacyDefaults().Over(service)
	want.Mode = retry.Legacy
	if got := legacy.Settings(); got != want {
		t.Errorf("legacy: %+v, want %+v", got, want)
	}
	chosen, err := legacy.With(retry.WithMaxAttempts(6), retry.WithLegacy(retry.Settings{
		MaxAttempts: 5, MaxBackoff: retry.NoMaxBackoff,
		Quota: retry.QuotaSettings{TransientCost: retry.Free, ThrottlingCost: retry.Free},
	}))
	if err != nil {
		t.Fatal(err)
	}
	s := chosen.Settings()
	if s.MaxAttempts != 6 || s.MaxBackoff != retry.NoMaxBackoff || s.Quota.TransientCost != retry.Free || s.BaseDelay.Transient != 25*time.Millisecond {
		t.Errorf("another scheme: %+v", s)
	}
	back, err := chosen.With(retry.WithMode(retry.Standard))
	if err != nil {
		t.Fatal(err)
	}
	if s := back.Settings(); s.MaxAttempts != 6 || s.MaxBackoff != retry.DefaultMaxBackoff {
		t.Errorf("back in standard: %+v", s)
	}
	byDefault := newPolicy(t, retry.WithDefaults(retry.Settings{Mode: retry.Legacy})).Settings()
	if byDefault.Mode != retry.Legacy || byDefault.BaseDelay.Transient != retry.LegacyBaseDelay {
		t.Errorf("legacy by default: %+v", byDefault)
	}
}

func TestSettingsOf(t *testing.T) {
	got := retry.SettingsOf(retry.WithMaxAttempts(2), retry.WithDefaults(other), retry.WithMode(retry.Adaptive))
	if want := (retry.Settings{Mode: retry.Adaptive, MaxAttempts: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParseMode(t *testing.T) {
	for _, mode := range []retry.Mode{retry.Standard, retry.Off, retry.Adaptive, retry.Legacy} {
		if got, err := retry.ParseMode(mode.String()); got != mode || err != nil {
			t.Errorf("ParseMode(%q) = %v, %v", mode, got, err)
		}
	}
	for _, text := range []string{"", "Standard", "Mode(0)", "Mode(5)"} {
		if got, err := retry.ParseMode(text); err == nil {
			t.Errorf("ParseMode(%q) = %v, want an error", text, got)
		}
	}
}

func TestJitter(t *testing.T) {
	base := retry.Settings{BaseDelay: retry.BaseDelay{Transient: 2 * time.Second, Throttling: time.Second}, MaxBackoff: 20 * time.Second}
	tests := []struct {
		jitter retry.Jitter
		retry  int
		draw   float64
		want   time.Duration
	}{
		{retry.FullJitter, 0, 0.25, 500 * time.Millisecond},
		{retry.FullJitter, 9, 0.25, 5 * time.Second},
		{retry.HalfJitter, 0, 0, time.Second},
		{retry.HalfJitter, 0, 0.5, 1500 * time.Millisecond},
		{retry.HalfJitter, 9, 1, 20 * time.Second},
		{retry.NoJitter, 1, 0, 4 * time.Second},
		{retry.NoJitter, 9, 0.5, 20 * time.Second},
		{retry.FullJitterBelowCap, 3, 0.5, 8 * time.Second},
		{retry.FullJitterBelowCap, 4, 0, 20 * time.Second},
		{retry.FullJitterBelowCap, 100, 0, 20 * time.Second},
	}
	for _, test := range tests {
		s := base
		s.Jitter.Transient = test.jitter
		s.Jitter.Throttling = test.jitter
		if test.jitter == retry.FullJitter {
			if got := s.Backoff(retry.Throttling, 0, 1); got != time.Second {
				t.Errorf("throttling: %v, want 1s", got)
			}
		}
		if got := s.Backoff(retry.Transient, test.retry, test.draw); got != test.want {
			t.Errorf("%v, retry %d, draw %v: %v, want %v", test.jitter, test.retry, test.draw, got, test.want)
		}
	}
	endless := retry.Settings{BaseDelay: base.BaseDelay, MaxBackoff: retry.NoMaxBackoff, Jitter: retry.JitterSettings{Transient: retry.HalfJitter}}
	if got := endless.Backoff(retry.Transient, 1000, 1); got != retry.NoMaxBackoff {
		t.Errorf("without a cap: %v, want the longest duration", got)
	}
	if got := retry.Jitter(0).String() + " " + retry.FullJitterBelowCap.String(); got != "Jitter(0) full below the cap" {
		t.Errorf("names: %s", got)
	}
}

type timeout struct{ error }

func (timeout) Timeout() bool { return true }

// TestCosts: timeouts may cost more than other transient failures, and
// retries may cost nothing.
func TestCosts(t *testing.T) {
	legacy := retry.LegacyDefaults()
	legacy.Mode = retry.Legacy
	free := retry.QuotaSettings{TransientCost: retry.Free, ThrottlingCost: retry.Free}
	tests := []struct {
		name  string
		quota retry.QuotaSettings
		class retry.Class
		err   error
		want  int
	}{
		{"transient", legacy.Quota, retry.Transient, errors.New("reset"), 5},
		{"timeout", legacy.Quota, retry.Transient, timeout{errors.New("late")}, 10},
		{"throttled timeout", legacy.Quota, retry.Throttling, timeout{errors.New("late")}, 5},
		{"timeout of today", retry.QuotaSettings{}, retry.Transient, timeout{errors.New("late")}, 14},
		{"free", free, retry.Transient, nil, 0},
		{"free throttling", free, retry.Throttling, nil, 0},
		{"free timeout", retry.QuotaSettings{TransientCost: 5, TimeoutCost: retry.Free}, retry.Transient, timeout{nil}, 0},
	}
	for _, test := range tests {
		p := newPolicy(t, retry.WithSettings(retry.Settings{Quota: test.quota}))
		call := p.Begin(time.Time{}, retry.CallOptions{})
		d := call.Next(retry.Failure{Class: test.class, Err: test.err}, time.Time{})
		if !d.Retry() || d.Cost != test.want || d.Quota != 500-test.want {
			t.Errorf("%s: %v, cost %d, want %d", test.name, d, d.Cost, test.want)
		}
	}
	empty := newPolicy(t, retry.WithSettings(retry.Settings{Quota: free}), retry.WithQuota(retry.NewQuota(0)))
	call := empty.Begin(time.Time{}, retry.CallOptions{})
	if d := call.Next(retry.Failure{Class: retry.Transient}, time.Time{}); !d.Retry() {
		t.Errorf("a free retry from an empty quota: %v", d)
	}
}

// TestLegacyDo: two retries of the earlier Go SDK, drawn in the middle.
func TestLegacyDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPolicy(t, retry.WithMode(retry.Legacy), retry.WithJitter(func() float64 { return 0.5 }))
		_, err := retry.Do(t.Context(), p, func(context.Context) (int, error) { return 0, retry.MarkTransient(errors.New("down")) })
		if !errors.Is(err, retry.ErrMaxAttempts) || time.Since(start) != 3*time.Second {
			t.Errorf("error %v after %v, want attempts used up after 3s", err, time.Since(start))
		}
	})
}
