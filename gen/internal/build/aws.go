package build

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// awsService is what a definition of an AWS service says of itself: those of
// the public directory, and definitions whose paths name an X-Amz-Target.
type awsService struct {
	name        string // Go-like short name: dynamodb
	signingName string // SigV4 service name
	profile     string
	document    string                    // media type of the JSON protocol
	tokens      map[string]string         // operation → idempotency token
	waiters     map[string][]model.Waiter // by operation
	blobs       []string                  // schemas of binary values, which directory definitions call strings
}

// targetMark begins the fragment of a path that names the target.
const targetMark = "#X-Amz-Target="

// signatureParameters sign a request; the signer sets them.
var signatureParameters = wordSet(`x-amz-target x-amz-content-sha256 x-amz-date x-amz-algorithm
	x-amz-credential x-amz-security-token x-amz-signature x-amz-signedheaders`)

// recognise returns what is known of the AWS service that t describes, nil if
// it describes none.
func recognise(t *openapi3.T) *awsService {
	if t.Info == nil {
		return nil
	}
	name, _ := t.Info.Extensions["x-serviceName"].(string)
	provider, _ := t.Info.Extensions["x-providerName"].(string)
	targets := t.Paths != nil && slices.ContainsFunc(t.Paths.Keys(), func(p string) bool { return strings.Contains(p, targetMark) })
	if name == "" || provider != "amazonaws.com" && !targets {
		return nil
	}
	s := awsFacts[name]
	s.name = cmp.Or(s.name, name)
	s.signingName = cmp.Or(s.signingName, name)
	s.profile = cmp.Or(s.profile, "aws-2026")
	s.document = cmp.Or(s.document, "application/x-amz-json-1.1")
	return &s
}

// signs reports whether a security scheme is the signature itself.
func (s *awsService) signs(scheme *openapi3.SecurityScheme) bool {
	auth, _ := scheme.Extensions["x-amazon-apigateway-authtype"].(string)
	return strings.EqualFold(auth, "awsSigv4")
}

// behaviour adds what is known of an operation and not annotated.
func (s *awsService) behaviour(op *model.Operation, annotated bool, members []model.Field) {
	token := s.tokens[op.Name]
	named := func(f model.Field) bool { return f.Name == token }
	if token != "" && op.Key == nil && !annotated && slices.ContainsFunc(members, named) {
		op.Key = &model.Key{Property: token}
	}
}

// restoreBlobs marks the schemas of binary values as such.
func (s *awsService) restoreBlobs(schemas openapi3.Schemas) {
	for _, name := range s.blobs {
		if ref := schemas[name]; ref != nil && ref.Value.Type.Is("string") && ref.Value.Format == "" {
			ref.Value.Format = "byte"
		}
	}
}

// secure leaves out servers without TLS, if others are there.
func secure(servers []model.Server) []model.Server {
	plain := func(s model.Server) bool { return strings.HasPrefix(s.URL, "http://") }
	out := slices.DeleteFunc(slices.Clone(servers), plain)
	if len(out) == 0 {
		return servers
	}
	return out
}

// splitTarget cuts the target out of a path; other fragments have no meaning
// for a server and vanish.
func splitTarget(path string) (template, target string) {
	template, fragment, _ := strings.Cut(path, "#")
	target, ok := strings.CutPrefix("#"+fragment, targetMark)
	if !ok {
		target = ""
	}
	return cmp.Or(template, "/"), target
}

// rpc builds an operation whose input and output are JSON documents. It
// returns why it cannot.
func (b *builder) rpc(c *call) string {
	op := &c.op
	op.Document = "application/x-amz-json-1.1"
	if b.aws != nil {
		op.Document = b.aws.document
	}
	op.Header = []model.Header{{Name: "X-Amz-Target", Value: c.target}}
	request, why := rpcRequest(c)
	if why == "" {
		why = b.rpcInput(c, request)
	}
	if why != "" {
		return why
	}
	duplicates, why := b.rpcParameters(c, request)
	if why != "" {
		return why
	}
	for _, s := range c.successes() {
		if !s.body || s.media.typ.Schema == nil || c.output != nil {
			continue
		}
		if s.media.kind != jsonMedia {
			return fmt.Sprintf("a response document of type %s is not supported", s.media.name)
		}
		if why := b.unsupported(s.media.typ.Schema); why != "" {
			return "the response document: " + why
		}
		if !b.empty(s.media.typ.Schema) {
			c.output = s.media.typ.Schema
		}
	}
	if c.note.Pages == nil {
		c.note.Pages = b.inferPages(request, c.output, duplicates)
	}
	return ""
}

