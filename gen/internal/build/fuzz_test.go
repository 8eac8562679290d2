package build

import (
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// FuzzService builds whatever loads: no input panics, and all names are
// identifiers that are declared once.
func FuzzService(f *testing.F) {
	f.Add([]byte(directory))
	f.Add([]byte("openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents: {schemas: {" +
		"A: {oneOf: [{type: [string, 'null']}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: a}}, " +
		"B: {allOf: [{$ref: '#/components/schemas/A'}], properties: {a: {enum: [1, x, null]}}}}}\n"))
	f.Add([]byte(`{"openapi":"3.1.0","info":{"title":"","version":""},"paths":{"/{a}":{"get":{"parameters":[{"name":"a","in":"path","required":true,"schema":{"oneOf":[{"type":"null"},{"$ref":"#/components/schemas/A"}]}}],"responses":{"default":{"description":""}}}}},"components":{"schemas":{"A":{"allOf":[{"$ref":"#/components/schemas/A"}]},"B":{"anyOf":[{"$ref":"#/components/schemas/B"},{"properties":{"":true}}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "api.yaml")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		doc, err := load.File(t.Context(), path, load.Options{})
		if err != nil {
			return
		}
		notes, err := annotate.Document(doc)
		if err != nil {
			notes = &annotate.Notes{}
		}
		s, err := Service(doc, notes, Options{})
		if err != nil {
			return
		}
		checkNames(t, s)
	})
}

// checkNames wants identifiers, each declared once.
func checkNames(t *testing.T, s *model.Service) {
	t.Helper()
	declared := make(map[string]bool)
	declare := func(id string) {
		if !token.IsIdentifier(id) || declared[id] || reserved[id] {
			t.Errorf("%q cannot be declared", id)
		}
		declared[id] = true
	}
	for _, op := range s.Operations {
		declare(op.Descriptor)
		if op.Pages != nil {
			declare(op.Pages.Descriptor)
		}
		for _, w := range op.Waiters {
			declare(w.Descriptor)
		}
	}
	for _, typ := range s.Types {
		declare(typ.GoName)
		for _, v := range typ.Values {
			declare(v.GoName)
		}
		if typ.Union != nil {
			declare(typ.Union.Interface)
			declare(typ.Union.Table)
			declare(typ.Union.Unknown)
		}
		checkFields(t, typ.GoName, typ.Fields)
	}
	for _, e := range s.Errors {
		declare(e.GoName)
		checkFields(t, e.GoName, e.Fields)
	}
	for _, scheme := range s.Schemes {
		declare(scheme.GoName)
	}
}

func checkFields(t *testing.T, owner string, fields []model.Field) {
	t.Helper()
	seen := make(map[string]bool)
	for _, f := range fields {
		if !token.IsExported(f.GoName) || seen[f.GoName] {
			t.Errorf("%s: the field %q cannot be declared", owner, f.GoName)
		}
		seen[f.GoName] = true
	}
}
