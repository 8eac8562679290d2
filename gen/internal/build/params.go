package build

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// locations are the places of parameters, in the order of an input's fields.
var locations = []string{openapi3.ParameterInPath, openapi3.ParameterInQuery, openapi3.ParameterInHeader, openapi3.ParameterInCookie}

// foreignHeaders are header parameters that are left out, and why: OpenAPI
// says to ignore some (3.1.1, Parameter Object), and others are those of the
// connection (RFC 9110, 7.6.1) or of the message's frame, which the HTTP client
// writes.
var foreignHeaders = func() map[string]string {
	table := map[string]string{
		"accept": "OpenAPI ignores it, the responses say that", "content-type": "OpenAPI ignores it, the request body says that",
		"authorization": "OpenAPI ignores it, security schemes say that", "cookie": "cookie parameters say that",
	}
	for _, name := range []string{
		"connection", "content-length", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
	} {
		table[name] = "the HTTP client writes that header"
	}
	return table
}()

var template = regexp.MustCompile(`\{([^{}]*)\}`)

// leftParameter is a parameter that no field is for.
type leftParameter struct {
	*openapi3.Parameter
	why   string
	never bool // it can never be sent, so that one that is required costs the operation
}

// parameters returns the parameters of an operation with those of its path,
// by location, as declared.
func (c *call) parameters() []*openapi3.ParameterRef {
	all, _ := c.divide()
	return all
}

