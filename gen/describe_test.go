package gen

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// description describes a definition; places are of "spec.yaml".
func description(t *testing.T, text string) *Description {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("spec.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Describe(context.Background(), Config{Specs: []string{"spec.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDescribePlaces(t *testing.T) {
	d := description(t, `swagger: '2.0'
info: {title: Shop, version: '1'}
x-throttle-codes: {codes: [busy], statuses: [430]}
x-retry:
  transient: {statuses: [5XX]}
  serverDelay: {headers: [{name: Wait}]}
  errorCode: [{header: Code}]
paths:
  /a:
    x-throttle-codes: [full]
    get:
      operationId: a
      x-long-polling: true
      responses:
        '204': {description: Fine.}
        '404': {description: None., schema: {$ref: '#/definitions/Missing'}}
        default: {description: Broken., x-retry-class: transient}
definitions:
  Missing: {type: object, x-retry-class: terminal}
`)
	want := Places{
		"throttling.codes.busy": "spec.yaml:3:28", "throttling.statuses.430": "spec.yaml:3:46",
		"transient.statuses": "spec.yaml:5:15", "transient.statuses.500-599": "spec.yaml:5:26",
		"serverDelay.headers": "spec.yaml:6:17", "errorCode": "spec.yaml:7:3",
	}
	if !reflect.DeepEqual(d.Places, want) {
		t.Errorf("document: got %v, want %v", d.Places, want)
	}
	op := d.Operations[0]
	if want := (Places{"throttling.codes.full": "spec.yaml:10:24", "x-long-polling": "spec.yaml:13:7"}); !reflect.DeepEqual(op.Places, want) {
		t.Errorf("operation: got %v, want %v", op.Places, want)
	}
	missing := ErrorCase{Statuses: StatusRange{From: 404, To: 404}, Class: "terminal", Place: "spec.yaml:19:27"}
	broken := ErrorCase{Class: "transient", Place: "spec.yaml:17:41"}
	if want := []ErrorCase{missing, broken}; !reflect.DeepEqual(op.Errors, want) {
		t.Errorf("errors: got %+v, want %+v", op.Errors, want)
	}
}

func TestDescribeProfileOfOperation(t *testing.T) {
	d := description(t, `openapi: 3.2.0
info: {title: Shop, version: '1'}
paths:
  /a:
    additionalOperations:
      COPY:
        operationId: a
        x-retry: {profile: dynamodb}
        responses:
          '204': {description: Fine.}
          4XX: {description: No., x-retry-class: throttling}
`)
	op := d.Operations[0]
	if op.Retry == nil || op.Retry.Profile != "dynamodb" || op.Retry.MaxAttempts != 4 || op.Places["profile"] != "spec.yaml:8:19" {
		t.Errorf("got %+v at %v", op.Retry, op.Places)
	}
	if len(op.Errors) != 1 || op.Errors[0].Place != "spec.yaml:11:35" {
		t.Errorf("errors: %+v", op.Errors)
	}
}

func TestDescribeRefuses(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	for want, specs := range map[string][]string{
		"no definition is given": nil, "got 2 definitions, want one": {"a", "b"}, "missing.yaml": {missing},
	} {
		if d, err := Describe(context.Background(), Config{Specs: specs}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v", specs, d, err)
		}
	}
}
