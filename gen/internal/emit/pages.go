package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// pages are the iterators of the operations that answer in pages.
func pages(s *model.Service) []declaration {
	var decls []declaration
	for _, op := range s.Operations {
		if op.Pages != nil {
			decls = append(decls, declaration{
				name:  op.Pages.GoName,
				lines: 20,
				code:  pagesMethod(op).Line().Line().Add(pagination(*op.Pages)),
			})
		}
	}
	return decls
}

func pagesMethod(op model.Operation) *jen.Statement {
	return doc(fmt.Sprintf("%s yields the pages of [Client.%s], beginning with the one that in asks for. "+
		"It ends after the last page, or after an error, which comes with a nil page.", op.Pages.GoName, op.GoName), op.Deprecated).
		Func().Params(clientReceiver()).Id(op.Pages.GoName).Add(callParams(op.Input)).
		Add(jen.Qual("iter", "Seq2").Types(jen.Op("*").Id(op.Output), jen.Error())).
		Block(jen.Return(call("Pages", op.Descriptor, op.Pages.Descriptor)))
}

func pagination(p model.Pages) *jen.Statement {
	return jen.Var().Id(p.Descriptor).Op("=").Add(literal(runtimePointer("Pagination"),
		constant("Style", httpapi, p.Style),
		text("Input", p.Input),
		text("Output", p.Output),
		text("Items", p.Items),
		text("More", p.More),
	))
}
