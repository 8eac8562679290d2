package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// errorTypes are the errors of the definition, and the tables of errors that
// operations share.
func errorTypes(s *model.Service, tables errorTables) []declaration {
	var decls []declaration
	for _, e := range s.Errors {
		decls = append(decls, declaration{name: e.GoName, lines: 2 + docLines(e.Doc) + structLines(e.Fields), code: errorType(e)})
	}
	for _, t := range tables.shared {
		decls = append(decls, declaration{name: t.name, lines: 3 + len(t.cases), code: errorTable(t)})
	}
	return decls
}

// errorType is a struct that is an error by what it embeds.
func errorType(e model.ErrorType) *jen.Statement {
	fields := e.Fields
	if e.Wrapped != nil {
		fields = []model.Field{{GoName: "Body", Type: *e.Wrapped, Tags: []model.Tag{{Key: "body", Value: "error"}}}}
	}
	decl := doc(e.Doc, e.Deprecated).
		Type().Id(e.GoName).Add(structType(embedded("ResponseError", true), fields))
	if hasExtra(fields) {
		decl.Line().Line().Add(membersV1(e.GoName))
	}
	return decl
}

// sharedTable is a list of errors that several operations declare.
type sharedTable struct {
	name  string
	cases []model.ErrorCase
}

// errorTables knows which operations share a list of errors.
type errorTables struct {
	shared []sharedTable
	names  map[string]string // of the shared table, by operation
}

// shareErrors finds the lists that several operations declare. A list is
// named after the first of these operations.
func shareErrors(s *model.Service) errorTables {
	users := map[string][]model.Operation{}
	var order []string
	for _, op := range s.Operations {
		if len(op.Errors) == 0 {
			continue
		}
		content := errorsKey(op.Errors)
		if users[content] == nil {
			order = append(order, content)
		}
		users[content] = append(users[content], op)
	}
	taken := variables(s)
	tables := errorTables{names: map[string]string{}}
	for _, content := range order {
		ops := users[content]
		if len(ops) == 1 {
			continue
		}
		name := ops[0].Descriptor + "Errors"
		for taken[name] {
			name += "Table"
		}
		taken[name] = true
		tables.shared = append(tables.shared, sharedTable{name, ops[0].Errors})
		for _, op := range ops {
			tables.names[op.GoName] = name
		}
	}
	return tables
}

// errorsKey is equal for equal lists.
func errorsKey(cases []model.ErrorCase) string {
	return fmt.Sprintf("%#v", cases)
}

// variables are the package variables of a client.
func variables(s *model.Service) map[string]bool {
	names := map[string]bool{"service": true}
	for _, op := range s.Operations {
		names[op.Descriptor] = true
		if op.Pages != nil {
			names[op.Pages.Descriptor] = true
		}
		for _, w := range op.Waiters {
			names[w.Descriptor] = true
		}
	}
	for _, t := range s.Types {
		if t.Union != nil {
			names[t.Union.Table] = true
		}
	}
	return names
}

// field is the field Errors of op's descriptor: the shared table, or a list
// of its own.
func (t errorTables) field(op model.Operation) jen.Code {
	if name, ok := t.names[op.GoName]; ok {
		return field("Errors", jen.Id(name))
	}
	return list("Errors", runtime("ErrorCase"), op.Errors, errorCase)
}

func errorTable(t sharedTable) *jen.Statement {
	return jen.Var().Id(t.name).Op("=").Add(table(runtime("ErrorCase"), t.cases, errorCase))
}

func errorCase(e model.ErrorCase) *jen.Statement {
	return inline(elided(),
		text("Code", e.Code),
		errorStatuses(e.Statuses),
		errorClass(e.Class),
		errorMaker(e.GoType),
	)
}

func errorStatuses(r model.StatusRange) jen.Code {
	if r == (model.StatusRange{}) {
		return nil
	}
	return field("Statuses", statusRange(runtime("StatusRange"), r))
}

func errorClass(class string) jen.Code {
	if class == "" {
		return nil
	}
	return field("Class", runtime("ClassOf").Call(jen.Qual(retry, word("retry class", classes, class))))
}

func errorMaker(goType string) jen.Code {
	if goType == "" {
		return nil
	}
	return field("New", runtime("NewError").Types(jen.Id(goType)))
}
