package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// follow returns the value at a JSON pointer in v, invalid if there is none.
func follow(v reflect.Value, pointer string) reflect.Value {
	for token := range jsontext.Pointer(pointer).Tokens() {
		v = step(transparent(v), token)
	}
	return transparent(v)
}

// step returns the member or the item of v that token names.
func step(v reflect.Value, token string) reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		m, ok := memberNamed(v.Type(), token)
		if !ok {
			return stepFallback(v, token)
		}
		member, err := v.FieldByIndexErr(m.index)
		if err != nil {
			return reflect.Value{}
		}
		return member
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String {
			return v.MapIndex(reflect.ValueOf(token).Convert(v.Type().Key()))
		}
	case reflect.Slice, reflect.Array:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < v.Len() {
			return v.Index(i)
		}
	}
	return reflect.Value{}
}

// stepFallback looks for a member without a field of its own.
func stepFallback(v reflect.Value, token string) reflect.Value {
	members, _ := membersOf(v.Type())
	for _, m := range members {
		if !m.fallback {
			continue
		}
		if extra, err := v.FieldByIndexErr(m.index); err == nil && extra.Kind() == reflect.Map {
			return step(extra, token)
		}
	}
	return reflect.Value{}
}

// transparent looks through pointers, interfaces, and types that write their
// own JSON, such as unions and [Nullable]. What is absent or null becomes
// invalid.
func transparent(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || isRecord(v.Type()) && !v.Type().Implements(marshalerTo) {
		return v
	}
	data, err := marshalJSON(v.Interface())
	if err != nil {
		return reflect.Value{}
	}
	var document any
	if json.Unmarshal(data, &document, readOptions, exactNumbers) != nil {
		return reflect.Value{}
	}
	return reflect.ValueOf(document)
}

// exactNumbers reads integers into an any as int64, because a float64 has no
// room for those beyond 2^53.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != jsontext.KindNumber {
		return errors.ErrUnsupported // the usual way
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*v = n
		return nil
	}
	*v, err = strconv.ParseFloat(string(raw), 64)
	return err
}))

// slot is a place in an input where pages put their cursor: a field of the
// input, and from there on members of the body. Field is -1 for the input
// itself.
type slot struct {
	field  int
	tokens []string
}

// slotOf finds the parameter called name or the member of the body that name,
// as a JSON pointer or the name of a top-level member, points to.
func slotOf(t reflect.Type, name string, document bool) (slot, error) {
	p, err := planOf(t, inputRole)
	if err != nil {
		return slot{}, err
	}
	tokens := []string{name}
	if strings.HasPrefix(name, "/") {
		tokens = slices.Collect(jsontext.Pointer(name).Tokens())
	} else if param, ok := p.param(name); ok {
		return slot{field: param.index}, nil
	}
	root := slot{field: -1, tokens: tokens}
	typ := t
	if len(p.bodies) > 0 {
		root.field = p.bodies[0].index
		typ = t.Field(root.field).Type
	} else if !document {
		return slot{}, fmt.Errorf("%s has no parameter %q", t, name)
	}
	if !leads(typ, tokens) {
		return slot{}, fmt.Errorf("%s has no parameter or member %q", t, name)
	}
	return root, nil
}

// leads reports whether values of t may have a member where tokens lead.
func leads(t reflect.Type, tokens []string) bool {
	for _, token := range tokens {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Map, reflect.Interface:
			return true
		case reflect.Struct:
			m, ok := memberNamed(t, token)
			if !ok {
				return false
			}
			t = t.FieldByIndex(m.index).Type
		default:
			return false
		}
	}
	return true
}

// get returns the value in the slot of an input, invalid if there is none.
func (s slot) get(in reflect.Value) reflect.Value {
	if s.field >= 0 {
		in = in.Field(s.field)
	}
	for _, token := range s.tokens {
		in = step(transparent(in), token)
	}
	return transparent(in)
}

// set puts a value into the slot of a copy of an input. Whatever the copy
// shares with the caller's input is copied on the way.
func (s slot) set(in, value reflect.Value) error {
	if s.field >= 0 {
		in = in.Field(s.field)
	}
	return setAt(in, s.tokens, value)
}

func setAt(v reflect.Value, tokens []string, value reflect.Value) error {
	if len(tokens) == 0 {
		return assign(v, value)
	}
	v = copied(v)
	switch v.Kind() {
	case reflect.Struct:
		if m, ok := memberNamed(v.Type(), tokens[0]); ok {
			return setAt(v.FieldByIndex(m.index), tokens[1:], value)
		}
	case reflect.Map:
		return setEntry(v, tokens, value)
	case reflect.Interface:
		return setDynamic(v, tokens, value)
	}
	return fmt.Errorf("a %s has no member %q to set", v.Type(), tokens[0])
}

// setEntry sets a member of a copy of a map.
func setEntry(v reflect.Value, tokens []string, value reflect.Value) error {
	fresh := reflect.MakeMap(v.Type())
	for key, entry := range v.Seq2() {
		fresh.SetMapIndex(key, entry)
	}
	key := reflect.ValueOf(tokens[0]).Convert(v.Type().Key())
	entry := reflect.New(v.Type().Elem()).Elem()
	if old := fresh.MapIndex(key); old.IsValid() {
		entry.Set(old)
	}
	if err := setAt(entry, tokens[1:], value); err != nil {
		return err
	}
	fresh.SetMapIndex(key, entry)
	v.Set(fresh)
	return nil
}

// setDynamic sets a member of an any that holds an object or nothing.
func setDynamic(v reflect.Value, tokens []string, value reflect.Value) error {
	object, ok := v.Interface().(map[string]any)
	if !ok && !v.IsNil() {
		return fmt.Errorf("a %s has no member %q to set", v.Elem().Type(), tokens[0])
	}
	object = maps.Clone(object)
	fresh := reflect.ValueOf(&object).Elem()
	if err := setEntry(fresh, tokens, value); err != nil {
		return err
	}
	v.Set(fresh)
	return nil
}

// assign sets v to value, converted as JSON or text would be.
func assign(v, value reflect.Value) error {
	if value.Type().AssignableTo(v.Type()) {
		v.Set(value)
		return nil
	}
	if v.Kind() == reflect.Pointer {
		fresh := reflect.New(v.Type().Elem())
		if err := assign(fresh.Elem(), value); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	}
	if isPlain(v.Type()) {
		n, err := nodeOf(value)
		if err != nil {
			return err
		}
		return setText(v, n.text)
	}
	data, err := marshalJSON(value.Interface())
	if err != nil {
		return err
	}
	fresh := reflect.New(v.Type())
	if err := unmarshalJSON(data, fresh.Interface()); err != nil {
		return err
	}
	v.Set(fresh.Elem())
	return nil
}