// rpcRequest returns the schema of the request, nil if there is none. A
// media type of the AWS JSON protocols is the operation's.
func rpcRequest(c *call) (*openapi3.SchemaRef, string) {
	if c.spec.RequestBody == nil || c.spec.RequestBody.Value == nil {
		return nil, ""
	}
	m, ok := choose(c.spec.RequestBody.Value.Content)
	switch {
	case !ok:
		return nil, ""
	case m.kind != jsonMedia:
		return nil, fmt.Sprintf("a request document of type %s is not supported", m.name)
	case strings.HasPrefix(m.name, "application/x-amz-json-"):
		c.op.Document = m.name
	}
	return m.typ.Schema, ""
}

// rpcInput makes the input: the schema of the request itself.
func (b *builder) rpcInput(c *call, request *openapi3.SchemaRef) string {
	name := c.op.GoName + "Input"
	if request == nil || b.empty(request) {
		c.op.Input = b.scope.claim(name, c.op.GoName+"OperationInput")
		b.types.declared[c.op.Input] = &model.Type{
			GoName: c.op.Input, Kind: model.Struct, Doc: c.op.Input + " is the input of [Client." + c.op.GoName + "]. It has no members.",
		}
		return ""
	}
	if why := b.unsupported(request); why != "" {
		return "the request document: " + why
	}
	sh := b.types.shape(request, name)
	typ := b.types.declared[sh.ref.Name]
	if sh.ref.Kind != model.Named || typ == nil || typ.Kind != model.Struct {
		return "a request document that is not an object with members is not supported"
	}
	c.op.Input = typ.GoName
	if isUndescribed(typ) {
		typ.Doc = typ.GoName + " is the input of [Client." + c.op.GoName + "]."
	}
	return ""
}

// empty reports whether a document is an object of which the definition names
// no members.
func (b *builder) empty(ref *openapi3.SchemaRef) bool {
	f := b.members(ref)
	return f != nil && f.problem == "" && f.kind() == openapi3.TypeObject && len(f.properties)+len(f.variants) == 0 && !f.open
}

// rpcParameters returns the query parameters that repeat members of the
// document. Others are not supported; those that sign are left out.
func (b *builder) rpcParameters(c *call, request *openapi3.SchemaRef) (duplicates []string, why string) {
	for _, p := range c.parameters() {
		name := p.Value.Name
		switch {
		case signatureParameters[strings.ToLower(name)]:
		case p.Value.In == openapi3.ParameterInQuery && b.propertyOf(request, name) != nil:
			duplicates = append(duplicates, name)
		default:
			return nil, fmt.Sprintf("the %s parameter %q beside a request document is not supported", p.Value.In, name)
		}
	}
	return duplicates, ""
}

// members returns the form of an object behind references.
func (b *builder) members(ref *openapi3.SchemaRef) *form {
	for range 16 {
		s, _ := b.types.resolve(ref)
		if s == nil {
			return nil
		}
		f := b.types.of(s)
		if f.alias == nil {
			return f
		}
		ref = f.alias
	}
	return nil
}

// propertyOf returns the form of a member, nil if there is none.
func (b *builder) propertyOf(ref *openapi3.SchemaRef, name string) *form {
	f := b.members(ref)
	if f == nil {
		return nil
	}
	for _, p := range f.properties {
		if p.name == name {
			return b.members(p.ref)
		}
	}
	return nil
}

