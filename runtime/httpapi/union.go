package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// UnionTable tells the variants of a union apart. V is the sealed interface
// that the variants implement. A table is not changed after its first use.
type UnionTable[V any] struct {
	// Discriminator is the member that names the variant, "" if the variants
	// are told apart by what they look like.
	Discriminator string
	// Variants are tried in order.
	Variants []Variant[V]
	// Unknown keeps a value that is no variant. Nil: such a value is an error.
	Unknown func(raw jsontext.Value) V
}

// Variant is one variant of a union.
type Variant[V any] struct {
	// Values are the discriminator values that stand for the variant. The
	// first is written when the variant's own member is absent or "".
	Values []string
	// Kinds are the JSON types of the variant: string, number, integer,
	// boolean, object, array, null. Nil: object.
	Kinds []string
	// Required are the members that an object of the variant must have.
	Required []string
	// Decode reads the variant.
	Decode VariantDecoder[V]
}

// VariantDecoder reads one variant; see [PointerVariant] and [ValueVariant].
type VariantDecoder[V any] struct {
	typ    reflect.Type
	decode func(raw jsontext.Value) (V, error)
}

// PointerVariant is a variant that *T implements, a struct for example.
func PointerVariant[T, V any]() VariantDecoder[V] {
	return VariantDecoder[V]{reflect.TypeFor[*T](), func(raw jsontext.Value) (V, error) {
		value := new(T)
		err := unmarshalJSON(raw, value)
		return any(value).(V), err
	}}
}

// ValueVariant is a variant that T itself implements, a named string for
// example.
func ValueVariant[T, V any]() VariantDecoder[V] {
	return VariantDecoder[V]{reflect.TypeFor[T](), func(raw jsontext.Value) (V, error) {
		var value T
		err := unmarshalJSON(raw, &value)
		return any(value).(V), err
	}}
}

// Unmarshal reads one value. A null that no variant takes is the zero V.
func (t *UnionTable[V]) Unmarshal(dec *jsontext.Decoder) (V, error) {
	value, err := dec.ReadValue()
	if err != nil {
		var zero V
		return zero, err
	}
	return t.decode(slices.Clone(value))
}

func (t *UnionTable[V]) decode(raw jsontext.Value) (V, error) {
	look, err := lookAt(raw, t.Discriminator)
	if err != nil {
		var zero V
		return zero, err
	}
	if t.Discriminator != "" && look.kind == "object" {
		return t.decodeNamed(raw, look.value)
	}
	var failures []error
	for _, v := range t.candidates(look) {
		value, err := v.Decode.decode(raw)
		if err == nil {
			return value, nil
		}
		failures = append(failures, err)
	}
	if look.kind == "null" {
		var zero V
		return zero, nil
	}
	return t.unknown(raw, errors.Join(failures...))
}

// decodeNamed reads the variant that the discriminator names.
func (t *UnionTable[V]) decodeNamed(raw jsontext.Value, name string) (V, error) {
	for _, v := range t.Variants {
		if slices.Contains(v.Values, name) {
			return v.Decode.decode(raw)
		}
	}
	return t.unknown(raw, fmt.Errorf("%s %q is not declared", t.Discriminator, name))
}

func (t *UnionTable[V]) unknown(raw jsontext.Value, err error) (V, error) {
	if t.Unknown != nil {
		return t.Unknown(raw), nil
	}
	var zero V
	if err == nil {
		err = errors.New("the value is none of the declared variants")
	}
	return zero, fmt.Errorf("%s: %w", reflect.TypeFor[V](), err)
}

// candidates returns the variants that a value may be: those of its kind
// whose required members it has, the ones that require most first.
func (t *UnionTable[V]) candidates(look appearance) []Variant[V] {
	var fitting []Variant[V]
	for _, v := range t.Variants {
		if look.fits(v.Kinds, v.Required) {
			fitting = append(fitting, v)
		}
	}
	slices.SortStableFunc(fitting, func(a, b Variant[V]) int { return len(b.Required) - len(a.Required) })
	return fitting
}

// appearance is what a JSON value looks like without decoding it.
type appearance struct {
	kind    string // as in Variant.Kinds; "integer" for whole numbers
	members []string
	value   string // of the discriminator, "" if it is absent or no scalar
}

