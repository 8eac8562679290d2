package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// write puts files into a new working directory.
func write(t testing.TB, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, name string, opts Options) *Document {
	t.Helper()
	d, err := File(context.Background(), name, opts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const shop = `openapi: 3.1
info: {title: Shop, version: 1.0}
x-base: &base {deprecated: false, tags: [items]}
paths:
  /items/{id}:
    get:
      <<: *base
      operationId: getItem
      tags: [2024, items]
      responses:
        200:
          description: The item.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Item'}
components:
  schemas:
    Item:
      type: object
      properties:
        on: {type: string, maxLength: 1e2}
        size: {$ref: '#/components/schemas/Size'}
    Size:
      type: object
      properties:
        width: {type: integer}
`

func TestFileYAML(t *testing.T) {
	write(t, map[string]string{"shop.yaml": shop})
	d := open(t, "shop.yaml", Options{})
	op := d.T.Paths.Value("/items/{id}").Get
	if d.Version != "3.1" || d.T.OpenAPI != "3.1.0" || d.T.Info.Version != "1.0" {
		t.Errorf("versions: got %q, %q and %q", d.Version, d.T.OpenAPI, d.T.Info.Version)
	}
	if strings.Join(op.Tags, " ") != "2024 items" || op.OperationID != "getItem" {
		t.Errorf("merge key: got %q %q", op.Tags, op.OperationID)
	}
	item := op.Responses.Value("200").Value.Content["application/json"].Schema
	on := item.Value.Properties["on"]
	if item.Ref != "#/components/schemas/Item" || on == nil || *on.Value.MaxLength != 100 {
		t.Errorf("schema: got %q %+v", item.Ref, on)
	}
	if len(d.Warnings) != 0 {
		t.Errorf("warnings: %v", d.Warnings)
	}
}

func TestPosition(t *testing.T) {
	write(t, map[string]string{"shop.yaml": shop})
	d := open(t, "./shop.yaml", Options{})
	tests := []struct{ pointer, want string }{
		{"", "shop.yaml:1:1"},
		{"/info/title", "shop.yaml:2:8"},
		{"/paths/~1items~1{id}/get", "shop.yaml:6:5"},
		{"/paths/~1items~1{id}/get/tags/1", "shop.yaml:9:20"},
		{"/paths/~1items~1{id}/get/responses/200", "shop.yaml:11:9"},
		{"/components/schemas/Item/properties/size/properties/width", "shop.yaml:26:9"}, // through a reference
		{"/components/schemas/Item/missing/more", "shop.yaml:18:5"},                     // as far as it is there
	}
	for _, test := range tests {
		if got := d.Position(test.pointer).String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.pointer, got, test.want)
		}
	}
}

func TestPositionJSON(t *testing.T) {
	write(t, map[string]string{"shop.json": "{\n\t\"swagger\": \"2.0\",\n\t\"info\": {\"title\": \"\\ud83d\\ude00 é\", \"version\": \"1\"},\n" +
		"\t\"paths\": {\"/a\": {\"get\": {\"responses\": {\"200\": {\"description\": \"é\", \"schema\": {\"$ref\": \"#/definitions/A\"}}}}}},\n" +
		"\t\"definitions\": {\"A\": {\"allOf\": [{\"type\": \"object\"}, {\"type\": \"string\"}]}}\n}\n"})
	d := open(t, "shop.json", Options{})
	if got := d.T.Info.Title; got != "\U0001F600 é" {
		t.Errorf("title: got %q", got)
	}
	tests := []struct{ pointer, want string }{
		{"/paths/~1a/get/responses/200/schema", "shop.json:4:69"},
		{"/components/schemas/A", "shop.json:5:18"}, // definitions
		{"/components/schemas/A/allOf/1", "shop.json:5:54"},
	}
	for _, test := range tests {
		if got := d.Position(test.pointer).String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.pointer, got, test.want)
		}
	}
	if got := len(d.T.Components.Schemas["A"].Value.AllOf); got != 2 {
		t.Errorf("allOf: got %d schemas, want 2", got)
	}
}

