package build

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// schemes lists the security schemes that a client can use, by name.
func (b *builder) schemes() []model.Scheme {
	if b.api.Components == nil {
		return nil
	}
	var out []model.Scheme
	for _, name := range sortedKeys(b.api.Components.SecuritySchemes) {
		ref := b.api.Components.SecuritySchemes[name]
		if ref == nil || ref.Value == nil || b.aws != nil && b.aws.signs(ref.Value) {
			continue
		}
		kind, key := schemeKind(ref.Value)
		if kind == "" {
			b.skips = append(b.skips, skip{
				b.doc.Position(load.Pointer("components", "securitySchemes", name)), "security scheme " + name,
				fmt.Sprintf("the type %s is not supported", strings.TrimSpace(ref.Value.Type+" "+ref.Value.Scheme)),
			})
			continue
		}
		wish := "With" + cmp.Or(exported(annotatedName(ref.Value.Extensions, name)), "Credential")
		out = append(out, model.Scheme{
			Name: name, GoName: b.scope.claim(wish, wish+"Scheme"), Kind: kind, Key: key, Doc: plain(ref.Value.Description),
		})
	}
	return out
}

// schemeKind is how a credential travels, "" if the runtime cannot carry it.
func schemeKind(s *openapi3.SecurityScheme) (kind, key string) {
	switch s.Type {
	case "http":
		switch strings.ToLower(s.Scheme) {
		case "bearer":
			return "Bearer", ""
		case "basic":
			return "Basic", ""
		}
	case "oauth2", "openIdConnect":
		return "Bearer", ""
	case "apiKey":
		kind := map[string]string{"header": "APIKeyHeader", "query": "APIKeyQuery", "cookie": "APIKeyCookie"}[s.In]
		if s.Name != "" {
			return kind, s.Name
		}
	}
	return "", ""
}

// security lists the alternatives of a requirement. Those that need a scheme
// without a place in the client are left out; nil if nothing was said, or
// nothing is left.
func (b *builder) security(requirements openapi3.SecurityRequirements) [][]string {
	if requirements == nil {
		return nil
	}
	out := [][]string{}
	for _, r := range requirements {
		names := sortedKeys(r)
		usable := func(name string) bool {
			return slices.ContainsFunc(b.out.Schemes, func(s model.Scheme) bool { return s.Name == name })
		}
		if !slices.ContainsFunc(names, func(n string) bool { return !usable(n) }) {
			out = append(out, names)
		}
	}
	if len(out) == 0 && len(requirements) > 0 {
		return nil
	}
	return out
}
