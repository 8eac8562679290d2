// Package build decides what a client looks like: from an OpenAPI document
// and its annotations to the model, with every name and every default.
package build

import (
	"cmp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// Options are what a user may decide about a client.
type Options struct {
	// Package is the Go package name; "" means [PackageName].
	Package string
}

// Service builds the model of a client. What cannot be supported is listed in
// Skipped and costs the operations that need it; an error means that there is
// no client at all.
func Service(doc *load.Document, notes *annotate.Notes, opts Options) (*model.Service, error) {
	b := newBuilder(doc, notes)
	b.service(opts)
	b.nameOperations()
	for _, c := range b.calls {
		b.operation(c)
	}
	b.settleOutputs()
	b.settleErrors()
	b.finish()
	return b.out, nil
}

// builder holds what the steps of [Service] share.
type builder struct {
	doc     *load.Document
	api     *openapi3.T
	notes   *annotate.Notes
	aws     *awsService // nil for other APIs
	scope   scope       // of the package
	methods scope       // of Client
	types   *types
	calls   []*call
	forms   []*formType
	skips   []skip
	out     *model.Service
}

func newBuilder(doc *load.Document, notes *annotate.Notes) *builder {
	b := &builder{
		doc: doc, api: doc.T, notes: notes, aws: recognise(doc.T),
		scope: make(scope), methods: scope{"RetrySettings": true}, out: new(model.Service),
	}
	var components openapi3.Schemas
	if b.api.Components != nil {
		components = b.api.Components.Schemas
	}
	usable := make(openapi3.Schemas)
	for name, ref := range components {
		if ref != nil && ref.Value != nil {
			usable[name] = ref
		}
	}
	if b.aws != nil {
		b.aws.restoreBlobs(usable)
	}
	b.types = newTypes(usable, newPlaces(doc), b.scope, b.aws != nil)
	return b
}

// service sets what is said of the API as a whole.
func (b *builder) service(opts Options) {
	info := b.api.Info
	if info == nil {
		info = &openapi3.Info{}
	}
	s := b.out
	s.Package = cmp.Or(opts.Package, PackageName(b.doc))
	s.Source = b.doc.File
	s.Title, s.Version = plain(info.Title), info.Version
	s.Doc = plain(cmp.Or(info.Description, info.Summary))
	s.Name = s.Package
	if b.aws != nil {
		s.Name, s.SigningName = b.aws.name, b.aws.signingName
	}
	s.Retry = b.serviceRetry()
	s.Servers = servers(b.api.Servers)
	if b.aws != nil {
		s.Servers = secure(s.Servers)
	}
	s.Schemes = b.schemes()
	s.Security = b.security(b.api.Security)
}

// PackageName makes a Go package name of the title: without words such as
// API, in lower case. AWS services have their own name.
func PackageName(doc *load.Document) string {
	if doc.T == nil || doc.T.Info == nil {
		return "client"
	}
	title := doc.T.Info.Title
	if aws := recognise(doc.T); aws != nil {
		title = aws.name
	}
	var kept []string
	for _, w := range split(title) {
		w = strings.ToLower(w)
		if !noise[w] {
			kept = append(kept, w)
		}
	}
	name := strings.Map(func(r rune) rune {
		if r < 0x80 {
			return r
		}
		return -1
	}, strings.Join(kept, ""))
	name = strings.TrimLeft(name, "0123456789")
	switch {
	case name == "":
		return "client"
	case reserved[name]:
		return name + "api"
	}
	return name
}

// noise are words of titles that say nothing in a package name.
var noise = wordSet(`api apis rest restful http openapi swagger spec specification definition service the of for
	v1 v2 v3 a an and`)

// finish puts everything in its final order and leaves out the types that no
// operation needs.
func (b *builder) finish() {
	b.breakCycles()
	b.renameForms()
	reached := b.reach()
	b.describePlaces(reached)
	for _, name := range sortedKeys(b.types.declared) {
		if reached[name] {
			b.out.Types = append(b.out.Types, *b.types.declared[name])
		}
	}
	for _, c := range b.calls {
		if !c.skipped {
			b.out.Operations = append(b.out.Operations, c.op)
		}
	}
	s := b.out
	s.Skipped = b.skipped()
	slices.SortFunc(s.Operations, func(x, y model.Operation) int { return cmp.Compare(x.GoName, y.GoName) })
	slices.SortFunc(s.Types, func(x, y model.Type) int { return cmp.Compare(x.GoName, y.GoName) })
	slices.SortFunc(s.Errors, func(x, y model.ErrorType) int { return cmp.Compare(x.GoName, y.GoName) })
}

// skip is what was left out, with its place as a place.
type skip struct {
	at        diag.Position
	what, why string
}

// skip leaves an operation out.
func (b *builder) skip(c *call, why string) {
	c.skipped = true
	b.skips = append(b.skips, skip{c.at, "operation " + c.op.Name, why})
}

// skipped lists what was left out, by place.
func (b *builder) skipped() []model.Skip {
	slices.SortFunc(b.skips, func(x, y skip) int {
		return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.what, y.what))
	})
	var out []model.Skip
	for _, s := range b.skips {
		out = append(out, model.Skip{Position: s.at.String(), What: s.what, Why: s.why})
	}
	return out
}
