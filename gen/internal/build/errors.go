package build

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// failure is a declared error of an operation, until it is known which
// schemas are errors and nothing else.
type failure struct {
	code     string
	statuses model.StatusRange
	class    string
	schema   *openapi3.SchemaRef // nil if the body has no type
	hint     string              // names the error, if its schema has no name
	text     string              // of the response
}

// failures reads the error responses of an operation.
func (b *builder) failures(c *call) {
	successes := c.successes()
	usesDefault := len(successes) == 1 && successes[0].status == "2XX" && c.spec.Responses.Value("2XX") == nil &&
		c.spec.Responses.Value("2xx") == nil
	responses := c.spec.Responses.Map()
	for _, key := range sortedKeys(responses) {
		ref := responses[key]
		statuses, ok := errorStatuses(key)
		if !ok || ref == nil || ref.Value == nil || key == "default" && usesDefault {
			continue
		}
		f := failure{
			statuses: statuses, class: annotate.Class(ref.Value.Extensions),
			hint: c.op.GoName + statusName(key) + "Error",
		}
		if ref.Value.Description != nil {
			f.text = *ref.Value.Description
		}
		if component := lastToken(ref.Ref, "#/components/responses/"); component != "" {
			f.hint = errorName(exported(component))
		}
		if m, ok := choose(ref.Value.Content); ok && m.kind == jsonMedia && m.typ.Schema != nil &&
			c.op.Method != http.MethodHead && b.unsupported(m.typ.Schema) == "" {
			f.schema = m.typ.Schema
		}
		if c.target != "" {
			c.failures = append(c.failures, b.codedFailures(f)...)
		} else {
			c.failures = append(c.failures, b.classified(f))
		}
	}
}

// classified adds the class that the schema itself declares.
func (b *builder) classified(f failure) failure {
	if f.schema != nil && f.class == "" {
		if s, _ := b.types.resolve(f.schema); s != nil {
			f.class = annotate.Class(s.Extensions)
		}
	}
	return f
}

// errorStatuses returns the statuses of a key of responses; false if they are
// no errors. default is the empty range.
func errorStatuses(key string) (model.StatusRange, bool) {
	if key == "default" {
		return model.StatusRange{}, true
	}
	if len(key) != 3 || key[0] != '4' && key[0] != '5' {
		return model.StatusRange{}, false
	}
	if strings.EqualFold(key[1:], "XX") {
		from := int(key[0]-'0') * 100
		return model.StatusRange{From: from, To: from + 99}, true
	}
	code, err := strconv.Atoi(key)
	return model.StatusRange{From: code, To: code}, err == nil
}

// statusName is the part of an error's name that tells its status.
func statusName(key string) string {
	switch strings.ToUpper(key) {
	case "DEFAULT":
		return ""
	case "4XX":
		return "Client"
	case "5XX":
		return "Server"
	}
	code, _ := strconv.Atoi(key)
	return cmp.Or(strings.TrimSuffix(exported(http.StatusText(code)), "Error"), "Status"+key)
}

// errorName ends a name in Error, if it does not say so already.
func errorName(name string) string {
	if strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") {
		return name
	}
	return name + "Error"
}

// errorNames are the names that an error cannot give to its fields, because
// they are or hide something of httpapi.ResponseError. Message may be hidden:
// it is the same text.
var errorNames = wordSet(`ResponseError Operation Status Header RequestID Code Body Truncated Attempts
	Error Unwrap Is As`)

// settleErrors declares the error types. A schema that is an error and
// nothing else is the error type itself.
func (b *builder) settleErrors() {
	used := b.usedAsTypes()
	goTypes := make(map[string]string)
	for _, c := range b.calls {
		if c.skipped {
			continue
		}
		for _, f := range c.failures {
			c.op.Errors = append(c.op.Errors, model.ErrorCase{
				Code: f.code, Statuses: f.statuses, Class: f.class, GoType: b.errorType(f, used, goTypes),
			})
		}
		c.op.Errors = inOrder(c.op.Errors)
	}
}

// usedAsTypes returns the declared types that something other than an error
// response needs, members of errors included.
func (b *builder) usedAsTypes() map[string]bool {
	used := b.reach()
	for _, c := range b.calls {
		if c.skipped {
			continue
		}
		for _, f := range c.failures {
			if f.schema == nil {
				continue
			}
			sh := b.types.shape(f.schema, strings.TrimSuffix(f.hint, "Error"))
			typ := b.types.declared[sh.ref.Name]
			if sh.ref.Kind == model.Named && typ != nil && typ.Kind == model.Struct {
				b.types.visitParts(typ, used)
			} else {
				namesIn(&sh.ref, func(name string) { b.types.visit(name, used) })
			}
		}
	}
	return used
}

