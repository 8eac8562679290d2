package build

import (
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// TestLongPollingDefault: the wait that the server takes by default stands in
// the schema of the parameter or of the property.
func TestLongPollingDefault(t *testing.T) {
	s := buildText(t, `paths:
  /a:
    get:
      operationId: parameter
      x-long-polling: {waitParameter: wait}
      parameters: [{name: wait, in: query, schema: {type: integer, default: 90}}]
      responses: {'204': {description: ok}}
  /b:
    post:
      operationId: property
      x-long-polling: {waitParameter: wait, unit: ms}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Poll'}}}}
      responses: {'204': {description: ok}}
  /c:
    get:
      operationId: none
      x-long-polling: {waitParameter: wait}
      parameters: [{name: wait, in: query, schema: {type: integer}}, {name: other, in: query, schema: {type: integer, default: 5}}]
      responses: {'204': {description: ok}}
  /d:
    get:
      operationId: zero
      x-long-polling: {waitParameter: wait}
      parameters: [{name: wait, in: query, schema: {type: integer, default: 0}}]
      responses: {'204': {description: ok}}
components:
  schemas:
    Poll: {type: object, properties: {wait: {$ref: '#/components/schemas/Wait'}}}
    Wait: {type: number, default: 2500}
`)
	for _, tt := range []struct {
		name string
		want model.LongPolling
		doc  string
	}{
		{"Parameter", model.LongPolling{Wait: "wait", Unit: time.Second, Default: 90}, "what wait asks for, 1m30s if it is not set."},
		{"Property", model.LongPolling{Wait: "wait", Unit: time.Millisecond, Default: 2500}, "what wait asks for, 2.5s if it is not set."},
		{"None", model.LongPolling{Wait: "wait", Unit: time.Second}, "what wait asks for."},
		{"Zero", model.LongPolling{Wait: "wait", Unit: time.Second}, "what wait asks for."},
	} {
		op := operation(t, s, tt.name)
		same(t, tt.name, *op.LongPolling, tt.want)
		if !strings.HasSuffix(op.Doc, tt.doc) {
			t.Errorf("%s: got %q, want it to end with %q", tt.name, op.Doc, tt.doc)
		}
	}
}

func TestSpoken(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Minute: "2m", time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Second: "10s", 20 * time.Minute: "20m",
		100 * time.Second: "1m40s", time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s", 0: "0s", 10 * time.Hour: "10h",
	} {
		same(t, want, spoken(d), want)
	}
}

// TestDescribePlaces: a type that is named by its place says so.
func TestDescribePlaces(t *testing.T) {
	s := buildSchemas(t, `    Root:
      type: object
      properties:
        part: {type: object, properties: {x: {type: string}}}
        list: {type: array, items: {type: string, enum: [a]}}
        table: {type: object, additionalProperties: {type: object, properties: {y: {type: string}}}}
        told: {type: object, description: What is told., properties: {z: {type: string}}}
        named: {$ref: '#/components/schemas/Named'}
    Named: {type: object, properties: {x: {type: string}}}
`)
	for name, want := range map[string]string{
		"RootPart":       "RootPart is the Part of [Root].",
		"RootListItem":   "RootListItem is an item of List of [Root].",
		"RootTableValue": "RootTableValue is a value of Table of [Root].",
		"RootTold":       "RootTold is what is told.",
		"Named":          "Named is a schema of the definition.",
	} {
		same(t, name, declared(t, s, name).Doc, want)
	}
}
