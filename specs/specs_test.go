package specs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// files lists the definitions of this folder, without overlays.
func files(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		doc, _ := load(t, name).(map[string]any)
		return doc["openapi"] == nil
	})
}

func TestDefinitionsLoad(t *testing.T) {
	operations := map[string]int{"dynamodb.yaml": 24, "orders.yaml": 27}
	for file := range operations {
		if !slices.Contains(files(t), file) {
			t.Errorf("%s: missing", file)
		}
	}
	for _, file := range files(t) {
		t.Run(file, func(t *testing.T) {
			loader := openapi3.NewLoader()
			loader.IncludeOrigin = true
			doc, err := loader.LoadFromFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := doc.Validate(loader.Context, openapi3.DisableExamplesValidation()); err != nil {
				t.Error(err)
			}
			names := map[string]bool{}
			for path, item := range doc.Paths.Map() {
				for method, op := range item.Operations() {
					if op.OperationID == "" || op.Summary == "" || len(op.Tags) == 0 && len(doc.Tags) > 0 {
						t.Errorf("%s %s: operationId, summary or tags are missing", method, path)
					}
					if op.Origin == nil || op.Origin.Key == nil {
						t.Errorf("%s %s: no position", method, path)
					}
					names[op.OperationID] = true
				}
			}
			if got, want := len(names), operations[file]; want > 0 && got != want {
				t.Errorf("got %d operations, want %d", got, want)
			}
		})
	}
}

// TestDynamoDBErrors checks that each error says how it is retried.
func TestDynamoDBErrors(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("dynamodb.yaml")
	if err != nil {
		t.Fatal(err)
	}
	classes := map[string]string{
		"ConditionalCheckFailedException":          "terminal",
		"DuplicateItemException":                   "terminal",
		"IdempotentParameterMismatchException":     "terminal",
		"InternalServerError":                      "transient",
		"ItemCollectionSizeLimitExceededException": "terminal",
		"LimitExceededException":                   "throttling",
		"ProvisionedThroughputExceededException":   "throttling",
		"ReplicatedWriteConflictException":         "terminal",
		"RequestLimitExceeded":                     "throttling",
		"ResourceInUseException":                   "terminal",
		"ResourceNotFoundException":                "terminal",
		"ThrottlingException":                      "throttling",
		"TransactionCanceledException":             "terminal",
		"TransactionConflictException":             "terminal",
		"TransactionInProgressException":           "throttling",
	}
	for name, schema := range doc.Components.Schemas {
		got, _ := schema.Value.Extensions["x-retry-class"].(string)
		if want := classes[name]; got != want {
			t.Errorf("%s: x-retry-class is %q, want %q", name, got, want)
		}
		delete(classes, name)
	}
	for name := range classes {
		t.Errorf("%s: missing", name)
	}
}

// TestAnnotations checks each annotation of the definitions against the schema,
// and that together they show all annotations there are.
func TestAnnotations(t *testing.T) {
	schema := compile(t)
	used := map[string]bool{}
	for _, file := range files(t) {
		walk(load(t, file), nil, func(path []string, name string, value any) {
			at := file + ": " + strings.Join(append(path, name), " ")
			if name == "x-serviceName" { // names the service to generators; no annotation
				return
			}
			ext, ok := schema.extensions[name]
			if !ok {
				t.Errorf("%s: unknown extension", at)
				return
			}
			used[name] = true
			if err := ext.Validate(value); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			if place := placeOf(path); !slices.Contains(schema.where[name], place) {
				t.Errorf("%s: stands on %s, want one of %q", at, place, schema.where[name])
			}
		})
	}
	for name := range schema.extensions {
		if !used[name] {
			t.Errorf("%s: no definition uses it", name)
		}
	}
}

