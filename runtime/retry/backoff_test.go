package retry_test

import (
	"math"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestBackoff(t *testing.T) {
	const cap = retry.DefaultMaxBackoff
	tests := []struct {
		name      string
		base, cap time.Duration
		retry     int
		jitter    float64
		want      time.Duration
	}{
		{"first retry", 50 * time.Millisecond, cap, 0, 1, 50 * time.Millisecond},
		{"doubles", 50 * time.Millisecond, cap, 3, 1, 400 * time.Millisecond},
		{"last below the cap", 50 * time.Millisecond, cap, 8, 1, 12800 * time.Millisecond},
		{"capped", 50 * time.Millisecond, cap, 9, 1, cap},
		{"cap before jitter", 50 * time.Millisecond, cap, 9, 0.25, 5 * time.Second},
		{"cap below base", time.Second, 300 * time.Millisecond, 0, 1, 300 * time.Millisecond},
		{"cap below base, negative retry", time.Second, 300 * time.Millisecond, -1, 1, 300 * time.Millisecond},
		{"no jitter", time.Second, cap, 2, 0, 0},
		{"jitter beyond its range", time.Second, cap, 0, 7, time.Second},
		{"negative jitter", time.Second, cap, 0, -1, 0},
		{"jitter that is no number", time.Second, cap, 0, math.NaN(), 0},
		{"largest cap", 1, math.MaxInt64, math.MaxInt, 1, math.MaxInt64},
		{"one doubling from the end", 1 << 62, math.MaxInt64, 0, 1, 1 << 62},
		{"beyond the end", 1 << 62, math.MaxInt64, 1, 1, math.MaxInt64},
		{"zero base", 0, cap, 5, 1, 0},
		{"negative base", -time.Second, cap, 5, 1, 0},
		{"negative cap", time.Second, -1, 5, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := retry.Backoff(tt.base, tt.cap, tt.retry, tt.jitter); got != tt.want {
				t.Errorf("Backoff(%v, %v, %d, %v) = %v, want %v", tt.base, tt.cap, tt.retry, tt.jitter, got, tt.want)
			}
		})
	}
}

func FuzzBackoff(f *testing.F) {
	f.Add(int64(50*time.Millisecond), int64(20*time.Second), 3, 0.5)
	f.Add(int64(1), int64(math.MaxInt64), 63, 0.9999999999999999)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64-1), math.MaxInt, 1.0)
	f.Add(int64(math.MinInt64), int64(-1), math.MinInt, math.Inf(1))
	f.Fuzz(func(t *testing.T, base, cap int64, n int, jitter float64) {
		got := retry.Backoff(time.Duration(base), time.Duration(cap), n, jitter)
		if got < 0 {
			t.Errorf("negative: %v", got)
		}
		if got > max(time.Duration(cap), 0) {
			t.Errorf("%v is above the cap %v", got, time.Duration(cap))
		}
		if more := retry.Backoff(time.Duration(base), time.Duration(cap), n, 1); got > more {
			t.Errorf("%v is above the term %v", got, more)
		}
	})
}

// TestJitterRange draws with the default source: the delays fill the whole
// range and nothing beyond it.
func TestJitterRange(t *testing.T) {
	p := newPolicy(t, retry.WithBaseDelay(retry.BaseDelay{Transient: time.Second}), retry.WithQuota(retry.NewQuota(math.MaxInt)))
	const draws, bins = 20000, 10
	var seen [bins]int
	for range draws {
		call := p.Begin(time.Time{}, retry.CallOptions{})
		d := call.Next(transient(), time.Time{})
		if d.Delay < 0 || d.Delay > time.Second {
			t.Fatalf("delay %v, want 0s to 1s", d.Delay)
		}
		seen[min(int(d.Delay*bins/time.Second), bins-1)]++
	}
	for bin, n := range seen {
		// 2000 are expected with a standard deviation of 42.
		if n < 1600 || n > 2400 {
			t.Errorf("bin %d of %d has %d of %d draws", bin, bins, n, draws)
		}
	}
}
