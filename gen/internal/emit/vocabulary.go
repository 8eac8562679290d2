package emit

import (
	"strconv"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// Import paths of generated code.
const (
	httpapi    = "github.com/retrygen/retrygen/runtime/httpapi"
	retry      = "github.com/retrygen/retrygen/runtime/retry"
	awsprofile = "github.com/retrygen/retrygen/runtime/awsprofile"
	jsontext   = "github.com/go-json-experiment/json/jsontext"
)

// packageNames names what generated code imports, so that no import gets an
// alias.
var packageNames = map[string]string{
	httpapi:    "httpapi",
	retry:      "retry",
	awsprofile: "awsprofile",
	jsontext:   "jsontext",
	"context":  "context",
	"io":       "io",
	"iter":     "iter",
	"net/http": "http",
	"time":     "time",
}

// typ writes a type expression.
func typ(r model.Ref) *jen.Statement {
	switch r.Kind {
	case model.Basic, model.Named:
		return jen.Id(r.Name)
	case model.Qualified:
		return jen.Qual(r.Package, r.Name)
	case model.Pointer:
		return jen.Op("*").Add(typ(*r.Elem))
	case model.Slice:
		return jen.Index().Add(typ(*r.Elem))
	case model.Map:
		return jen.Map(jen.String()).Add(typ(*r.Elem))
	case model.Nullable:
		return jen.Qual(httpapi, "Nullable").Types(typ(*r.Elem))
	}
	bugf("type expression of kind %d", r.Kind)
	return nil
}

// tag writes a struct tag, in raw quotes where they can hold it.
func tag(tags []model.Tag) *jen.Statement {
	if len(tags) == 0 {
		return jen.Null()
	}
	pairs := make([]string, len(tags))
	for i, t := range tags {
		pairs[i] = t.Key + ":" + strconv.Quote(t.Value)
	}
	text := strings.Join(pairs, " ")
	if strconv.CanBackquote(text) {
		return jen.Op("`" + text + "`")
	}
	return jen.Lit(text)
}

// Parts of the signature of a call.

func clientReceiver() *jen.Statement { return jen.Id("c").Op("*").Id("Client") }

func callParams(input string) *jen.Statement {
	return jen.Params(
		jen.Id("ctx").Qual("context", "Context"),
		jen.Id("in").Op("*").Id(input),
		jen.Id("opts").Op("...").Qual(httpapi, "CallOption"),
	)
}

// call is a call of the runtime with what every call hands on, and args.
func call(function string, args ...string) *jen.Statement {
	words := []jen.Code{jen.Id("ctx"), jen.Id("c").Dot("core")}
	for _, arg := range args {
		words = append(words, jen.Id(arg))
	}
	return jen.Qual(httpapi, function).Call(append(words, jen.Id("in"), jen.Id("opts").Op("..."))...)
}

// Composite literals keep the order of their fields.

// literal writes a composite literal with one field or element a line. Nil
// fields are left out.
func literal(typ *jen.Statement, fields ...jen.Code) *jen.Statement {
	return typ.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// inline writes a composite literal on one line. Nil fields are left out.
func inline(typ *jen.Statement, fields ...jen.Code) *jen.Statement {
	return typ.Custom(jen.Options{Open: "{", Close: "}", Separator: ","}, fields...)
}

// elided is the type of an element, which a literal need not repeat.
func elided() *jen.Statement { return jen.Null() }

// runtime is a type of the runtime, runtimePointer a literal of it with its
// address taken.
func runtime(name string) *jen.Statement        { return jen.Qual(httpapi, name) }
func runtimePointer(name string) *jen.Statement { return jen.Op("&").Qual(httpapi, name) }

// Fields of a literal. Each is nil if the value is zero.

func field(name string, value *jen.Statement) jen.Code {
	if value == nil {
		return nil
	}
	return jen.Id(name).Op(":").Add(value)
}

func text(name, value string) jen.Code {
	if value == "" {
		return nil
	}
	return field(name, jen.Lit(value))
}

func number(name string, value int) jen.Code {
	if value == 0 {
		return nil
	}
	return field(name, jen.Lit(value))
}

func decimal(name string, value float64) jen.Code {
	if value == 0 {
		return nil
	}
	return field(name, jen.Op(strconv.FormatFloat(value, 'g', -1, 64))) // jen.Lit writes 20.0
}

func constant(name, path, value string) jen.Code {
	if value == "" {
		return nil
	}
	return field(name, jen.Qual(path, value))
}

func texts(name string, values []string) jen.Code {
	if len(values) == 0 {
		return nil
	}
	return field(name, stringList(values))
}

func span(name string, d time.Duration) jen.Code {
	if d == 0 {
		return nil
	}
	return field(name, duration(d))
}

// list writes a field that is a slice of elem, one element a line.
func list[T any](name string, elem *jen.Statement, values []T, write func(T) *jen.Statement) jen.Code {
	if len(values) == 0 {
		return nil
	}
	return field(name, table(elem, values, write))
}

// table writes a slice of elem, one element a line.
func table[T any](elem *jen.Statement, values []T, write func(T) *jen.Statement) *jen.Statement {
	return literal(jen.Index().Add(elem), each(values, write)...)
}

func each[T any](values []T, write func(T) *jen.Statement) []jen.Code {
	out := make([]jen.Code, len(values))
	for i, v := range values {
		out[i] = write(v)
	}
	return out
}

// longList is from how many characters on a list of strings has one a line.
const longList = 70

// stringList writes a slice of strings.
func stringList(values []string) *jen.Statement {
	write := func(s string) *jen.Statement { return jen.Lit(s) }
	if len(strings.Join(values, `", "`)) > longList {
		return table(jen.String(), values, write)
	}
	return inline(jen.Index().String(), each(values, write)...)
}

// units are the units of durations, the largest first.
var units = []struct {
	unit time.Duration
	name string
}{
	{time.Hour, "Hour"},
	{time.Minute, "Minute"},
	{time.Second, "Second"},
	{time.Millisecond, "Millisecond"},
	{time.Microsecond, "Microsecond"},
	{time.Nanosecond, "Nanosecond"},
}

// duration writes d in the largest unit that is exact: 1500 * time.Millisecond.
func duration(d time.Duration) *jen.Statement {
	for _, u := range units {
		switch {
		case d == u.unit:
			return jen.Qual("time", u.name)
		case d%u.unit == 0:
			return jen.Lit(int(d/u.unit)).Op("*").Qual("time", u.name)
		}
	}
	panic("unreachable: every duration is a number of nanoseconds")
}

// word looks up the Go name of a word of the model.
func word(what string, names map[string]string, value string) string {
	name, ok := names[value]
	if !ok {
		bugf("%s %q has no Go name", what, value)
	}
	return name
}
