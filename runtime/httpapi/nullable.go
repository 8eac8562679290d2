package httpapi

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Nullable is a member that may be absent, null, or a value; they mean
// different things, for example in a PATCH. The zero value is absent; its
// member needs omitzero, else it is written as null.
type Nullable[T any] struct {
	value T
	state presence
}

type presence uint8

const (
	absent presence = iota
	isNull
	isValue
)

// Null returns the null.
func Null[T any]() Nullable[T] { return Nullable[T]{state: isNull} }

// Value returns v as a Nullable.
func Value[T any](v T) Nullable[T] { return Nullable[T]{value: v, state: isValue} }

// Get returns the value, or false if n is absent or null.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.state == isValue }

// IsNull reports whether n is null.
func (n Nullable[T]) IsNull() bool { return n.state == isNull }

// IsZero reports whether n is absent. It makes omitzero work.
func (n Nullable[T]) IsZero() bool { return n.state == absent }

// isAbsent tells a parameter that is not sent.
func (n Nullable[T]) isAbsent() bool { return n.state == absent }

// MarshalJSONTo writes null unless n is a value.
func (n Nullable[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if n.state != isValue {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, &n.value)
}

// UnmarshalJSONFrom reads null or a value.
func (n *Nullable[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*n = Nullable[T]{state: isValue}
	if dec.PeekKind() == jsontext.KindNull {
		n.state = isNull
		return dec.SkipValue()
	}
	return json.UnmarshalDecode(dec, &n.value)
}

// MarshalJSON writes what MarshalJSONTo writes, for package encoding/json.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return MarshalJSON(n) }

// UnmarshalJSON reads what UnmarshalJSONFrom reads.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error { return UnmarshalJSON(data, n) }
