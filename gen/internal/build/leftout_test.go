package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// warned builds the model of the paths of a definition and returns what is
// warned of and skipped, each with its line and column.
func warned(t *testing.T, paths string) (*model.Service, []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.yaml")
	text := "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n" + paths
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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
	var out []string
	for _, w := range doc.Warnings.Sorted() {
		out = append(out, w.String())
	}
	for _, k := range s.Skipped {
		out = append(out, k.Position+": skipped "+k.What+": "+k.Why)
	}
	for i := range out {
		out[i] = strings.TrimPrefix(out[i], filepath.ToSlash(path)+":")
	}
	return s, out
}

func TestLeftOutMedia(t *testing.T) {
	_, got := warned(t, `  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/xml: {}
          application/json: {schema: {type: integer}}
          application/json; charset=utf-8: {schema: {type: string}}
      responses:
        '200':
          description: ok
          content:
            application/json: {schema: {type: string}}
            text/csv: {schema: {type: string}}
          headers:
            Content-Type: {schema: {type: string}}
            bad header: {schema: {type: string}}
            X-Good: {schema: {type: string}}
`)
	same(t, "warnings", got, []string{
		"9:11: warning: request body of type application/xml is left out: a request body of type application/xml is not supported",
		"11:11: warning: request body of type application/json; charset=utf-8 is left out: application/json is used",
		"17:13: warning: response 200 body of type text/csv is left out: application/json is used",
		`19:13: warning: the response header "Content-Type" is left out: OpenAPI ignores it, the media type says that`,
		`20:13: warning: the response header "bad header" is left out: that is no name of a header`,
	})
}

func TestLeftOutParameters(t *testing.T) {
	s, got := warned(t, `  /a:
    parameters:
      - {name: X-A, in: header, schema: {type: string}}
      - {name: Host, in: header, required: true, schema: {type: string}}
    get:
      operationId: a
      parameters:
        - {name: x-a, in: header, schema: {type: integer}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: bad header, in: header, schema: {type: string}}
        - {name: 'ck;=', in: cookie, schema: {type: string}}
        - {name: p, in: query, style: pipeDelimited, schema: {type: array, items: {type: array, items: {type: string}}}}
        - {name: k, in: header, schema: {type: array, items: {type: object}}}
        - {name: '', in: query, schema: {type: string}}
      responses: {'204': {description: ok}}
  /b:
    get:
      operationId: b
      parameters: [{name: bad header, in: header, required: true, schema: {type: string}}]
      responses: {'204': {description: ok}}
  /c:
    get:
      operationId: c
      parameters: [{name: n, in: query, required: true, schema: {type: object, required: [in], properties: {in: {type: object}}}}]
      responses: {'204': {description: ok}}
`)
	same(t, "fields", goFields(declared(t, s, "AInput").Fields), []string{"XA *int64 header:x-a"})
	same(t, "remarks", got, []string{
		`6:9: warning: the header parameter "X-A" is left out: x-a is the same header`,
		`7:9: warning: the header parameter "Host" is left out: the HTTP client writes that header`,
		`12:11: warning: the header parameter "Accept" is left out: OpenAPI ignores it, the responses say that`,
		`13:11: warning: the header parameter "bad header" is left out: that is no name of a header`,
		`14:11: warning: the cookie parameter "ck;=" is left out: that is no name of a cookie`,
		`15:11: warning: the query parameter "p" is left out: what is nested in a list or an object cannot be sent in the style pipeDelimited`,
		`16:11: warning: the header parameter "k" is left out: what is nested in a list or an object cannot be sent in the style simple`,
		`17:11: warning: the query parameter "" is left out: it has no name`,
		`20:5: skipped operation b: the header parameter "bad header": that is no name of a header`,
		`25:5: skipped operation c: the query parameter "n": what is nested in a list or an object cannot be sent in the style form`,
	})
}

func TestOddNames(t *testing.T) {
	s, got := warned(t, `  /a:
    get:
      operationId: a
      parameters:
        - {name: 'a,b', in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: "it's", in: query, schema: {type: string}}
        - {name: 'back\slash', in: query, schema: {type: string}}
        - {name: 'q"', in: query, schema: {type: string}}
        - {name: "x\ny", in: query, schema: {type: string}}
      responses: {'204': {description: ok}}
`)
	same(t, "fields", goFields(declared(t, s, "AInput").Fields), []string{
		"AB []string query:'a,b',explode=false", `ItS *string query:'it\'s'`, `BackSlash *string query:'back\\slash'`,
		`Q *string query:'q"'`, `XY *string query:'x\ny'`,
	})
	same(t, "remarks", len(got), 0)
}

func TestOddPaths(t *testing.T) {
	get := func(id string) string {
		return "{get: {operationId: " + id + ", responses: {'204': {description: ok}}}}\n"
	}
	s, got := warned(t, "  a: "+get("a")+"  /b/../x: "+get("b")+"  '/c}{': "+get("c")+"  '/d/{': "+get("d")+"  //e: "+get("e")+"  /f: "+get("f"))
	same(t, "operations", len(s.Operations), 2)
	same(t, "remarks", got, []string{
		`8:9: warning: the path "//e" has an empty segment`,
		`4:7: skipped operation a: the path "a" does not begin with /`,
		`5:13: skipped operation b: the path "/b/../x" has a segment ".."`,
		`6:12: skipped operation c: the braces of the path "/c}{" do not match`,
		`7:12: skipped operation d: the braces of the path "/d/{" do not match`,
	})
}

func TestNullableCycles(t *testing.T) {
	for _, c := range []struct{ name, schemas, typ, want string }{
		{"itself, anyOf", "    Root: {type: object, properties: {e: {anyOf: [{$ref: '#/components/schemas/Root'}, {type: 'null'}]}}}\n", "Root", "E Nullable[*Root] json:e,omitzero"},
		{"itself, oneOf", "    Root: {type: object, properties: {e: {oneOf: [{type: 'null'}, {$ref: '#/components/schemas/Root'}]}}}\n", "Root", "E Nullable[*Root] json:e,omitzero"},
		{"first of two", `    Root: {type: object, properties: {b: {anyOf: [{$ref: '#/components/schemas/Z'}, {type: 'null'}]}}}
    Z: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/Root'}}}
`, "Root", "B Nullable[*Z] json:b,omitzero"},
		{"second of two", `    Root: {type: object, required: [b], properties: {b: {$ref: '#/components/schemas/A'}}}
    A: {type: object, properties: {a: {anyOf: [{$ref: '#/components/schemas/Root'}, {type: 'null'}]}}}
`, "A", "A Nullable[*Root] json:a,omitzero"},
		{"both", `    Root: {type: object, properties: {b: {anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}]}}}
    A: {type: object, properties: {a: {anyOf: [{$ref: '#/components/schemas/Root'}, {type: 'null'}]}}}
`, "A", "A Nullable[*Root] json:a,omitzero"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := buildSchemas(t, c.schemas)
			same(t, "fields", goFields(declared(t, s, c.typ).Fields), []string{c.want})
		})
	}
}
