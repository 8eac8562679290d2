package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// encoded is a request without its server: what the input became.
type encoded struct {
	path, query string // escaped
	header      http.Header
	accept      string // the Accept header, unless something else sets it
	body        body
}

// target is what an operation says about the form of its requests.
type target struct {
	path     string
	header   map[string]string
	document string
}

// encode returns the request that in stands for. It is made once per call;
// attempts share it.
func encode[In, Out any](op *Operation[In, Out], in *In) (encoded, error) {
	if in == nil {
		in = new(In)
	}
	p, err := planOf(reflect.TypeFor[In](), inputRole)
	if err != nil {
		return encoded{}, err
	}
	out, err := planOf(reflect.TypeFor[Out](), outputRole)
	if err != nil {
		return encoded{}, err
	}
	e := encoded{header: make(http.Header), accept: out.accept}
	err = e.encode(p, target{op.Path, op.Header, op.Document}, reflect.ValueOf(in).Elem())
	return e, err
}

func (e *encoded) encode(p *plan, t target, in reflect.Value) error {
	for name, value := range t.header {
		e.header.Set(name, value)
	}
	template, constant, _ := strings.Cut(t.path, "?")
	var err error
	if e.path, err = p.expandPath(template, in); err != nil {
		return err
	}
	if err := e.encodeParams(p, in, constant); err != nil {
		return err
	}
	e.body, err = p.encodeBody(t.document, in)
	return err
}

// expandPath fills the places of a path template.
func (p *plan) expandPath(template string, in reflect.Value) (string, error) {
	if !strings.Contains(template, "{") {
		return template, p.checkPlaces(template)
	}
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		if !strings.Contains(segment, "{") {
			continue
		}
		expanded, err := p.expandSegment(segment, in)
		if err != nil {
			return "", err
		}
		segments[i] = expanded
	}
	return strings.Join(segments, "/"), p.checkPlaces(template)
}

// expandSegment fills the places of one path segment. A value must not make
// the path another one, as ".." would.
func (p *plan) expandSegment(segment string, in reflect.Value) (string, error) {
	var dst []byte
	var last *param
	rest := segment
	for {
		before, after, found := strings.Cut(rest, "{")
		dst = append(dst, before...)
		if !found {
			break
		}
		name, after, found := strings.Cut(after, "}")
		if !found {
			return "", fmt.Errorf("path segment %q: unclosed {", segment)
		}
		if last = p.inPath(name); last == nil {
			return "", fmt.Errorf("path place {%s}: %s has no field for it", name, p.typ)
		}
		var err error
		if dst, _, err = last.append(dst, in.Field(last.index)); err != nil {
			return "", paramError(last, err)
		}
		rest = after
	}
	for part := range strings.SplitSeq(string(dst), "/") {
		if part == "." || part == ".." || len(dst) == 0 {
			return "", paramError(last, errSegment)
		}
	}
	return string(dst), nil
}

func (p *plan) inPath(name string) *param {
	for i := range p.params {
		if p.params[i].in == inPath && p.params[i].name == name {
			return &p.params[i]
		}
	}
	return nil
}

// checkPlaces reports a path parameter that has no place in the template.
func (p *plan) checkPlaces(template string) error {
	for _, param := range p.params {
		if param.in == inPath && !strings.Contains(template, "{"+param.name+"}") {
			return fmt.Errorf("path parameter %q: the path %s has no place for it", param.name, template)
		}
	}
	return nil
}

// encodeParams writes query, header and cookie parameters. The query begins
// with a constant, that of the path template.
func (e *encoded) encodeParams(p *plan, in reflect.Value, constant string) error {
	query := []byte(constant)
	var cookies, text []byte
	for i := range p.params {
		param := &p.params[i]
		if param.in == inPath {
			continue
		}
		var sent bool
		var err error
		if text, sent, err = param.append(text[:0], in.Field(param.index)); err != nil {
			return paramError(param, err)
		}
		switch {
		case !sent:
		case param.in == inQuery:
			query = appendJoined(query, "&", text)
		case param.in == inCookie:
			cookies = appendJoined(cookies, "; ", text)
		default:
			if err := checkHeader(param.name, string(text)); err != nil {
				return paramError(param, err)
			}
			e.header.Set(param.name, string(text))
		}
	}
	e.query = string(query)
	if len(cookies) > 0 {
		if err := checkHeader("Cookie", string(cookies)); err != nil {
			return err
		}
		e.header.Set("Cookie", string(cookies))
	}
	return nil
}

