package load

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// Options say where a definition may reach.
type Options struct {
	// AllowNetwork permits references to http and https URLs.
	AllowNetwork bool
	// AllowOutside permits references to files outside of the definition's
	// directory.
	AllowOutside bool
}

// File reads the definition at path, YAML or JSON, OpenAPI 2.0 to 3.2, with
// the files that it refers to. The error is a [diag.List] of everything that
// is wrong.
func File(ctx context.Context, path string, opts Options) (*Document, error) {
	name := path
	if !isURL(path) {
		name = filepath.ToSlash(filepath.Clean(path))
	}
	f := &files{
		ctx: ctx, opts: opts, start: name, read: map[string]*file{}, allowed: map[string]error{name: nil},
		targets: map[[2]string]resolved{}, bundle: newBundle(),
	}
	d, diags := f.document()
	if err := diags.Err(); err != nil {
		return nil, err
	}
	d.Warnings = diags.Of(diag.Warning).Sorted()
	return d, nil
}

// document reads the definition in the steps that depend on each other:
// syntax, kind of document, references, content.
func (f *files) document() (*Document, diag.List) {
	var diags diag.List
	place := diag.Position{File: f.start}
	if isURL(f.start) && !f.opts.AllowNetwork {
		diags.Errorf(place, "", "definitions from the network are refused, unless -allow-network is given")
		return nil, diags
	}
	start := f.open(f.start)
	if start.root == nil && len(start.diags) == 0 {
		diags.Errorf(diag.Position{}, "", "%v", start.err)
		return nil, diags
	}
	diags = append(diags, start.diags...)
	if start.root == nil {
		return nil, diags
	}
	d := &Document{File: f.start, Root: start.root, files: f}
	if diags = append(diags, d.identify()...); diags.Err() != nil {
		return nil, diags
	}
	diags = append(diags, d.references()...)
	d.Problems = d.operations()
	if diags.Err() != nil {
		return nil, append(diags, d.Problems...)
	}
	diags = append(diags, d.repair()...)
	if diags = append(diags, d.two()...); diags.Err() != nil {
		return nil, diags
	}
	clear(f.targets) // repair may have dropped some
	d.bundle()
	t, err := d.typed()
	if err != nil {
		diags.Errorf(place, "", "%v", err)
		return nil, diags
	}
	d.T = t
	return d, diags
}

// supported are the versions by what the file says up to the second dot, and
// as what kin-openapi reads them.
var supported = map[string]string{"2.0": "2.0", "3.0": "3.0.3", "3.1": "3.1.0", "3.2": "3.2.0"}

// identify finds out what kind of document d is.
func (d *Document) identify() (diags diag.List) {
	root := d.files.root()
	if root.Node.Kind == Null {
		diags.Errorf(root.Key, "", "not an OpenAPI document: nothing is in it")
		return diags
	}
	if root.Node.Kind != Map {
		diags.Errorf(root.Key, "", "not an OpenAPI document: got a %s, want an object with the key openapi or swagger", root.Node.Kind)
		return diags
	}
	key := "openapi"
	if root.Node.Get(key) == nil && root.Node.Get("swagger") != nil {
		key = "swagger"
	}
	version := root.Node.Get(key)
	if version == nil {
		diags.Errorf(root.Key, "", "not an OpenAPI document: neither openapi nor swagger is there")
		return diags
	}
	if version.Kind == String || version.Kind == Number {
		d.Version = version.Text
	}
	if as := supported[minor(d.Version)]; as == "" || (as == "2.0") != (key == "swagger") {
		diags.Errorf(root.Position(key), key, "got %q, want 3.0, 3.1 or 3.2, or swagger: '2.0'", version.Text)
	}
	return diags
}

// minor returns the first two numbers of a version.
func minor(version string) string {
	parts := strings.SplitN(strings.TrimSpace(version), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// references reports every reference that leads nowhere or where it must
// not, and what is wrong in the files that references lead to.
func (d *Document) references() (diags diag.List) {
	w := walker{files: d.files, visit: func(Object) {}, seen: map[visited]bool{}}
	w.broken = func(o Object, err error) { diags.Errorf(o.Position("$ref"), "", "%v", err) }
	w.object(d.files.root(), member{one, PlaceDocument})
	for name, f := range d.files.read {
		if name != d.File {
			diags = append(diags, f.diags...)
		}
	}
	return diags
}

// operations reports a definition without operations.
func (d *Document) operations() (diags diag.List) {
	root := d.files.root()
	paths := root.Node.Get("paths")
	found := false
	d.Walk(func(o Object) { found = found || o.Place == PlaceOperation && !slices.Contains(o.Pointer, "webhooks") })
	switch {
	case found:
	case root.Node.Get("webhooks") != nil:
		diags.Errorf(root.Position("webhooks"), "", "the definition has no operations, only webhooks")
	case paths == nil:
		diags.Errorf(root.Key, "", "the definition has no paths")
	default:
		diags.Errorf(root.Position("paths"), "", "the definition has no operations")
	}
	return diags
}

// typed returns the definition as OpenAPI 3. A panic of kin-openapi, which is
// given whatever a file holds, becomes an error.
func (d *Document) typed() (t *openapi3.T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the definition cannot be read: %v", p)
		}
	}()
	data, err := d.files.bundle.encode(d.bundled())
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	loader.Context = d.files.ctx
	if minor(d.Version) == "2.0" {
		var two openapi2.T
		if err := json.Unmarshal(data, &two); err != nil {
			return nil, err
		}
		return openapi2conv.ToV3WithLoader(&two, loader, nil)
	}
	return loader.LoadFromData(data)
}
