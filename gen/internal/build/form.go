package build

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// form is a schema with its allOf merged and null split off.
type form struct {
	schema *openapi3.Schema // the schema itself: description, extensions, place

	// alias, if set, is what the schema says and all it says, beside null and
	// words.
	alias    *openapi3.SchemaRef
	nullable bool

	types    []string // without null
	format   string
	media    string // contentMediaType
	encoding string // contentEncoding
	enum     []any  // without null

	properties []property
	required   map[string]bool
	extra      *openapi3.SchemaRef // schema of other members
	open       bool                // other members are expressly allowed
	single     bool                // exactly one member is set
	named      bool                // properties were written, maybe none

	items *openapi3.SchemaRef

	variants      []*openapi3.SchemaRef
	discriminator *openapi3.Discriminator
	base          bool // the variants extend this schema by allOf

	problem string // why it is not supported
}

// property is a member of an object.
type property struct {
	name string
	ref  *openapi3.SchemaRef
}

// forms reads schemas.
type forms struct {
	places     *places
	components openapi3.Schemas
	cache      map[*openapi3.Schema]*form
	combined   map[combination]*openapi3.SchemaRef
}

// combination is a variant together with the members beside its oneOf.
type combination struct{ base, variant *openapi3.Schema }

const componentPrefix = "#/components/schemas/"

// component returns the name of the component that ref names, "" if it names
// none.
func (f *forms) component(ref *openapi3.SchemaRef) string {
	name, ok := strings.CutPrefix(ref.Ref, componentPrefix)
	if !ok {
		return ""
	}
	if f.components[name] != nil {
		return name
	}
	if name = unescapePointer(name); f.components[name] == nil {
		return ""
	}
	return name
}