// inferPages tells pagination from the query parameters that definitions of
// the directory add for it: a member of the request that the response has
// too, or answers with LastEvaluated… to ExclusiveStart…, and the one array
// of the response. It returns nil if that is not clear.
func (b *builder) inferPages(request, response *openapi3.SchemaRef, duplicates []string) *model.Pages {
	output := b.members(response)
	if output == nil {
		return nil
	}
	var p model.Pages
	for _, name := range duplicates {
		answer := name
		if rest, ok := strings.CutPrefix(name, "ExclusiveStart"); ok {
			answer = "LastEvaluated" + rest
		}
		if b.propertyOf(response, answer) == nil {
			continue
		}
		if p.Input != "" {
			return nil
		}
		p.Style, p.Input, p.Output = "cursor", "/"+name, "/"+answer
	}
	for _, m := range output.properties {
		if f := b.members(m.ref); f != nil && f.kind() == openapi3.TypeArray {
			if p.Items != "" {
				return nil
			}
			p.Items = "/" + m.name
		}
	}
	if p.Input == "" || p.Items == "" {
		return nil
	}
	return &p
}

// settleOutputs gives RPC operations their outputs. A schema that is the
// output of one operation and nothing else is the output itself.
func (b *builder) settleOutputs() {
	users := make(map[string]int)
	shared := b.reach()
	for _, c := range b.calls {
		if c.skipped || c.target == "" {
			continue
		}
		if typ := b.structOf(c.output, c.op.GoName+"Output"); typ != nil {
			users[typ.GoName]++
			b.types.visitParts(typ, shared)
		}
		for _, f := range c.failures {
			if typ := b.structOf(f.schema, f.hint); typ != nil {
				shared[typ.GoName] = true
				b.types.visitParts(typ, shared)
			}
		}
	}
	for _, c := range b.calls {
		if c.skipped || c.target == "" {
			continue
		}
		typ := b.structOf(c.output, c.op.GoName+"Output")
		if typ == nil || users[typ.GoName] > 1 || shared[typ.GoName] || typ.OneMember {
			b.wrapOutput(c)
			continue
		}
		typ.Output, typ.Fields = true, avoid(typ.Fields, metadataNames)
		if isUndescribed(typ) {
			typ.Doc = typ.GoName + " is the output of [Client." + c.op.GoName + "]."
		}
		c.op.Output = typ.GoName
	}
}

// structOf returns the struct that a schema is, nil if it is something else.
func (b *builder) structOf(ref *openapi3.SchemaRef, hint string) *model.Type {
	if ref == nil {
		return nil
	}
	sh := b.types.shape(ref, hint)
	if typ := b.types.declared[sh.ref.Name]; sh.ref.Kind == model.Named && typ != nil && typ.Kind == model.Struct {
		return typ
	}
	return nil
}

// wrapOutput declares an output that has the document in a field.
func (b *builder) wrapOutput(c *call) {
	name := b.scope.claim(c.op.GoName+"Output", c.op.GoName+"OperationOutput")
	typ := &model.Type{
		GoName: name, Kind: model.Struct, Output: true,
		Doc: name + " is the output of [Client." + c.op.GoName + "].",
	}
	if c.output != nil {
		typ.Fields = []model.Field{{
			GoName: "Body", Doc: plain(b.schemaText(c.output)), Type: b.types.shape(c.output, c.op.GoName+"OutputBody").whole(true),
			Tags: []model.Tag{{Key: "body", Value: fmt.Sprintf("%d,%s", http.StatusOK, c.op.Document)}},
		}}
	}
	b.types.declared[name] = typ
	c.op.Output = name
}

// codedFailures are the errors of an RPC operation: the code is the name of
// the schema, and the status says nothing more. A choice of schemas is one
// error for each.
func (b *builder) codedFailures(f failure) []failure {
	if f.schema == nil {
		return []failure{f}
	}
	s, component := b.types.resolve(f.schema)
	form := b.types.of(s)
	for form.alias != nil {
		target, name := b.types.resolve(form.alias)
		if target == nil || target == s {
			break
		}
		s, component, form = target, cmp.Or(name, component), b.types.of(target)
	}
	if component == "" && len(form.variants) > 0 {
		var out []failure
		for _, v := range form.variants {
			one := f
			one.schema = v
			if target, name := b.types.resolve(v); target != nil && (name != "" || len(target.OneOf)+len(target.AnyOf) == 0) {
				out = append(out, b.codedFailures(one)...)
			}
		}
		return out
	}
	f.code = component
	if component != "" {
		f.statuses = model.StatusRange{}
	}
	return []failure{b.classified(f)}
}
