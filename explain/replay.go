package explain

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/runtime/retry"
)

// replay tells what happens after a failure with an unknown outcome.
func (s *subject) replay(c Classification) Replay {
	r := s.replayClass()
	r.UnknownOutcome = retried
	if s.attempts() == 1 {
		r.UnknownOutcome = returned
	}
	switch {
	case r.Class == idempotent:
	case s.settings.Replay == retry.ReplayAny:
		r.Because += "; the profile repeats any operation"
	default:
		r.UnknownOutcome = outcomeUnknown
		if s.attempts() > 1 {
			r.OnlyAfter = provable(c)
		}
	}
	return r
}

// What a failure with an unknown outcome leads to.
const (
	retried        = "retried"
	returned       = "returned"
	outcomeUnknown = "ErrOutcomeUnknown"
)

const (
	idempotent    = "idempotent"
	notIdempotent = "not idempotent"
)

// idempotentMethods are those of RFC 9110, 9.2.2, and QUERY.
var idempotentMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"}

func (s *subject) replayClass() Replay {
	op := s.definition
	switch {
	case op.Key != nil:
		return Replay{
			Class: idempotent, Because: "an idempotency key in the " + keyPlace(op.Key) + " is the same on every attempt",
			Source: s.operationSource("x-idempotency-key"), Key: keyPlace(op.Key),
		}
	case op.Idempotency == "Idempotent":
		return Replay{Class: idempotent, Because: "x-idempotent is true", Source: s.operationSource("x-idempotent")}
	case op.Idempotency == "NotIdempotent":
		return Replay{Class: notIdempotent, Because: "x-idempotent is false", Source: s.operationSource("x-idempotent")}
	case slices.Contains(idempotentMethods, op.Method):
		return Replay{Class: idempotent, Because: "the method " + op.Method + " is", Source: "RFC 9110, 9.2.2"}
	}
	return Replay{
		Class: notIdempotent, Because: "the method " + op.Method + " is not", Source: "RFC 9110, 9.2.2",
		IfMatch: op.Method == http.MethodPatch,
	}
}

func (s *subject) operationSource(key string) string {
	if at, ok := s.definition.Places[key]; ok {
		return at
	}
	return "profile " + s.base
}

func keyPlace(k *gen.Key) string {
	if k.Header != "" {
		return "header " + k.Header
	}
	return "member " + k.Property
}

// provable lists the retryable failures that prove that the server did not
// act.
func provable(c Classification) []string {
	var out []string
	for _, a := range c.Answers {
		if a.NotActed {
			out = append(out, a.describe())
		}
	}
	for _, e := range c.Errors {
		if e.NotActed && e.Class != retry.Terminal.String() {
			out = append(out, e.Name)
		}
	}
	return out
}

// describe names what an answer is recognised by: `status 503, if it asks for
// a delay`.
func (a Answer) describe() string {
	text := a.By
	if len(a.Match) > 0 {
		text += " " + join(a.Match)
	}
	if a.If != "" {
		text += ", if " + a.If
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
