package build

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// call is an operation that is being built.
type call struct {
	op      model.Operation
	path    string // as the definition writes it
	pointer string // to the operation in the definition
	at      diag.Position
	item    *openapi3.PathItem
	spec    *openapi3.Operation
	note    annotate.Operation
	target  string // X-Amz-Target; "" for other operations
	skipped bool

	output   *openapi3.SchemaRef // of an RPC operation, until outputs are settled
	failures []failure
}

// operations lists all operations: by name, those with an operationId that is
// a Go name already first among equals.
func (b *builder) operations() []*call {
	var calls []*call
	if b.api.Paths == nil {
		return nil
	}
	for path, item := range b.api.Paths.Map() {
		if item == nil {
			continue
		}
		for method, spec := range item.Operations() {
			if spec == nil {
				continue
			}
			pointer := operationPointer(item, path, method)
			c := &call{
				path: path, pointer: pointer, at: b.doc.Position(pointer),
				item: item, spec: spec, note: b.notes.Operation(path, method),
			}
			c.op = model.Operation{
				Name:     cmp.Or(spec.OperationID, method+" "+path),
				Method:   method,
				Place:    path,
				Position: c.at.String(),
			}
			c.op.Path, c.target = splitTarget(path)
			calls = append(calls, c)
		}
	}
	exact := func(c *call) int {
		if exported(c.spec.OperationID) == c.spec.OperationID {
			return 0
		}
		return 1
	}
	slices.SortFunc(calls, func(x, y *call) int {
		return cmp.Or(cmp.Compare(x.goName(), y.goName()), cmp.Compare(exact(x), exact(y)),
			cmp.Compare(x.path, y.path), cmp.Compare(x.op.Method, y.op.Method))
	})
	return calls
}

// operationPointer is the JSON pointer of an operation.
func operationPointer(item *openapi3.PathItem, path, method string) string {
	if item.AdditionalOperations[method] != nil {
		return load.Pointer("paths", path, "additionalOperations", method)
	}
	return load.Pointer("paths", path, strings.ToLower(method))
}

// goName is the name that the operation would like to have.
func (c *call) goName() string {
	if w := exported(annotatedName(c.spec.Extensions, c.spec.OperationID)); w != "" {
		return w
	}
	return c.placeName()
}

// placeName names an operation by its method and path.
func (c *call) placeName() string {
	return exported(strings.ToLower(c.op.Method) + " " + c.path)
}

// nameOperations names all operations, so that what an operation declares
// beside itself takes nobody's name.
func (b *builder) nameOperations() {
	b.calls = b.operations()
	first := make(map[string]*call) // by operationId
	for _, c := range b.calls {
		if id := c.spec.OperationID; id != "" && first[id] != nil {
			b.doc.Warnings.Warnf(c.at, "operationId", "%s is that of the operation at %s too; this one is named by its method and path", id, first[id].at)
		} else {
			first[id] = c
		}
		name := c.goName()
		c.op.GoName = b.methods.claim(name, c.placeName(), name+"Operation")
		low := unexported(c.op.GoName)
		c.op.Descriptor = b.scope.claim(low, low+"Operation")
		b.scope[c.op.Descriptor+"Errors"] = true // the table of its errors
	}
}

// operation builds one operation, or skips it.
func (b *builder) operation(c *call) {
	op := &c.op
	if why := b.refuse(c); why != "" {
		b.skip(c, why)
		return
	}
	if len(c.spec.Tags) > 0 {
		op.Tag = c.spec.Tags[0]
	}
	op.Deprecated = deprecation(c.spec.Deprecated)
	if c.spec.Servers != nil {
		op.Servers = servers(*c.spec.Servers)
	} else {
		op.Servers = servers(c.item.Servers)
	}
	if c.spec.Security != nil {
		if op.Security = b.security(*c.spec.Security); op.Security == nil && b.aws == nil {
			op.Security = [][]string{} // its schemes have no place in the client
		}
	}
	var why string
	if c.target != "" {
		why = b.rpc(c)
	} else if why = b.input(c); why == "" {
		why = b.output(c)
	}
	if why != "" {
		b.skip(c, why)
		return
	}
	b.failures(c)
	b.behaviour(c)
	b.pages(c)
	b.waiters(c)
	op.Doc = b.operationDoc(c)
}

// refuse returns why an operation cannot be supported at all.
func (b *builder) refuse(c *call) string {
	switch {
	case c.op.Method == http.MethodConnect:
		return "the method CONNECT is not supported"
	case strings.Contains(c.op.Path, "?"):
		return "a path with a query is not supported"
	}
	if why := pathFlaw(c.op.Path); why != "" {
		return why
	}
	if strings.Contains(c.op.Path, "//") {
		b.doc.Warnings.Warnf(c.at, "", "the path %q has an empty segment", c.path)
	}
	if c.spec.RequestBody != nil && c.op.Method == http.MethodTrace {
		return "a request body of TRACE is not supported"
	}
	return ""
}

// pathFlaw returns why no request can be sent to a path.
func pathFlaw(path string) string {
	if !strings.HasPrefix(path, "/") {
		return fmt.Sprintf("the path %q does not begin with /", path)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return fmt.Sprintf("the path %q has a segment %q", path, segment)
		}
	}
	if strings.ContainsAny(template.ReplaceAllString(path, ""), "{}") || strings.Contains(path, "{}") {
		return fmt.Sprintf("the braces of the path %q do not match", path)
	}
	return ""
}

// behaviour sets how the operation may be repeated.
func (b *builder) behaviour(c *call) {
	op := &c.op
	op.Idempotency = "ByMethod"
	if c.note.Idempotent != nil {
		op.Idempotency = "NotIdempotent"
		if *c.note.Idempotent {
			op.Idempotency = "Idempotent"
		}
	}
	op.Key = c.note.Key
	op.LongPolling = b.longPolling(c)
	if p, ok := profiles[b.out.Retry.Profile].polling[op.Name]; ok && op.LongPolling == nil {
		op.LongPolling = &p
	}
	op.Retry = operationRetry(c.note.Retry)
	if b.aws != nil {
		b.aws.behaviour(op, c.note.Idempotent != nil, b.types.declared[op.Input].Fields)
		if len(c.note.Waiters) == 0 {
			c.note.Waiters = b.aws.waiters[op.Name]
		}
	}
}

// idempotent reports whether op may be repeated by what is declared or by its
// method (RFC 9110, 9.2.2).
func idempotent(op *model.Operation) bool {
	if op.Idempotency != "ByMethod" {
		return op.Idempotency == "Idempotent"
	}
	switch op.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete, "QUERY":
		return true
	}
	return false
}
