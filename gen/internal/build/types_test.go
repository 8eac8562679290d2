package build

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// TestFields pairs the schema of one member with its field.
func TestFields(t *testing.T) {
	for _, c := range []struct{ name, required, member, want string }{
		{"optional scalar", "", "{type: string}", "X *string json:x,omitzero"},
		{"required scalar", "x", "{type: string}", "X string json:x"},
		{"required null 3.1", "x", "{type: [string, 'null']}", "X *string json:x"},
		{"optional null 3.1", "", "{type: [string, 'null']}", "X Nullable[string] json:x,omitzero"},
		{"optional null 3.0", "", "{type: string, nullable: true}", "X Nullable[string] json:x,omitzero"},
		{"anyOf null", "", "{anyOf: [{type: integer}, {type: 'null'}]}", "X Nullable[int64] json:x,omitzero"},
		{"enum null", "x", "{type: [string, 'null'], enum: [a, null]}", "X *RootX json:x"},
		{"formats", "x", "{type: string, format: date-time}", "X time.Time json:x"},
		{"date", "x", "{type: string, format: date}", "X httpapi.Date json:x"},
		{"bytes", "", "{type: string, format: byte}", "X []byte json:x,omitzero"},
		{"int32", "x", "{type: integer, format: int32}", "X int32 json:x"},
		{"integer", "x", "{type: integer}", "X int64 json:x"},
		{"float", "x", "{type: number, format: float}", "X float32 json:x"},
		{"number", "x", "{type: number}", "X float64 json:x"},
		{"unix time", "x", "{type: number, format: unixtime}", "X httpapi.UnixTime json:x"},
		{"anything", "x", "{}", "X any json:x"},
		{"list", "", "{type: array, items: {type: string}}", "X []string json:x,omitzero"},
		{"list of null", "x", "{type: array, items: {type: [string, 'null']}}", "X []*string json:x"},
		{"required null list", "x", "{type: [array, 'null'], items: {type: string}}", "X *[]string json:x"},
		{"map", "", "{type: object, additionalProperties: {type: integer}}", "X map[string]int64 json:x,omitzero"},
		{"object", "", "{type: object}", "X map[string]any json:x,omitzero"},
		{"struct", "", "{type: object, properties: {y: {type: string}}}", "X *RootX json:x,omitzero"},
		{"required struct", "x", "{type: object, properties: {y: {type: string}}}", "X RootX json:x"},
		{"const", "x", "{type: string, const: card}", "X string json:x"},
		{"both booleans", "x", "{type: boolean, enum: [true, false]}", "X bool json:x"},
		{"alias by allOf", "", "{allOf: [{type: string}, {description: words}]}", "X *string json:x,omitzero"},
		{"one variant", "", "{oneOf: [{type: string}]}", "X *string json:x,omitzero"},
		{"strings of two kinds", "", "{anyOf: [{type: string}, {type: string, enum: [a]}]}", "X *string json:x,omitzero"},
		{"read only", "x", "{type: string, readOnly: true}", "X string json:x,omitzero"},
		{"conditions beside", "x", "{type: object, properties: {a: {type: string}}, anyOf: [{required: [a]}]}", "X RootX json:x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := buildSchemas(t, "    Root: {type: object, required: ["+c.required+"], properties: {x: "+c.member+"}}\n")
			same(t, "fields", goFields(declared(t, s, "Root").Fields), []string{c.want})
		})
	}
}

func TestFieldsKeepTheirOrder(t *testing.T) {
	s := buildSchemas(t, `    Root:
      allOf:
        - {$ref: '#/components/schemas/Base'}
        - {type: object, required: [id, zeta], properties: {name: {type: string, format: date}, id: {type: string}}}
    Base: {type: object, properties: {zeta: {type: string}, name: {}, alpha: {type: string}}}
`)
	same(t, "fields", goFields(declared(t, s, "Root").Fields), []string{
		"Zeta string json:zeta", "Name *httpapi.Date json:name,omitzero", "Alpha *string json:alpha,omitzero", "ID string json:id",
	})
}

func TestMemberNames(t *testing.T) {
	s := buildSchemas(t, `    Root:
      type: object
      properties: {user_id: {}, userId: {}, "a,b'": {}, '': {}, '-': {}}
      additionalProperties: {type: integer}
`)
	same(t, "fields", goFields(declared(t, s, "Root").Fields), []string{
		"UserID any json:user_id,omitzero", "UserIDMember any json:userId,omitzero",
		"Minus any json:-,omitzero", "Extra map[string]any json:,embed",
	})
}

