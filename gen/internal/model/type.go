package model

// Type is a declared Go type.
type Type struct {
	Name       string // in the specification; "" for inputs, outputs and inline schemas
	GoName     string
	Doc        string
	Deprecated string
	Kind       Kind

	Fields []Field // Struct; in the order of the specification

	// OneMember is set for a Struct of optional members of which exactly one
	// must be set (minProperties: 1, maxProperties: 1).
	OneMember bool

	Underlying Ref     // Defined, Alias, Enum
	Values     []Value // Enum

	Union *Union // OneOf

	// Output is set for a Struct that embeds httpapi.Metadata.
	Output bool
}

// Kind says what declaration a type has.
type Kind int

const (
	Struct  Kind = iota + 1 // type X struct { … }
	Defined                 // type X []Y
	Alias                   // type X = Y
	Enum                    // type X string; const ( … )
	OneOf                   // sealed interface, holder struct, variants
)

// Field is a field of a struct.
type Field struct {
	Name       string // in the specification
	GoName     string
	Doc        string
	Deprecated string
	Type       Ref
	Tags       []Tag // in order
}

// Tag is one key of a struct tag: Key:"Value".
type Tag struct{ Key, Value string }

// Value is a constant of an Enum.
type Value struct {
	GoName  string
	Doc     string
	Literal any // string, int64, float64 or bool
}

// Union is a type with variants: a sealed interface Interface, and the
// holder struct {Value Interface} under the type's GoName, which has the JSON
// methods.
type Union struct {
	Interface     string // PaymentMethodValue
	Method        string // isPaymentMethod, unexported
	Table         string // package variable: paymentMethod
	Unknown       string // PaymentMethodUnknown: raw JSON of an unknown variant
	Discriminator string // property name, "" if none
	Variants      []Variant
}

// Variant is one variant of a union.
type Variant struct {
	// GoType is the variant's declared type; it gets the sealing method. A
	// struct is used by pointer.
	GoType  string
	Pointer bool
	// Values are the discriminator's values that select it.
	Values []string
	// Without a discriminator, a JSON value selects the first variant whose
	// Kinds include its kind and, for objects, whose Required members are all
	// there.
	Kinds    []string // object, array, string, number, boolean
	Required []string
}

// ErrorType is an error of the specification: a struct that embeds
// httpapi.ResponseError.
type ErrorType struct {
	Name       string
	GoName     string
	Doc        string
	Deprecated string
	Fields     []Field // members of the body, or one field Body with tag json:",…" unused and Wrapped set
	// Wrapped is set when the error keeps its body in one field named Body,
	// because the schema is used elsewhere too or is not an object.
	Wrapped *Ref
}

// Ref is a Go type expression.
type Ref struct {
	Kind RefKind
	Name string // Basic: string, int64, any; Named: a type of the package; Qualified: a type of Package
	// Package is the import path of a Qualified type: "time", "io", the
	// runtime's httpapi.
	Package string
	Elem    *Ref // Pointer, Slice, Map (its values), Nullable
}

// RefKind is the form of a type expression.
type RefKind int

const (
	Basic RefKind = iota + 1
	Named
	Qualified
	Pointer
	Slice
	Map      // map[string]Elem
	Nullable // httpapi.Nullable[Elem]
)
