package build

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// requestBodies makes the fields of an input that hold its body: Body for the
// preferred media type, and one for each other. It returns why none can be.
func (b *builder) requestBodies(c *call, members scope) ([]model.Field, string) {
	if c.spec.RequestBody == nil || c.spec.RequestBody.Value == nil {
		return nil, ""
	}
	body := c.spec.RequestBody.Value
	all, twins := ranked(body.Content)
	var fields []model.Field
	var left []leftMedia
	reason := ""
	choices := len(slices.DeleteFunc(slices.Clone(all), func(m media) bool { return m.name == "" || m.kind == xmlMedia })) > 1
	for _, m := range all {
		name := "Body"
		if len(fields) > 0 {
			name = b.bodyName(m, all, members)
		}
		field, why := b.requestBody(c, m, name, choices)
		if why != "" {
			reason = cmp.Or(reason, why)
			left = append(left, leftMedia{m.key, why})
			continue
		}
		if len(fields) > 0 { // one of the fields is required, not each
			field.Tags[0].Value, _, _ = strings.Cut(field.Tags[0].Value, ",")
		}
		if choices {
			field.Doc = bodyChoice(field.Doc, field.GoName, m)
		}
		fields = append(fields, *field)
	}
	if len(fields) == 0 {
		return nil, reason
	}
	b.warnMedia(c, "request body", []string{"requestBody"}, append(left, twins...))
	return fields, ""
}

// leftMedia is a media type that no field is for.
type leftMedia struct{ key, why string }

// warnMedia says which media types of a body are left out.
func (b *builder) warnMedia(c *call, what string, at []string, left []leftMedia) {
	for _, l := range left {
		tokens := append(slices.Clone(at), "content", l.key)
		b.doc.Warnings.Warnf(b.doc.Position(c.pointer+load.Pointer(tokens...)), "", "%s of type %s is left out: %s", what, l.key, l.why)
	}
}

// kindNames are how fields for bodies beside the preferred one are named.
var kindNames = map[mediaKind]string{
	jsonMedia: "JSON", formMedia: "Form", multipartMedia: "Multipart", streamMedia: "Stream", textMedia: "Text", binaryMedia: "Binary",
}

// bodyName claims the name of a field for a body: by its kind, or by its media
// type where several are of the kind.
func (b *builder) bodyName(m media, all []media, members scope) string {
	major, subtype, _ := strings.Cut(m.name, "/")
	wish := "Body" + cmp.Or(exported(strings.TrimPrefix(subtype, "*")), exported(major))
	for _, o := range all {
		if o.kind == m.kind && o.name != m.name {
			return members.claim(wish, wish+"Content")
		}
	}
	return members.claim("Body"+kindNames[m.kind], wish, wish+"Content")
}

// requestBody makes the field of an input for its body of a media type. Where
// there are choices, nil means another one.
func (b *builder) requestBody(c *call, m media, name string, choices bool) (*model.Field, string) {
	body := c.spec.RequestBody.Value
	if m.name == "" {
		return nil, "its media type has no name"
	}
	if m.kind == xmlMedia {
		return nil, fmt.Sprintf("a request body of type %s is not supported", m.name)
	}
	hint := c.op.GoName + "Input" + name
	if component := lastToken(c.spec.RequestBody.Ref, "#/components/requestBodies/"); component != "" {
		hint = exported(component) + name
	}
	field := &model.Field{GoName: name, Doc: plain(body.Description), Tags: []model.Tag{{Key: "body", Value: m.name}}}
	switch {
	case m.kind == textMedia:
		field.Type = basic("string")
		if choices {
			field.Type = pointer(field.Type)
			if body.Required {
				field.Tags[0].Value += ",required"
			}
		}
		return field, ""
	case m.kind == binaryMedia, m.kind == streamMedia, m.kind == multipartMedia && m.typ.Schema == nil:
		field.Type = qualified("io", "Reader")
		if body.Required {
			field.Tags[0].Value += ",required"
		}
		return field, ""
	}
	if why := b.unsupported(orAny(m.typ.Schema)); why != "" {
		return nil, "the request body: " + why
	}
	if field.Doc == "" {
		field.Doc = plain(b.schemaText(m.typ.Schema))
	}
	sh := b.bodyShape(m, hint)
	field.Type = sh.whole(body.Required && !choices)
	if body.Required {
		field.Tags[0].Value += sh.bodyOptions(m.kind, choices)
	}
	return field, ""
}

