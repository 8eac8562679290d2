package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Limits of a scenario, so that a slip of the hand is an error and not a
// machine without memory.
const (
	MaxClients = 1_000_000
	// MaxWindows is the most windows of a histogram: End / Window.
	MaxWindows = 10_000_000
)

// Scenario is who calls, when, and what answers. Times count from the start
// of the simulation.
type Scenario struct {
	Name string
	// Clients is the number of clients, 1…[MaxClients]. What a client is
	// decides who shares a retry quota.
	Clients int
	Arrival Arrival
	Service Service
	// Timeout limits each attempt of a strategy that names no AttemptTimeout.
	// Zero: no limit.
	Timeout time.Duration
	// Deadline limits each call, attempts and waits. Zero: no limit.
	Deadline time.Duration
	// Window is the width of the histogram's windows.
	Window time.Duration
	// End stops the simulation; calls that are under way then stay unfinished.
	End time.Duration
	// Seed decides every random draw.
	Seed uint64
}

// Pattern says how calls arrive.
type Pattern uint8

const (
	// Burst: every client begins its first call at time zero, and each further
	// one when the one before has ended.
	Burst Pattern = iota
	// Constant: calls begin at even intervals, whether others have ended or
	// not.
	Constant
	// Poisson: calls begin independently of each other, at a mean rate.
	Poisson
	// Ramp: like Constant, at a rate that grows or falls evenly.
	Ramp
)

var patternNames = []string{Burst: "burst", Constant: "constant", Poisson: "poisson", Ramp: "ramp"}

// String returns "burst", "constant", "poisson" or "ramp".
func (p Pattern) String() string { return nameOf("Pattern", patternNames, int(p)) }

// ParsePattern is the inverse of [Pattern.String].
func ParsePattern(s string) (Pattern, error) {
	i, err := parseName("pattern of arrivals", patternNames, s)
	return Pattern(i), err
}

// Arrival says when calls begin. All patterns but [Burst] deal the calls out
// to the clients in turn.
type Arrival struct {
	Pattern Pattern
	// Calls is the number of calls of each client. Zero means one for a Burst
	// and otherwise no limit but For.
	Calls int
	// Pause is what a client of a Burst lets pass between two of its calls.
	Pause time.Duration
	// Rate is the calls per second of the whole fleet; not for a Burst.
	Rate float64
	// FinalRate is the rate at the end of a Ramp, which begins with Rate.
	FinalRate float64
	// For is how long calls begin; not for a Burst.
	For time.Duration
}

// Service is what answers.
type Service struct {
	// Outages are when it is down, in order and without overlap.
	Outages []Outage
	// Capacity is how many requests it can take in each Per. Zero: any.
	Capacity int
	Per      time.Duration
	// Overload says what becomes of requests beyond the capacity.
	Overload Overload
	// QueueLimit is the most requests that a queue holds, the one in service
	// included; more are refused. Zero: no limit.
	QueueLimit int
	// Latency is the time from sending to the answer, besides queueing.
	Latency Latency
	// RetryAfter is the delay that a refusal for lack of capacity asks for.
	// Zero: none.
	RetryAfter time.Duration
}

// Outage is a time in which the service is down: From included, To not.
type Outage struct {
	From, To time.Duration
	// Frozen requests wait for the end; others are refused.
	Frozen bool
}

// Overload says what becomes of requests beyond the capacity.
type Overload uint8

const (
	// Refuse answers them with a throttling failure. The capacity is counted
	// anew in each window of length Per.
	Refuse Overload = iota
	// Queue lets them wait, first in first out, for a server that takes
	// Per / Capacity for each.
	Queue
)

var overloadNames = []string{Refuse: "refuse", Queue: "queue"}

// String returns "refuse" or "queue".
func (o Overload) String() string { return nameOf("Overload", overloadNames, int(o)) }

// ParseOverload is the inverse of [Overload.String].
func ParseOverload(s string) (Overload, error) {
	i, err := parseName("overload", overloadNames, s)
	return Overload(i), err
}