func TestBundle(t *testing.T) {
	write(t, map[string]string{
		"api/root.yaml": `openapi: 3.0.3
info: {title: Split, version: '1'}
paths:
  /a: {$ref: paths/a.yaml}
  /b:
    get: {$ref: 'paths/b.yaml#/get'}
components:
  schemas:
    Renamed: {$ref: 'models.yaml#/Adopted'}
    Node: {type: string}
`,
		"api/paths/a.yaml": `get:
  operationId: a
  responses:
    '200': {$ref: '../responses.yaml#/Ok'}
`,
		"api/paths/b.yaml": `get:
  operationId: b
  description: {$ref: text.yaml}
  responses:
    '200':
      description: Fine.
      content: {application/json: {schema: {$ref: '../root.yaml#/components/schemas/Renamed'}}}
`,
		"api/paths/text.yaml": "Told elsewhere.\n",
		"api/responses.yaml":  "Ok: {description: Fine., content: {application/json: {schema: {$ref: 'models.yaml#/Node'}}}}\n",
		"api/models.yaml": `Node: {type: object, properties: {next: {$ref: '#/Node'}, other: {$ref: '#/Adopted'}}}
Adopted:
  oneOf: [{$ref: '#/Cat'}]
  discriminator: {propertyName: kind, mapping: {cat: '#/Cat', plain: Dog}}
  properties: {$ref: '#/Shared'}
Cat: {type: object}
Shared: {name: {type: string}}
`,
	})
	d := open(t, "api/root.yaml", Options{})
	schemas := d.T.Components.Schemas
	if got := d.T.Paths.Value("/b").Get.Description; got != "Told elsewhere." {
		t.Errorf("description: got %q", got)
	}
	a := d.T.Paths.Value("/a").Get.Responses.Value("200")
	if got := a.Value.Content["application/json"].Schema.Ref; got != "#/components/schemas/Node_2" {
		t.Errorf("a name that is taken: got %q", got)
	}
	if got := schemas["Node_2"].Value.Properties["next"].Ref; got != "#/components/schemas/Node_2" {
		t.Errorf("recursion: got %q", got)
	}
	if got := schemas["Node_2"].Value.Properties["other"].Ref; got != "#/components/schemas/Renamed" {
		t.Errorf("adopted: got %q", got)
	}
	renamed := schemas["Renamed"].Value
	if got := renamed.Discriminator.Mapping["cat"].Ref; got != "#/components/schemas/Cat" {
		t.Errorf("mapping: got %q", got)
	}
	if renamed.Properties["name"] == nil {
		t.Error("properties that are a reference: got none")
	}
	for pointer, want := range map[string]string{
		"/paths/~1a/get":                           "api/paths/a.yaml:1:1",
		"/components/schemas/Node_2":               "api/models.yaml:1:1",
		"/components/schemas/Node_2/properties":    "api/models.yaml:1:22",
		"/paths/~1a/get/responses/200/description": "api/responses.yaml:1:6",
	} {
		if got := d.Position(pointer).String(); got != want {
			t.Errorf("%s: got %s, want %s", pointer, got, want)
		}
	}
}

func TestRepair(t *testing.T) {
	write(t, map[string]string{"odd.yaml": `openapi: 3.0.3
info: {title: Odd, version: '1'}
paths:
  /a:
    post:
      operationId: a
      deprecated: 'true'
      parameters:
        - {$ref: '#/components/schemas/A'}
        - {name: b, in: query, required: [b], schema: {type: array, items: [{type: string}]}}
      requestBody: {$ref: '#/components/responses/R'}
      responses:
        '200': {$ref: '#/components/responses/R'}
        '201': {$ref: '#/components/schemas/A'}
components:
  responses:
    R: {description: 12}
  schemas:
    A: {type: object, minItems: -1, maximum: '3.5', required: true, title: null, properties: []}
`})
	d := open(t, "odd.yaml", Options{})
	want := `odd.yaml:9:12: warning: $ref "#/components/schemas/A" is left out: it leads to a schema, want a parameter
odd.yaml:10:32: warning: required is left out: got list, want boolean
odd.yaml:10:69: warning: items is left out: got list, want object or boolean
odd.yaml:11:21: warning: $ref "#/components/responses/R" is left out: it leads to a response, want a requestBody
odd.yaml:14:17: warning: $ref "#/components/schemas/A" is left out: it leads to a schema, want a response
odd.yaml:19:23: warning: minItems is left out: got -1, want a whole number
odd.yaml:19:53: warning: required is left out: got true, want list
odd.yaml:19:82: warning: properties is left out: got list, want object`
	if got := d.Warnings.Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	op := d.T.Paths.Value("/a").Post
	if !op.Deprecated || len(op.Parameters) != 1 || op.RequestBody != nil || op.Responses.Len() != 1 {
		t.Errorf("got %+v", op)
	}
	if a := d.T.Components.Schemas["A"].Value; a.Max == nil || *a.Max != 3.5 {
		t.Errorf("maximum: got %v, want 3.5", a.Max)
	}
}

