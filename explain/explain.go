package explain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// New explains all operations of d under outer layers of retries, outermost
// first; none if outer is empty.
func New(d *gen.Description, outer []int) (*Report, error) {
	base, err := named(d.Retry.Profile)
	if err != nil {
		return nil, err
	}
	service := overlay(&d.Retry).Over(base)
	r := &Report{Spec: d.Spec, Service: d.Title, Version: d.Version, Profile: base.Name}
	for _, op := range d.Operations {
		one, err := newSubject(d, op, base.Name, service)
		if err != nil {
			return nil, fmt.Errorf("%s: operation %s: %w", op.Place, op.Name, err)
		}
		r.Operations = append(r.Operations, one.explain(outer))
	}
	for _, s := range d.Skipped {
		r.Skipped = append(r.Skipped, s.Line)
	}
	return r, nil
}

// subject is an operation with its effective profile.
type subject struct {
	definition gen.Operation
	document   gen.Places
	base       string // name of the profile under the document
	profile    httpapi.Profile
	settings   retry.Settings
	errors     []httpapi.ErrorCase
}

func newSubject(d *gen.Description, op gen.Operation, base string, service httpapi.Profile) (*subject, error) {
	s := &subject{definition: op, document: d.Places, base: base}
	s.profile = overlay(op.Retry).Over(service)
	policy, err := retry.New(s.profile.RetryOptions()...)
	if err != nil {
		return nil, err
	}
	s.settings = policy.Settings()
	for _, e := range op.Errors {
		one := httpapi.ErrorCase{Code: e.Code, Statuses: httpapi.StatusRange(e.Statuses)}
		if class, err := retry.ParseClass(e.Class); err == nil {
			one.Class = &class
		}
		s.errors = append(s.errors, one)
	}
	return s, nil
}

func (s *subject) explain(outer []int) Operation {
	op := s.definition
	rules := s.rules()
	classification := s.classification()
	delays := s.delays()
	return Operation{
		Name: op.Name, GoName: op.GoName, Method: op.Method, Path: op.Path, Source: op.Place,
		Attempts: s.attempts(), Rules: rules, Classification: classification, Delays: delays,
		WorstCase: s.worstCase(delays), Replay: s.replay(classification),
		Quota: s.quota(), Layers: newLayers(outer, s.attempts()),
	}
}

// source returns where the setting of a key comes from. set says that it has
// a value at all.
func (s *subject) source(key string, set bool) string {
	own := s.definition.Places
	if at, ok := own[key]; ok {
		return at
	}
	if at, ok := own["profile"]; ok && profileKeys[key] {
		return at + " (profile " + s.definition.Retry.Profile + ")"
	}
	if at, ok := s.document[key]; ok {
		return at
	}
	if s.settings.Mode == retry.Legacy && legacyKeys[key] {
		return "mode legacy"
	}
	if set {
		return "profile " + s.base
	}
	return "default"
}

// profileKeys are the settings that an operation takes from a profile that it
// names, the rest being the service's.
var profileKeys = map[string]bool{"maxAttempts": true, "baseDelay.transient": true}

// legacyKeys are the settings whose profile gives way to the mode legacy.
var legacyKeys = map[string]bool{
	"maxAttempts": true, "baseDelay.transient": true, "baseDelay.throttling": true, "maxBackoff": true,
	"jitter.transient": true, "jitter.throttling": true, "quota.capacity": true, "quota.transientCost": true,
	"quota.timeoutCost": true, "quota.throttlingCost": true, "quota.firstAttemptRefund": true, "serverDelay.policy": true,
}

// Only keeps the operation of that name, in the definition or in Go. If there
// is none, the error names the nearest one, or says why it was skipped.
func (r *Report) Only(name string) error {
	var names []string
	for _, op := range r.Operations {
		if op.Name == name || op.GoName == name {
			r.Operations, r.Skipped = []Operation{op}, nil
			return nil
		}
		names = append(names, op.Name)
	}
	for _, line := range r.Skipped {
		if strings.Contains(line, ": skipped operation "+name+": ") {
			return errors.New(line)
		}
	}
	return fmt.Errorf("%s: no operation %q%s", r.Spec, name, gen.DidYouMean(name, names))
}

func join(words []string) string { return strings.Join(words, ", ") }