// bodyOptions say of a required body what nil means: in JSON perhaps null, in
// lists and objects nothing in them, else an error.
func (sh shape) bodyOptions(kind mediaKind, choices bool) string {
	anything := sh.ref.Kind == model.Basic && sh.ref.Name == "any"
	switch {
	case kind == jsonMedia && (sh.nullable || anything):
		return ",nullable,required"
	case sh.bare, sh.object, choices:
		return ",required"
	}
	return "" // a value that is always there
}

// bodyChoice says in a field's comment which body it is.
func bodyChoice(doc, name string, m media) string {
	text := name + " is the body as " + m.name + "; of the fields for bodies, one is set."
	if doc == "" {
		return text
	}
	return doc + "\n\n" + text
}

// orAny is the schema, or one that takes any value.
func orAny(ref *openapi3.SchemaRef) *openapi3.SchemaRef {
	if ref == nil {
		return &openapi3.SchemaRef{Value: &openapi3.Schema{}}
	}
	return ref
}

// bodyShape is the type of a request body of JSON or a form.
func (b *builder) bodyShape(m media, hint string) shape {
	if m.kind == jsonMedia {
		return b.types.shape(orAny(m.typ.Schema), hint)
	}
	return b.form(m, hint)
}

// whole is the type of a field that holds a whole body.
func (sh shape) whole(required bool) model.Ref {
	switch {
	case sh.bare:
		return sh.ref
	case sh.object, !required, sh.nullable:
		return pointer(sh.ref)
	}
	return sh.ref
}

// success is a response that is no error.
type success struct {
	key      string // as the definition writes its status
	status   string // 200, 2XX
	response *openapi3.Response
	hint     string // names its schema, if that has no name of its own
	media    media
	body     bool
}

// successes lists the responses with a status of 2XX, ranges last. Where none
// is declared, default is the success.
func (c *call) successes() []success {
	responses := c.spec.Responses.Map()
	var out []success
	add := func(key, status string) {
		ref := responses[key]
		if ref == nil || ref.Value == nil {
			return
		}
		s := success{key: key, status: status, response: ref.Value, hint: c.op.GoName + "OutputBody"}
		if component := lastToken(ref.Ref, "#/components/responses/"); component != "" {
			s.hint = strings.TrimSuffix(exported(component), "Response") + "Response"
		}
		s.media, s.body = choose(ref.Value.Content)
		s.body = s.body && status != "204" && status != "205" && c.op.Method != http.MethodHead
		out = append(out, s)
	}
	for _, key := range sortedKeys(responses) {
		if len(key) == 3 && key[0] == '2' {
			add(key, strings.ToUpper(key))
		}
	}
	if len(out) == 0 {
		add("default", "2XX")
	}
	return out
}

// statusFields are the names of fields for bodies, where several statuses
// have one.
func statusField(status string) string {
	code, err := strconv.Atoi(status)
	if err != nil {
		return "Status" + status
	}
	if code == http.StatusOK {
		return "OK"
	}
	if name := exported(http.StatusText(code)); name != "" {
		return name
	}
	return "Status" + status
}

// metadataNames are the names that an output cannot give to its fields,
// because they are or hide something of httpapi.Metadata.
var metadataNames = wordSet(`Metadata Status Header RequestID Attempts IdempotencyKey`)

// output declares the output of an operation. It returns why it cannot.
func (b *builder) output(c *call) string {
	name := b.scope.claim(c.op.GoName+"Output", c.op.GoName+"OperationOutput")
	typ := &model.Type{
		GoName: name, Kind: model.Struct, Output: true,
		Doc: name + " is the output of [Client." + c.op.GoName + "].",
	}
	all := c.successes()
	bodies := 0
	for _, s := range all {
		if s.body {
			bodies++
		}
	}
	members := make(scope)
	for n := range metadataNames {
		members[n] = true
	}
	for _, s := range all {
		if !s.body {
			continue
		}
		goName := "Body"
		if bodies > 1 {
			goName = statusField(s.status)
			s.hint = strings.TrimSuffix(s.hint, "Body") + goName
		}
		field, why := b.outputBody(s)
		if why != "" {
			return why
		}
		b.unusedMedia(c, s)
		field.GoName = members.claim(goName)
		typ.Fields = append(typ.Fields, field)
	}
	typ.Fields = append(typ.Fields, b.outputHeaders(c, all, members)...)
	c.op.Output = name
	b.types.declared[name] = typ
	return ""
}

// unusedMedia warns of the media types of a response that the client does not
// ask for.
func (b *builder) unusedMedia(c *call, s success) {
	var left []leftMedia
	for _, key := range sortedKeys(s.response.Content) {
		if key != s.media.key {
			left = append(left, leftMedia{key, s.media.key + " is used"})
		}
	}
	b.warnMedia(c, "response "+s.key+" body", []string{"responses", s.key}, left)
}

