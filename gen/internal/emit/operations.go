package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// operations are the method and the descriptor of each operation.
func operations(s *model.Service, tables errorTables) []declaration {
	decls := make([]declaration, len(s.Operations))
	for i, op := range s.Operations {
		decls[i] = declaration{
			name:  op.GoName,
			group: op.Tag,
			lines: 15 + docLines(op.Doc) + len(op.Errors),
			code:  method(op).Line().Line().Add(descriptor(op, tables)),
		}
	}
	return decls
}

// method is the exported method of op: one line that hands op's descriptor to
// the runtime.
func method(op model.Operation) *jen.Statement {
	return doc(op.Doc, op.Deprecated).
		Func().Params(clientReceiver()).Id(op.GoName).Add(callParams(op.Input)).
		Params(jen.Op("*").Id(op.Output), jen.Error()).
		Block(jen.Return(call("Call", op.Descriptor)))
}

// descriptor is the variable that describes op.
func descriptor(op model.Operation, tables errorTables) *jen.Statement {
	typ := runtimePointer("Operation").Types(jen.Id(op.Input), jen.Id(op.Output))
	return jen.Var().Id(op.Descriptor).Op("=").Add(literal(typ,
		text("Name", op.Name),
		field("Method", httpMethod(op.Method)),
		text("Path", op.Path),
		headers(op.Header),
		text("Document", op.Document),
		servers(op.Servers),
		idempotency(op.Idempotency),
		key(op.Key),
		longPolling(op.LongPolling),
		security(op.Security),
		tables.field(op),
		operationProfile(op.Retry),
	))
}

// httpMethods are the methods with a constant in net/http.
var httpMethods = map[string]string{
	"GET":     "MethodGet",
	"HEAD":    "MethodHead",
	"POST":    "MethodPost",
	"PUT":     "MethodPut",
	"PATCH":   "MethodPatch",
	"DELETE":  "MethodDelete",
	"CONNECT": "MethodConnect",
	"OPTIONS": "MethodOptions",
	"TRACE":   "MethodTrace",
}

func httpMethod(method string) *jen.Statement {
	if name, ok := httpMethods[method]; ok {
		return jen.Qual("net/http", name)
	}
	return jen.Lit(method)
}

func headers(all []model.Header) jen.Code {
	if len(all) == 0 {
		return nil
	}
	pairs := each(all, func(h model.Header) *jen.Statement { return jen.Lit(h.Name).Op(":").Lit(h.Value) })
	typ := jen.Map(jen.String()).String()
	if len(pairs) == 1 {
		return field("Header", inline(typ, pairs...))
	}
	return field("Header", literal(typ, pairs...))
}

// idempotency leaves out the zero value.
func idempotency(name string) jen.Code {
	if name == "ByMethod" {
		return nil
	}
	return constant("Idempotency", httpapi, name)
}

func key(k *model.Key) jen.Code {
	if k == nil {
		return nil
	}
	return field("Key", inline(runtimePointer("IdempotencyKey"), text("Header", k.Header), text("Property", k.Property)))
}

func longPolling(l *model.LongPolling) jen.Code {
	if l == nil {
		return nil
	}
	return field("LongPolling", inline(runtimePointer("LongPolling"),
		text("Wait", l.Wait), span("Unit", l.Unit), decimal("Default", l.Default)))
}