func appendJoined(dst []byte, sep string, text []byte) []byte {
	if len(dst) > 0 {
		dst = append(dst, sep...)
	}
	return append(dst, text...)
}

// encodeBody writes the body: the input itself where it is a document, else
// the one body field that is set.
func (p *plan) encodeBody(document string, in reflect.Value) (body, error) {
	if document != "" && len(p.bodies) == 0 {
		data, err := marshalJSON(in.Addr().Interface())
		return bytesBody(document, data), wrapBody(err)
	}
	var set *bodyField
	for i := range p.bodies {
		b := &p.bodies[i]
		if isAbsent(in.Field(b.index)) {
			continue
		}
		if set != nil {
			return body{}, fmt.Errorf("body: both %s and %s are set",
				p.typ.Field(set.index).Name, p.typ.Field(b.index).Name)
		}
		set = b
	}
	if set == nil {
		return p.unsetBody(document, in)
	}
	return set.encode(document, in)
}

func (b *bodyField) encode(document string, in reflect.Value) (body, error) {
	out, err := encodeBody(cmp.Or(document, b.mediaType), in.Field(b.index))
	return out, wrapBody(err)
}

// unsetBody is what is sent when no body field is set: of a required body,
// null if it may be that, an empty list or object, or an error. Otherwise RPC
// protocols want an empty document, others nothing.
func (p *plan) unsetBody(document string, in reflect.Value) (body, error) {
	for i := range p.bodies {
		b := &p.bodies[i]
		if !b.required {
			continue
		}
		if b.nullable {
			return bytesBody(cmp.Or(document, b.mediaType), []byte("null")), nil
		}
		switch field := p.typ.Field(b.index); field.Type.Kind() {
		case reflect.Slice, reflect.Map:
			return b.encode(document, in)
		default:
			return body{}, fmt.Errorf("the body is required: %s.%s is nil", p.typ.Name(), field.Name)
		}
	}
	if document == "" {
		return body{}, nil
	}
	return bytesBody(document, []byte("{}")), nil
}

func wrapBody(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("body: %w", err)
}

var reader = reflect.TypeFor[io.Reader]()

// encodeBody writes one value as a body of the media type.
func encodeBody(mediaType string, v reflect.Value) (body, error) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Type().Implements(reader) {
		return readerBody(concrete(mediaType, "application/octet-stream"), v.Interface().(io.Reader))
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch kind := kindOf(mediaType); {
	case kind == jsonMedia:
		return jsonBody(mediaType, v)
	case kind == formMedia:
		return formBody(mediaType, v)
	case kind == multipartMedia:
		return multipartBody(v)
	case v.Type() == reflect.TypeFor[[]byte]():
		return bytesBody(concrete(mediaType, "application/octet-stream"), v.Bytes()), nil
	case kind == textMedia || v.Kind() == reflect.String:
		return textBody(concrete(mediaType, "text/plain; charset=utf-8"), v)
	case kind == anyMedia:
		return jsonBody(concrete(mediaType, "application/json"), v)
	}
	return body{}, fmt.Errorf("a %s cannot be sent as %s", v.Type(), mediaType)
}

// concrete returns mediaType, or what stands for it if it is a range.
func concrete(mediaType, instead string) string {
	if kindOf(mediaType) == anyMedia {
		return instead
	}
	return mediaType
}

func jsonBody(mediaType string, v reflect.Value) (body, error) {
	data, err := marshalJSON(addressed(v))
	if err != nil {
		return body{}, err
	}
	return bytesBody(mediaType, data), nil
}

// addressed returns a pointer to v if there is one, so that large values are
// not copied.
func addressed(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return v.Interface()
}

func textBody(mediaType string, v reflect.Value) (body, error) {
	n, err := nodeOf(v)
	if err != nil {
		return body{}, err
	}
	if n.kind != scalarNode {
		return body{}, errors.New("a list or an object cannot be sent as text")
	}
	data, err := toCharset(charsetOf(mediaType), n.text)
	if err != nil {
		return body{}, err
	}
	return bytesBody(mediaType, data), nil
}
