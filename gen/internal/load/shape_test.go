package load

import (
	"context"
	"strings"
	"testing"
)

// TestValuesInThePlaceOfObjects wants each to be left out where it stands.
func TestValuesInThePlaceOfObjects(t *testing.T) {
	write(t, map[string]string{"a.yaml": `openapi: 3.0.3
info: {title: A, version: '1'}
paths:
  /a:
    get:
      operationId: a
      parameters: [null, 5, {name: q, in: query, schema: {type: string}}]
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                discriminator: kind
                properties: {kind: {type: string}, b: 5, c: null, d: {allOf: [x, {type: string}]}}
`})
	d := open(t, "a.yaml", Options{})
	want := `a.yaml:7:20: warning: this parameter is left out: got null, want object
a.yaml:7:26: warning: this parameter is left out: got 5, want object
a.yaml:15:17: warning: discriminator is left out: got string, want object
a.yaml:16:52: warning: b is left out: got 5, want object
a.yaml:16:58: warning: c is left out: got null, want object
a.yaml:16:79: warning: this schema is left out: got string, want object`
	if got := d.Warnings.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	get := d.T.Paths.Value("/a").Get
	if schema := get.Responses.Value("200").Value.Content["application/json"].Schema.Value; len(get.Parameters) != 1 || len(schema.Properties) != 2 {
		t.Errorf("got %d parameters and %d properties, want 1 and 2", len(get.Parameters), len(schema.Properties))
	}
}

// TestTwoBodies has 2.0 definitions that OpenAPI 3 cannot say.
func TestTwoBodies(t *testing.T) {
	write(t, map[string]string{"a.yaml": `swagger: '2.0'
info: {title: A, version: '1'}
host: https://example.com/x
paths:
  /a:
    parameters: [{name: b, in: body, schema: {type: object}}, {name: c, in: body, schema: {type: string}}]
    put:
      parameters: [{name: c, in: body, schema: {type: string}}]
      responses: {200: {description: ok}}
  /b:
    post:
      parameters: [{$ref: '#/parameters/F'}, {name: c, in: body, schema: {type: string}}]
      responses: {200: {description: ok}}
    put:
      parameters: [{name: c, in: body, schema: {type: string}}, {$ref: '#/parameters/F'}]
      responses: {200: {description: ok}}
parameters:
  F: {name: f, in: formData, type: string}
`})
	_, err := File(context.Background(), "a.yaml", Options{})
	want := `a.yaml:3:1: host: got "https://example.com/x", want a host alone, such as api.example.com
a.yaml:6:18: the body "b" is a second one: "c" is the body of the operation at a.yaml:7:5
a.yaml:12:46: "f" of the form and the body "c" cannot be sent together by the operation at a.yaml:11:5
a.yaml:15:65: "f" of the form and the body "c" cannot be sent together by the operation at a.yaml:14:5`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestNoOperations wants a definition without operations to be read all the
// same, so that more can be said of it.
func TestNoOperations(t *testing.T) {
	write(t, map[string]string{"a.yaml": "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths: {}\n"})
	d := open(t, "a.yaml", Options{})
	if got := d.Problems.Error(); !strings.HasPrefix(got, "a.yaml:3:1: the definition has no operations") {
		t.Errorf("got %s", got)
	}
}
