package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// union is a holder struct, the sealed interface of its variants, the unknown
// variant, and the table that the runtime reads and writes them with.
func union(t model.Type) *jen.Statement {
	u := *t.Union
	parts := []*jen.Statement{
		typeHead(t).Struct(jen.Id("Value").Id(u.Interface)),
		variantInterface(t),
		sealingMethods(u),
		unknownVariant(t),
		marshalUnion(t),
		unmarshalUnion(t),
		marshalV1("u", t.GoName),
		unmarshalV1("u", t.GoName),
		unionTable(u),
	}
	decl := jen.Null()
	for i, part := range parts {
		if i > 0 {
			decl.Line().Line()
		}
		decl.Add(part)
	}
	return decl
}

func variantInterface(t model.Type) *jen.Statement {
	u := *t.Union
	return doc(fmt.Sprintf("%s is a variant of [%s]: %s.", u.Interface, t.GoName, alternatives(variantNames(u))), "").
		Type().Id(u.Interface).Interface(jen.Id(u.Method).Params())
}

// variantNames are the types of the variants as a caller writes them.
func variantNames(u model.Union) []string {
	var names []string
	for _, v := range distinct(u.Variants) {
		name := "[" + v.GoType + "]"
		if v.Pointer {
			name = "*" + name
		}
		names = append(names, name)
	}
	return append(names, "["+u.Unknown+"]")
}

// alternatives is "a, b or c".
func alternatives(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// distinct drops the second use of a type by a variant.
func distinct(variants []model.Variant) []model.Variant {
	seen := map[string]bool{}
	var out []model.Variant
	for _, v := range variants {
		if !seen[v.GoType] {
			seen[v.GoType] = true
			out = append(out, v)
		}
	}
	return out
}

// sealingMethods make the variants implement the interface, one a line.
func sealingMethods(u model.Union) *jen.Statement {
	methods := jen.Null()
	for i, v := range distinct(u.Variants) {
		if i > 0 {
			methods.Line()
		}
		receiver := jen.Id(v.GoType)
		if v.Pointer {
			receiver = jen.Op("*").Id(v.GoType)
		}
		methods.Add(sealingMethod(receiver, u))
	}
	return methods
}

func sealingMethod(receiver *jen.Statement, u model.Union) *jen.Statement {
	return jen.Func().Params(receiver).Id(u.Method).Params().Block()
}

func unknownVariant(t model.Type) *jen.Statement {
	u := *t.Union
	return doc(fmt.Sprintf("%s is a variant of [%s] that the definition does not name, as raw JSON.", u.Unknown, t.GoName), "").
		Type().Id(u.Unknown).Qual(jsontext, "Value").
		Line().Line().
		Add(sealingMethod(jen.Id(u.Unknown), u)).
		Line().Line().
		Add(doc("RawJSON returns the variant as it was read.", "")).
		Func().Params(jen.Id("u").Id(u.Unknown)).Id("RawJSON").Params().Qual(jsontext, "Value").
		Block(jen.Return(jen.Qual(jsontext, "Value").Call(jen.Id("u")))).
		Line().Line().
		Add(doc("MarshalJSON returns the variant as it was read.", "")).
		Func().Params(jen.Id("u").Id(u.Unknown)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		Block(jen.Return(jen.Qual(jsontext, "Value").Call(jen.Id("u")).Dot("MarshalJSON").Call())).
		Line().Line().
		Add(doc("UnmarshalJSON keeps a copy of data.", "")).
		Func().Params(jen.Id("u").Op("*").Id(u.Unknown)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().
		Block(jen.Return(jen.Params(jen.Op("*").Qual(jsontext, "Value")).Call(jen.Id("u")).Dot("UnmarshalJSON").Call(jen.Id("data"))))
}

func marshalUnion(t model.Type) *jen.Statement {
	return doc("MarshalJSONTo writes the variant.", "").
		Func().Params(jen.Id("u").Id(t.GoName)).Id("MarshalJSONTo").Params(encoder()).Error().
		Block(jen.Return(runtime("MarshalUnion").Call(jen.Id("enc"), jen.Id("u").Dot("Value"), jen.Id(t.Union.Table))))
}

func unmarshalUnion(t model.Type) *jen.Statement {
	return doc("UnmarshalJSONFrom reads the variant that the JSON value selects.", "").
		Func().Params(jen.Id("u").Op("*").Id(t.GoName)).Id("UnmarshalJSONFrom").Params(decoder()).
		Params(jen.Err().Error()).
		Block(
			jen.List(jen.Id("u").Dot("Value"), jen.Err()).Op("=").Id(t.Union.Table).Dot("Unmarshal").Call(jen.Id("dec")),
			jen.Return(jen.Err()),
		)
}

// unionTable is the variable that lists the variants.
func unionTable(u model.Union) *jen.Statement {
	return jen.Var().Id(u.Table).Op("=").Add(literal(runtimePointer("UnionTable").Types(jen.Id(u.Interface)),
		text("Discriminator", u.Discriminator),
		list("Variants", runtime("Variant").Types(jen.Id(u.Interface)), u.Variants, func(v model.Variant) *jen.Statement {
			return variant(u, v)
		}),
		field("Unknown", unknownMaker(u)),
	))
}

func variant(u model.Union, v model.Variant) *jen.Statement {
	constructor := "ValueVariant"
	if v.Pointer {
		constructor = "PointerVariant"
	}
	return inline(elided(),
		texts("Values", v.Values),
		texts("Kinds", v.Kinds),
		texts("Required", v.Required),
		field("Decode", runtime(constructor).Types(jen.Id(v.GoType), jen.Id(u.Interface)).Call()),
	)
}

func unknownMaker(u model.Union) *jen.Statement {
	return jen.Func().Params(jen.Id("raw").Qual(jsontext, "Value")).Id(u.Interface).
		Block(jen.Return(jen.Id(u.Unknown).Call(jen.Id("raw"))))
}
