package emit

import (
	"path"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/model"
	"github.com/retrygen/retrygen/templates"
)

// packageProse is what the package comment is made of.
type packageProse struct {
	Package, Title, Version, Doc string
	Endpoint                     string           // argument of New in the example
	Operation                    *model.Operation // of the example; nil if there is none
	Signed                       bool             // with SigV4
	Schemes                      []model.Scheme

	Profile, Variable string // its name, and its variable in the runtime
	Overlaid          bool   // the definition changes it
	Off               bool
	Attempts          int
	Skipped           []model.Skip
}

// packageComment is the comment of the whole package.
func packageComment(s *model.Service) string {
	known := knownProfile(s.Retry.Profile)
	prose := packageProse{
		Package:  s.Package,
		Title:    title(s),
		Version:  oneLine(s.Version),
		Doc:      strings.TrimSpace(s.Doc),
		Endpoint: exampleEndpoint(s),
		Profile:  s.Retry.Profile,
		Variable: path.Base(known.path) + "." + known.name,
		Overlaid: len(profileFields(s.Retry)) > 0,
		Off:      s.Retry.Mode == "off",
		Attempts: known.attempts,
		Skipped:  skipped(s),
		Signed:   s.SigningName != "",
		Schemes:  s.Schemes,
	}
	if n := s.Retry.MaxAttempts; n > 0 {
		prose.Attempts = n
	}
	prose.Operation = exampleOperation(s)
	var text strings.Builder
	if err := templates.Package.Execute(&text, prose); err != nil {
		bugf("package comment: %w", err)
	}
	return text.String()
}

// skipped is what was left out, each in one line.
func skipped(s *model.Service) []model.Skip {
	out := make([]model.Skip, len(s.Skipped))
	for i, skip := range s.Skipped {
		out[i] = model.Skip{What: oneLine(skip.What), Why: oneLine(skip.Why)}
	}
	return out
}

// exampleOperation is the first operation that can be called with an empty
// input, else the first.
func exampleOperation(s *model.Service) *model.Operation {
	demanding := make(map[string]bool)
	for i := range s.Types {
		demanding[s.Types[i].GoName] = slices.ContainsFunc(s.Types[i].Fields, required)
	}
	for i := range s.Operations {
		if !demanding[s.Operations[i].Input] {
			return &s.Operations[i]
		}
	}
	if len(s.Operations) == 0 {
		return nil
	}
	return &s.Operations[0]
}

// required reports whether a field of an input must be set.
func required(f model.Field) bool {
	switch f.Type.Kind {
	case model.Pointer, model.Slice, model.Map, model.Nullable:
		return slices.ContainsFunc(f.Tags, func(t model.Tag) bool {
			return t.Key == "body" && strings.HasSuffix(t.Value, ",required")
		})
	}
	return true
}

// exampleEndpoint is the argument of New that works for s.
func exampleEndpoint(s *model.Service) string {
	if hasServer(s) {
		return `""`
	}
	return "endpoint"
}