// unescapePointer decodes one token of a JSON pointer in a URI fragment.
func unescapePointer(token string) string {
	if decoded, err := url.PathUnescape(token); err == nil {
		token = decoded
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// resolve follows references through components to the schema; nil if it
// cannot be found. The name is that of the last component on the way.
func (f *forms) resolve(ref *openapi3.SchemaRef) (s *openapi3.Schema, name string) {
	for range 64 {
		if ref == nil {
			return nil, ""
		}
		next := f.component(ref)
		if next == "" {
			return ref.Value, name
		}
		name, ref = next, f.components[next]
	}
	return nil, ""
}

// of returns the form of a schema.
func (f *forms) of(s *openapi3.Schema) *form {
	if known := f.cache[s]; known != nil {
		return known
	}
	out := &form{schema: s, required: make(map[string]bool)}
	f.cache[s] = out
	if out.alias = f.alias(s); out.alias != nil {
		out.nullable = s.Nullable
		return out
	}
	f.collect(out, s, make(map[*openapi3.Schema]bool))
	out.nullable = out.nullable && (s.Nullable || len(s.AllOf) == 0 || s.Type.IncludesNull())
	f.extend(out, s)
	return out
}

// alias returns the one schema that an allOf consists of, beside words.
func (f *forms) alias(s *openapi3.Schema) *openapi3.SchemaRef {
	if len(s.AllOf) == 0 || structural(s) {
		return nil
	}
	var found []*openapi3.SchemaRef
	for _, ref := range s.AllOf {
		target, name := f.resolve(ref)
		if target == nil {
			return nil
		}
		if name != "" || structural(target) || len(target.AllOf) > 0 || target.Type != nil {
			found = append(found, ref)
		}
	}
	if len(found) != 1 {
		return nil
	}
	target, _ := f.resolve(found[0])
	if target == s || target.Discriminator != nil && len(target.OneOf)+len(target.AnyOf) == 0 {
		return nil // a child of a hierarchy is a type of its own
	}
	return found[0]
}

// structural reports whether s says, without its allOf, more than words and a
// type.
func structural(s *openapi3.Schema) bool {
	return len(s.Properties)+len(s.Required)+len(s.OneOf)+len(s.AnyOf)+len(s.Enum)+len(s.PrefixItems)+len(s.PatternProperties) > 0 ||
		s.Items != nil || s.AdditionalProperties.Schema != nil || s.AdditionalProperties.Has != nil ||
		s.Const != nil || s.Format != "" || s.Always != nil || s.DynamicRef != ""
}

// collect adds what s says to out.
func (f *forms) collect(out *form, s *openapi3.Schema, seen map[*openapi3.Schema]bool) {
	if seen[s] {
		out.fail("a schema whose allOf contains itself")
		return
	}
	seen[s] = true
	for _, ref := range s.AllOf {
		part, _ := f.resolve(ref)
		if part == nil {
			out.fail("a reference that leads nowhere")
			continue
		}
		if !seen[part] { // one part may come by several ways
			f.collect(out, part, seen)
		}
	}
	f.collectTypes(out, s)
	f.collectObject(out, s)
	f.collectVariants(out, s)
	if s.Items != nil {
		out.items = s.Items
	}
	switch {
	case s.Always != nil && !*s.Always:
		out.fail("the schema false, which no value meets")
	case s.DynamicRef != "":
		out.fail("$dynamicRef")
	case len(s.PrefixItems) > 0:
		out.fail("prefixItems, an array whose items have types by place,")
	}
}

func (f *form) fail(problem string) {
	if f.problem == "" {
		f.problem = problem
	}
}

// jsonTypes are the types of JSON Schema.
var jsonTypes = wordSet("null boolean integer number string array object")

// collectTypes adds types, formats and enums.
func (f *forms) collectTypes(out *form, s *openapi3.Schema) {
	var types []string
	for _, t := range s.Type.Slice() {
		if t == openapi3.TypeNull {
			out.nullable = true
		} else if !slices.Contains(types, t) {
			types = append(types, t)
		}
		if !jsonTypes[t] {
			out.fail(fmt.Sprintf("the type %q", t))
		}
	}
	out.nullable = out.nullable || s.Nullable
	switch {
	case len(types) == 0:
	case len(out.types) == 0:
		out.types = types
	default:
		out.types = narrower(out.types, types)
		if len(out.types) == 0 {
			out.fail("an allOf of different types")
		}
	}
	out.format = cmp.Or(s.Format, out.format)
	out.media = cmp.Or(s.ContentMediaType, out.media)
	out.encoding = cmp.Or(s.ContentEncoding, out.encoding)
	enum := s.Enum
	if s.Const != nil && len(enum) == 0 {
		out.enum = []any{s.Const}
	}
	if len(enum) > 0 {
		out.enum = nil
		for _, v := range enum {
			if v == nil {
				out.nullable = true
				continue
			}
			out.enum = append(out.enum, v)
		}
	}
}

// narrower returns the types that are in both lists; integer is a number.
func narrower(a, b []string) []string {
	var out []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t),
			t == openapi3.TypeInteger && slices.Contains(b, openapi3.TypeNumber):
			out = append(out, t)
		case t == openapi3.TypeNumber && slices.Contains(b, openapi3.TypeInteger):
			out = append(out, openapi3.TypeInteger)
		}
	}
	return out
}

// collectObject adds members.
func (f *forms) collectObject(out *form, s *openapi3.Schema) {
	out.named = out.named || s.Properties != nil
	for _, p := range f.places.members(s) {
		i := slices.IndexFunc(out.properties, func(q property) bool { return q.name == p.name })
		if i < 0 {
			out.properties = append(out.properties, p)
		} else if s, name := f.resolve(p.ref); s != nil && (name != "" || structural(s) || s.Type != nil || len(s.AllOf) > 0) {
			out.properties[i].ref = p.ref
		}
	}
	for _, name := range s.Required {
		out.required[name] = true
	}
	switch more := s.AdditionalProperties; {
	case more.Schema != nil:
		out.extra, out.open = more.Schema, true
	case more.Has != nil && *more.Has:
		out.open = true
	}
	for _, p := range f.places.ordered(s.PatternProperties, f.places.pointers[s]+"/patternProperties") {
		if out.open = true; len(s.PatternProperties) == 1 && out.extra == nil {
			out.extra = p.ref
		}
	}
	if s.MinProps == 1 && s.MaxProps != nil && *s.MaxProps == 1 {
		out.single = true
	}
}