func TestRecursion(t *testing.T) {
	s := buildSchemas(t, `    Root: {type: object, required: [next, tree], properties: {next: {$ref: '#/components/schemas/Next'}, tree: {$ref: '#/components/schemas/Tree'}}}
    Next: {type: object, required: [root], properties: {root: {$ref: '#/components/schemas/Root'}}}
    Tree: {type: array, items: {$ref: '#/components/schemas/Tree'}}
    Loop: {allOf: [{$ref: '#/components/schemas/Loop'}]}
`)
	tree := declared(t, s, "Tree")
	same(t, "Tree", tree.Kind, model.Defined)
	same(t, "Tree", goType(tree.Underlying), "[]Tree")
	root, next := goFields(declared(t, s, "Root").Fields), goFields(declared(t, s, "Next").Fields)
	if !strings.Contains(root[0]+next[0], "*") {
		t.Errorf("Root and Next contain each other: %v, %v", root, next)
	}
}

func TestEnum(t *testing.T) {
	s := buildSchemas(t, `    Root: {type: object, properties: {state: {$ref: '#/components/schemas/State'}, level: {type: integer, enum: [1, 2]}}}
    State: {type: string, enum: [ACTIVE, in-progress, in_progress]}
`)
	state := declared(t, s, "State")
	same(t, "values", state.Values, []model.Value{
		{GoName: "StateActive", Literal: "ACTIVE"},
		{GoName: "StateInProgress", Literal: "in-progress"},
		{GoName: "StateValueInProgress", Literal: "in_progress"},
	})
	same(t, "values", declared(t, s, "RootLevel").Values, []model.Value{
		{GoName: "RootLevel1", Literal: int64(1)}, {GoName: "RootLevel2", Literal: int64(2)},
	})
}

func TestEnumNames(t *testing.T) {
	s := buildSchemas(t, `    Root: {type: object, properties: {a: {type: integer, enum: [1, 2], x-enum-varnames: [LOW, HIGH]}, b: {type: string, enum: [x, y], x-ms-enum: {values: [{value: y, name: Why}]}}}}
`)
	same(t, "varnames", declared(t, s, "RootA").Values, []model.Value{
		{GoName: "RootALOW", Literal: int64(1)}, {GoName: "RootAHIGH", Literal: int64(2)},
	})
	same(t, "x-ms-enum", declared(t, s, "RootB").Values, []model.Value{
		{GoName: "RootBX", Literal: "x"}, {GoName: "RootBWhy", Literal: "y"},
	})
}

// TestJSONTag wants tags as the JSON package reads them.
func TestJSONTag(t *testing.T) {
	for _, name := range []string{"a", "-", "ü", "a b", "$x", "a:b", "a/b", "a\tb", "\u2028"} {
		if !canTag(name) {
			t.Errorf("canTag(%q) is false", name)
		}
		field := reflect.StructField{Name: "X", Type: reflect.TypeFor[int](), Tag: reflect.StructTag("json:" + strconv.Quote(jsonTag(name, true)))}
		v := reflect.New(reflect.StructOf([]reflect.StructField{field})).Elem()
		v.Field(0).SetInt(1)
		data, err := json.Marshal(v.Interface())
		want, _ := json.Marshal(map[string]int{name: 1})
		if err != nil || string(data) != string(want) {
			t.Errorf("jsonTag(%q) is %s: got %s, %v, want %s", name, jsonTag(name, true), data, err, want)
		}
	}
}

func TestOneMember(t *testing.T) {
	s := buildSchemas(t, `    Root: {type: object, minProperties: 1, maxProperties: 1, required: [a], properties: {a: {type: string}, b: {type: string}}}
`)
	root := declared(t, s, "Root")
	same(t, "OneMember", root.OneMember, true)
	same(t, "fields", goFields(root.Fields), []string{"A *string json:a,omitzero", "B *string json:b,omitzero"})
}

func TestUnsupportedSchemaCostsItsOperations(t *testing.T) {
	s := buildText(t, `paths:
  /a: {get: {operationId: a, responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pair'}}}}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
components:
  schemas:
    Pair: {type: array, prefixItems: [{type: string}, {type: integer}]}
`)
	operation(t, s, "B")
	if len(s.Operations) != 1 || len(s.Skipped) != 1 {
		t.Fatalf("got operations %v, skipped %v", s.Operations, s.Skipped)
	}
	skip := s.Skipped[0]
	same(t, "What", skip.What, "operation a")
	same(t, "Why", skip.Why, "the response body: prefixItems, an array whose items have types by place, is not supported (schema Pair)")
	if !strings.HasSuffix(skip.Position, "api.yaml:4:8") {
		t.Errorf("position %s", skip.Position)
	}
}
