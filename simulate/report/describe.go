package report

import (
	"fmt"

	"github.com/retrygen/retrygen/simulate"
)

// Describe says in a few lines what a scenario is.
func Describe(s simulate.Scenario) []string {
	out := []string{clients(s)}
	out = append(out, service(s.Service)...)
	if s.Timeout > 0 {
		out = append(out, fmt.Sprintf("an attempt is left after %s", s.Timeout))
	}
	if s.Deadline > 0 {
		out = append(out, fmt.Sprintf("a call is given up after %s", s.Deadline))
	}
	return append(out, fmt.Sprintf("%s simulated, seed %d", s.End, s.Seed))
}

func clients(s simulate.Scenario) string {
	a := s.Arrival
	who := fmt.Sprintf("%d clients", s.Clients)
	if s.Clients == 1 {
		who = "1 client"
	}
	limit := ""
	if a.Calls > 0 {
		limit += fmt.Sprintf(", at most %d each", a.Calls)
	}
	if a.For > 0 {
		limit += fmt.Sprintf(", for %s", a.For)
	}
	switch a.Pattern {
	case simulate.Constant:
		return fmt.Sprintf("%s with %g calls per second%s", who, a.Rate, limit)
	case simulate.Poisson:
		return fmt.Sprintf("%s with %g calls per second at random%s", who, a.Rate, limit)
	case simulate.Ramp:
		return fmt.Sprintf("%s with %g to %g calls per second%s", who, a.Rate, a.FinalRate, limit)
	}
	if a.Calls <= 1 {
		return who + " with a call each, at once"
	}
	if a.Pause == 0 {
		return fmt.Sprintf("%s with %d calls each, one after the other", who, a.Calls)
	}
	return fmt.Sprintf("%s with %d calls each, %s between them", who, a.Calls, a.Pause)
}

func service(s simulate.Service) []string {
	var out []string
	for _, o := range s.Outages {
		state := "down"
		if o.Frozen {
			state = "frozen"
		}
		out = append(out, fmt.Sprintf("the service is %s from %s to %s", state, o.From, o.To))
	}
	switch {
	case s.Capacity == 0:
		out = append(out, "it takes any number of requests")
	case s.Overload == simulate.Queue && s.QueueLimit > 0:
		out = append(out, fmt.Sprintf("it serves %d requests per %s, first in first out, and holds %d", s.Capacity, s.Per, s.QueueLimit))
	case s.Overload == simulate.Queue:
		out = append(out, fmt.Sprintf("it serves %d requests per %s, first in first out", s.Capacity, s.Per))
	default:
		out = append(out, fmt.Sprintf("it takes %d requests per %s and refuses the others", s.Capacity, s.Per))
	}
	if s.RetryAfter > 0 {
		out = append(out, fmt.Sprintf("a refusal asks for a delay of %s", s.RetryAfter))
	}
	if s.Latency != (simulate.Latency{}) {
		out = append(out, fmt.Sprintf("latency %s", s.Latency))
	}
	return out
}
