package conformance

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/internal/cubic"
	"github.com/retrygen/retrygen/runtime/retry"
)

func milliseconds(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// runBackoff draws one delay.
func runBackoff(_ *testing.T, v Vector) error {
	given := struct {
		Class  string   `json:"class"`
		Retry  int      `json:"retry"`
		BaseMS float64  `json:"base_ms"`
		CapMS  *float64 `json:"cap_ms"`
		Jitter jitter   `json:"jitter"`
		Scheme string   `json:"scheme"`
	}{}
	var expect struct {
		DelayMS *float64 `json:"delay_ms"`
	}
	if err := errors.Join(decode(v.Given, &given), decode(v.Expect, &expect)); err != nil {
		return err
	}
	settings, err := legacySettings(given.Scheme)
	if given.Scheme == "" {
		settings, err = retry.Defaults(), nil
		settings.BaseDelay.Transient = milliseconds(given.BaseMS)
	}
	class, unknown := retry.ParseClass(given.Class)
	if err := errors.Join(err, unknown); err != nil {
		return err
	}
	if given.CapMS != nil {
		settings.MaxBackoff = milliseconds(*given.CapMS)
	}
	got := settings.Backoff(class, given.Retry, given.Jitter.source()())
	return near("delay_ms", inMilliseconds(got), expect.DelayMS, delayTolerance)
}

// rateEvent is an event of kinds rate and cubic with what must hold after it.
type rateEvent struct {
	T         float64  `json:"t"`
	On        string   `json:"on"`
	Throttled bool     `json:"throttled"`
	Rate      *float64 `json:"rate"`
	Expect    struct {
		MeasuredRate   *float64 `json:"measured_rate"`
		CalculatedRate *float64 `json:"calculated_rate"`
		FillRate       *float64 `json:"fill_rate"`
		Capacity       *float64 `json:"capacity"`
		Tokens         *float64 `json:"tokens"`
		Enabled        *float64 `json:"enabled"`
		WaitMS         *float64 `json:"wait_ms"`
		WindowS        *float64 `json:"window_s"`
	} `json:"expect"`
}

// runRate plays events to a rate limiter.
func runRate(_ *testing.T, v Vector) error {
	var given struct {
		StartS float64 `json:"start_s"`
	}
	events, err := decodeAll[rateEvent](v.Events)
	if err = errors.Join(err, decode(v.Given, &given)); err != nil {
		return err
	}
	epoch := time.Unix(0, 0)
	clock := epoch.Add(seconds(given.StartS))
	limiter := retry.NewLimiter(clock)
	for i, e := range events {
		if at := epoch.Add(seconds(e.T)); at.After(clock) {
			clock = at
		}
		var wait time.Duration
		switch e.On {
		case "response":
			limiter.Answered(clock, e.Throttled)
		case "send":
			wait, _ = limiter.Take(clock, math.MaxInt64)
			clock = clock.Add(wait)
		default:
			return fmt.Errorf("event %d: %q is not known", i+1, e.On)
		}
		if err := e.check(limiter.State(clock), wait); err != nil {
			return fmt.Errorf("event %d (t=%v, %s): %w", i+1, e.T, e.On, err)
		}
	}
	return nil
}

func (e rateEvent) check(got retry.LimiterState, wait time.Duration) error {
	enabled := 0.0
	if got.Enabled {
		enabled = 1
	}
	return errors.Join(
		near("measured_rate", got.MeasuredRate, e.Expect.MeasuredRate, rateTolerance),
		near("calculated_rate", got.CalculatedRate, e.Expect.CalculatedRate, rateTolerance),
		near("fill_rate", got.FillRate, e.Expect.FillRate, rateTolerance),
		near("capacity", got.Capacity, e.Expect.Capacity, rateTolerance),
		near("tokens", got.Tokens, e.Expect.Tokens, rateTolerance),
		near("enabled", enabled, e.Expect.Enabled, 0),
		near("wait_ms", inMilliseconds(wait), e.Expect.WaitMS, delayTolerance),
	)
}

// runCubic plays events to the growth curve alone.
func runCubic(_ *testing.T, v Vector) error {
	var given struct {
		LastMaxRate   float64 `json:"last_max_rate"`
		LastThrottleS float64 `json:"last_throttle_s"`
	}
	events, err := decodeAll[rateEvent](v.Events)
	if err = errors.Join(err, decode(v.Given, &given)); err != nil {
		return err
	}
	curve := cubic.Curve{MaxRate: given.LastMaxRate, Throttle: given.LastThrottleS}
	for i, e := range events {
		var rate float64
		switch e.On {
		case "success":
			rate = curve.Grow(e.T)
		case "throttle":
			before := curve.Rate
			if e.Rate != nil {
				before = *e.Rate
			}
			rate = curve.Cut(e.T, before)
		default:
			return fmt.Errorf("event %d: %q is not known", i+1, e.On)
		}
		err := errors.Join(
			near("calculated_rate", rate, e.Expect.CalculatedRate, rateTolerance),
			near("window_s", curve.Window(), e.Expect.WindowS, rateTolerance),
		)
		if err != nil {
			return fmt.Errorf("event %d (t=%v, %s): %w", i+1, e.T, e.On, err)
		}
	}
	return nil
}