// outputBody makes the field of a response body.
func (b *builder) outputBody(s success) (model.Field, string) {
	m := s.media
	field := model.Field{Tags: []model.Tag{{Key: "body", Value: s.status + "," + m.name}}}
	if s.response.Description != nil {
		field.Doc = plain(*s.response.Description)
	}
	switch m.kind {
	case xmlMedia, formMedia, multipartMedia:
		return field, fmt.Sprintf("a response body of type %s is not supported", m.name)
	case textMedia:
		field.Type = basic("string")
	case binaryMedia, streamMedia:
		field.Type = qualified("io", "ReadCloser")
	default:
		if why := b.unsupported(orAny(m.typ.Schema)); why != "" {
			return field, "the response body: " + why
		}
		field.Type = b.types.shape(orAny(m.typ.Schema), s.hint).whole(true)
	}
	return field, ""
}

// outputHeaders makes the fields of response headers. A header that several
// responses declare is one field.
func (b *builder) outputHeaders(c *call, all []success, members scope) []model.Field {
	headers := make(map[string]*openapi3.HeaderRef)
	for _, s := range all {
		for name, h := range s.response.Headers {
			key := http.CanonicalHeaderKey(name)
			why := ""
			switch {
			case h == nil || h.Value == nil:
				continue
			case key == "Content-Type":
				why = "OpenAPI ignores it, the media type says that"
			case !headerName(name):
				why = "that is no name of a header"
			case headers[key] == nil:
				headers[key] = h
			}
			if why != "" {
				at := b.doc.Position(c.pointer + load.Pointer("responses", s.key, "headers", name))
				b.doc.Warnings.Warnf(at, "", "the response header %q is left out: %s", name, why)
			}
		}
	}
	var out []model.Field
	for _, key := range sortedKeys(headers) {
		name, h := key, headers[key].Value
		for _, s := range all { // as it is spelt
			for spelt := range s.response.Headers {
				if http.CanonicalHeaderKey(spelt) == key {
					name = min(cmp.Or(name, spelt), spelt)
				}
			}
		}
		wish := cmp.Or(exported(name), "Header")
		sh := shape{ref: basic("string")}
		goName := members.claim(wish, wish+"Header")
		if h.Schema != nil && b.unsupported(h.Schema) == "" {
			hint := c.op.GoName + goName
			if component := lastToken(headers[key].Ref, "#/components/headers/"); component != "" {
				hint = exported(component) + "Header"
			}
			sh = b.headerShape(b.types.shape(h.Schema, hint))
		}
		sh.nullable = false
		out = append(out, model.Field{
			Name: name, GoName: goName, Type: sh.member(false), Doc: plain(h.Description),
			Deprecated: deprecation(h.Deprecated), Tags: []model.Tag{{Key: "header", Value: name}},
		})
	}
	return out
}

// headerShape is the shape of a header that is read: text, unless it is made
// of scalars.
func (b *builder) headerShape(sh shape) shape {
	sh = b.textShape(sh)
	switch {
	case sh.ref.Kind == model.Qualified, b.isScalar(&sh.ref), sh.ref.Kind == model.Slice && b.isScalar(sh.ref.Elem):
		return sh
	}
	return shape{ref: basic("string")}
}

// headerName reports whether name can be a header and stand in a tag.
func headerName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}

// formType is a body of a form: a struct that differs from that of the same
// schema in JSON by files and by tags.
type formType struct {
	component string // Go name of the component, "" if there is none
	goName    string
	schema    *openapi3.Schema
	key       string
}

// form makes the type of a form or multipart body.
func (b *builder) form(m media, hint string) shape {
	ref := orAny(m.typ.Schema)
	s, component := b.types.resolve(ref)
	f := b.types.of(s)
	for f.alias != nil {
		target, name := b.types.resolve(f.alias)
		if target == nil || target == s {
			break
		}
		s, component, f = target, cmp.Or(name, component), b.types.of(target)
	}
	if len(f.variants) > 0 || len(f.properties) == 0 {
		return b.types.shape(ref, hint)
	}
	key := m.name + encodingKey(m.typ.Encoding)
	same := func(t *formType) bool { return t.schema == s && t.key == key }
	if i := slices.IndexFunc(b.forms, same); i >= 0 {
		return shape{ref: named(b.forms[i].goName), object: true}
	}
	name := hint
	if component != "" {
		name = b.types.names[component] + "Form"
	}
	ft := &formType{component: b.types.names[component], goName: b.scope.claim(name, hint, hint+"Form"), schema: s, key: key}
	b.forms = append(b.forms, ft)
	typ := &model.Type{
		Name: component, GoName: ft.goName, Kind: model.Struct, Deprecated: deprecation(s.Deprecated),
		Doc: b.types.typeDoc(ft.goName, component, s.Description),
	}
	b.types.declared[ft.goName] = typ
	parent := cmp.Or(ft.component, ft.goName)
	typ.Fields = b.types.fields(f, parent)
	b.encode(typ.Fields, f, m)
	return shape{ref: named(ft.goName), object: true}
}

