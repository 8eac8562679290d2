package annotate

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

func status(code int) model.StatusRange { return model.StatusRange{From: code, To: code} }

func TestOver(t *testing.T) {
	near := model.Retry{
		MaxAttempts: 5, Quota: model.Quota{Capacity: 10},
		Transient: model.Match{Codes: []string{"busy", "slow"}, Statuses: []model.StatusRange{status(500)}},
	}
	far := model.Retry{
		Profile: "http-1", MaxAttempts: 3, MaxBackoff: time.Second, Quota: model.Quota{Capacity: 500, TransientCost: 7},
		Transient:  model.Match{Codes: []string{"slow", "late"}},
		Throttling: model.Match{Codes: []string{"busy", "limit"}, Statuses: []model.StatusRange{status(429), status(500)}},
	}
	want := model.Retry{
		Profile: "http-1", MaxAttempts: 5, MaxBackoff: time.Second, Quota: model.Quota{Capacity: 10, TransientCost: 7},
		Transient:  model.Match{Codes: []string{"busy", "slow", "late"}, Statuses: []model.StatusRange{status(500)}},
		Throttling: model.Match{Codes: []string{"limit"}, Statuses: []model.StatusRange{status(429)}},
	}
	if got := Over(near, far); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// read returns the annotations of a definition.
func read(t *testing.T, spec string) *Notes {
	t.Helper()
	name := filepath.Join(t.TempDir(), "spec.yaml")
	if err := os.WriteFile(name, []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := load.File(context.Background(), name, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, err := Document(d)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLevels(t *testing.T) {
	n := read(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
x-retry:
  profile: dynamodb
  baseDelay: {transient: 10ms}
  transient: {statuses: [5XX]}
  serverDelay: {policy: clamp, headers: [{name: Wait, unit: ms}, {name: Retry-After}, {pointer: /wait, unit: s}]}
  errorWhen: {pointer: /ok, equals: false}
  minAttemptTime: 20ms
  deadlineHeader: Time-Left
  shouldRetryHeader: Again
  errorCode: [{header: X-Code}, {pointer: /code}]
x-throttle-codes: [busy, 429, 4XX]
paths:
  /a:
    x-retry: {maxAttempts: 2, throttling: {codes: [path]}}
    get:
      operationId: a
      x-retry: {attemptTimeout: 1.5s, mode: off}
      x-throttle-codes: {codes: [own], statuses: [503]}
      responses: {'204': {description: Fine.}}
    put:
      operationId: b
      responses: {'204': {description: Fine.}}
  /b:
    additionalOperations:
      COPY: {operationId: c, x-idempotent: false, responses: {'204': {description: Fine.}}}
`)
	document := model.Retry{
		Profile: "dynamodb", BaseTransient: 10 * time.Millisecond, ServerDelay: "clamp",
		DelayHeaders: []model.DelayHeader{{Name: "Wait", Unit: "ms"}, {Name: "Retry-After", Unit: "http"}, {Pointer: "/wait", Unit: "s"}},
		ErrorWhen:    &model.BodyCondition{Pointer: "/ok", Equals: "false"},

		MinAttemptTime: 20 * time.Millisecond, DeadlineHeader: "Time-Left", ShouldRetryHeader: "Again",

		ErrorCode:  []model.CodeSource{{Header: "X-Code"}, {Pointer: "/code"}},
		Transient:  model.Match{Statuses: []model.StatusRange{{From: 500, To: 599}}},
		Throttling: model.Match{Codes: []string{"busy"}, Statuses: []model.StatusRange{status(429), {From: 400, To: 499}}},
	}
	if got := n.Document(); !reflect.DeepEqual(got, document) {
		t.Errorf("document: got\n%+v\nwant\n%+v", got, document)
	}
	a := model.Retry{
		MaxAttempts: 2, Mode: "off", AttemptTimeout: 1500 * time.Millisecond,
		Throttling: model.Match{Codes: []string{"own", "path"}, Statuses: []model.StatusRange{status(503)}},
	}
	if got := n.Operation("/a", "get").Retry; got == nil || !reflect.DeepEqual(*got, a) {
		t.Errorf("a: got\n%+v\nwant\n%+v", got, a)
	}
	b := model.Retry{MaxAttempts: 2, Throttling: model.Match{Codes: []string{"path"}}}
	if got := n.Operation("/a", "PUT").Retry; got == nil || !reflect.DeepEqual(*got, b) {
		t.Errorf("b: got\n%+v\nwant\n%+v", got, b)
	}
	c := n.Operation("/b", "COPY")
	if c.Retry != nil || c.Idempotent == nil || *c.Idempotent {
		t.Errorf("c: got %+v, want nothing but not idempotent", c)
	}
}

// TestPartition: a partition goes to the operations that have it; the nearest
// level decides.
func TestPartition(t *testing.T) {
	n := read(t, `openapi: 3.1.0
info: {title: Shop, version: '1'}
x-retry: {mode: adaptive, adaptive: {partition: tenant}}
paths:
  /a:
    x-retry: {maxAttempts: 2, adaptive: {partition: user}}
    get:
      parameters: [{name: user, in: query, schema: {type: string}}]
      responses: {'204': {description: ok}}
    put:
      parameters: [{name: tenant, in: header, schema: {type: string}}]
      responses: {'204': {description: ok}}
    post:
      x-retry: {adaptive: {partition: table}}
      requestBody: {content: {application/json: {schema: {type: object, properties: {table: {type: string}}}}}}
      responses: {'204': {description: ok}}
  /b:
    get:
      parameters: [{name: tenant, in: query, schema: {type: string}}]
      responses: {'204': {description: ok}}
`)
	if got := n.Document().Partition; got != "tenant" {
		t.Errorf("document: %q", got)
	}
	for method, want := range map[string]string{"GET": "user", "PUT": "", "POST": "table"} {
		if got := n.Operation("/a", method).Retry; got == nil || got.Partition != want || got.MaxAttempts != 2 {
			t.Errorf("%s /a: %+v, want partition %q", method, got, want)
		}
	}
	if got := n.Operation("/b", "GET").Retry; got != nil {
		t.Errorf("GET /b: %+v, want nothing of its own", got)
	}
}

func TestOperation(t *testing.T) {
	n := read(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /a:
    parameters: [{$ref: '#/components/parameters/Token'}]
    post:
      operationId: a
      x-long-polling: {waitParameter: wait, unit: ms}
      x-waiter:
        Second: {acceptors: [{state: retry, errorCode: NotYet}, {state: success, status: 200}]}
        First:
          delay: 1s
          maxDelay: 2s
          acceptors: [{state: success, pointer: /items/0/done, equals: true}, {state: failure, status: 410}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Query'}}}}
      responses:
        '200': {description: Fine., content: {application/json: {schema: {$ref: '#/components/schemas/Page'}}}}
    get:
      operationId: b
      x-idempotency-key: Token
      x-long-polling: true
      responses: {'204': {description: Fine.}}
  /b:
    post:
      operationId: c
      x-pagination: {style: cursor, input: /after, output: /next, items: /items}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Marked'}}}}
      responses:
        '200': {description: Fine., content: {application/json: {schema: {$ref: '#/components/schemas/Page'}}}}
components:
  parameters:
    Token: {name: Token, in: header, x-idempotency-key: true, schema: {type: string}}
  schemas:
    Query: {type: object, properties: {wait: {type: integer}}}
    Marked:
      allOf: [{$ref: '#/components/schemas/Query'}]
      properties: {after: {type: string}, id: {type: string, x-idempotency-key: true}}
    Page:
      type: object
      properties:
        next: {type: string}
        items: {type: array, items: {type: object, properties: {done: {type: boolean}}}}
`)
	a := Operation{
		Key: &model.Key{Header: "Token"}, LongPolling: &model.LongPolling{Wait: "wait", Unit: time.Millisecond},
		Waiters: []model.Waiter{
			{Name: "First", Delay: time.Second, MaxDelay: 2 * time.Second, Acceptors: []model.Acceptor{
				{State: "success", Pointer: "/items/0/done", Equals: "true"}, {State: "failure", Status: 410},
			}},
			{Name: "Second", Acceptors: []model.Acceptor{{State: "retry", ErrorCode: "NotYet"}, {State: "success", Status: 200}}},
		},
	}
	if got := n.Operation("/a", "POST"); !reflect.DeepEqual(got, a) {
		t.Errorf("a: got\n%+v\nwant\n%+v", got, a)
	}
	b := Operation{Key: &model.Key{Header: "Token"}, LongPolling: &model.LongPolling{}}
	if got := n.Operation("/a", "GET"); !reflect.DeepEqual(got, b) {
		t.Errorf("b: got\n%+v\nwant\n%+v", got, b)
	}
	c := Operation{
		Key:   &model.Key{Property: "id"},
		Pages: &model.Pages{Style: "cursor", Input: "/after", Output: "/next", Items: "/items"},
	}
	if got := n.Operation("/b", "POST"); !reflect.DeepEqual(got, c) {
		t.Errorf("c: got\n%+v\nwant\n%+v", got, c)
	}
}

// FuzzDocument checks that no annotations cause a panic.
func FuzzDocument(f *testing.F) {
	f.Add("x-retry", `{"quota": {"capacity": 1e99}, "transient": {"statuses": ["5XX", 1.5]}}`, "post")
	f.Add("x-pagination", `{"style": "cursor", "input": "/~", "output": "/items/00", "items": ""}`, "get")
	f.Add("x-waiter", `{"A": {"acceptors": [{"state": "retry", "pointer": "/a", "equals": null}]}}`, "get")
	f.Add("x-idempotency-key", `{"property": "/"}`, "put")
	f.Add("x-throttle-codes", `[1e2, "XXX", null]`, "put")
	f.Add("x-long-polling", `{"waitParameter": ""}`, "put")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, name, value, method string) {
		spec := "{\"openapi\": \"3.1.0\", \"" + name + "\": " + value + ", \"paths\": {\"/a\": {\"" + name + "\": " + value + ", \"" +
			method + "\": {\"" + name + "\": " + value + ", \"parameters\": [{\"name\": \"a\", \"in\": \"header\", \"" + name + "\": " + value +
			"}], \"requestBody\": {\"content\": {\"a/json\": {\"schema\": {\"properties\": {\"a\": {\"" + name + "\": " + value +
			"}}}}}}, \"responses\": {\"200\": {\"content\": {\"a/json\": {\"schema\": {\"items\": {}, \"allOf\": [{}]}}}}}}}}}"
		file := filepath.Join(dir, "fuzz.json")
		if err := os.WriteFile(file, []byte(spec), 0o644); err != nil {
			t.Fatal(err)
		}
		d, err := load.File(t.Context(), file, load.Options{})
		if err != nil {
			return
		}
		if n, err := Document(d); (n == nil) == (err == nil) {
			t.Fatalf("got %v and %v", n, err)
		}
	})
}

// TestClass checks that the conversion of 2.0 keeps what [Class] reads.
func TestClass(t *testing.T) {
	name := filepath.Join(t.TempDir(), "spec.yaml")
	spec := `swagger: '2.0'
info: {title: Shop, version: '1'}
paths:
  /a:
    get:
      operationId: a
      responses:
        '429': {description: Slow., x-retry-class: throttling}
        '500': {description: Broken., schema: {$ref: '#/definitions/Broken'}}
definitions:
  Broken: {type: object, x-retry-class: transient}
`
	if err := os.WriteFile(name, []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := load.File(context.Background(), name, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	responses := d.T.Paths.Value("/a").Get.Responses
	if got := Class(responses.Value("429").Value.Extensions); got != "throttling" {
		t.Errorf("response: got %q", got)
	}
	schema := responses.Value("500").Value.Content["application/json"].Schema
	if got := Class(schema.Value.Extensions); got != "transient" {
		t.Errorf("schema: got %q", got)
	}
}
