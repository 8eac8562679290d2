package explain

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// What an [Answer] is recognised by.
const (
	byDeclaredCode    = "declared error code"
	byCode            = "error code"
	byServer          = "header"
	byLostAnswer      = "lost answer, status"
	byDeclaredStatus  = "declared status"
	byStatus          = "status"
	byKey             = "idempotency key, status"
	byDeclaredDefault = "declared default"
	byNothing         = "anything else"

	// undeclared is the class of a declared status that declares none.
	undeclared = "undeclared"
)

func (s *subject) classification() Classification {
	var c Classification
	c.add(s.declared(byDeclaredCode)...)
	for _, t := range s.tables() {
		for _, code := range t.codes {
			c.add(Answer{byCode, []string{code}, "", t.class.String(), s.classSource(gen.CodeKey(t.class.String(), code)), t.class == retry.Throttling})
		}
	}
	c.add(s.serverSays()...)
	c.add(s.lostAnswer()...)
	c.add(s.declared(byDeclaredStatus)...)
	for _, exact := range []bool{true, false} {
		for _, t := range s.tables() {
			c.add(s.statusAnswers(t, exact)...)
		}
	}
	c.add(s.keyAnswers()...)
	c.add(s.declared(byDeclaredDefault)...)
	c.add(Answer{By: byNothing, Class: retry.Terminal.String(), Source: "default"})
	c.Errors = s.ioErrors()
	return c
}

// Conditions of answers.
const (
	ifDelay        = "it asks for a delay"
	ifNoCode       = "the error's code is not declared"
	ifNoThrottling = "no line below says throttling"
	ifSpeaksOfKey  = "the body speaks of the key"
	ifLost         = "it refuses If-Match, and the answer to an earlier attempt was lost"
)

// serverSays are the answers in which the service decides itself.
func (s *subject) serverSays() []Answer {
	name := s.profile.ShouldRetryHeader
	if name == "" {
		return nil
	}
	source := s.source("shouldRetryHeader", true)
	return []Answer{
		{By: byServer, Match: []string{name + ": false"}, Class: retry.Terminal.String(), Source: source},
		{By: byServer, Match: []string{name + ": true"}, If: ifNoThrottling, Class: retry.Transient.String(), Source: source},
	}
}

// lostAnswer is the refusal of a condition that an earlier attempt may have
// made fail.
func (s *subject) lostAnswer() []Answer {
	if !slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodPost, http.MethodDelete}, s.definition.Method) {
		return nil
	}
	return []Answer{{By: byLostAnswer, Match: []string{"412"}, If: ifLost, Class: retry.Terminal.String(), Source: "RFC 9110, 13.1.1"}}
}

// keyAnswers are those of the draft of the Idempotency-Key header.
func (s *subject) keyAnswers() []Answer {
	if s.definition.Key == nil {
		return nil
	}
	answer := func(status int, class retry.Class, always bool) Answer {
		a := Answer{By: byKey, Match: []string{strconv.Itoa(status)}, Class: class.String(), Source: "Idempotency-Key draft"}
		if !always || slices.ContainsFunc(s.errors, func(e httpapi.ErrorCase) bool { return e.Statuses == httpapi.Status(status) }) {
			a.If = ifSpeaksOfKey
		}
		return a
	}
	return []Answer{
		answer(http.StatusBadRequest, retry.Terminal, false),
		answer(http.StatusConflict, retry.Transient, true),
		answer(http.StatusUnprocessableEntity, retry.Terminal, false),
	}
}

// add appends answers; neighbours that differ in nothing but what they match
// become one.
func (c *Classification) add(answers ...Answer) {
	for _, a := range answers {
		if n := len(c.Answers) - 1; n >= 0 {
			last := &c.Answers[n]
			whole := *last
			whole.Match = a.Match
			if len(a.Match) > 0 && same(whole, a) {
				last.Match = append(last.Match, a.Match...)
				continue
			}
		}
		c.Answers = append(c.Answers, a)
	}
}

func same(a, b Answer) bool {
	return a.By == b.By && a.If == b.If && a.Class == b.Class && a.Source == b.Source && a.NotActed == b.NotActed
}

// table is what the profile recognises a class by.
type table struct {
	class    retry.Class
	codes    []string
	statuses []httpapi.StatusRange
	delayed  bool // only answers with a server delay
}

// tables are in the order of their precedence.
func (s *subject) tables() []table {
	p := &s.profile
	return []table{
		{class: retry.Terminal, codes: p.Terminal.Codes, statuses: p.Terminal.Statuses},
		{class: retry.Throttling, statuses: p.DelayedThrottling, delayed: true},
		{class: retry.Throttling, codes: p.Throttling.Codes, statuses: p.Throttling.Statuses},
		{class: retry.Transient, codes: p.Transient.Codes, statuses: p.Transient.Statuses},
	}
}

