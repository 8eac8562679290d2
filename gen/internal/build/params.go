package build

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// locations are the places of parameters, in the order of an input's fields.
var locations = []string{openapi3.ParameterInPath, openapi3.ParameterInQuery, openapi3.ParameterInHeader, openapi3.ParameterInCookie}

// ignoredHeaders are header parameters that OpenAPI says to ignore (3.1.1,
// Parameter Object): content negotiation and authorization are not theirs.
var ignoredHeaders = map[string]bool{"accept": true, "content-type": true, "authorization": true}

var template = regexp.MustCompile(`\{([^{}]*)\}`)

// parameters returns the parameters of an operation with those of its path,
// by location, as declared.
func (c *call) parameters() []*openapi3.ParameterRef {
	var all []*openapi3.ParameterRef
	for _, p := range slices.Concat(c.item.Parameters, c.spec.Parameters) {
		if p == nil || p.Value == nil {
			continue
		}
		same := func(q *openapi3.ParameterRef) bool { return q.Value.Name == p.Value.Name && q.Value.In == p.Value.In }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i] = p // the operation's own
			continue
		}
		all = append(all, p)
	}
	all = slices.DeleteFunc(all, func(p *openapi3.ParameterRef) bool {
		return p.Value.In == openapi3.ParameterInHeader && ignoredHeaders[strings.ToLower(p.Value.Name)]
	})
	slices.SortStableFunc(all, func(x, y *openapi3.ParameterRef) int {
		return cmp.Compare(slices.Index(locations, x.Value.In), slices.Index(locations, y.Value.In))
	})
	return all
}

// input declares the input of an operation. It returns why it cannot.
func (b *builder) input(c *call) string {
	name := b.scope.claim(c.op.GoName+"Input", c.op.GoName+"OperationInput")
	typ := &model.Type{GoName: name, Kind: model.Struct, Doc: name + " is the input of [Client." + c.op.GoName + "]."}
	members := scope{"Body": true}
	places := make(map[string]bool)
	for _, m := range template.FindAllStringSubmatch(c.op.Path, -1) {
		places[m[1]] = true
	}
	for _, p := range c.parameters() {
		if p.Value.In == openapi3.ParameterInPath && !places[p.Value.Name] {
			continue // nothing to fill
		}
		field, why := b.parameter(c, p, members)
		if why != "" {
			return fmt.Sprintf("the %s parameter %q: %s", p.Value.In, p.Value.Name, why)
		}
		typ.Fields = append(typ.Fields, field)
		if p.Value.In == openapi3.ParameterInPath {
			delete(places, p.Value.Name)
		}
	}
	for _, place := range sortedKeys(places) {
		return fmt.Sprintf("the path has a place {%s} and no parameter for it", place)
	}
	body, why := b.requestBody(c)
	if why != "" {
		return why
	}
	if body != nil {
		typ.Fields = append(typ.Fields, *body)
	}
	c.op.Input = name
	b.types.declared[name] = typ
	return ""
}

// parameter makes the field of a parameter.
func (b *builder) parameter(c *call, ref *openapi3.ParameterRef, members scope) (model.Field, string) {
	p := ref.Value
	if slices.Index(locations, p.In) < 0 {
		return model.Field{}, fmt.Sprintf("a parameter in %q is not supported", p.In)
	}
	if p.Name == "" || strings.ContainsAny(p.Name, ",\"\\\n\r") {
		return model.Field{}, "a name with commas, quotes or line breaks is not supported"
	}
	name := annotatedName(p.Extensions, p.Name)
	wish := cmp.Or(exported(name), "Parameter")
	goName := members.claim(wish, wish+exported(p.In))
	typ, why := b.parameterType(c, ref, goName)
	if why != "" {
		return model.Field{}, why
	}
	tag, why := parameterTag(p)
	return model.Field{
		Name: p.Name, GoName: goName, Type: typ, Doc: plain(cmp.Or(p.Description, b.schemaText(p.Schema))),
		Deprecated: deprecation(p.Deprecated), Tags: []model.Tag{{Key: p.In, Value: tag}},
	}, why
}

// schemaText is the description of a schema, "" if there is none.
func (b *builder) schemaText(ref *openapi3.SchemaRef) string {
	if ref == nil || ref.Value == nil {
		return ""
	}
	return ref.Value.Description
}

