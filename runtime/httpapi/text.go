package httpapi

import (
	"encoding"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

var timeType = reflect.TypeFor[time.Time]()

// setText parses text into v, a scalar of any type that the tags allow, or a
// pointer to one. It is the reverse of what parameters are written as.
func setText(v reflect.Value, text string) error {
	if v.Kind() == reflect.Pointer {
		fresh := reflect.New(v.Type().Elem())
		if err := setText(fresh.Elem(), text); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	}
	if v.Type() == timeType {
		return setTime(v, text)
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	if !isPlain(v.Type()) {
		return setJSONText(v, text)
	}
	return setPlain(v, text)
}

// setPlain parses a scalar without methods.
func setPlain(v reflect.Value, text string) (err error) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.ToValidUTF8(text, string(utf8.RuneError)))
	case reflect.Bool:
		var b bool
		b, err = strconv.ParseBool(text)
		v.SetBool(b)
	case reflect.Float32, reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(text, v.Type().Bits())
		v.SetFloat(f)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(text, 10, v.Type().Bits())
		v.SetUint(n)
	default:
		var n int64
		n, err = strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
	}
	if err != nil {
		return fmt.Errorf("got %q, want a %s", text, v.Type())
	}
	return nil
}

// setTime parses a date-time of RFC 3339 or, as in the headers of RFC 9110,
// an HTTP date.
func setTime(v reflect.Value, text string) error {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if t, err = http.ParseTime(text); err != nil {
			return fmt.Errorf("got %q, want a time", text)
		}
	}
	v.Set(reflect.ValueOf(t))
	return nil
}

// setJSONText parses text into a type that reads itself from JSON: as a JSON
// string, else as the JSON that text is.
func setJSONText(v reflect.Value, text string) error {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, string(utf8.RuneError)))
	if err != nil {
		return err
	}
	first := unmarshalJSON(quoted, v.Addr().Interface())
	if first == nil || unmarshalJSON([]byte(text), v.Addr().Interface()) == nil {
		return nil
	}
	return first
}

// setHeader parses the values of a response header into v.
func (p *param) setHeader(v reflect.Value, values []string) error {
	text := strings.Join(values, ", ")
	kind := v.Type()
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch {
	case p.content:
		return unmarshalJSON([]byte(text), v.Addr().Interface())
	case kind.Kind() == reflect.Slice && kind != bytesType:
		return setList(v, values)
	case kind.Kind() == reflect.Map, kind.Kind() == reflect.Struct && isRecord(kind):
		return p.setObject(v, splitList(text))
	}
	return setText(v, text)
}

// isRecord reports whether t is a struct of members, not a scalar with
// methods.
func isRecord(t reflect.Type) bool {
	pointer := reflect.PointerTo(t)
	return !pointer.Implements(unmarshalerFrom) && !pointer.Implements(textUnmarshaler)
}

// setList parses each item of a header; a time has commas itself.
func setList(v reflect.Value, values []string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Type().Elem() != timeType {
		values = splitList(strings.Join(values, ","))
	}
	list := reflect.MakeSlice(v.Type(), len(values), len(values))
	for i, text := range values {
		if err := setText(list.Index(i), text); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

// splitList splits the items of a header. Empty items do not count (RFC 9110,
// 5.6.1); a comma in a quoted string is none.
func splitList(text string) []string {
	var items []string
	quoted, start := false, 0
	add := func(item string) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			add(text[start:i])
			start = i + 1
		}
	}
	add(text[start:])
	return items
}

// setObject parses an object of style simple: "R,100,G,200", exploded
// "R=100,G=200".
func (p *param) setObject(v reflect.Value, items []string) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if v.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for i := 0; i < len(items); i++ {
		name, text, found := strings.Cut(items[i], "=")
		if !p.explode {
			if name, found = items[i], i+1 < len(items); found {
				i++
				text = items[i]
			}
		}
		if !found {
			return fmt.Errorf("got %q without a value", name)
		}
		if err := setMember(v, name, text); err != nil {
			return err
		}
	}
	return nil
}

// setMember sets one member of a map or struct; unknown ones are ignored.
func setMember(v reflect.Value, name, text string) error {
	if v.Kind() == reflect.Map {
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Interface {
			value.Set(reflect.ValueOf(text))
		} else if err := setText(value, text); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), value)
		return nil
	}
	m, ok := memberNamed(v.Type(), name)
	if !ok {
		return nil
	}
	return setText(v.FieldByIndex(m.index), text)
}
