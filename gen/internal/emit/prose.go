package emit

import (
	"path"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/model"
	"github.com/retrygen/retrygen/templates"
)

// packageProse is what the package comment is made of.
type packageProse struct {
	Package, Title, Version, Doc string
	Endpoint                     string           // argument of New in the example
	Operation                    *model.Operation // of the example; nil if there is none

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
	}
	if n := s.Retry.MaxAttempts; n > 0 {
		prose.Attempts = n
	}
	if len(s.Operations) > 0 {
		prose.Operation = &s.Operations[0]
	}
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

// exampleEndpoint is the argument of New that works for s.
func exampleEndpoint(s *model.Service) string {
	if hasServer(s) {
		return `""`
	}
	return "endpoint"
}
