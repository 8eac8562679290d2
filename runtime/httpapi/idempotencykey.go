package httpapi

import (
	"crypto/rand"
	"fmt"
	"reflect"
)

// place is where a named value stands in an input: the indexes of fields, to
// be followed through pointers. Nil: nowhere.
type place []int

// placeOf finds the parameter or the member of the body that is called name.
// document says that the input itself is the body.
func placeOf(t reflect.Type, name string, document bool) (place, reflect.Type) {
	p, err := planOf(t, inputRole)
	if err != nil || t.Kind() != reflect.Struct {
		return nil, nil
	}
	if param, ok := p.param(name); ok {
		return place{param.index}, t.Field(param.index).Type
	}
	if document {
		return memberPlace(t, name)
	}
	for _, b := range p.bodies {
		inner, typ := memberPlace(t.Field(b.index).Type, name)
		if inner != nil {
			return append(place{b.index}, inner...), typ
		}
	}
	return nil, nil
}

func memberPlace(t reflect.Type, name string) (place, reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, nil
	}
	m, ok := memberNamed(t, name)
	if !ok {
		return nil, nil
	}
	return m.index, t.FieldByIndex(m.index).Type
}

// get returns the value at the place, invalid if there is none.
func (p place) get(in reflect.Value) reflect.Value {
	for _, index := range p {
		if in = reflect.Indirect(in); !in.IsValid() {
			return in
		}
		in = in.Field(index)
	}
	return reflect.Indirect(in)
}

// setString sets the string at the place of *in, a copy of the caller's
// input. What pointers lead to is copied first, so that the caller's own
// values stay as they are.
func (p place) setString(in reflect.Value, value string) {
	for _, index := range p {
		in = copied(in).Field(index)
	}
	if in.Kind() == reflect.Pointer {
		in.Set(reflect.New(in.Type().Elem()))
		in = in.Elem()
	}
	in.SetString(value)
}

// copied replaces a pointer by one to a copy and returns the copy; other
// values are returned as they are.
func copied(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	v.Set(fresh)
	return fresh.Elem()
}

// keyPlace finds the member of the body that carries an idempotency key.
func keyPlace(t reflect.Type, key *IdempotencyKey, document bool) (place, error) {
	if key == nil || key.Header != "" {
		return nil, nil
	}
	p, typ := placeOf(t, key.Property, document)
	if p == nil {
		return nil, fmt.Errorf("idempotency key: %s has no member %q", t, key.Property)
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.String {
		return nil, fmt.Errorf("idempotency key: member %q of %s: got a %s, want a string", key.Property, t, typ)
	}
	return p, nil
}

// withKey returns in with an idempotency key in its body, and the key: the
// one given or else the one in the input or else a new one. The caller's
// input is not changed.
func withKey[In any](in *In, at place, given string) (*In, string) {
	if given == "" {
		if own := at.get(reflect.ValueOf(in)); own.IsValid() && own.String() != "" {
			return in, own.String()
		}
		given = newUUID()
	}
	keyed := *in
	at.setString(reflect.ValueOf(&keyed).Elem(), given)
	return &keyed, given
}

// headerKey sets the idempotency key in a header of the request and returns
// it: the one given or else the one that the input brought or else a new one.
func (e *encoded) headerKey(name, given string) string {
	if own := e.header.Get(name); !isBlank(own) && given == "" {
		return own
	}
	if given == "" {
		given = newUUID()
	}
	e.header.Set(name, given)
	return given
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
