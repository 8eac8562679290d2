package build

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// httpapiPath is the import path of the runtime.
const httpapiPath = "github.com/retrygen/retrygen/runtime/httpapi"

// shape is the Go type of a schema, before it is known whether the value may
// be absent.
type shape struct {
	ref      model.Ref
	nullable bool
	bare     bool // nil is among its values: slices, maps, any
	object   bool // a struct or the holder of a union
	doc      string
}

// types turns schemas into Go types. Each schema becomes one type, wherever
// it is used.
type types struct {
	*forms
	scope    scope
	aws      bool              // JSON protocols of AWS: times are numbers, structures may be empty
	names    map[string]string // Go names of components
	named    map[string]string // components by their Go names
	shapes   map[*openapi3.Schema]*shape
	pending  map[*openapi3.Schema]bool
	declared map[string]*model.Type
	sound    map[*openapi3.Schema]bool // nothing in them is unsupported
}

// newTypes claims the names of all components and declares their types, so
// that no operation has a say in their names.
func newTypes(components openapi3.Schemas, where *places, s scope, aws bool) *types {
	t := &types{
		forms: &forms{
			places:     where,
			components: components,
			cache:      make(map[*openapi3.Schema]*form),
			combined:   make(map[combination]*openapi3.SchemaRef),
		},
		scope: s, aws: aws,
		names:    make(map[string]string),
		named:    make(map[string]string),
		shapes:   make(map[*openapi3.Schema]*shape),
		pending:  make(map[*openapi3.Schema]bool),
		declared: make(map[string]*model.Type),
		sound:    make(map[*openapi3.Schema]bool),
	}
	keys := sortedKeys(components)
	wish := func(k string) string { return exported(nameOf(components[k], k)) }
	for _, k := range keys { // a name that is spelt as in Go has the first claim
		if w := wish(k); w == k && s.free(w) {
			t.names[k] = s.claim(w)
		}
	}
	for _, k := range keys {
		if t.names[k] == "" {
			w := wish(k)
			t.names[k] = s.claim(w, w+"Schema")
		}
	}
	for k, name := range t.names {
		t.named[name] = k
	}
	for _, k := range keys {
		t.shape(&openapi3.SchemaRef{Ref: componentPrefix + k, Value: components[k].Value}, "")
	}
	return t
}

// nameOf is the name that an annotation gives to a schema, else name.
func nameOf(ref *openapi3.SchemaRef, name string) string {
	if ref == nil || ref.Value == nil {
		return name
	}
	return annotatedName(ref.Value.Extensions, name)
}

// annotatedName returns x-go-name or x-ogen-name, else name.
func annotatedName(extensions map[string]any, name string) string {
	for _, key := range []string{"x-go-name", "x-ogen-name"} {
		if s, ok := extensions[key].(string); ok && exported(s) != "" {
			return s
		}
	}
	return name
}

// shape returns the type of the schema behind ref. The hint names it if it
// has no name of its own.
func (t *types) shape(ref *openapi3.SchemaRef, hint string) shape {
	s, component := t.resolve(ref)
	if s == nil {
		return anyShape
	}
	if known := t.shapes[s]; known != nil {
		return *known
	}
	name := t.names[component]
	if name == "" && ref.Ref != "" && component == "" {
		name = t.scope.claim(exported(ref.Ref[strings.LastIndexAny(ref.Ref, "/#")+1:]), hint)
	}
	if t.pending[s] { // it contains itself, and not through a struct
		if name == "" {
			name = t.scope.claim(hint, hint+"Value")
		}
		t.shapes[s] = &shape{ref: named(name), bare: true}
		return *t.shapes[s]
	}
	t.pending[s] = true
	out := t.make(s, name, hint)
	delete(t.pending, s)
	return t.settle(s, component, out)
}

// settle remembers the shape of s. A schema that turned out to contain itself
// becomes a declared type.
func (t *types) settle(s *openapi3.Schema, component string, out shape) shape {
	known := t.shapes[s]
	switch {
	case known == nil:
		t.shapes[s] = &out
		return out
	case known.ref == out.ref:
		*known = out
		return out
	case t.declared[known.ref.Name] != nil:
		return *known
	}
	if out.ref.Kind != model.Slice && out.ref.Kind != model.Map {
		out.ref = basic("any")
	}
	name := known.ref.Name
	t.declared[name] = &model.Type{
		Name: component, GoName: name, Kind: model.Defined, Underlying: out.ref,
		Doc: t.typeDoc(name, component, s.Description),
	}
	known.doc = out.doc
	return *known
}

