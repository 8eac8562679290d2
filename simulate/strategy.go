package simulate

import (
	"fmt"
	"math"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Unlimited is a number of attempts that no simulation reaches.
const Unlimited = math.MaxInt32

// Strategy is how the clients of a run retry.
type Strategy struct {
	Name string
	// Options make the policy, over [retry.Defaults]. Quota, rate limiter and
	// source of jitter are the simulation's.
	Options []retry.Option
	// Decorrelated, if not zero, replaces the exponential series: a delay is
	// drawn between Decorrelated and three times the delay before, up to the
	// policy's MaxBackoff.
	Decorrelated time.Duration
	// Budget says who shares retry quota and rate limiter.
	Budget Budget
	// Fleet replaces the clients: to put another implementation of retries
	// under the same load. Nil: clients on the core.
	Fleet func(FleetConfig) (Fleet, error)
}

// Budget says who shares retry quota and rate limiter.
type Budget uint8

const (
	// Own gives each client its own.
	Own Budget = iota
	// Shared is one for the whole fleet.
	Shared
	// NoQuota grants every retry that the attempts leave; each client has a
	// rate limiter of its own.
	NoQuota
)

var budgetNames = []string{Own: "own", Shared: "shared", NoQuota: "off"}

// String returns "own", "shared" or "off".
func (b Budget) String() string { return nameOf("Budget", budgetNames, int(b)) }

// ParseBudget is the inverse of [Budget.String].
func ParseBudget(s string) (Budget, error) {
	i, err := parseName("quota", budgetNames, s)
	return Budget(i), err
}

// Fixed waits d before each retry. Like the other textbook strategies it
// treats all failures alike, and has neither quota nor limit of attempts.
func Fixed(d time.Duration) Strategy {
	return textbook(fmt.Sprintf("fixed %s", d), retry.NoJitter, d, d)
}

// Exponential waits base, twice that and so on up to limit.
func Exponential(base, limit time.Duration) Strategy {
	return textbook(fmt.Sprintf("exponential %s..%s", base, limit), retry.NoJitter, base, limit)
}

// Full draws evenly between zero and what [Exponential] waits.
func Full(base, limit time.Duration) Strategy {
	return textbook(fmt.Sprintf("full jitter %s..%s", base, limit), retry.FullJitter, base, limit)
}

// Equal draws evenly between half of what [Exponential] waits and all of it.
func Equal(base, limit time.Duration) Strategy {
	return textbook(fmt.Sprintf("equal jitter %s..%s", base, limit), retry.HalfJitter, base, limit)
}

// Decorrelated draws evenly between base and three times the delay before, up
// to limit.
func Decorrelated(base, limit time.Duration) Strategy {
	s := textbook(fmt.Sprintf("decorrelated jitter %s..%s", base, limit), retry.FullJitter, base, limit)
	s.Decorrelated = base
	return s
}

func textbook(name string, jitter retry.Jitter, base, limit time.Duration) Strategy {
	return Strategy{
		Name:   name,
		Budget: NoQuota,
		Options: []retry.Option{retry.WithSettings(retry.Settings{
			MaxAttempts: Unlimited,
			BaseDelay:   retry.BaseDelay{Transient: base, Throttling: base},
			MaxBackoff:  limit,
			Jitter:      retry.JitterSettings{Transient: jitter, Throttling: jitter},
		})},
	}
}
