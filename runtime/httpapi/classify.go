package httpapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Classify describes an answer that is a failure: one whose status is not
// 2xx or, with [Profile.ErrorInSuccess], one that carries an error document.
// body is the beginning of the answer's body, errors what the operation
// declares. The first of these that speaks decides:
//
//  1. a declared error of that code, if it has a retry class;
//  2. the profile's tables of codes;
//  3. a declared error of that status, if it has a retry class;
//  4. the profile's statuses, exact ones before ranges;
//  5. the declared default error, if it has a retry class.
//
// An error that is declared by its code, without a class, is not throttling
// only because of its status. What nothing recognises is terminal. Err of the
// result is nil.
func (p Profile) Classify(resp *http.Response, body []byte, errors []ErrorCase) retry.Failure {
	a := answer{profile: &p, status: resp.StatusCode, code: p.errorCode(resp.Header, body), errors: errors, asked: p.serverDelay(resp.Header)}
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
		HasServerDelay: a.asked.header != "",
		NotActed:       v.refusal && v.class == retry.Throttling,
	}
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// answer is what classification looks at.
type answer struct {
	profile *Profile
	status  int
	code    string
	errors  []ErrorCase
	asked   askedDelay
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
		(*answer).byDeclaredStatus,
		(*answer).byStatus,
		(*answer).byDeclaredDefault,
	} {
		if v, ok := step(a); ok {
			return v
		}
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
		if a.asked.header != "" {
			tables = append(tables, statusTable{retry.Throttling, p.DelayedThrottling, " with " + a.asked.header})
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