func TestSchemaAccepts(t *testing.T) {
	schema := compile(t)
	for _, test := range []struct{ name, value string }{
		{"x-retry", `{maxAttempts: 1, attemptTimeout: 1m30s, maxBackoff: 0.5s}`},
		{"x-retry", `{mode: 'off'}`},
		{"x-retry", `{profile: sqs, serverDelay: {policy: clamp}}`},
		{"x-retry", `{serverDelay: {headers: [{name: Retry-After}]}}`},
		{"x-retry", `{serverDelay: {headers: [{pointer: /wait, unit: epochMs}, {name: RateLimit, unit: rateLimit}]}}`},
		{"x-retry", `{errorWhen: {pointer: /ok, equals: false}}`},
		{"x-retry", `{errorWhen: {pointer: /error}, minAttemptTime: 5ms, deadlineHeader: A, shouldRetryHeader: B}`},
		{"x-retry", `{errorCode: [{header: X-Error}, {pointer: /errors/0/code}, {xml: Error/Code}]}`},
		{"x-retry", `{quota: {firstAttemptRefund: 1}}`},
		{"x-retry", `{transient: {codes: [oops], statuses: [500, 5XX]}}`},
		{"x-throttle-codes", `[busy, 429, 5XX]`},
		{"x-throttle-codes", `{codes: [busy]}`},
		{"x-retry-class", `throttling`},
		{"x-idempotent", `false`},
		{"x-idempotency-key", `true`},
		{"x-idempotency-key", `Idempotency-Key`},
		{"x-idempotency-key", `{property: /request/token}`},
		{"x-long-polling", `true`},
		{"x-long-polling", `{waitParameter: wait, unit: ms}`},
		{"x-pagination", `{style: link, items: ''}`},
		{"x-pagination", `{style: nextURL, output: /next, items: /data, more: /more}`},
		{"x-waiter", `{Gone: {delay: 1s, acceptors: [{state: success, status: 404}]}}`},
		{"x-waiter", `{Done: {acceptors: [{state: success, pointer: /done, equals: true}]}}`},
	} {
		if err := schema.extensions[test.name].Validate(parse(t, test.value)); err != nil {
			t.Errorf("%s: %s: %v", test.name, test.value, err)
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	schema := compile(t)
	for _, test := range []struct{ name, value, at string }{ // at: the part that is at fault
		{"x-retry", `{}`, ""},
		{"x-retry", `standard`, ""},
		{"x-retry", `{maxAttempt: 3}`, ""},
		{"x-retry", `{maxAttempts: 0}`, "/maxAttempts"},
		{"x-retry", `{maxAttempts: 2.5}`, "/maxAttempts"},
		{"x-retry", `{maxAttempts: '3'}`, "/maxAttempts"},
		{"x-retry", `{profile: http}`, "/profile"},
		{"x-retry", `{mode: none}`, "/mode"},
		{"x-retry", `{mode: false}`, "/mode"},
		{"x-retry", `{baseDelay: 25ms}`, "/baseDelay"},
		{"x-retry", `{baseDelay: {transient: 25}}`, "/baseDelay/transient"},
		{"x-retry", `{baseDelay: {transient: 25 ms}}`, "/baseDelay/transient"},
		{"x-retry", `{baseDelay: {throttle: 1s}}`, "/baseDelay"},
		{"x-retry", `{maxBackoff: '20'}`, "/maxBackoff"},
		{"x-retry", `{attemptTimeout: -1s}`, "/attemptTimeout"},
		{"x-retry", `{totalTimeout: 1d}`, "/totalTimeout"},
		{"x-retry", `{quota: {capacity: 0}}`, "/quota/capacity"},
		{"x-retry", `{quota: {firstAttemptRefund: 0}}`, "/quota/firstAttemptRefund"},
		{"x-retry", `{serverDelay: {policy: honor}}`, "/serverDelay/policy"},
		{"x-retry", `{serverDelay: {headers: [Retry-After]}}`, "/serverDelay/headers/0"},
		{"x-retry", `{serverDelay: {headers: [{unit: s}]}}`, "/serverDelay/headers/0"},
		{"x-retry", `{serverDelay: {headers: [{name: Retry-After, unit: m}]}}`, "/serverDelay/headers/0/unit"},
		{"x-retry", `{serverDelay: {headers: [{name: 'Retry After'}]}}`, "/serverDelay/headers/0/name"},
		{"x-retry", `{serverDelay: {headers: [{name: A, pointer: /a}]}}`, "/serverDelay/headers/0/name"},
		{"x-retry", `{serverDelay: {headers: [{pointer: a}]}}`, "/serverDelay/headers/0/pointer"},
		{"x-retry", `{errorWhen: {equals: 1}}`, "/errorWhen"},
		{"x-retry", `{errorWhen: {pointer: /a, equals: ''}}`, "/errorWhen/equals"},
		{"x-retry", `{errorWhen: {pointer: /a, equals: null}}`, "/errorWhen/equals"},
		{"x-retry", `{minAttemptTime: 5}`, "/minAttemptTime"},
		{"x-retry", `{errorCode: {pointer: /code}}`, "/errorCode"},
		{"x-retry", `{errorCode: [{}]}`, "/errorCode/0"},
		{"x-retry", `{errorCode: [{pointer: code}]}`, "/errorCode/0/pointer"},
		{"x-retry", `{errorCode: [{header: X-Code, pointer: /code}]}`, "/errorCode/0"},
		{"x-retry", `{errorCode: [{xml: /Error/Code}]}`, "/errorCode/0/xml"},
		{"x-retry", `{transient: [500]}`, "/transient"},
		{"x-retry", `{throttling: {statuses: [600]}}`, "/throttling/statuses/0"},
		{"x-retry", `{throttling: {statuses: ['429']}}`, "/throttling/statuses/0"},
		{"x-retry", `{terminal: {codes: [404]}}`, "/terminal/codes/0"},
		{"x-retry", `{adaptive: {}}`, "/adaptive"},
		{"x-retry", `{attemptHeader: ''}`, "/attemptHeader"},
		{"x-retry", `{envPrefix: orders}`, "/envPrefix"},
		{"x-throttle-codes", `[]`, ""},
		{"x-throttle-codes", `busy`, ""},
		{"x-throttle-codes", `{}`, ""},
		{"x-throttle-codes", `[42]`, "/0"},
		{"x-throttle-codes", `[5xx]`, "/0"},
		{"x-throttle-codes", `{code: [busy]}`, ""},
		{"x-throttle-codes", `{statuses: [5xx]}`, "/statuses/0"},
		{"x-retry-class", `retryable`, ""},
		{"x-retry-class", `true`, ""},
		{"x-idempotent", `'yes'`, ""},
		{"x-idempotency-key", `false`, ""},
		{"x-idempotency-key", `Idempotency Key`, ""},
		{"x-idempotency-key", `{}`, ""},
		{"x-idempotency-key", `{header: A, property: b}`, ""},
		{"x-idempotency-key", `{query: a}`, ""},
		{"x-long-polling", `false`, ""},
		{"x-long-polling", `20s`, ""},
		{"x-long-polling", `{unit: s}`, ""},
		{"x-long-polling", `{waitParameter: wait, unit: m}`, "/unit"},
		{"x-pagination", `cursor`, ""},
		{"x-pagination", `{style: token, items: /items}`, "/style"},
		{"x-pagination", `{items: /items}`, ""},
		{"x-pagination", `{style: link}`, ""},
		{"x-pagination", `{style: cursor, input: cursor, items: /items}`, ""},
		{"x-pagination", `{style: cursor, output: /next, items: /items}`, ""},
		{"x-pagination", `{style: offset, items: /items}`, ""},
		{"x-pagination", `{style: page, items: /items}`, ""},
		{"x-pagination", `{style: nextURL, items: /items}`, ""},
		{"x-pagination", `{style: page, input: page, items: items}`, "/items"},
		{"x-waiter", `{}`, ""},
		{"x-waiter", `{'Not a name': {acceptors: [{state: success, status: 200}]}}`, ""},
		{"x-waiter", `{A: {delay: 1s}}`, "/A"},
		{"x-waiter", `{A: {delay: 1, acceptors: [{state: success, status: 200}]}}`, "/A/delay"},
		{"x-waiter", `{A: {acceptors: []}}`, "/A/acceptors"},
		{"x-waiter", `{A: {acceptors: [{state: success}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{status: 200}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{state: done, status: 200}]}}`, "/A/acceptors/0/state"},
		{"x-waiter", `{A: {acceptors: [{state: success, pointer: /a}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{state: success, equals: a}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{state: success, status: 200, errorCode: a}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{state: success, pointer: /a, equals: b, status: 200}]}}`, "/A/acceptors/0"},
		{"x-waiter", `{A: {acceptors: [{state: success, pointer: /a, equals: [b]}]}}`, "/A/acceptors/0/equals"},
	} {
		err := schema.extensions[test.name].Validate(parse(t, test.value))
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %s: accepted", test.name, test.value)
			continue
		}
		if places := faults(invalid); !slices.Contains(places, test.at) {
			t.Errorf("%s: %s: refused at %q, want %q", test.name, test.value, places, test.at)
		}
	}
}

// TestSchemaDescribes checks that each key says what it means.
func TestSchemaDescribes(t *testing.T) {
	schema := compile(t)
	places := []string{"document", "path", "operation", "parameter", "response", "schema", "property"}
	for name, where := range schema.where {
		if len(where) == 0 {
			t.Errorf("%s: no x-where", name)
		}
		for _, place := range where {
			if !slices.Contains(places, place) {
				t.Errorf("%s: x-where has %q, want one of %q", name, place, places)
			}
		}
	}
	var visit func(at string, node any)
	visit = func(at string, node any) {
		switch node := node.(type) {
		case map[string]any:
			if properties, ok := node["properties"].(map[string]any); ok && !strings.Contains(at, "/if") && !strings.HasSuffix(at, "/then") {
				if node["additionalProperties"] != false {
					t.Errorf("%s: additionalProperties is not false", at)
				}
				for key, property := range properties {
					text, _ := property.(map[string]any)["description"].(string)
					if text == "" {
						t.Errorf("%s: %s has no description", at, key)
					}
				}
			}
			for key, value := range node {
				visit(at+"/"+key, value)
			}
		case []any:
			for i, value := range node {
				visit(at+"/"+strconv.Itoa(i), value)
			}
		}
	}
	visit("$defs", schema.defs)
}

type compiled struct {
	defs       map[string]any
	extensions map[string]*jsonschema.Schema
	where      map[string][]string
}

// compile reads Schema.
func compile(t *testing.T) compiled {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	const location = "retrygen.schema.json"
	if err := compiler.AddResource(location, doc); err != nil {
		t.Fatal(err)
	}
	if _, err := compiler.Compile(location); err != nil {
		t.Fatal(err)
	}
	c := compiled{
		defs:       doc.(map[string]any)["$defs"].(map[string]any),
		extensions: map[string]*jsonschema.Schema{},
		where:      map[string][]string{},
	}
	for name, def := range c.defs {
		if !strings.HasPrefix(name, "x-") {
			continue
		}
		schema, err := compiler.Compile(location + "#/$defs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		c.extensions[name] = schema
		where, _ := def.(map[string]any)["x-where"].([]any)
		for _, place := range where {
			c.where[name] = append(c.where[name], place.(string))
		}
	}
	for name := range doc.(map[string]any)["properties"].(map[string]any) {
		if c.extensions[name] == nil {
			t.Errorf("%s: no definition", name)
		}
	}
	if got, want := len(c.extensions), len(doc.(map[string]any)["properties"].(map[string]any)); got != want {
		t.Errorf("%d extensions are defined, %d listed", got, want)
	}
	return c
}

// parse reads YAML.
func parse(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// faults lists where the causes of err lie, as JSON pointers.
func faults(err *jsonschema.ValidationError) []string {
	if len(err.Causes) == 0 {
		var at strings.Builder
		for _, part := range err.InstanceLocation {
			at.WriteString("/" + part)
		}
		return []string{at.String()}
	}
	var places []string
	for _, cause := range err.Causes {
		places = append(places, faults(cause)...)
	}
	return places
}

func load(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(data))
}

// walk calls visit for each key below node that begins with x-, with the path of the object that has it.
func walk(node any, path []string, visit func(path []string, name string, value any)) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if strings.HasPrefix(key, "x-") {
				visit(slices.Clone(path), key, value)
				continue
			}
			walk(value, append(slices.Clone(path), key), visit)
		}
	case []any:
		for i, value := range node {
			walk(value, append(slices.Clone(path), strconv.Itoa(i)), visit)
		}
	}
}

