package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// mutant is a file with one change.
type mutant struct {
	file       string
	line       int
	function   string // that holds the change, as "Type.Method"; "" outside of functions
	start, end int    // bytes of the source that are replaced
	text       string // what replaces them
	before     string // the changed line, without indentation
	after      string
}

// String says where the mutant is and what it changes.
func (m mutant) String() string {
	return fmt.Sprintf("%s:%d: %s  →  %s", m.file, m.line, m.before, m.after)
}

// apply returns src with the change.
func (m mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

// operators are what each operator is changed into: the neighbour and the
// opposite of a comparison, the counterpart of all others.
var operators = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.MUL: {token.QUO}, token.QUO: {token.MUL},
	token.SHL: {token.SHR}, token.SHR: {token.SHL},
	token.ADD_ASSIGN: {token.SUB_ASSIGN}, token.SUB_ASSIGN: {token.ADD_ASSIGN},
	token.MUL_ASSIGN: {token.QUO_ASSIGN}, token.QUO_ASSIGN: {token.MUL_ASSIGN},
	token.INC: {token.DEC}, token.DEC: {token.INC},
}

// names are the identifiers that are changed into another.
var names = map[string]string{"min": "max", "max": "min", "true": "false", "false": "true"}

// finder collects the mutants of one file.
type finder struct {
	fset     *token.FileSet
	file     string
	src      []byte
	function string
	found    []mutant
}

// mutantsOf returns the mutants of a source file, in its order.
func mutantsOf(file string, src []byte) ([]mutant, error) {
	f := finder{fset: token.NewFileSet(), file: file, src: src}
	tree, err := parser.ParseFile(f.fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range tree.Decls {
		f.function = nameOf(decl)
		ast.Inspect(decl, f.visit)
	}
	slices.SortStableFunc(f.found, func(a, b mutant) int { return a.start - b.start })
	return f.found, nil
}

// nameOf returns the name of a function with its receiver's type.
func nameOf(decl ast.Decl) string {
	fn, ok := decl.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + fn.Name.Name
	}
	return fn.Name.Name
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.BinaryExpr:
		f.operator(n.OpPos, n.Op)
		if n.Op == token.LAND || n.Op == token.LOR {
			f.negate(n.X)
			f.negate(n.Y)
		}
	case *ast.AssignStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.IncDecStmt:
		f.operator(n.TokPos, n.Tok)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.replace(n.OpPos, n.X.Pos(), "")
		}
	case *ast.IfStmt:
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.SwitchStmt:
		f.cases(n)
	case *ast.Ident:
		if to, ok := names[n.Name]; ok {
			f.replace(n.Pos(), n.End(), to)
		}
	case *ast.SelectorExpr:
		f.named(n)
	case *ast.BasicLit:
		f.literal(n)
	}
	return true
}

func (f *finder) operator(pos token.Pos, op token.Token) {
	for _, to := range operators[op] {
		f.replace(pos, pos+token.Pos(len(op.String())), to.String())
	}
}

// negate turns a condition around, unless another mutant does that: that of
// its comparison, of its negation, or of a part of it that is negated.
func (f *finder) negate(cond ast.Expr) {
	switch c := cond.(type) {
	case nil, *ast.UnaryExpr, *ast.ParenExpr:
		return
	case *ast.BinaryExpr:
		if c.Op != token.LAND && c.Op != token.LOR {
			return
		}
	}
	f.replace(cond.Pos(), cond.End(), "!("+f.text(cond)+")")
}

// cases negates the conditions of a switch without a tag.
func (f *finder) cases(s *ast.SwitchStmt) {
	if s.Tag != nil {
		return
	}
	for _, clause := range s.Body.List {
		for _, cond := range clause.(*ast.CaseClause).List {
			f.negate(cond)
		}
	}
}

// named changes constants of packages time and math that have a value: units
// and limits.
func (f *finder) named(s *ast.SelectorExpr) {
	switch pkg, name := f.text(s.X), s.Sel.Name; {
	case pkg == "time" && slices.Contains([]string{"Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}, name):
	case pkg == "math" && (strings.HasPrefix(name, "MaxInt") || strings.HasPrefix(name, "MinInt")):
	default:
		return
	}
	text := f.text(s)
	for _, to := range []string{"(" + text + "+1)", "(" + text + "-1)", "(0*" + text + ")"} {
		f.replace(s.Pos(), s.End(), to)
	}
}

// literal changes an integer by one and to zero, a number with a fraction by
// a tenth of it and to zero.
func (f *finder) literal(lit *ast.BasicLit) {
	var to []string
	switch lit.Kind {
	case token.INT:
		n, err := strconv.ParseInt(lit.Value, 0, 64)
		if err != nil {
			return
		}
		to = []string{strconv.FormatInt(n+1, 10), strconv.FormatInt(n-1, 10), "0"}
	case token.FLOAT:
		to = []string{"(1.1*" + lit.Value + ")", "(0.9*" + lit.Value + ")", "0.0"}
	}
	if slices.Contains(to[:max(len(to)-1, 0)], "0") || lit.Value == "0" {
		to = to[:2]
	}
	for _, text := range to {
		f.replace(lit.Pos(), lit.End(), text)
	}
}

func (f *finder) offset(pos token.Pos) int { return f.fset.Position(pos).Offset }

func (f *finder) text(n ast.Node) string { return string(f.src[f.offset(n.Pos()):f.offset(n.End())]) }

// replace adds the mutant that has text between two positions.
func (f *finder) replace(from, to token.Pos, text string) {
	start, end := f.offset(from), f.offset(to)
	lineStart := strings.LastIndexByte(string(f.src[:start]), '\n') + 1
	lineEnd := len(f.src)
	if n := strings.IndexByte(string(f.src[end:]), '\n'); n >= 0 {
		lineEnd = end + n
	}
	f.found = append(f.found, mutant{
		file: f.file, line: f.fset.Position(from).Line, function: f.function, start: start, end: end, text: text,
		before: oneLine(string(f.src[lineStart:lineEnd])),
		after:  oneLine(string(f.src[lineStart:start]) + text + string(f.src[end:lineEnd])),
	})
}

// oneLine returns text with every run of white space as one space.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