// divide returns the parameters that can be sent, and the others.
func (c *call) divide() (all []*openapi3.ParameterRef, left []leftParameter) {
	for _, p := range slices.Concat(c.item.Parameters, c.spec.Parameters) {
		if p == nil || p.Value == nil {
			continue
		}
		if why, never := unsendable(p.Value); why != "" {
			left = append(left, leftParameter{p.Value, why, never})
			continue
		}
		if i := slices.IndexFunc(all, func(q *openapi3.ParameterRef) bool { return sameParameter(q.Value, p.Value) }); i >= 0 {
			if was := all[i].Value; was.Name != p.Value.Name {
				left = append(left, leftParameter{was, fmt.Sprintf("%s is the same header", p.Value.Name), false})
			}
			all[i] = p // the operation's own
			continue
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(x, y *openapi3.ParameterRef) int {
		return cmp.Compare(slices.Index(locations, x.Value.In), slices.Index(locations, y.Value.In))
	})
	return all, left
}

// sameParameter compares names, of headers without regard to case.
func sameParameter(p, q *openapi3.Parameter) bool {
	return p.In == q.In && (p.Name == q.Name || p.In == openapi3.ParameterInHeader && strings.EqualFold(p.Name, q.Name))
}

// unsendable returns why a parameter is left out, and whether that is because
// it can never be sent.
func unsendable(p *openapi3.Parameter) (why string, never bool) {
	header := p.In == openapi3.ParameterInHeader
	switch {
	case p.Name == "":
		return "it has no name", true
	case header && foreignHeaders[strings.ToLower(p.Name)] != "":
		return foreignHeaders[strings.ToLower(p.Name)], false
	case header && !headerName(p.Name):
		return "that is no name of a header", true
	case p.In == openapi3.ParameterInCookie && !headerName(p.Name):
		return "that is no name of a cookie", true
	}
	return "", false
}

// leaveOut warns of a parameter that is left out.
func (b *builder) leaveOut(c *call, p *openapi3.Parameter, why string) {
	b.doc.Warnings.Warnf(b.parameterAt(c, p), "", "the %s parameter %q is left out: %s", p.In, p.Name, why)
}

// parameterAt is where a parameter of an operation, or of its path, stands.
func (b *builder) parameterAt(c *call, p *openapi3.Parameter) diag.Position {
	for _, owner := range []string{c.pointer, load.Pointer("paths", c.path)} {
		list, ok := b.doc.Find(owner + "/parameters")
		for i := 0; ok && i < len(list.Node.Values); i++ {
			one, _ := list.Child(strconv.Itoa(i))
			for _, o := range b.doc.Follow(one) {
				if o.Node.Str("name") == p.Name && o.Node.Str("in") == p.In {
					return one.Key
				}
			}
		}
	}
	return c.at
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
	sent, left := c.divide()
	for _, l := range left {
		if l.never && l.Required {
			return fmt.Sprintf("the %s parameter %q: %s", l.In, l.Name, l.why)
		}
		b.leaveOut(c, l.Parameter, l.why)
	}
	for _, p := range sent {
		if p.Value.In == openapi3.ParameterInPath && !places[p.Value.Name] {
			continue // nothing to fill
		}
		field, why := b.parameter(c, p, members)
		if why != "" {
			return fmt.Sprintf("the %s parameter %q: %s", p.Value.In, p.Value.Name, why)
		}
		if why := b.nested(p.Value, &field.Type); why != "" {
			if p.Value.Required || p.Value.In == openapi3.ParameterInPath {
				return fmt.Sprintf("the %s parameter %q: %s", p.Value.In, p.Value.Name, why)
			}
			b.leaveOut(c, p.Value, why)
			continue
		}
		typ.Fields = append(typ.Fields, field)
		if p.Value.In == openapi3.ParameterInPath {
			delete(places, p.Value.Name)
		}
	}
	for _, place := range sortedKeys(places) {
		return fmt.Sprintf("the path has a place {%s} and no parameter for it", place)
	}
	bodies, why := b.requestBodies(c, members)
	if why != "" {
		return why
	}
	typ.Fields = append(typ.Fields, bodies...)
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
	tag = tagName(p.Name)
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

// tagName is a name as a tag says it: in single quotes where it has commas,
// quotes, backslashes or what is not printed.
func tagName(name string) string {
	odd := func(r rune) bool { return strings.ContainsRune(",'\"\\", r) || !strconv.IsPrint(r) }
	if !strings.ContainsFunc(name, odd) {
		return name
	}
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range name {
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	b.WriteByte('\'')
	return b.String()
}

// nested returns why a parameter cannot be sent in its style: only deepObject
// and content have a form for what is nested.
func (b *builder) nested(p *openapi3.Parameter, r *model.Ref) string {
	if p.Style == "deepObject" || len(p.Content) > 0 {
		return ""
	}
	for r.Kind == model.Pointer {
		r = r.Elem
	}
	parts := []*model.Ref{}
	switch t := b.types.declared[r.Name]; {
	case isBytes(*r):
	case r.Kind == model.Slice, r.Kind == model.Map:
		parts = append(parts, r.Elem)
	case r.Kind == model.Named && t != nil && t.Kind == model.Struct:
		for i := range t.Fields {
			if f := &t.Fields[i]; f.Type.Kind != model.Pointer && !strings.HasSuffix(f.Tags[0].Value, ",omitzero") {
				parts = append(parts, &f.Type)
			}
		}
	}
	for _, part := range parts {
		if b.isComposite(part) {
			return fmt.Sprintf("what is nested in a list or an object cannot be sent in the style %s", cmp.Or(p.Style, styles[p.In][0]))
		}
	}
	return ""
}

// isComposite reports whether values of r are always lists or objects.
func (b *builder) isComposite(r *model.Ref) bool {
	for r.Kind == model.Pointer || r.Kind == model.Nullable {
		r = r.Elem
	}
	switch t := b.types.declared[r.Name]; {
	case isBytes(*r):
		return false
	case r.Kind == model.Slice, r.Kind == model.Map:
		return true
	case r.Kind != model.Named || t == nil:
		return false
	case t.Kind == model.Struct:
		return true
	case t.Kind == model.OneOf:
		return !slices.ContainsFunc(t.Union.Variants, isScalarVariant)
	case t.Kind == model.Defined, t.Kind == model.Alias:
		return t.Underlying.Name != r.Name && b.isComposite(&t.Underlying)
	}
	return false
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