// Check reports everything that is wrong with the scenario: a [FieldError]
// for each field.
func (s Scenario) Check() error {
	c := checker{}
	c.want(s.Clients >= 1 && s.Clients <= MaxClients, "Clients", s.Clients, fmt.Sprintf("1…%d", MaxClients))
	c.want(s.Timeout >= 0, "Timeout", s.Timeout, "at least 0s")
	c.want(s.Deadline >= 0, "Deadline", s.Deadline, "at least 0s")
	c.want(s.Window > 0, "Window", s.Window, "more than 0s")
	c.want(s.End > 0, "End", s.End, "more than 0s")
	if s.Window > 0 {
		c.want(s.End/s.Window <= MaxWindows, "Window", s.Window, fmt.Sprintf("at most %d windows until %s", MaxWindows, s.End))
	}
	s.Arrival.check(&c)
	s.Service.check(&c)
	return errors.Join(c.errs...)
}

func (a Arrival) check(c *checker) {
	c.want(int(a.Pattern) < len(patternNames), "Arrival.Pattern", a.Pattern, "burst, constant, poisson or ramp")
	c.want(a.Calls >= 0, "Arrival.Calls", a.Calls, "at least 0")
	c.want(a.Pause >= 0, "Arrival.Pause", a.Pause, "at least 0s")
	if a.Pattern == Burst {
		c.want(a.Rate == 0, "Arrival.Rate", a.Rate, "none for a burst")
		c.want(a.For == 0, "Arrival.For", a.For, "none for a burst")
		return
	}
	c.want(a.Rate > 0 && a.Rate <= 1e9 || a.Pattern == Ramp && a.Rate == 0, "Arrival.Rate", a.Rate, "more than 0 calls per second, at most 1e9")
	c.want(a.Pause == 0, "Arrival.Pause", a.Pause, "none but for a burst")
	c.want(a.For > 0 || a.Calls > 0 && a.For == 0, "Arrival.For", a.For, "more than 0s, or a number of calls")
	if a.Pattern == Ramp {
		c.want(a.For > 0, "Arrival.For", a.For, "more than 0s for a ramp")
		c.want(a.FinalRate >= 0 && a.FinalRate <= 1e9 && a.FinalRate+a.Rate > 0, "Arrival.FinalRate", a.FinalRate, "0…1e9 calls per second")
	}
}

func (s Service) check(c *checker) {
	c.want(s.Capacity >= 0, "Service.Capacity", s.Capacity, "at least 0")
	c.want(int(s.Overload) < len(overloadNames), "Service.Overload", s.Overload, "refuse or queue")
	c.want(s.QueueLimit >= 0, "Service.QueueLimit", s.QueueLimit, "at least 0")
	c.want(s.RetryAfter >= 0, "Service.RetryAfter", s.RetryAfter, "at least 0s")
	switch {
	case s.Capacity > 0:
		c.want(s.Per > 0, "Service.Per", s.Per, "more than 0s")
		c.want(s.Overload != Queue || s.Per == 0 || s.Per/time.Duration(s.Capacity) > 0, "Service.Capacity", s.Capacity, "at most one request per nanosecond")
	case s.Capacity == 0:
		c.want(s.Overload == Refuse, "Service.Overload", s.Overload, "a capacity for the queue")
	}
	c.want(s.QueueLimit == 0 || s.Overload == Queue, "Service.QueueLimit", s.QueueLimit, "a queue")
	s.Latency.check(c)
	for i, o := range s.Outages {
		c.want(o.From >= 0 && o.From < o.To, "Service.Outages", o, "a beginning before its end")
		c.want(i == 0 || s.Outages[i-1].To <= o.From, "Service.Outages", o, "to follow the outage before it")
	}
}

// String returns "from..to", with "frozen" behind it for a frozen one.
func (o Outage) String() string {
	if o.Frozen {
		return fmt.Sprintf("%s..%s frozen", o.From, o.To)
	}
	return fmt.Sprintf("%s..%s", o.From, o.To)
}

// FieldError says that a field of a scenario is wrong.
type FieldError struct {
	// Field is its path: "Service.Capacity", say.
	Field string
	Got   any
	Want  string
}

// Error returns "field: got this, want that".
func (e *FieldError) Error() string {
	return fmt.Sprintf("%s: got %v, want %s", e.Field, e.Got, e.Want)
}

// checker collects what is wrong.
type checker struct{ errs []error }

func (c *checker) want(ok bool, name string, got any, want string) {
	if !ok {
		c.errs = append(c.errs, &FieldError{Field: name, Got: got, Want: want})
	}
}

func nameOf(kind string, names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

func parseName(what string, names []string, s string) (int, error) {
	if i := slices.Index(names, s); i >= 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%s: got %q, want one of %q", what, s, names)
}