func TestLimits(t *testing.T) {
	deepYAML := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	chain := "x0: &x0 [" + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "]\n" +
		"x1: " + strings.Repeat("[", 300) + "*x0" + strings.Repeat("]", 300) + "\n"
	tests := []struct{ name, file, text, want string }{
		{"deep YAML", "a.yaml", "x: " + deepYAML, "a.yaml:1:504: values nest more than 500 deep"},
		{"deep JSON", "a.json", `{"x": ` + deepYAML + "}", "a.json:1:507: values nest more than 500 deep"},
		{"deep by aliases", "a.yaml", chain, "a.yaml:2:305: values nest more than 500 deep"},
		{"aliases", "a.yaml", "a: &a [1,2,3,4,5,6,7,8]\n" + strings.Join(doublings(20), "\n"), "a.yaml: YAML aliases expand to more than 1000000 values"},
		{"a key that is no text", "a.yaml", "? [a]\n: b\n", "a.yaml:1:3: a key must be a string"},
		{"merge of no object", "a.yaml", "<<: 3\n", "a.yaml:1:5: << merges a number, want an object"},
		{"twice in JSON", "a.json", "{\"a\": 1,\n \"a\": 2}", `a.json:2:2: key "a" is there twice, first at 1:2`},
		{"twice by notation", "a.yaml", "200: a\n'200': b\n", `a.yaml:2:1: key "200" is there twice, first at 1:1`},
		{"not UTF-8", "a.json", "{\"a\": \"\xff\"}", "a.json:1:8: not JSON: invalid UTF-8"},
		{"two values", "a.json", "{} {}", "a.json:1:4: not JSON: something follows the value"},
		{"cut off", "a.json", "{\"a\": [1", "a.json:1:9: not JSON: the file ends too early"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := parse(test.file, []byte(test.text))
			if got := diags.Sorted().Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// doublings are lists of which each has the one before it twice.
func doublings(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		before := "a"
		if i > 0 {
			before = "b" + strings.Repeat("x", i-1)
		}
		name := "b" + strings.Repeat("x", i)
		lines[i] = name + ": &" + name + " [*" + before + ", *" + before + "]"
	}
	return lines
}

func TestInlinedReferencesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.3\ninfo: {title: Wide, version: '1'}\npaths: {/a: {get: {responses: {'204': {description: x}}}}}\n")
	b.WriteString("components:\n  schemas:\n")
	for i := range 40 {
		next := "#/x-maps/m" + strings.Repeat("y", i+1)
		b.WriteString("    S" + strings.Repeat("y", i) + ": {properties: {$ref: '" + next + "'}}\n")
	}
	b.WriteString("x-maps:\n")
	for i := range 42 {
		next := "#/x-maps/m" + strings.Repeat("y", i+1)
		if i == 41 {
			next = "#/x-maps/m"
		}
		b.WriteString("  m" + strings.Repeat("y", i) + ": {a: {properties: {$ref: '" + next + "'}}, b: {properties: {$ref: '" + next + "'}}}\n")
	}
	write(t, map[string]string{"wide.yaml": b.String()})
	_, err := File(context.Background(), "wide.yaml", Options{})
	if err == nil || !strings.Contains(err.Error(), "expand to more than 128 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestErrorIsList(t *testing.T) {
	write(t, map[string]string{"a.yaml": "openapi: 3.0.3\npaths: {/a: {$ref: b.yaml}, /b: {$ref: b.yaml}}\n"})
	_, err := File(context.Background(), "a.yaml", Options{})
	list, ok := err.(diag.List)
	if !ok || len(list) != 3 { // two references, no operations
		t.Fatalf("got %v", err)
	}
	if got, want := list[1].Position.String(), "a.yaml:2:14"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnchors(t *testing.T) {
	write(t, map[string]string{
		"a.yaml": `openapi: 3.1.0
paths: {/a: {get: {responses: {'200': {description: x, content: {application/json: {schema: {$ref: '#item'}}}}}}}}
components: {schemas: {Item: {$anchor: item, properties: {other: {$ref: 'b.yaml#other'}, none: true}}}}
`,
		"b.yaml": "list: [{$anchor: other, type: string}]\n",
		"c.yaml": "openapi: 3.1.0\npaths: {/a: {get: {}}}\ncomponents: {schemas: {A: {$ref: '#nowhere'}}}\n",
	})
	d := open(t, "a.yaml", Options{})
	schema := d.T.Paths.Value("/a").Get.Responses.Value("200").Value.Content["application/json"].Schema
	if schema.Ref != "#/components/schemas/Item" || !schema.Value.Properties["other"].Value.Type.Is("string") {
		t.Errorf("got %q %+v", schema.Ref, schema.Value.Properties["other"])
	}
	_, err := File(context.Background(), "c.yaml", Options{})
	if want := `c.yaml:3:28: $ref "#nowhere": c.yaml has no $anchor nowhere`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/root.yaml":
			fmt.Fprint(w, "openapi: 3.0.3\npaths: {/a: {$ref: parts/a.yaml}}\n")
		case "/parts/a.yaml":
			fmt.Fprint(w, "get: {responses: {'200': {$ref: '../more.yaml#/R'}}}\n")
		case "/more.yaml":
			fmt.Fprint(w, "R: {description: Far.}\n")
		case "/local.yaml":
			fmt.Fprint(w, "openapi: 3.0.3\npaths: {/a: {$ref: 'file:///etc/hosts'}}\n")
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	write(t, map[string]string{
		"a.yaml": "openapi: 3.0.3\npaths: {/a: {$ref: '" + server.URL + "/parts/a.yaml'}}\n",
		"b.yaml": "openapi: 3.0.3\npaths: {/a: {$ref: '" + server.URL + "/none.yaml'}, /b: {get: {}}}\n",
	})
	for _, name := range []string{"a.yaml", server.URL + "/root.yaml"} {
		d := open(t, name, Options{AllowNetwork: true})
		if got := *d.T.Paths.Value("/a").Get.Responses.Value("200").Value.Description; got != "Far." {
			t.Errorf("%s: got %q", name, got)
		}
		if got, want := d.Position("/paths/~1a/get").String(), server.URL+"/parts/a.yaml:1:1"; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"b.yaml":                   "none.yaml: status 404 Not Found",
		server.URL + "/local.yaml": "cannot refer to local files",
	} {
		_, err := File(context.Background(), name, Options{AllowNetwork: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if _, err := File(context.Background(), "a.yaml", Options{}); err == nil || !strings.Contains(err.Error(), "-allow-network") {
		t.Errorf("got %v", err)
	}
}

// FuzzFile checks that no file makes the loader panic.
func FuzzFile(f *testing.F) {
	f.Add([]byte(shop))
	f.Add([]byte(`{"swagger": "2.0", "paths": {"/a": {"get": {"parameters": [{"in": "body", "schema": {"$ref": "#/definitions/A"}}]}}}, "definitions": {"A": {"allOf": [{"$ref": "#/definitions/A"}]}}}`))
	f.Add([]byte("openapi: 3.0.3\npaths: {/a: {get: {$ref: '#/paths/~1a/get'}}}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/A'}}}"))
	f.Add([]byte("a: &a\n  <<: *a\n"))
	f.Add([]byte("swagger: '2.0'\npaths: {/a: {get: {parameters: [null], responses: {200: null}}}}\nsecurityDefinitions: {a: null}\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(dir, "fuzz.yaml")
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := File(t.Context(), name, Options{})
		if (d == nil) == (err == nil) {
			t.Fatalf("got %v and %v", d, err)
		}
	})
}