// lookAt reads the kind of raw and, of an object, the names of its members
// and its discriminator.
func lookAt(raw jsontext.Value, discriminator string) (appearance, error) {
	look := appearance{kind: kindName(raw)}
	if look.kind != "object" {
		return look, nil
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), readOptions)
	if _, err := dec.ReadToken(); err != nil {
		return look, err
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		token, err := dec.ReadToken()
		if err != nil {
			return look, err
		}
		name := token.String()
		if discriminator == "" {
			look.members = append(look.members, name)
		} else if name == discriminator {
			look.value, err = scalarText(dec)
			return look, err
		}
		if err := dec.SkipValue(); err != nil {
			return look, err
		}
	}
	return look, nil
}

// scalarText reads a value; the text of a string, number or boolean.
func scalarText(dec *jsontext.Decoder) (string, error) {
	switch dec.PeekKind() {
	case jsontext.KindBeginObject, jsontext.KindBeginArray, jsontext.KindNull:
		return "", dec.SkipValue()
	}
	token, err := dec.ReadToken()
	if err != nil {
		return "", err
	}
	return token.String(), nil
}

// kindName is the JSON Schema type of a value.
func kindName(raw jsontext.Value) string {
	switch raw.Kind() {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue, jsontext.KindFalse:
		return "boolean"
	case jsontext.KindString:
		return "string"
	case jsontext.KindBeginArray:
		return "array"
	case jsontext.KindBeginObject:
		return "object"
	}
	if strings.ContainsAny(string(raw), ".eE") {
		return "number"
	}
	return "integer"
}

// fits reports whether the value may be a variant.
func (a appearance) fits(kinds, required []string) bool {
	if len(kinds) == 0 {
		kinds = []string{"object"}
	}
	if !slices.Contains(kinds, a.kind) && (a.kind != "integer" || !slices.Contains(kinds, "number")) {
		return false
	}
	if a.kind != "object" {
		return true
	}
	for _, name := range required {
		if !slices.Contains(a.members, name) {
			return false
		}
	}
	return true
}

// MarshalUnion writes the variant v of a union; nil, or a nil pointer, is an
// error. The discriminator of table is added if the variant does not say it
// itself. Unknown variants, which have a method RawJSON, are written as they
// are.
func MarshalUnion[V any](enc *jsontext.Encoder, v V, table *UnionTable[V]) error {
	value := reflect.ValueOf(v)
	if !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
		return fmt.Errorf("%s: no variant is set", reflect.TypeFor[V]())
	}
	if raw, ok := any(v).(interface{ RawJSON() jsontext.Value }); ok {
		return enc.WriteValue(raw.RawJSON())
	}
	name := table.nameOf(v)
	if name == "" {
		return json.MarshalEncode(enc, v)
	}
	data, err := json.Marshal(v, writeOptions)
	if err != nil {
		return err
	}
	look, err := lookAt(data, table.Discriminator)
	switch {
	case err != nil:
		return err
	case look.kind != "object" || look.value != "":
		return enc.WriteValue(data)
	}
	return writeNamed(enc, data, table.Discriminator, name)
}

// nameOf returns the first discriminator value of the variant that v is.
func (t *UnionTable[V]) nameOf(v V) string {
	if t == nil || t.Discriminator == "" {
		return ""
	}
	typ := reflect.TypeOf(v)
	for _, variant := range t.Variants {
		if variant.Decode.typ == typ && len(variant.Values) > 0 {
			return variant.Values[0]
		}
	}
	return ""
}

// writeNamed writes an object with its discriminator in front.
func writeNamed(enc *jsontext.Encoder, object jsontext.Value, discriminator, name string) error {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for _, token := range []jsontext.Token{
		jsontext.BeginObject, jsontext.String(discriminator), jsontext.String(name),
	} {
		if err := enc.WriteToken(token); err != nil {
			return err
		}
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		member := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if member == discriminator {
			continue
		}
		if err := enc.WriteToken(jsontext.String(member)); err != nil {
			return err
		}
		if err := enc.WriteValue(value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}
