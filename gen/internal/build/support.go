package build

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
)

// unsupported returns what in a schema, or in what it consists of, cannot be
// supported, "" if it all can.
func (b *builder) unsupported(ref *openapi3.SchemaRef) string {
	seen := make(map[*openapi3.Schema]bool)
	why := b.types.flaw(ref, "", seen)
	if why == "" {
		maps.Copy(b.types.sound, seen)
	}
	return why
}

func (t *types) flaw(ref *openapi3.SchemaRef, owner string, seen map[*openapi3.Schema]bool) string {
	s, name := t.resolve(ref)
	owner = cmp.Or(name, owner)
	if s == nil {
		return "a reference that leads nowhere is not supported" + in(owner)
	}
	if seen[s] || t.sound[s] {
		return ""
	}
	seen[s] = true
	f := t.of(s)
	if f.problem != "" {
		return f.problem + " is not supported" + in(owner)
	}
	parts := []*openapi3.SchemaRef{f.alias, f.extra, f.items}
	parts = append(parts, f.variants...)
	for _, p := range f.properties {
		parts = append(parts, p.ref)
	}
	for _, part := range parts {
		if part == nil {
			continue
		}
		if why := t.flaw(part, owner, seen); why != "" {
			return why
		}
	}
	return ""
}

func in(owner string) string {
	if owner == "" {
		return ""
	}
	return fmt.Sprintf(" (schema %s)", owner)
}