// encode makes the fields of a form of those of a JSON object.
func (b *builder) encode(fields []model.Field, f *form, m media) {
	for _, p := range f.properties {
		i := slices.IndexFunc(fields, func(field model.Field) bool { return field.Name == p.name && p.name != "" })
		if i < 0 {
			continue
		}
		if m.kind == multipartMedia {
			b.fileField(&fields[i], p, f.required[p.name])
		} else if file, _ := b.types.file(p.ref); file {
			fields[i].Type = shape{ref: basic("string")}.member(f.required[p.name])
		}
		fields[i].Tags = append(fields[i].Tags, encodingTags(m.kind, m.typ.Encoding[p.name])...)
	}
}

// fileField makes a file of a member whose content is binary.
func (b *builder) fileField(field *model.Field, p property, required bool) {
	file, list := b.types.file(p.ref)
	switch of := qualified(httpapiPath, "File"); {
	case list:
		field.Type = slice(of)
	case file && required:
		field.Type = of
	case file:
		field.Type = pointer(of)
	}
}

// file reports whether a schema is binary content, and whether it is a list
// of such.
func (t *types) file(ref *openapi3.SchemaRef) (file, list bool) {
	for range 8 {
		s, _ := t.resolve(ref)
		if s == nil {
			return false, false
		}
		f := t.of(s)
		switch {
		case f.alias != nil:
			ref = f.alias
			continue
		case f.kind() == openapi3.TypeArray && f.items != nil:
			inner, _ := t.file(f.items)
			return false, inner
		}
		return f.format == "binary" || f.media != "" && f.encoding == "" && mediaKindOf(f.media) == binaryMedia, false
	}
	return false, false
}

// encodingKey tells encodings apart.
func encodingKey(encodings openapi3.Encodings) string {
	var b strings.Builder
	for _, name := range sortedKeys(encodings) {
		if e := encodings[name]; e != nil {
			fmt.Fprintf(&b, " %q %q %q %t", name, e.ContentType, e.Style, e.AllowReserved)
			if e.Explode != nil {
				fmt.Fprintf(&b, " %t", *e.Explode)
			}
		}
	}
	return b.String()
}

// encodingTags say how a member of a form is written, where that is not the
// default.
func encodingTags(kind mediaKind, e *openapi3.Encoding) []model.Tag {
	if e == nil {
		return nil
	}
	if kind == multipartMedia || e.ContentType != "" && e.Style == "" {
		if e.ContentType == "" {
			return nil
		}
		return []model.Tag{{Key: "part", Value: e.ContentType}}
	}
	var options []string
	if e.Style != "" && e.Style != "form" && slices.Contains(styles["query"], e.Style) {
		options = append(options, "style="+e.Style)
	}
	if e.Explode != nil && *e.Explode != (cmp.Or(e.Style, "form") == "form") {
		options = append(options, "explode="+strconv.FormatBool(*e.Explode))
	}
	if e.AllowReserved {
		options = append(options, "allowReserved")
	}
	if len(options) == 0 {
		return nil
	}
	return []model.Tag{{Key: "form", Value: strings.Join(options, ",")}}
}

// renameForms gives a form the plain name of its component, where nothing
// else uses that name.
func (b *builder) renameForms() {
	reached := b.reach()
	users := make(map[string]int)
	for _, ft := range b.forms {
		users[ft.component]++
	}
	for _, ft := range b.forms {
		typ := b.types.declared[ft.goName]
		if ft.component == "" || users[ft.component] > 1 || reached[ft.component] || !reached[ft.goName] {
			continue
		}
		delete(b.types.declared, ft.goName)
		typ.Doc = b.types.typeDoc(ft.component, typ.Name, ft.schema.Description)
		typ.GoName = ft.component
		b.types.declared[ft.component] = typ
		for _, t := range b.types.declared {
			eachRef(t, func(r *model.Ref) {
				for ; r != nil; r = r.Elem {
					if r.Kind == model.Named && r.Name == ft.goName {
						r.Name = ft.component
					}
				}
			})
		}
	}
}
