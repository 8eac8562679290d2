package simulate

import (
	"math"
	"math/rand/v2"
	"time"
)

// arrivals says when the calls of an open pattern begin.
type arrivals struct {
	Arrival
	random *rand.Rand
	limit  int // calls in all; negative: no limit
	count  int
	last   time.Duration
}

func newArrivals(a Arrival, clients int, random *rand.Rand) *arrivals {
	limit := -1
	if a.Calls > 0 {
		limit = a.Calls * clients
	}
	return &arrivals{Arrival: a, random: random, limit: limit}
}

// next returns when the next call begins, false if there is none.
func (a *arrivals) next() (time.Duration, bool) {
	if a.count == a.limit {
		return 0, false
	}
	at := a.at()
	if a.For > 0 && at >= a.For {
		return 0, false
	}
	a.count++
	a.last = at
	return at, true
}

func (a *arrivals) at() time.Duration {
	switch a.Pattern {
	case Poisson:
		return a.last + seconds(a.random.ExpFloat64()/a.Rate)
	case Ramp:
		return a.ramp(float64(a.count))
	}
	return seconds(float64(a.count) / a.Rate)
}

// ramp is when n calls have begun: the solution t of
// rate·t + growth·t²/2 = n.
func (a *arrivals) ramp(n float64) time.Duration {
	growth := (a.FinalRate - a.Rate) / a.For.Seconds()
	if growth == 0 {
		return seconds(n / a.Rate)
	}
	root := a.Rate*a.Rate + 2*growth*n
	if root < 0 { // the rate falls to zero before n calls have begun
		return math.MaxInt64
	}
	return seconds((math.Sqrt(root) - a.Rate) / growth)
}

func seconds(s float64) time.Duration {
	return time.Duration(min(s*float64(time.Second), math.MaxInt64/4))
}
