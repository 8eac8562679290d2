package build

import (
	"cmp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// jsonKinds are the kinds of JSON values by schema type, as unions name them.
var jsonKinds = map[string]string{
	openapi3.TypeObject: "object", openapi3.TypeArray: "array", openapi3.TypeString: "string",
	openapi3.TypeInteger: "number", openapi3.TypeNumber: "number", openapi3.TypeBoolean: "boolean",
}

// candidate is one variant before it has a type.
type candidate struct {
	ref    *openapi3.SchemaRef
	schema *openapi3.Schema
	name   string // of the component
	form   *form
	kind   string // schema type, "" for anything
}

// union makes the type of oneOf and anyOf. One variant stands for itself, and
// a variant that takes any value makes the whole any.
func (t *types) union(s *openapi3.Schema, f *form, claim func() string, hint string) shape {
	candidates := t.candidates(f, make(map[*openapi3.Schema]bool))
	nullable := slices.ContainsFunc(candidates, func(c candidate) bool { return c.form.nullable })
	if slices.ContainsFunc(candidates, func(c candidate) bool { return c.kind == "" || c.form.problem != "" }) {
		return anyShape
	}
	candidates = mergeScalars(candidates)
	switch {
	case len(candidates) == 0:
		return anyShape
	case len(candidates) == 1 && !f.base:
		out := t.shape(candidates[0].ref, hint)
		out.nullable = out.nullable || nullable
		return out
	}
	name := claim()
	out := shape{ref: named(name), nullable: nullable, object: true, doc: s.Description}
	t.shapes[s] = &out
	typ := &model.Type{
		Name: t.componentOf(name), GoName: name, Kind: model.OneOf,
		Doc: t.typeDoc(name, "", s.Description), Deprecated: deprecation(s.Deprecated),
		Union: &model.Union{
			Interface: t.scope.claim(name+"Value", name+"Variant"),
			Method:    "is" + name,
			Table:     t.scope.claim(unexported(name), unexported(name)+"Variants"),
			Unknown:   t.scope.claim(name+"Unknown", "Unknown"+name),
		},
	}
	t.declared[name] = typ
	if isUndescribed(typ) {
		typ.Doc = name + " is one of its variants, or an unknown one as raw JSON."
	}
	property, values := t.discriminate(f, candidates)
	typ.Union.Discriminator = property
	for i, c := range candidates {
		typ.Union.Variants = append(typ.Union.Variants, t.variant(c, name, i, values))
	}
	if property == "" {
		mostRequiredFirst(typ.Union.Variants)
	}
	return out
}

// candidates lists the variants of f; unions among them are opened up, unless
// a discriminator chooses between them.
func (t *types) candidates(f *form, seen map[*openapi3.Schema]bool) []candidate {
	var out []candidate
	for _, ref := range f.variants {
		s, name := t.resolve(ref)
		if s == nil || seen[s] {
			continue
		}
		form := t.of(s)
		for form.alias != nil {
			target, component := t.resolve(form.alias)
			if target == nil || target == s {
				break
			}
			s, name, form = target, cmp.Or(component, name), t.of(target)
			if seen[s] {
				break
			}
			seen[s] = true
		}
		nested := len(form.variants) > 0 && !form.base
		seen[s] = true
		switch {
		case nested && f.discriminator == nil:
			out = append(out, t.candidates(form, seen)...)
		case nested, form.base && !f.base:
			out = append(out, candidate{ref, s, name, form, openapi3.TypeObject})
		case len(form.types) > 1:
			out = append(out, t.candidates(t.byType(form), seen)...)
		default:
			out = append(out, candidate{ref, s, name, form, cmp.Or(form.kind(), kindOfEnum(form))})
		}
	}
	return out
}

func kindOfEnum(f *form) string {
	if len(f.enum) > 0 {
		return enumType(f)
	}
	return ""
}

// mergeScalars puts variants that JSON cannot tell apart into one: two kinds
// of string are a string, integers and numbers are numbers.
func mergeScalars(in []candidate) []candidate {
	var out []candidate
	for _, c := range in {
		i := slices.IndexFunc(out, func(o candidate) bool {
			return jsonKinds[o.kind] == jsonKinds[c.kind] && c.kind != openapi3.TypeObject && c.kind != openapi3.TypeArray
		})
		if i < 0 {
			out = append(out, c)
			continue
		}
		kind := c.kind
		if out[i].kind != kind {
			kind = openapi3.TypeNumber
		}
		s := &openapi3.Schema{Type: &openapi3.Types{kind}}
		if kind == openapi3.TypeString && out[i].form.format == c.form.format && len(out[i].form.enum)+len(c.form.enum) == 0 {
			s.Format = c.form.format
		}
		out[i] = candidate{&openapi3.SchemaRef{Value: s}, s, "", &form{schema: s, types: []string{kind}, format: s.Format}, kind}
	}
	return out
}

// variant makes the type of one variant. What is not a struct gets a name of
// its own.
func (t *types) variant(c candidate, union string, place int, values [][]string) model.Variant {
	part := variantName(c, place)
	sh := t.variantShape(c, union+part)
	v := model.Variant{Kinds: []string{jsonKinds[c.kind]}}
	if values != nil {
		v.Values, v.Kinds = values[place], nil
	} else if c.kind == openapi3.TypeObject {
		v.Required = requiredOf(c.form)
	}
	declared := t.declared[sh.ref.Name]
	if sh.ref.Kind == model.Named && declared != nil {
		v.GoType = sh.ref.Name
		v.Pointer = declared.Kind == model.Struct || declared.Kind == model.OneOf
		return v
	}
	v.GoType = t.scope.claim(union+part, union+part+"Variant")
	t.declared[v.GoType] = &model.Type{
		GoName: v.GoType, Kind: model.Defined, Underlying: sh.ref,
		Doc: v.GoType + " is a variant of " + union + ".",
	}
	return v
}

// variantShape is the shape of a variant; the base of a hierarchy is not a
// variant of itself.
func (t *types) variantShape(c candidate, hint string) shape {
	if c.name != "" {
		return t.shape(&openapi3.SchemaRef{Ref: componentPrefix + c.name, Value: c.schema}, hint)
	}
	return t.shape(c.ref, hint)
}

// variantName is what a variant without a name of its own is called.
func variantName(c candidate, place int) string {
	if c.kind == openapi3.TypeObject {
		if w := exported(annotatedName(c.schema.Extensions, c.schema.Title)); w != "" && len(w) <= 40 {
			return w
		}
		for _, p := range c.form.properties {
			if v := fixedValue(p.ref.Value); v != "" {
				return constantPart(v)
			}
		}
	}
	return exported(c.kind)
}

func requiredOf(f *form) []string {
	var out []string
	for _, p := range f.properties {
		if f.required[p.name] {
			out = append(out, p.name)
		}
	}
	return out
}

// mostRequiredFirst puts variants that demand more before those that demand
// less, because the first that fits is taken.
func mostRequiredFirst(variants []model.Variant) {
	slices.SortStableFunc(variants, func(a, b model.Variant) int {
		return cmp.Compare(len(b.Required), len(a.Required))
	})
}

// discriminate returns the property that tells the variants apart, and the
// values for each; "" and nil if there is none.
func (t *types) discriminate(f *form, candidates []candidate) (string, [][]string) {
	for _, c := range candidates {
		if c.kind != openapi3.TypeObject {
			return "", nil
		}
	}
	if f.discriminator != nil && f.discriminator.PropertyName != "" {
		return f.discriminator.PropertyName, t.mapped(f.discriminator, candidates)
	}
	if d := t.inherited(candidates); d != nil {
		return d.PropertyName, t.mapped(d, candidates)
	}
	for _, p := range candidates[0].form.properties {
		if values := t.fixedValues(p.name, candidates); values != nil {
			return p.name, values
		}
	}
	return "", nil
}

// inherited returns the discriminator of the schema that all variants extend
// by allOf.
func (t *types) inherited(candidates []candidate) *openapi3.Discriminator {
	for _, ref := range candidates[0].schema.AllOf {
		base, _ := t.resolve(ref)
		if base == nil || base.Discriminator == nil || base.Discriminator.PropertyName == "" {
			continue
		}
		if !slices.ContainsFunc(candidates, func(c candidate) bool { return !t.extends(c.schema, base, 0) }) {
			return base.Discriminator
		}
	}
	return nil
}

// mapped returns the values that a discriminator maps to each variant: those
// of the mapping, else what the variant's own property is fixed to, else the
// name of the component.
func (t *types) mapped(d *openapi3.Discriminator, candidates []candidate) [][]string {
	out := make([][]string, len(candidates))
	taken := make(map[string]bool)
	for _, value := range sortedKeys(d.Mapping) {
		target := d.Mapping[value].Ref
		for i, c := range candidates {
			if c.name != "" && (target == c.name || target == componentPrefix+c.name) ||
				c.ref.Ref != "" && strings.TrimPrefix(target, "./") == strings.TrimPrefix(c.ref.Ref, "./") {
				out[i] = append(out[i], value)
				taken[value] = true
				break
			}
		}
	}
	for i, c := range candidates {
		if len(out[i]) > 0 {
			continue
		}
		value := cmp.Or(t.fixed(c.form, d.PropertyName), c.name)
		if value != "" && !taken[value] {
			out[i] = []string{value}
			taken[value] = true
		}
	}
	return out
}

// fixedValues returns the value that each variant fixes the property to; nil
// if one does not, or two agree.
func (t *types) fixedValues(property string, candidates []candidate) [][]string {
	var out [][]string
	seen := make(map[string]bool)
	for _, c := range candidates {
		v := t.fixed(c.form, property)
		if v == "" || seen[v] || !c.form.required[property] {
			return nil
		}
		seen[v] = true
		out = append(out, []string{v})
	}
	return out
}

// fixed returns the one string that a property may have, "" if it may have
// others.
func (t *types) fixed(f *form, property string) string {
	for _, p := range f.properties {
		if p.name == property {
			s, _ := t.resolve(p.ref)
			return fixedValue(s)
		}
	}
	return ""
}

func fixedValue(s *openapi3.Schema) string {
	if s == nil {
		return ""
	}
	if v, ok := s.Const.(string); ok {
		return v
	}
	if len(s.Enum) == 1 {
		v, _ := s.Enum[0].(string)
		return v
	}
	return ""
}