// make makes the type of s. name is "" for a schema without a name; it is
// claimed from the hint only if a type has to be declared.
func (t *types) make(s *openapi3.Schema, name, hint string) shape {
	f := t.of(s)
	claim := func() string {
		if name != "" {
			return name
		}
		return t.scope.claim(exported(annotatedName(s.Extensions, hint)), hint+"Value")
	}
	out := anyShape
	switch {
	case f.alias != nil:
		out = t.shape(f.alias, cmp.Or(name, hint))
	case f.problem != "":
	case len(f.variants) > 0:
		out = t.union(s, f, claim, cmp.Or(name, hint))
	case len(f.types) > 1:
		out = t.union(s, t.byType(f), claim, cmp.Or(name, hint))
	case len(f.enum) > 0 && enumType(f) != "":
		out = t.enum(s, f, claim)
	default:
		out = t.single(s, f, claim, cmp.Or(name, hint))
	}
	out.nullable = out.nullable || f.nullable
	if s.Description != "" {
		out.doc = s.Description
	}
	return out
}

// single makes the type of a schema of one type.
func (t *types) single(s *openapi3.Schema, f *form, claim func() string, hint string) shape {
	switch kind := f.kind(); kind {
	case openapi3.TypeObject:
		return t.object(s, f, claim, hint)
	case openapi3.TypeArray:
		if f.items == nil {
			return shape{ref: slice(basic("any")), bare: true}
		}
		return shape{ref: slice(t.element(f.items, hint+"Item")), bare: true}
	case "":
		return anyShape
	default:
		return shape{ref: t.scalar(kind, f), bare: isBytes(t.scalar(kind, f))}
	}
}

// kind returns the one type of a form, "" if anything may come.
func (f *form) kind() string {
	switch {
	case len(f.types) == 1:
		return f.types[0]
	case len(f.properties) > 0 || f.open || len(f.required) > 0:
		return openapi3.TypeObject
	case f.items != nil:
		return openapi3.TypeArray
	}
	return ""
}

// object makes a struct, or a map if no members are named.
func (t *types) object(s *openapi3.Schema, f *form, claim func() string, hint string) shape {
	if len(f.properties) == 0 && !(t.aws && f.named && !f.open) {
		if f.extra != nil {
			return shape{ref: mapOf(t.element(f.extra, hint+"Value")), bare: true}
		}
		return shape{ref: mapOf(basic("any")), bare: true}
	}
	name := claim()
	t.shapes[s] = &shape{ref: named(name), object: true, doc: s.Description}
	typ := &model.Type{
		Name: t.componentOf(name), GoName: name, Kind: model.Struct,
		Doc: t.typeDoc(name, "", s.Description), Deprecated: deprecation(s.Deprecated),
		OneMember: f.single,
	}
	t.declared[name] = typ
	typ.Fields = t.fields(f, name)
	return *t.shapes[s]
}

// componentOf is the component that has a Go name, "" for inline schemas.
func (t *types) componentOf(goName string) string { return t.named[goName] }

// fields makes the members of an object.
func (t *types) fields(f *form, parent string) []model.Field {
	var out []model.Field
	members := make(scope)
	open, typed := f.open, f.extra
	for _, p := range f.properties {
		if !canTag(p.name) { // it is reached by its name among the others
			open, typed = true, nil
			continue
		}
		goName := fieldName(members, nameOf(p.ref, p.name))
		sh := t.shape(p.ref, parent+goName)
		s, _ := t.resolve(p.ref)
		required := f.required[p.name] && !f.single
		field := model.Field{Name: p.name, GoName: goName, Type: sh.member(required), Doc: fieldDoc(p.ref, sh)}
		zero := !required
		if s != nil {
			field.Deprecated = deprecation(s.Deprecated)
			zero = zero || s.ReadOnly && !sh.nullable
		}
		field.Tags = []model.Tag{{Key: "json", Value: jsonTag(p.name, zero)}}
		out = append(out, field)
	}
	if open {
		extra := basic("any")
		goName := members.claim("Extra", "ExtraMembers")
		if typed != nil {
			extra = t.element(typed, parent+goName)
		}
		out = append(out, model.Field{
			GoName: goName, Doc: goName + " holds the members that have no field of their own.",
			Type: mapOf(extra), Tags: []model.Tag{{Key: "json", Value: ",embed"}},
		})
	}
	return out
}