// statusAnswers are the single statuses of t, or its longer ranges.
func (s *subject) statusAnswers(t table, exact bool) []Answer {
	var out []Answer
	for _, r := range t.statuses {
		if (r.From == r.To) != exact {
			continue
		}
		class := t.class.String()
		if !exact && t.class == retry.Throttling && r.Contains(http.StatusTooManyRequests) {
			one := table{class: t.class, statuses: []httpapi.StatusRange{httpapi.Status(http.StatusTooManyRequests)}}
			for _, a := range s.statusAnswers(one, true) { // which alone is a refusal
				a.Source = s.classSource(gen.StatusKey(class, gen.StatusRange(r)))
				out = append(out, a)
			}
		}
		a := Answer{
			By: byStatus, Match: []string{statuses(r)}, Class: class,
			Source:   s.classSource(gen.StatusKey(class, gen.StatusRange(r))),
			NotActed: t.delayed || r == httpapi.Status(http.StatusTooManyRequests) && t.class == retry.Throttling,
		}
		if t.class == retry.Throttling && s.declaresCodes() {
			a.If = ifNoCode
		}
		if t.delayed {
			a.If = ifDelay
			a.Source = "profile " + s.base
		}
		out = append(out, a)
	}
	return out
}

func (s *subject) declaresCodes() bool {
	return slices.ContainsFunc(s.errors, func(e httpapi.ErrorCase) bool { return e.Code != "" })
}

func (s *subject) classSource(key string) string { return s.source(key, true) }

// declared are the declared errors of one kind. One without a class is shown
// where it hides others.
func (s *subject) declared(by string) []Answer {
	var out []Answer
	for i, e := range s.definition.Errors {
		if kind(e) != by || e.Class == "" && !s.hides(i) {
			continue
		}
		a := Answer{By: by, Class: e.Class, Source: e.Place, NotActed: by == byDeclaredCode || by == byDeclaredStatus}
		a.NotActed = a.NotActed && e.Class == retry.Throttling.String()
		if e.Class == "" {
			a.Class, a.Source = undeclared, s.definition.Place
		}
		switch by {
		case byDeclaredCode:
			a.Match = []string{e.Code}
		case byDeclaredStatus:
			a.Match = []string{statuses(httpapi.StatusRange(e.Statuses))}
		}
		out = append(out, a)
	}
	return out
}

// hides reports whether a later error with a class applies to a status of
// error i, if it were not for that.
func (s *subject) hides(i int) bool {
	e := s.definition.Errors[i]
	return kind(e) == byDeclaredStatus && slices.ContainsFunc(s.definition.Errors[i+1:], func(later gen.ErrorCase) bool {
		return kind(later) == byDeclaredStatus && later.Class != "" &&
			later.Statuses.From <= e.Statuses.To && e.Statuses.From <= later.Statuses.To
	})
}

func kind(e gen.ErrorCase) string {
	switch {
	case e.Code != "":
		return byDeclaredCode
	case e.Statuses != gen.StatusRange{}:
		return byDeclaredStatus
	}
	return byDeclaredDefault
}

// ioFailures are failures in the shapes that net/http returns.
var ioFailures = []struct {
	name string
	err  error
}{
	{"cancelled by the caller", retrytest.Canceled()},
	{"certificate not trusted", retrytest.UnknownAuthority()},
	{"name resolution", retrytest.DNSTemporary()},
	{"connection refused", retrytest.ConnectionRefused()},
	{"host unreachable", retrytest.HostUnreachable()},
	{"connect timeout", retrytest.ConnectTimeout()},
	{"TLS handshake timeout", retrytest.TLSHandshakeTimeout()},
	{"HTTP/2 stream refused", errors.New("stream error: stream ID 1; REFUSED_STREAM")},
	{"timeout of the attempt", retrytest.ReadTimeout()},
	{"timeout awaiting the answer's header", retrytest.ResponseHeaderTimeout()},
	{"connection reset", retrytest.ConnectionReset()},
	{"broken pipe", retrytest.BrokenPipe()},
	{"connection closed while idle", retrytest.ServerClosedIdle()},
	{"connection ended before the answer", retrytest.EOF()},
	{"connection ended within the answer", retrytest.UnexpectedEOF()},
	{"HTTP/2 GOAWAY", retrytest.GoAway()},
	{"unknown URL scheme", errors.New("unsupported protocol scheme")},
	{"anything else", errors.New("anything else")},
}

func (s *subject) ioErrors() []IOError {
	out := make([]IOError, len(ioFailures))
	for i, f := range ioFailures {
		failure := s.profile.ClassifyError(f.err)
		out[i] = IOError{f.name, failure.Class.String(), failure.NotActed}
	}
	return out
}

// matches reports whether the answer, one by status, is about status.
func (a Answer) matches(status int) bool {
	return len(a.Match) == 0 || slices.ContainsFunc(a.Match, func(text string) bool {
		if n, err := strconv.Atoi(text); err == nil {
			return n == status
		}
		from, _ := strconv.Atoi(text[:3])
		to, _ := strconv.Atoi(text[4:])
		return from <= status && status <= to
	})
}
