package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// waiters are the methods that poll an operation.
func waiters(s *model.Service) []declaration {
	var decls []declaration
	for _, op := range s.Operations {
		for _, w := range op.Waiters {
			decls = append(decls, declaration{
				name:  w.GoName,
				lines: 15 + len(w.Acceptors),
				code:  waiterMethod(op, w).Line().Line().Add(waiter(w)),
			})
		}
	}
	return decls
}

func waiterMethod(op model.Operation, w model.Waiter) *jen.Statement {
	return doc(w.Doc, op.Deprecated).
		Func().Params(clientReceiver()).Id(w.GoName).Add(callParams(op.Input)).
		Params(jen.Op("*").Id(op.Output), jen.Error()).
		Block(jen.Return(call("Wait", op.Descriptor, w.Descriptor)))
}

func waiter(w model.Waiter) *jen.Statement {
	return jen.Var().Id(w.Descriptor).Op("=").Add(literal(runtimePointer("Waiter"),
		text("Name", w.Name),
		span("Delay", w.Delay),
		span("MaxDelay", w.MaxDelay),
		list("Acceptors", runtime("Acceptor"), w.Acceptors, acceptor),
	))
}

func acceptor(a model.Acceptor) *jen.Statement {
	return inline(elided(),
		constant("State", httpapi, a.State),
		text("Pointer", a.Pointer),
		text("Equals", a.Equals),
		text("ErrorCode", a.ErrorCode),
		number("Status", a.Status),
	)
}
