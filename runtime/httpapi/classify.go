package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Classify describes an answer that is a failure: one whose status is not
// 2xx or, with [Profile.ErrorInSuccess] or [Profile.ErrorWhen], one that
// carries an error document.
// body is the beginning of the answer's body, errors what the operation
// declares. The first of these that speaks decides:
//
//  1. a declared error of that code, if it has a retry class;
//  2. the profile's tables of codes;
//  3. the server itself, in [Profile.ShouldRetryHeader]: a "true" makes what
//     is terminal by its status transient, a "false" makes it terminal;
//  4. a declared error of that status, if it has a retry class;
//  5. the profile's statuses, exact ones before ranges;
//  6. the declared default error, if it has a retry class.
//
// An error that is declared by its code, without a class, is not throttling
// only because of its status. What nothing recognises is terminal. Err of the
// result is nil.
func (p Profile) Classify(resp *http.Response, body []byte, errors []ErrorCase) retry.Failure {
	return p.classify(resp, body, errors, request{})
}

// request is what classification must know of the request.
type request struct {
	keyed bool // it carries an idempotency key
	// conditional says that it is carried out only on the versions of If-Match,
	// doubtful that an earlier attempt may have acted.
	conditional, doubtful bool
}

func (p Profile) classify(resp *http.Response, body []byte, errors []ErrorCase, sent request) retry.Failure {
	a := answer{
		profile: &p, status: resp.StatusCode, header: resp.Header, body: body, errors: errors, sent: sent,
		code: p.errorCode(resp.Header, body), asked: p.serverDelay(resp.Header, body),
	}
	if isSuccess(a.status) {
		if code := p.errorInSuccess(body); code != "" {
			a.code, a.status = code, http.StatusInternalServerError
		}
	}
	v := a.verdict()
	return retry.Failure{
		Class:          v.class,
		Rule:           v.rule,
		Code:           a.code,
		ServerDelay:    a.asked.delay,
		HasServerDelay: a.asked.source != "",
		NotActed:       v.refusal && v.class == retry.Throttling,
		OutcomeUnknown: sent.conditional && sent.doubtful && a.status == http.StatusPreconditionFailed,
	}
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// answer is what classification looks at.
type answer struct {
	profile *Profile
	status  int
	header  http.Header
	body    []byte
	code    string
	errors  []ErrorCase
	asked   askedDelay
	sent    request
}

// verdict is a class, what decided it, and whether it is a refusal, which
// proves that the server did not act.
type verdict struct {
	class   retry.Class
	rule    string
	refusal bool
}

func (a *answer) verdict() verdict {
	for _, step := range [...]func(*answer) (verdict, bool){
		(*answer).byDeclaredCode,
		(*answer).byCode,
		(*answer).byServer,
		(*answer).byLostAnswer,
	} {
		if v, ok := step(a); ok {
			return v
		}
	}
	return a.verdictByStatus()
}

// verdictByStatus leaves error codes and the server's own word aside.
func (a *answer) verdictByStatus() verdict {
	for _, step := range [...]func(*answer) (verdict, bool){
		(*answer).byDeclaredStatus,
		(*answer).byStatus,
		(*answer).byKey,
		(*answer).byDeclaredDefault,
	} {
		if v, ok := step(a); ok {
			return v
		}
	}
	if isSuccess(a.status) {
		return verdict{rule: fmt.Sprintf("error document in status %d", a.status)}
	}
	return verdict{rule: fmt.Sprintf("no rule for status %d", a.status)}
}

// declaredByCode returns the declared error of the answer's code.
func (a *answer) declaredByCode() *ErrorCase {
	return findCase(a.errors, func(e *ErrorCase) bool { return e.Code != "" && e.Code == a.code })
}

func (a *answer) byDeclaredCode() (verdict, bool) {
	e := a.declaredByCode()
	if e == nil || e.Class == nil {
		return verdict{}, false
	}
	return verdict{*e.Class, fmt.Sprintf("declared error %q", e.Code), true}, true
}

func (a *answer) byCode() (verdict, bool) {
	if a.code == "" {
		return verdict{}, false
	}
	for _, t := range a.profile.codeTables() {
		if slices.Contains(t.codes, a.code) {
			return verdict{t.class, fmt.Sprintf("error code %q", a.code), true}, true
		}
	}
	return verdict{}, false
}

// byServer asks the header in which the server decides itself.
func (a *answer) byServer() (verdict, bool) {
	name := a.profile.ShouldRetryHeader
	if name == "" {
		return verdict{}, false
	}
	switch said := a.header.Get(name); {
	case strings.EqualFold(said, "false"):
		return verdict{class: retry.Terminal, rule: name + ": false"}, true
	case !strings.EqualFold(said, "true"):
		return verdict{}, false
	}
	v := a.verdictByStatus()
	if v.class == retry.Terminal {
		v = verdict{class: retry.Transient}
	}
	v.rule = name + ": true"
	return v, true
}

func (a *answer) byDeclaredStatus() (verdict, bool) {
	e := findCase(a.errors, func(e *ErrorCase) bool { return e.Code == "" && e.Statuses.Contains(a.status) })
	if e == nil || e.Class == nil {
		return verdict{}, false
	}
	return verdict{*e.Class, fmt.Sprintf("declared status %d", a.status), true}, true
}

func (a *answer) byDeclaredDefault() (verdict, bool) {
	e := findCase(a.errors, (*ErrorCase).isDefault)
	if e == nil || e.Class == nil {
		return verdict{}, false
	}
	return verdict{*e.Class, "declared default error", false}, true
}

// codeTable is a class with the codes that mean it.
type codeTable struct {
	class retry.Class
	codes []string
}

// codeTables lists the codes of each class, in the order of their precedence.
func (p *Profile) codeTables() [3]codeTable {
	return [...]codeTable{
		{retry.Terminal, p.Terminal.Codes},
		{retry.Throttling, p.Throttling.Codes},
		{retry.Transient, p.Transient.Codes},
	}
}

func (a *answer) byStatus() (verdict, bool) {
	for _, exact := range [...]bool{true, false} {
		for _, t := range a.statusTables() {
			if containsStatus(t.statuses, a.status, exact) {
				rule := fmt.Sprintf("status %d%s", a.status, t.condition)
				return verdict{t.class, rule, t.condition != "" || a.status == http.StatusTooManyRequests}, true
			}
		}
	}
	return verdict{}, false
}

// statusTable is a class with the statuses that mean it, under a condition.
type statusTable struct {
	class     retry.Class
	statuses  []StatusRange
	condition string // " with Retry-After", "" for none
}

// statusTables lists the statuses of each class, in the order of their
// precedence. Throttling statuses do not count for an error that is declared
// by its code.
func (a *answer) statusTables() []statusTable {
	p := a.profile
	tables := append(make([]statusTable, 0, 4), statusTable{class: retry.Terminal, statuses: p.Terminal.Statuses})
	if a.declaredByCode() == nil {
		if a.asked.refusal {
			tables = append(tables, statusTable{retry.Throttling, p.DelayedThrottling, " with " + a.asked.source})
		}
		tables = append(tables, statusTable{class: retry.Throttling, statuses: p.Throttling.Statuses})
	}
	return append(tables, statusTable{class: retry.Transient, statuses: p.Transient.Statuses})
}

// containsStatus looks for status among the ranges of one status or among the
// longer ones.
func containsStatus(ranges []StatusRange, status int, exact bool) bool {
	return slices.ContainsFunc(ranges, func(r StatusRange) bool {
		return (r.From == r.To) == exact && r.Contains(status)
	})
}

// isDefault reports whether the case stands for all other answers.
func (e *ErrorCase) isDefault() bool { return e.Code == "" && e.Statuses == StatusRange{} }

// findCase returns the first case that is wanted, nil if there is none.
func findCase(cases []ErrorCase, wanted func(*ErrorCase) bool) *ErrorCase {
	if i := slices.IndexFunc(cases, func(e ErrorCase) bool { return wanted(&e) }); i >= 0 {
		return &cases[i]
	}
	return nil
}

// matchCase returns the declared error of an answer: by its code, else by its
// status, else the default; nil if none is declared.
func matchCase(cases []ErrorCase, code string, status int) *ErrorCase {
	byCode := func(e *ErrorCase) bool { return e.Code != "" && e.Code == code }
	byStatus := func(e *ErrorCase) bool { return e.Code == "" && e.Statuses.Contains(status) }
	for _, wanted := range [...]func(*ErrorCase) bool{byCode, byStatus, (*ErrorCase).isDefault} {
		if e := findCase(cases, wanted); e != nil {
			return e
		}
	}
	return nil
}