// errorType returns the error type of a failure, declared the first time it
// is asked for; "" if the body has no type.
func (b *builder) errorType(f failure, used map[string]bool, goTypes map[string]string) string {
	if f.schema == nil {
		return ""
	}
	sh := b.types.shape(f.schema, strings.TrimSuffix(f.hint, "Error"))
	if sh.ref.Kind == model.Basic && sh.ref.Name == "any" {
		return b.bareError(f, goTypes)
	}
	key := fmt.Sprint(sh.ref.Name, "/", f.hint)
	typ := b.types.declared[sh.ref.Name]
	if sh.ref.Kind == model.Named {
		key = sh.ref.Name
	} else {
		typ = nil
	}
	if known, ok := goTypes[key]; ok {
		return known
	}
	if typ != nil && typ.Kind == model.Struct && !used[typ.GoName] && !typ.Output {
		name := typ.GoName
		if typ.Name == "" && errorName(name) != name {
			name = b.scope.claim(errorName(name))
		}
		goTypes[key] = name
		b.declareError(model.ErrorType{
			Name: typ.Name, GoName: name, Doc: b.errorDoc(name, typ.Name, cmp.Or(sh.doc, f.text)),
			Deprecated: typ.Deprecated, Fields: avoid(typ.Fields, errorNames),
		})
		return name
	}
	wrapped := sh.whole(true)
	e := model.ErrorType{Wrapped: &wrapped}
	if typ != nil && typ.Name != "" {
		e.Name, e.GoName = typ.Name, b.scope.claim(typ.GoName+"Error", typ.GoName+"ResponseError")
	} else {
		e.GoName = b.scope.claim(f.hint)
	}
	goTypes[key] = e.GoName
	e.Doc = b.errorDoc(e.GoName, e.Name, cmp.Or(sh.doc, f.text))
	b.declareError(e)
	return e.GoName
}

// bareError is the type of an error of which the definition says no more than
// its name: a component that takes any value.
func (b *builder) bareError(f failure, goTypes map[string]string) string {
	s, component := b.types.resolve(f.schema)
	if component == "" || f.code == "" {
		return ""
	}
	name := b.types.names[component]
	if goTypes[name] == "" {
		goTypes[name] = name
		b.declareError(model.ErrorType{Name: component, GoName: name, Doc: b.errorDoc(name, component, s.Description)})
	}
	return name
}

func (b *builder) declareError(e model.ErrorType) { b.out.Errors = append(b.out.Errors, e) }

// errorDoc is the comment of an error type.
func (b *builder) errorDoc(goName, specName, description string) string {
	text := plain(description)
	if text == "" || text == specName {
		return goName + " is an error of the service."
	}
	return goName + " is an error of the service: " + lowerFirst(text)
}

// lowerFirst begins a text with a small letter, if its first word is an
// article or another word that begins sentences.
func lowerFirst(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	lower := strings.ToLower(word)
	if article[lower] || opening[lower] {
		return lower + " " + rest
	}
	return text
}

// opening are other words by which descriptions of failures begin.
var opening = wordSet(`too there someone something no not your this these it if requests request
	access authentication authorization invalid missing unknown unexpected bad`)

// avoid renames fields whose names are taken by what is embedded.
func avoid(fields []model.Field, taken map[string]bool) []model.Field {
	members := make(scope)
	for _, f := range fields {
		if !taken[f.GoName] {
			members[f.GoName] = true
		}
	}
	out := slices.Clone(fields)
	for i := range out {
		if name := out[i].GoName; taken[name] {
			out[i].GoName = members.claim(name + "Value")
		}
	}
	return out
}

// inOrder sorts the cases of an operation: codes before statuses, exact
// statuses before ranges, the default last. A status without a type and a
// class is kept only if it keeps a wider case from applying.
func inOrder(cases []model.ErrorCase) []model.ErrorCase {
	rank := func(e model.ErrorCase) int {
		switch {
		case e.Code != "":
			return 0
		case e.Statuses == model.StatusRange{}:
			return 3
		case e.Statuses.From == e.Statuses.To:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(cases, func(x, y model.ErrorCase) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.Code, y.Code), cmp.Compare(x.Statuses.From, y.Statuses.From))
	})
	var out []model.ErrorCase
	for i, e := range cases {
		wider := slices.ContainsFunc(cases[i+1:], func(w model.ErrorCase) bool {
			return w.GoType != "" && rank(w) > rank(e) && (rank(w) == 3 || w.Statuses.From <= e.Statuses.From && e.Statuses.To <= w.Statuses.To)
		})
		same := func(o model.ErrorCase) bool { return o.Code == e.Code && (e.Code != "" || o.Statuses == e.Statuses) }
		if !slices.ContainsFunc(out, same) && (e.GoType != "" || e.Class != "" || e.Code != "" || wider) {
			out = append(out, e)
		}
	}
	return out
}
