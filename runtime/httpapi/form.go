package httpapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// formBody writes a struct or a map as application/x-www-form-urlencoded.
// Members follow the form tag of their field, by default style form,
// exploded. Without a form tag, objects are sent as JSON (OpenAPI 3.1.1,
// "Encoding Object").
func formBody(mediaType string, v reflect.Value) (body, error) {
	var dst []byte
	err := eachMember(v, func(m member, v reflect.Value) (err error) {
		n, err := nodeOf(v)
		if err != nil || n.isEmpty() {
			return err
		}
		text, err := appendFormMember(nil, m, v, n)
		dst = appendJoined(dst, "&", text)
		return err
	})
	if err != nil {
		return body{}, err
	}
	return bytesBody(mediaType, dst), nil
}

func appendFormMember(dst []byte, m member, v reflect.Value, n node) ([]byte, error) {
	p := param{name: m.name, in: inQuery, format: m.form}
	if m.form.style == "deepObject" && n.kind != scalarNode {
		return appendDeep(dst, string(escapeAll(nil, m.name)), n, p.escapers()), nil
	}
	if n.kind == objectNode && !m.form.set {
		n = node{kind: scalarNode, text: n.text}
	}
	if m.form.content {
		data, err := marshalJSON(v.Interface())
		if err != nil {
			return dst, err
		}
		n = node{kind: scalarNode, text: string(data)}
	}
	for i, item := range n.items {
		n.items[i] = node{kind: scalarNode, text: item.text}
	}
	return expand(dst, m.name, m.form, n, p.escapers())
}

// eachMember calls f for each member of a struct or map that is set, in the
// order of the fields, or of the names of a map.
func eachMember(v reflect.Value, f func(member, reflect.Value) error) error {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		return eachEntry(v, f)
	case v.Kind() != reflect.Struct:
		return fmt.Errorf("a %s has no members, want a struct or a map", v.Type())
	}
	members, err := membersOf(v.Type())
	if err != nil {
		return err
	}
	for _, m := range members {
		value, err := v.FieldByIndexErr(m.index)
		switch {
		case err != nil || isAbsent(value) || m.omitzero && isZero(value):
		case m.fallback:
			err = eachMember(value, f)
		default:
			err = f(m, value)
		}
		if err != nil {
			return fmt.Errorf("member %q: %w", m.name, err)
		}
	}
	return nil
}

// eachEntry calls f for each entry of a map, sorted by name.
func eachEntry(v reflect.Value, f func(member, reflect.Value) error) error {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	plain, err := parseFormat(inQuery, nil)
	for _, key := range keys {
		value := v.MapIndex(key)
		if isAbsent(value) {
			continue
		}
		if err = f(member{name: key.String(), form: plain}, value); err != nil {
			return fmt.Errorf("member %q: %w", key, err)
		}
	}
	return err
}

// isZero is the test of omitzero.
func isZero(v reflect.Value) bool {
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}