// placeOf names the kind of object at path, as x-where does.
func placeOf(path []string) string {
	n := len(path)
	parent := ""
	if n > 1 {
		parent = path[n-2]
	}
	switch {
	case n == 0:
		return "document"
	case n == 2 && path[0] == "paths":
		return "path"
	case n == 3 && path[0] == "paths":
		return "operation"
	case parent == "responses":
		return "response"
	case parent == "parameters":
		return "parameter"
	case parent == "properties":
		return "property"
	case parent == "schemas":
		return "schema"
	}
	return "another object"
}

// TestDocs checks the examples and the table of places in the reference page.
func TestDocs(t *testing.T) {
	schema := compile(t)
	page, err := os.ReadFile("../docs/annotations.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for i, block := range strings.Split(string(page), "```yaml\n")[1:] {
		example, _, _ := strings.Cut(block, "```")
		walk(parse(t, example), nil, func(_ []string, name string, value any) {
			ext, ok := schema.extensions[name]
			if !ok {
				t.Errorf("example %d: %s: unknown extension", i+1, name)
				return
			}
			shown[name] = true
			if err := ext.Validate(value); err != nil {
				t.Errorf("example %d: %s: %v", i+1, name, err)
			}
		})
	}
	for name, where := range schema.where {
		if !shown[name] {
			t.Errorf("%s: no example", name)
		}
		row := "| [`" + name + "`](#" + name + ") | " + strings.Join(where, ", ") + " |\n"
		if !strings.Contains(string(page), row) {
			t.Errorf("the table of places lacks %q", row)
		}
	}
}
