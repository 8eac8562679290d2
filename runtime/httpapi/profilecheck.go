package httpapi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/retrygen/retrygen/runtime/retry"
)

// check reports what contradicts itself in a profile, or says nothing. The
// numbers are checked by package retry.
func (p *Profile) check() error {
	c := profileCheck{name: p.Name}
	c.matches(p)
	for i, source := range p.ErrorCode {
		if countSet(source.Header, source.Pointer, source.XML) != 1 {
			c.errorf("ErrorCode[%d]: got %+v, want one of Header, Pointer and XML", i, source)
		}
		c.pointer(fmt.Sprintf("ErrorCode[%d]", i), source.Pointer)
	}
	for i, source := range p.ServerDelayHeaders {
		field := fmt.Sprintf("ServerDelayHeaders[%d]", i)
		if countSet(source.Name, source.Pointer) != 1 {
			c.errorf("%s: got %+v, want one of Name and Pointer", field, source)
		}
		if source.Unit > DelayRateLimit {
			c.errorf("%s: got unit %d, want one of this package", field, source.Unit)
		}
		c.pointer(field, source.Pointer)
	}
	if p.ErrorWhen.Equals != "" && p.ErrorWhen.Pointer == "" {
		c.errorf("ErrorWhen: got Equals without Pointer")
	}
	c.pointer("ErrorWhen", p.ErrorWhen.Pointer)
	c.ownHeaders(p)
	c.header("ShouldRetryHeader", p.ShouldRetryHeader)
	if p.CertificateFailures > retry.Throttling {
		c.errorf("CertificateFailures: got %v, want terminal, transient or throttling", p.CertificateFailures)
	}
	return errors.Join(c.errs...)
}

// profileCheck collects errors.
type profileCheck struct {
	name string
	errs []error
}

func (c *profileCheck) errorf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("httpapi: profile %q: "+format, append([]any{c.name}, args...)...))
}

// matches wants each code, and each range of statuses, in one class only.
// Ranges may overlap: exact statuses decide first, then the class.
func (c *profileCheck) matches(p *Profile) {
	lists := []struct {
		field string
		Match
	}{{"Transient", p.Transient}, {"Throttling", p.Throttling}, {"Terminal", p.Terminal}}
	for i, list := range lists {
		for _, r := range list.Statuses {
			c.statuses(list.field, r)
		}
		for _, other := range lists[i+1:] {
			for _, code := range list.Codes {
				if slices.Contains(other.Codes, code) {
					c.errorf("%s.Codes: %q is in %s.Codes too", other.field, code, list.field)
				}
			}
			for _, r := range list.Statuses {
				if slices.Contains(other.Statuses, r) {
					c.errorf("%s.Statuses: %s is in %s.Statuses too", other.field, r, list.field)
				}
			}
		}
	}
	for _, r := range p.DelayedThrottling {
		c.statuses("DelayedThrottling", r)
	}
}

func (c *profileCheck) statuses(field string, r StatusRange) {
	if r.From < 100 || r.To > 999 || r.From > r.To {
		c.errorf("%s: got statuses %s, want from 100 to 999, in order", field, r)
	}
}

func (c *profileCheck) pointer(field, pointer string) {
	if pointer != "" && pointer[0] != '/' {
		c.errorf("%s: got pointer %q, want a JSON pointer that begins with /", field, pointer)
	}
}

func (c *profileCheck) header(field, name string) {
	if name != "" && !isToken(name) {
		c.errorf("%s: got %q, want the name of a header", field, name)
	}
}

// countSet counts what is not empty.
func countSet(values ...string) (n int) {
	for _, v := range values {
		if v != "" {
			n++
		}
	}
	return n
}

// String writes the range as 503 or 500–599.
func (r StatusRange) String() string {
	if r.From == r.To {
		return fmt.Sprint(r.From)
	}
	return fmt.Sprintf("%d–%d", r.From, r.To)
}
