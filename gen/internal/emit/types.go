package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// typeDecls are the declared types, inputs and outputs included.
func typeDecls(s *model.Service) []declaration {
	documents := documentOutputs(s)
	decls := make([]declaration, len(s.Types))
	for i, t := range s.Types {
		decls[i] = declaration{name: t.GoName, lines: typeLines(t), code: typeDecl(t, documents)}
	}
	return decls
}

// documentOutputs are the outputs that are themselves JSON documents.
func documentOutputs(s *model.Service) map[string]bool {
	documents := map[string]bool{}
	for _, op := range s.Operations {
		if op.Document != "" {
			documents[op.Output] = true
		}
	}
	return documents
}

// typeLines is about how long the declaration of t is.
func typeLines(t model.Type) int {
	n := docLines(t.Doc) + structLines(t.Fields)
	for _, v := range t.Values {
		n += 1 + docLines(v.Doc)
	}
	if t.Union != nil {
		n += 55 + 2*len(t.Union.Variants)
	}
	return n
}

// structLines is about how long a struct is.
func structLines(fields []model.Field) int {
	n := 3
	for _, f := range fields {
		n += 1 + docLines(f.Doc)
	}
	return n
}

// typeDecl declares t, with the methods and constants that belong to it.
func typeDecl(t model.Type, documents map[string]bool) *jen.Statement {
	switch t.Kind {
	case model.Struct:
		return structDecl(t, documents)
	case model.Defined:
		return typeHead(t).Add(typ(t.Underlying))
	case model.Alias:
		return typeHead(t).Op("=").Add(typ(t.Underlying))
	case model.Enum:
		return enum(t)
	case model.OneOf:
		return union(t)
	}
	bugf("type %s is of kind %d", t.GoName, t.Kind)
	return nil
}

func typeHead(t model.Type) *jen.Statement {
	return doc(t.Doc, t.Deprecated).Type().Id(t.GoName)
}

func structDecl(t model.Type, documents map[string]bool) *jen.Statement {
	var embeds *jen.Statement
	if t.Output {
		embeds = embedded("Metadata", documents[t.GoName] && !hasTransport(t.Fields))
	}
	decl := typeHead(t).Add(structType(embeds, t.Fields))
	if t.OneMember {
		decl.Line().Line().Add(marshalOneMember(t)).Line().Line().Add(marshalV1("v", t.GoName))
	} else if hasExtra(t.Fields) {
		decl.Line().Line().Add(membersV1(t.GoName))
	}
	return decl
}

// hasExtra reports whether a field holds the members without a field.
func hasExtra(fields []model.Field) bool {
	return slices.ContainsFunc(fields, func(f model.Field) bool {
		return slices.Contains(f.Tags, model.Tag{Key: "json", Value: ",embed"})
	})
}

// embedded is an embedded type of the runtime, kept out of the JSON document
// where the struct is one.
func embedded(name string, document bool) *jen.Statement {
	if document {
		return runtime(name).Add(tag([]model.Tag{{Key: "json", Value: "-"}}))
	}
	return runtime(name)
}

// hasTransport reports whether fields are parts of a response, and so the
// struct is not a document.
func hasTransport(fields []model.Field) bool {
	for _, f := range fields {
		for _, t := range f.Tags {
			if t.Key == "body" || t.Key == "header" {
				return true
			}
		}
	}
	return false
}

// structType is a struct, embeds first if there is something to embed. If
// some comment has several lines, blank lines set the fields apart.
func structType(embeds *jen.Statement, fields []model.Field) *jen.Statement {
	var members []jen.Code
	if embeds != nil {
		members = append(members, embeds)
	}
	airy := slices.ContainsFunc(fields, hasLongDoc)
	for i, f := range fields {
		if i > 0 && airy || i == 0 && embeds != nil {
			members = append(members, jen.Line())
		}
		members = append(members, structField(f))
	}
	return jen.Struct(members...)
}

// hasLongDoc reports whether the comment of f has several lines.
func hasLongDoc(f model.Field) bool {
	return f.Deprecated != "" || strings.Contains(comment(f.Doc, indented), "\n")
}

func structField(f model.Field) *jen.Statement {
	return fieldDoc(f.Doc, f.Deprecated).Id(f.GoName).Add(typ(f.Type)).Add(tag(f.Tags))
}

// marshalOneMember makes a struct refuse to be written unless exactly one
// member is set.
func marshalOneMember(t model.Type) *jen.Statement {
	return doc("MarshalJSONTo writes v, of which exactly one member must be set.", "").
		Func().Params(jen.Id("v").Id(t.GoName)).Id("MarshalJSONTo").Params(encoder()).Error().
		Block(
			jen.Type().Id("plain").Id(t.GoName),
			jen.Return(runtime("MarshalOneMember").Call(jen.Id("enc"), jen.Id("plain").Call(jen.Id("v")))),
		)
}

func encoder() *jen.Statement { return jen.Id("enc").Op("*").Qual(jsontext, "Encoder") }
func decoder() *jen.Statement { return jen.Id("dec").Op("*").Qual(jsontext, "Decoder") }

// enum is a type with constants; values that it does not name are allowed.
func enum(t model.Type) *jen.Statement {
	decl := typeHead(t).Add(typ(t.Underlying))
	if len(t.Values) == 0 {
		return decl
	}
	constants := each(t.Values, func(v model.Value) *jen.Statement {
		return fieldDoc(v.Doc, "").Id(v.GoName).Id(t.GoName).Op("=").Add(enumLiteral(v.Literal))
	})
	return decl.Line().Line().
		Add(doc("The values of ["+t.GoName+"] that the definition names.", "")).
		Const().Defs(constants...)
}

// enumLiteral is an untyped constant.
func enumLiteral(v any) *jen.Statement {
	if n, ok := v.(int64); ok {
		return jen.Op(strconv.FormatInt(n, 10)) // jen.Lit writes a conversion
	}
	return jen.Lit(v)
}
