package emit

import "github.com/dave/jennifer/jen"

// The methods of package encoding/json, where it would not write and read the
// same as the package that the runtime uses.

// marshalV1 makes encoding/json write what MarshalJSONTo writes.
func marshalV1(receiver, name string) *jen.Statement {
	return doc("MarshalJSON writes the same for encoding/json.", "").
		Func().Params(jen.Id(receiver).Id(name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		Block(jen.Return(runtime("MarshalJSON").Call(jen.Id(receiver))))
}

// unmarshalV1 makes encoding/json read what UnmarshalJSONFrom reads.
func unmarshalV1(receiver, name string) *jen.Statement {
	return doc("UnmarshalJSON reads the same for encoding/json.", "").
		Func().Params(jen.Id(receiver).Op("*").Id(name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().
		Block(jen.Return(runtime("UnmarshalJSON").Call(jen.Id("data"), jen.Id(receiver))))
}

// membersV1 are both methods for a struct that encoding/json takes to have a
// member Extra.
func membersV1(name string) *jen.Statement {
	plain := jen.Type().Id("plain").Id(name)
	return doc("MarshalJSON writes the same for encoding/json.", "").
		Func().Params(jen.Id("v").Id(name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).
		Block(plain, jen.Return(runtime("MarshalJSON").Call(jen.Id("plain").Call(jen.Id("v"))))).
		Line().Line().
		Add(doc("UnmarshalJSON reads the same for encoding/json.", "")).
		Func().Params(jen.Id("v").Op("*").Id(name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().
		Block(plain, jen.Return(runtime("UnmarshalJSON").Call(jen.Id("data"), jen.Params(jen.Op("*").Id("plain")).Call(jen.Id("v")))))
}