// fieldName claims the Go name of a member.
func fieldName(members scope, name string) string {
	wish := exported(name)
	if wish == "" {
		wish = "Member"
	}
	return members.claim(wish, wish+"Member")
}

// fieldDoc is what is said beside a reference, or else what the schema says.
func fieldDoc(ref *openapi3.SchemaRef, sh shape) string {
	if ref.Value != nil && ref.Value.Description != "" {
		return plain(ref.Value.Description)
	}
	return plain(sh.doc)
}

// member is the type of a member, parameter or header.
func (sh shape) member(required bool) model.Ref {
	switch {
	case sh.ref.Kind == model.Basic && sh.ref.Name == "any":
		return sh.ref
	case sh.nullable && !required:
		return model.Ref{Kind: model.Nullable, Elem: new(sh.ref)}
	case sh.nullable, !required && !sh.bare:
		return pointer(sh.ref)
	}
	return sh.ref
}

// element is the type of an item of an array or a value of a map.
func (t *types) element(ref *openapi3.SchemaRef, hint string) model.Ref {
	return t.shape(ref, hint).member(true)
}

// canTag reports whether a json tag can say name: the JSON package (v1.27.2)
// reserves commas, quotes and backslashes.
func canTag(name string) bool {
	return name != "" && utf8.ValidString(name) && !strings.ContainsAny(name, ",\\'\"`\n\r")
}

// jsonTag is the value of a json tag.
func jsonTag(name string, omitzero bool) string {
	switch {
	case omitzero:
		return name + ",omitzero"
	case name == "-": // alone it would mean no member
		return name + ",case:strict"
	}
	return name
}

// scalarTypes are the Go types of formats.
var scalarTypes = map[string]map[string]model.Ref{
	openapi3.TypeInteger: {
		"int8": basic("int8"), "int16": basic("int16"), "int32": basic("int32"), "int64": basic("int64"),
		"uint8": basic("uint8"), "uint16": basic("uint16"), "uint32": basic("uint32"), "uint64": basic("uint64"),
		"unixtime": qualified(httpapiPath, "UnixTime"), "unix-time": qualified(httpapiPath, "UnixTime"),
		"": basic("int64"),
	},
	openapi3.TypeNumber: {
		"float": basic("float32"), "int32": basic("int32"), "int64": basic("int64"),
		"unixtime": qualified(httpapiPath, "UnixTime"), "unix-time": qualified(httpapiPath, "UnixTime"),
		"": basic("float64"),
	},
	openapi3.TypeString: {
		"date": qualified(httpapiPath, "Date"), "date-time": qualified("time", "Time"),
		"byte": slice(basic("byte")), "binary": slice(basic("byte")), "": basic("string"),
	},
	openapi3.TypeBoolean: {"": basic("bool")},
}

// scalar is the Go type of a string, number, integer or boolean.
func (t *types) scalar(kind string, f *form) model.Ref {
	formats := scalarTypes[kind]
	if formats == nil {
		return basic("any")
	}
	format := f.format
	if kind == openapi3.TypeString && strings.EqualFold(f.encoding, "base64") {
		format = "byte"
	}
	if t.aws && format == "date-time" {
		return qualified(httpapiPath, "UnixTime")
	}
	if ref, ok := formats[format]; ok {
		return ref
	}
	return formats[""]
}