// collectVariants adds the variants of oneOf or anyOf. Branches that only
// restrict what stands beside them are left out.
func (f *forms) collectVariants(out *form, s *openapi3.Schema) {
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		var variants []*openapi3.SchemaRef
		for _, ref := range list {
			v, name := f.resolve(ref)
			switch {
			case v == nil:
				out.fail("a reference that leads nowhere")
			case v.Type.Is(openapi3.TypeNull), len(v.Enum) == 1 && v.Enum[0] == nil:
				out.nullable = true
			case name == "" && restriction(v) && (len(s.Properties) > 0 || s.Type != nil || len(s.AllOf) > 0):
			default:
				variants = append(variants, ref)
			}
		}
		if len(variants) == 0 {
			continue
		}
		if len(out.variants) > 0 {
			out.fail("several oneOf or anyOf in one schema")
		}
		out.variants, out.discriminator = variants, s.Discriminator
	}
}

// restriction reports whether s describes no value by itself.
func restriction(s *openapi3.Schema) bool {
	return s.Type == nil && len(s.Properties)+len(s.OneOf)+len(s.AnyOf)+len(s.AllOf)+len(s.Enum) == 0 &&
		s.Items == nil && s.Const == nil && s.AdditionalProperties.Schema == nil
}

// extend gives the base of a hierarchy its children as variants, and variants
// the members that stand beside them.
func (f *forms) extend(out *form, s *openapi3.Schema) {
	if s.Discriminator != nil && len(out.variants) == 0 {
		if out.variants = f.children(s); len(out.variants) > 0 {
			out.discriminator, out.base = s.Discriminator, true
		}
		return
	}
	if len(out.variants) == 0 || len(out.properties) == 0 {
		return
	}
	base := &openapi3.Schema{Properties: make(openapi3.Schemas), Required: sortedKeys(out.required)}
	for _, p := range out.properties {
		base.Properties[p.name] = p.ref
	}
	f.places.lists[base] = out.properties
	for i, ref := range out.variants {
		v, _ := f.resolve(ref)
		if f.covers(v, out.properties) {
			continue
		}
		if len(f.of(v).variants) > 0 {
			out.fail("a oneOf within a oneOf that has members beside it")
			continue
		}
		key := combination{s, v}
		if f.combined[key] == nil {
			f.combined[key] = &openapi3.SchemaRef{Value: &openapi3.Schema{
				AllOf: openapi3.SchemaRefs{{Value: base}, ref}, Description: v.Description, Title: v.Title,
				Required: []string{}, Origin: v.Origin, Extensions: v.Extensions,
			}}
		}
		out.variants[i] = f.combined[key]
	}
}

// covers reports whether v has all of the properties.
func (f *forms) covers(v *openapi3.Schema, properties []property) bool {
	form := f.of(v)
	for _, p := range properties {
		if !slices.ContainsFunc(form.properties, func(q property) bool { return q.name == p.name }) {
			return false
		}
	}
	return true
}

// children returns the components that extend base by allOf, those that the
// discriminator maps included, sorted by name.
func (f *forms) children(base *openapi3.Schema) []*openapi3.SchemaRef {
	var out []*openapi3.SchemaRef
	for _, name := range sortedKeys(f.components) {
		ref := &openapi3.SchemaRef{Ref: componentPrefix + name}
		if s, _ := f.resolve(ref); s != nil && s != base && f.extends(s, base, 0) {
			ref.Value = s
			out = append(out, ref)
		}
	}
	return out
}

func (f *forms) extends(s, base *openapi3.Schema, depth int) bool {
	for _, ref := range s.AllOf {
		if part, _ := f.resolve(ref); part != nil && (part == base || depth < 16 && f.extends(part, base, depth+1)) {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
