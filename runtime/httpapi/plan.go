package httpapi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// plan is what the tags of one struct type say, compiled once.
type plan struct {
	typ     reflect.Type
	params  []param     // of an input, path first
	headers []param     // of an output
	bodies  []bodyField // of an input, an output or an error
	accept  string      // the media types of an output
	members bool        // the struct has fields of its own, tagged or not
}

// param is a field that travels outside the body.
type param struct {
	name  string
	index int
	in    location
	format
	plain bool // the value is a scalar without methods of its own
}

// bodyField is a field that holds a whole body.
type bodyField struct {
	index     int
	status    StatusRange // of an output
	mediaType string      // "" matches any
	required  bool        // of an input: there is always a body
	nullable  bool        // of an input: nil is sent as null
}

// role is what a struct type is used for: the same tag key means different
// things in an input and in an output.
type role uint8

const (
	inputRole role = iota
	outputRole
	errorRole
)

type planKey struct {
	typ  reflect.Type
	role role
}

type planResult struct {
	plan *plan
	err  error
}

var plans sync.Map // planKey → planResult

// planOf returns the plan of t, a struct type, compiled at most a few times
// and then shared. Types of other kinds have an empty plan.
func planOf(t reflect.Type, r role) (*plan, error) {
	key := planKey{t, r}
	if v, ok := plans.Load(key); ok {
		result := v.(planResult)
		return result.plan, result.err
	}
	p, err := compile(t, r)
	plans.Store(key, planResult{p, err})
	return p, err
}

// compile reads the tags of every field and reports all bad ones.
func compile(t reflect.Type, r role) (*plan, error) {
	p := &plan{typ: t}
	if t.Kind() != reflect.Struct {
		return p, nil
	}
	var errs []error
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			continue
		}
		p.members = true
		if err := p.add(f, i, r); err != nil {
			errs = append(errs, err)
		}
	}
	p.accept = p.acceptHeader()
	return p, errors.Join(errs...)
}

// add adds what the tags of f say.
func (p *plan) add(f reflect.StructField, index int, r role) error {
	found := ""
	for _, key := range []string{"path", "query", "header", "cookie", "body"} {
		tag, ok := f.Tag.Lookup(key)
		if !ok {
			continue
		}
		var err error
		switch {
		case !f.IsExported():
			err = errors.New("the field is not exported")
		case found != "":
			err = fmt.Errorf("the field has a tag %q already", found)
		case key == "body":
			err = p.addBody(tag, index, r)
		case r == outputRole && key == "header":
			err = p.addParam(&p.headers, inHeader, f, index, tag)
		case r == inputRole:
			err = p.addParam(&p.params, locationOf(key), f, index, tag)
		default:
			err = errors.New("only an input has such fields")
		}
		if err != nil {
			return tagError(p.typ, f, key, err)
		}
		found = key
	}
	return nil
}

func locationOf(key string) location {
	for l, name := range locations {
		if name == key {
			return location(l)
		}
	}
	panic("httpapi: no location " + key)
}

func (p *plan) addParam(list *[]param, in location, f reflect.StructField, index int, tag string) error {
	name, options, err := cutName(tag)
	if err != nil {
		return err
	}
	if name == "" {
		return errors.New("the name is empty")
	}
	for _, other := range *list {
		if other.in == in && other.name == name {
			return fmt.Errorf("the name is used twice, also by %s", p.typ.Field(other.index).Name)
		}
	}
	format, err := parseFormat(in, options)
	if err != nil {
		return err
	}
	*list = append(*list, param{
		name: name, index: index, in: in, format: format, plain: isPlain(f.Type),
	})
	return nil
}

func (p *plan) addBody(tag string, index int, r role) error {
	b := bodyField{index: index, mediaType: tag}
	if r == errorRole && tag != "error" {
		return errors.New(`want body:"error"`)
	}
	if r == inputRole {
		if err := b.cutOptions(); err != nil {
			return err
		}
	}
	if r == outputRole {
		status, mediaType, _ := strings.Cut(tag, ",")
		parsed, err := parseStatus(status)
		if err != nil {
			return err
		}
		b.status, b.mediaType = parsed, mediaType
	}
	for _, other := range p.bodies {
		if other.status == b.status && other.mediaType == b.mediaType {
			return fmt.Errorf("the same body as %s", p.typ.Field(other.index).Name)
		}
	}
	p.bodies = append(p.bodies, b)
	return nil
}

// cutOptions reads the options that follow the media type of a request body.
func (b *bodyField) cutOptions() error {
	for {
		rest, found := strings.CutSuffix(b.mediaType, ",required")
		b.required = b.required || found
		rest, null := strings.CutSuffix(rest, ",nullable")
		b.nullable = b.nullable || null
		if !found && !null {
			break
		}
		b.mediaType = rest
	}
	if b.nullable && !isJSON(b.mediaType) {
		return fmt.Errorf("option nullable: %q is not JSON", b.mediaType)
	}
	return nil
}

// acceptHeader lists the media types of the bodies, each once.
func (p *plan) acceptHeader() string {
	var types []string
	seen := map[string]bool{"": true}
	for _, b := range p.bodies {
		if !seen[b.mediaType] {
			seen[b.mediaType] = true
			types = append(types, b.mediaType)
		}
	}
	return strings.Join(types, ", ")
}

// param returns the parameter of that name, preferring the places in the
// order path, query, header, cookie. Header names do not regard case.
func (p *plan) param(name string) (param, bool) {
	for in := range locations {
		for _, param := range p.params {
			if param.in == location(in) && param.named(name) {
				return param, true
			}
		}
	}
	return param{}, false
}

func (p *param) named(name string) bool {
	return p.name == name || p.in == inHeader && strings.EqualFold(p.name, name)
}
