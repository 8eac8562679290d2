package retry

import (
	"math"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/internal/cubic"
)

// Numbers of the AWS SDKs' adaptive mode, as in aws-sdk-go-v2 v1.48.0.
const (
	// limiterSmoothing is the weight of the newest measurement of the rate.
	limiterSmoothing = 0.8
	// limiterMinRate is the lowest rate, in attempts per second.
	limiterMinRate = 0.5
	// limiterMinCapacity is the lowest capacity of the bucket, in tokens.
	limiterMinCapacity = 1
	// limiterPeriod is how long a rate is measured, in seconds.
	limiterPeriod = 0.5
)

// Limiter slows attempts down after throttling, first attempts too, in mode
// [Adaptive]. It is a token bucket of which every attempt takes a token,
// waiting for it if it must. The rate at which tokens come is cut by an answer
// that is throttling and grows along a cubic curve with every other answer,
// up to twice the rate at which answers come. Until the first throttle it
// holds nothing back.
//
// A policy has a limiter, shared like its [Quota]. [WithLimiter] partitions:
// one limiter for each table or tenant, say. A Limiter is safe for concurrent
// use; make one with [NewLimiter].
type Limiter struct {
	mu       sync.Mutex
	epoch    time.Time // zero of the scale of seconds
	enabled  bool
	curve    cubic.Curve
	fillRate float64 // tokens per second
	capacity float64
	tokens   float64 // below zero: attempts that are waiting have taken them
	filled   float64 // when tokens was right; see started
	started  bool    // filled is set
	measured float64 // answers per second
	count    int     // answers since bucket
	bucket   float64 // begin of the period that is being measured
}

// NewLimiter returns a limiter that starts to measure at time start.
func NewLimiter(start time.Time) *Limiter {
	l := &Limiter{epoch: start.Truncate(time.Second)}
	l.curve.Throttle = l.seconds(start)
	return l
}

// LimiterState is the state of a [Limiter] at one moment. Rates are per
// second.
type LimiterState struct {
	// Enabled is set once an answer was throttling.
	Enabled bool
	// MeasuredRate is the smoothed rate of answers.
	MeasuredRate float64
	// CalculatedRate is what the cubic curve allows.
	CalculatedRate float64
	// FillRate is the rate of new tokens.
	FillRate float64
	// Capacity is the most tokens that the bucket holds.
	Capacity float64
	// Tokens are the tokens left. A negative number is owed to attempts that
	// are waiting.
	Tokens float64
}

// State returns the state at time now.
func (l *Limiter) State(now time.Time) LimiterState {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enabled {
		l.refill(l.seconds(now))
	}
	return LimiterState{
		Enabled: l.enabled, MeasuredRate: l.measured, CalculatedRate: l.curve.Rate,
		FillRate: l.fillRate, Capacity: l.capacity, Tokens: l.tokens,
	}
}

// Take takes the token of an attempt at time now and returns how long the
// attempt must wait before it is sent. If that is not less than limit, it
// takes none and returns false. Tokens are served in the order of Take.
func (l *Limiter) Take(now time.Time, limit time.Duration) (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.enabled {
		return 0, true
	}
	l.refill(l.seconds(now))
	if missing := 1 - l.tokens; missing > 0 {
		wait = time.Duration(math.Ceil(missing / l.fillRate * float64(time.Second)))
	}
	if wait > 0 && wait >= limit {
		return wait, false
	}
	l.tokens--
	return wait, true
}

// Return gives back the token of an attempt that was not sent.
func (l *Limiter) Return() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.enabled {
		l.tokens = min(l.tokens+1, l.capacity)
	}
}

// Answered tells the limiter of an answer at time now, failed or not.
func (l *Limiter) Answered(now time.Time, throttled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.seconds(now)
	l.measure(t)
	var rate float64
	if throttled {
		sent := l.measured
		if l.enabled {
			sent = min(sent, l.fillRate)
		}
		rate = l.curve.Cut(t, sent)
		l.enabled = true
	} else {
		rate = l.curve.Grow(t)
	}
	l.setRate(t, min(rate, 2*l.measured))
}

// measure counts one answer at t and renews the rate when t is in a new
// period.
func (l *Limiter) measure(t float64) {
	l.count++
	bucket := math.Floor(t/limiterPeriod) * limiterPeriod
	if bucket <= l.bucket {
		return
	}
	rate := float64(l.count) / (bucket - l.bucket)
	l.measured = limiterSmoothing*rate + (1-limiterSmoothing)*l.measured
	l.count, l.bucket = 0, bucket
}

// setRate fills the bucket at the old rate and goes on at the new one.
func (l *Limiter) setRate(t, rate float64) {
	l.refill(t)
	l.fillRate = max(rate, limiterMinRate)
	l.capacity = max(rate, limiterMinCapacity)
	l.tokens = min(l.tokens, l.capacity)
}

// refill adds the tokens that have come until t. A clock that goes back adds
// none.
func (l *Limiter) refill(t float64) {
	if !l.started {
		l.filled, l.started = t, true
		return
	}
	if t > l.filled {
		l.tokens = min(l.tokens+(t-l.filled)*l.fillRate, l.capacity)
		l.filled = t
	}
}

func (l *Limiter) seconds(t time.Time) float64 { return t.Sub(l.epoch).Seconds() }