// parameterType is the type of a parameter's field.
func (b *builder) parameterType(c *call, ref *openapi3.ParameterRef, goName string) (model.Ref, string) {
	p := ref.Value
	hint := c.op.GoName + goName
	if component := lastToken(ref.Ref, "#/components/parameters/"); component != "" {
		hint = exported(component) + "Parameter"
	}
	required := p.Required || p.In == openapi3.ParameterInPath
	schema := p.Schema
	for _, media := range sortedKeys(p.Content) {
		if p.Content[media] == nil || mediaKindOf(media) != jsonMedia {
			return model.Ref{}, fmt.Sprintf("content of type %s is not supported", media)
		}
		schema = p.Content[media].Schema
	}
	if schema == nil {
		return shape{ref: basic("string")}.member(required), ""
	}
	if why := b.unsupported(schema); why != "" {
		return model.Ref{}, why
	}
	sh := b.types.shape(schema, hint)
	sh.nullable = false
	if len(p.Content) > 0 {
		return sh.member(required), ""
	}
	return b.textShape(sh).member(required), ""
}

// textShape is the shape of what travels as text: a choice of scalars is a
// string there, one of a scalar and a list of such is a list, and bytes are
// text already.
func (b *builder) textShape(sh shape) shape {
	text := shape{ref: basic("string")}
	switch {
	case isBytes(sh.ref), sh.ref.Kind == model.Basic && sh.ref.Name == "any":
		return text
	case sh.ref.Kind == model.Slice && b.ofScalars(sh.ref.Elem):
		return shape{ref: slice(text.ref), bare: true}
	case b.ofScalars(&sh.ref):
		return text
	}
	if list := b.listVariant(&sh.ref); list != nil {
		return shape{ref: slice(*list), bare: true}
	}
	return sh
}

// unionOf returns the union that r names, nil if it names none.
func (b *builder) unionOf(r *model.Ref) *model.Union {
	if t := b.types.declared[r.Name]; r.Kind == model.Named && t != nil {
		return t.Union
	}
	return nil
}

// ofScalars reports whether r is a choice between scalars.
func (b *builder) ofScalars(r *model.Ref) bool {
	u := b.unionOf(r)
	return u != nil && !slices.ContainsFunc(u.Variants, func(v model.Variant) bool { return !isScalarVariant(v) })
}

func isScalarVariant(v model.Variant) bool {
	return slices.ContainsFunc(v.Kinds, func(k string) bool { return k == "string" || k == "number" || k == "boolean" })
}

// listVariant returns the type of the items if r is a choice between one
// scalar and a list of such scalars: one value is then a list of one.
func (b *builder) listVariant(r *model.Ref) *model.Ref {
	u := b.unionOf(r)
	if u == nil || len(u.Variants) != 2 {
		return nil
	}
	var list *model.Ref
	scalars := 0
	for _, v := range u.Variants {
		switch under := b.types.declared[v.GoType].Underlying; {
		case isScalarVariant(v):
			scalars++
		case under.Kind == model.Slice && b.isScalar(under.Elem):
			list = under.Elem
		}
	}
	if scalars != 1 {
		return nil
	}
	return list
}

// isScalar reports whether r is a string, number, boolean or enum.
func (b *builder) isScalar(r *model.Ref) bool {
	if t := b.types.declared[r.Name]; r.Kind == model.Named {
		return t != nil && t.Kind == model.Enum
	}
	return r.Kind == model.Basic && r.Name != "any"
}

// parameterTag is the tag by which the runtime writes a parameter; defaults
// are left out.
func parameterTag(p *openapi3.Parameter) (tag, why string) {
	tag = p.Name
	for _, media := range sortedKeys(p.Content) {
		return tag + ",content=" + media, ""
	}
	normal := map[string]string{"path": "simple", "query": "form", "header": "simple", "cookie": "form"}[p.In]
	style := cmp.Or(p.Style, normal)
	explode := style == "form" || style == "cookie"
	if p.Explode != nil {
		explode = *p.Explode
	}
	if !slices.Contains(styles[p.In], style) {
		return "", fmt.Sprintf("the style %s is not supported", style)
	}
	if style == "spaceDelimited" || style == "pipeDelimited" {
		if explode { // the same as form
			style = normal
		}
	}
	if style != normal {
		tag += ",style=" + style
	}
	switch {
	case style == "deepObject", style == "spaceDelimited", style == "pipeDelimited":
	case explode && style != "form" && style != "cookie":
		tag += ",explode"
	case !explode && (style == "form" || style == "cookie"):
		tag += ",explode=false"
	}
	if p.AllowReserved && (p.In == "query" || p.In == "path") {
		tag += ",allowReserved"
	}
	return tag, ""
}

// styles are those that the runtime writes, by location.
var styles = map[string][]string{
	"path":   {"simple", "label", "matrix"},
	"query":  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	"header": {"simple"},
	"cookie": {"form", "cookie"},
}

// lastToken returns the name in a reference to a component of a kind, "" for
// other references.
func lastToken(ref, prefix string) string {
	name, _ := strings.CutPrefix(ref, prefix)
	if name == ref {
		return ""
	}
	return unescapePointer(name)
}
