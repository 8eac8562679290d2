package httpapi

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/retry"
)

// keyRules are the answers of draft-ietf-httpapi-idempotency-key-header-07,
// 2.7, to a request with an idempotency key.
var keyRules = map[int]struct {
	class retry.Class
	rule  string
	// always is set for a status that means this unless the definition
	// declares it; others must speak of the key.
	always bool
}{
	http.StatusBadRequest:          {retry.Terminal, "idempotency key missing or refused", false},
	http.StatusConflict:            {retry.Transient, "idempotency key in use by a request under way", true},
	http.StatusUnprocessableEntity: {retry.Terminal, "idempotency key used for another request", false},
}

// byKey reads an answer to a request with an idempotency key. A status that
// the definition declares keeps its own meaning, unless the body says that it
// is about the key.
func (a *answer) byKey() (verdict, bool) {
	r, ok := keyRules[a.status]
	if !ok || !a.sent.keyed {
		return verdict{}, false
	}
	declared := slices.ContainsFunc(a.errors, func(e ErrorCase) bool { return e.Statuses == Status(a.status) })
	if !speaksOfKey(a.body) && (declared || !r.always) {
		return verdict{}, false
	}
	return verdict{class: r.class, rule: r.rule}, true
}

// speaksOfKey reports whether an error document names the idempotency key, in
// a title or in a code such as idempotency_key_in_use.
func speaksOfKey(body []byte) bool {
	lower := bytes.ToLower(body)
	return bytes.Contains(lower, []byte("idempotency-key")) || bytes.Contains(lower, []byte("idempotency_key")) ||
		bytes.Contains(lower, []byte("idempotency key"))
}

// byLostAnswer reads the refusal of a condition after an attempt of which the
// answer was lost: it may be that attempt which made the condition fail.
func (a *answer) byLostAnswer() (verdict, bool) {
	if a.status != http.StatusPreconditionFailed || !a.sent.conditional || !a.sent.doubtful {
		return verdict{}, false
	}
	return verdict{class: retry.Terminal, rule: "status 412 after an attempt with unknown outcome"}, true
}

// conditionalMethods are those whose refusal by If-Match says that the object
// was changed, perhaps by an earlier attempt.
var conditionalMethods = []string{http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete}

// isConditional reports whether a request is carried out only on versions that
// it names. "*" names none.
func isConditional(method string, h http.Header) bool {
	match := h.Get("If-Match")
	return match != "" && match != "*" && slices.Contains(conditionalMethods, method)
}

// guardedMethods are those that If-Match makes repeatable: they change or
// remove the object that has the version, so that the server carries out one
// of two equal requests. What a POST makes has no version yet.
var guardedMethods = []string{http.MethodPut, http.MethodPatch, http.MethodDelete}

// isGuarded reports whether If-Match keeps a repeated request from acting
// twice: it names one version, as a strong entity tag. Of a list, another
// version may be the one that the first request made; a weak tag matches none.
func isGuarded(method string, h http.Header) bool {
	match := h["If-Match"]
	return len(match) == 1 && isStrongTag(strings.Trim(match[0], " \t")) && slices.Contains(guardedMethods, method)
}

// isStrongTag reports whether s is one strong entity tag (RFC 9110, 8.8.3).
func isStrongTag(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if c <= ' ' || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}
