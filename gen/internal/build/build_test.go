package build

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// buildFile builds the model of a definition.
func buildFile(t testing.TB, path string) *model.Service {
	t.Helper()
	doc, err := load.File(t.Context(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	notes, err := annotate.Document(doc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Service(doc, notes, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// buildText builds the model of a definition without its head.
func buildText(t testing.TB, text string) *model.Service {
	t.Helper()
	if !strings.HasPrefix(text, "openapi:") && !strings.HasPrefix(text, "swagger:") {
		text = "openapi: 3.1.0\ninfo: {title: Shop API, version: '1'}\n" + text
	}
	path := filepath.Join(t.TempDir(), "api.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return buildFile(t, path)
}

// buildSchemas builds schemas that one operation returns as a list of Root.
func buildSchemas(t testing.TB, schemas string) *model.Service {
	t.Helper()
	return buildText(t, `paths:
  /things:
    get:
      operationId: list
      responses:
        '200':
          description: ok
          content: {application/json: {schema: {$ref: '#/components/schemas/Root'}}}
components:
  schemas:
`+schemas)
}

func operation(t testing.TB, s *model.Service, goName string) model.Operation {
	t.Helper()
	for _, op := range s.Operations {
		if op.GoName == goName {
			return op
		}
	}
	t.Fatalf("no operation %s; skipped: %v", goName, s.Skipped)
	return model.Operation{}
}

func declared(t testing.TB, s *model.Service, goName string) model.Type {
	t.Helper()
	for _, typ := range s.Types {
		if typ.GoName == goName {
			return typ
		}
	}
	var names []string
	for _, typ := range s.Types {
		names = append(names, typ.GoName)
	}
	t.Fatalf("no type %s among %v; skipped: %v", goName, names, s.Skipped)
	return model.Type{}
}

func errorNamed(t testing.TB, s *model.Service, goName string) model.ErrorType {
	t.Helper()
	for _, e := range s.Errors {
		if e.GoName == goName {
			return e
		}
	}
	t.Fatalf("no error %s", goName)
	return model.ErrorType{}
}

// goFields writes fields as Go does, without comments.
func goFields(fields []model.Field) []string {
	var out []string
	for _, f := range fields {
		line := f.GoName + " " + goType(f.Type)
		for _, tag := range f.Tags {
			line += " " + tag.Key + ":" + tag.Value
		}
		out = append(out, line)
	}
	return out
}

func goType(r model.Ref) string {
	switch r.Kind {
	case model.Qualified:
		return r.Package[strings.LastIndex(r.Package, "/")+1:] + "." + r.Name
	case model.Pointer:
		return "*" + goType(*r.Elem)
	case model.Slice:
		return "[]" + goType(*r.Elem)
	case model.Map:
		return "map[string]" + goType(*r.Elem)
	case model.Nullable:
		return "Nullable[" + goType(*r.Elem) + "]"
	}
	return r.Name
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}