// enum declares the type of a list of values.
func (t *types) enum(s *openapi3.Schema, f *form, claim func() string) shape {
	kind := enumType(f)
	if len(f.enum) == 1 && s.Const != nil || kind == openapi3.TypeBoolean && len(f.enum) == 2 {
		return shape{ref: t.scalar(kind, &form{})}
	}
	name := claim()
	under := t.scalar(kind, &form{})
	if kind == openapi3.TypeInteger && f.format == "int32" && fitInt32(f.enum) {
		under = basic("int32")
	}
	typ := &model.Type{
		Name: t.componentOf(name), GoName: name, Kind: model.Enum, Underlying: under,
		Doc: t.typeDoc(name, "", s.Description), Deprecated: deprecation(s.Deprecated),
	}
	t.declared[name] = typ
	names := valueNames(s, f.enum)
	seen := make(map[any]bool)
	for i, v := range f.enum {
		literal := literalOf(kind, v)
		if seen[literal] {
			continue
		}
		seen[literal] = true
		part := cmp.Or(joined(names[i]), constantPart(valueText(literal)))
		typ.Values = append(typ.Values, model.Value{
			GoName: t.scope.claim(name+part, name+"Value"+part), Literal: literal,
		})
	}
	return shape{ref: named(name)}
}

// valueNames are the names that x-enum-varnames or x-ms-enum give to the
// values of s, by place; "" for values that they do not name.
func valueNames(s *openapi3.Schema, values []any) []string {
	out := make([]string, len(values))
	if list, _ := s.Extensions["x-enum-varnames"].([]any); len(list) == len(values) {
		for i, v := range list {
			out[i], _ = v.(string)
		}
	}
	microsoft, _ := s.Extensions["x-ms-enum"].(map[string]any)
	list, _ := microsoft["values"].([]any)
	for _, item := range list {
		entry, _ := item.(map[string]any)
		name, _ := entry["name"].(string)
		same := func(v any) bool { return valueText(v) == valueText(entry["value"]) }
		if i := slices.IndexFunc(values, same); i >= 0 && name != "" {
			out[i] = name
		}
	}
	return out
}

// enumType is the one type of the values of an enum, "" if they differ.
func enumType(f *form) string {
	kind := ""
	for _, v := range f.enum {
		switch k := kindOf(v); {
		case kind == "" || kind == k:
			kind = k
		case kind == openapi3.TypeInteger && k == openapi3.TypeNumber:
			kind = k
		case kind == openapi3.TypeNumber && k == openapi3.TypeInteger:
		default:
			return ""
		}
	}
	if len(f.types) == 1 && f.types[0] == openapi3.TypeNumber && kind == openapi3.TypeInteger {
		return openapi3.TypeNumber
	}
	if len(f.types) == 1 && f.types[0] != kind || kind == openapi3.TypeObject || kind == openapi3.TypeArray {
		return ""
	}
	return kind
}

// typeDoc is the comment of a declared type.
func (t *types) typeDoc(goName, specName, description string) string {
	if doc := comment(goName, specName, description); doc != "" {
		return doc
	}
	return goName + undescribed
}

var anyShape = shape{ref: basic("any"), bare: true}

func basic(name string) model.Ref { return model.Ref{Kind: model.Basic, Name: name} }
func named(name string) model.Ref { return model.Ref{Kind: model.Named, Name: name} }
func qualified(pkg, name string) model.Ref {
	return model.Ref{Kind: model.Qualified, Package: pkg, Name: name}
}
func pointer(r model.Ref) model.Ref { return model.Ref{Kind: model.Pointer, Elem: &r} }
func slice(r model.Ref) model.Ref   { return model.Ref{Kind: model.Slice, Elem: &r} }
func mapOf(r model.Ref) model.Ref   { return model.Ref{Kind: model.Map, Elem: &r} }

func isBytes(r model.Ref) bool {
	return r.Kind == model.Slice && r.Elem.Kind == model.Basic && r.Elem.Name == "byte"
}

// byType gives a form of several types one variant for each.
func (t *types) byType(f *form) *form {
	out := *f
	for _, kind := range f.types {
		one := *f.schema
		one.Type, one.Nullable, one.AllOf = &openapi3.Types{kind}, false, nil
		if kind != openapi3.TypeObject {
			one.Properties, one.Required, one.AdditionalProperties = nil, nil, openapi3.AdditionalProperties{}
		}
		if kind != openapi3.TypeArray {
			one.Items = nil
		}
		one.Enum = slices.DeleteFunc(slices.Clone(f.enum), func(v any) bool {
			k := kindOf(v)
			return k != kind && !(k == openapi3.TypeInteger && kind == openapi3.TypeNumber)
		})
		t.places.pointers[&one] = t.places.pointers[f.schema]
		out.variants = append(out.variants, &openapi3.SchemaRef{Value: &one})
	}
	return &out
}
