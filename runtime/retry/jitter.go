package retry

import (
	"fmt"
	"math"
	"time"
)

// Jitter says how a wait is drawn from its term of the exponential series.
type Jitter uint8

const (
	// FullJitter draws evenly from zero to the term.
	FullJitter Jitter = iota + 1
	// HalfJitter draws evenly from half the term to the term.
	HalfJitter
	// NoJitter waits the term.
	NoJitter
	// FullJitterBelowCap is FullJitter for terms up to the cap, and the cap
	// itself, not jittered, for all later ones, as in aws-sdk-go-v2 before
	// 2026.
	FullJitterBelowCap
)

// JitterSettings holds the jitter of each class.
type JitterSettings struct {
	Transient, Throttling Jitter // default FullJitter
}

var jitterNames = [...]string{
	FullJitter: "full", HalfJitter: "half", NoJitter: "none", FullJitterBelowCap: "full below the cap",
}

func (j Jitter) valid() bool { return j >= FullJitter && j <= FullJitterBelowCap }

// String returns "full", "half", "none" or "full below the cap".
func (j Jitter) String() string {
	if j.valid() {
		return jitterNames[j]
	}
	return fmt.Sprintf("Jitter(%d)", uint8(j))
}

// Backoff returns the wait before retry number retry (0 is the first retry)
// after a failure of class; jitter is a draw from [0, 1]. See [Backoff].
func (s Settings) Backoff(class Class, retry int, jitter float64) time.Duration {
	return s.backoff(class, retry, jitter)
}

func (s *Settings) backoff(class Class, retry int, jitter float64) time.Duration {
	base, kind := s.BaseDelay.Transient, s.Jitter.Transient
	if class == Throttling {
		base, kind = s.BaseDelay.Throttling, s.Jitter.Throttling
	}
	switch kind {
	case HalfJitter:
		term := Backoff(base, s.MaxBackoff, retry, 1)
		return term/2 + Backoff(term-term/2, math.MaxInt64, 0, jitter)
	case NoJitter:
		return Backoff(base, s.MaxBackoff, retry, 1)
	case FullJitterBelowCap:
		if Backoff(base, math.MaxInt64, retry, 1) > s.MaxBackoff {
			return s.MaxBackoff
		}
	}
	return Backoff(base, s.MaxBackoff, retry, jitter)
}
