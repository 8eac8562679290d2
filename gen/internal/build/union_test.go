package build

import (
	"testing"

	"github.com/retrygen/retrygen/gen/internal/model"
)

const pets = `    Cat: {type: object, required: [kind, lives], properties: {kind: {type: string}, lives: {type: integer}}}
    Dog: {type: object, required: [kind], properties: {kind: {type: string}}}
`

func TestDiscriminator(t *testing.T) {
	s := buildSchemas(t, `    Root:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {tom: '#/components/schemas/Cat', cat: Cat}}
`+pets)
	same(t, "union", *declared(t, s, "Root").Union, model.Union{
		Interface: "RootValue", Method: "isRoot", Table: "root", Unknown: "RootUnknown", Discriminator: "kind",
		Variants: []model.Variant{
			{GoType: "Cat", Pointer: true, Values: []string{"cat", "tom"}},
			{GoType: "Dog", Pointer: true, Values: []string{"Dog"}},
		},
	})
}

func TestVariantsByContent(t *testing.T) {
	s := buildSchemas(t, `    Root:
      oneOf: [{$ref: '#/components/schemas/Dog'}, {$ref: '#/components/schemas/Cat'}, {type: string}, {type: array, items: {type: string}}]
`+pets)
	same(t, "variants", declared(t, s, "Root").Union.Variants, []model.Variant{
		{GoType: "Cat", Pointer: true, Kinds: []string{"object"}, Required: []string{"kind", "lives"}},
		{GoType: "Dog", Pointer: true, Kinds: []string{"object"}, Required: []string{"kind"}},
		{GoType: "RootString", Kinds: []string{"string"}},
		{GoType: "RootArray", Kinds: []string{"array"}},
	})
	same(t, "RootArray", goType(declared(t, s, "RootArray").Underlying), "[]string")
}

func TestSeveralTypesAreAUnion(t *testing.T) {
	s := buildSchemas(t, `    Root: {type: object, required: [v], properties: {v: {type: [string, number, 'null']}}}
`)
	same(t, "fields", goFields(declared(t, s, "Root").Fields), []string{"V *RootV json:v"})
	same(t, "variants", declared(t, s, "RootV").Union.Variants, []model.Variant{
		{GoType: "RootVString", Kinds: []string{"string"}}, {GoType: "RootVNumber", Kinds: []string{"number"}},
	})
}

func TestFixedMemberDiscriminates(t *testing.T) {
	s := buildSchemas(t, `    Root:
      oneOf:
        - {type: object, required: [type], properties: {type: {const: card}, token: {type: string}}}
        - {type: object, required: [type], properties: {type: {type: string, enum: [voucher]}}}
`)
	u := declared(t, s, "Root").Union
	same(t, "discriminator", u.Discriminator, "type")
	same(t, "variants", u.Variants, []model.Variant{
		{GoType: "RootCard", Pointer: true, Values: []string{"card"}},
		{GoType: "RootVoucher", Pointer: true, Values: []string{"voucher"}},
	})
}

func TestHierarchy(t *testing.T) {
	s := buildSchemas(t, `    Root: {$ref: '#/components/schemas/Pet'}
    Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {type: object, properties: {lives: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
`)
	same(t, "variants", declared(t, s, "Pet").Union.Variants, []model.Variant{
		{GoType: "Cat", Pointer: true, Values: []string{"Cat"}}, {GoType: "Dog", Pointer: true, Values: []string{"Dog"}},
	})
	same(t, "Cat", goFields(declared(t, s, "Cat").Fields), []string{"Kind string json:kind", "Lives *int64 json:lives,omitzero"})
}

func TestMembersBesideOneOf(t *testing.T) {
	s := buildSchemas(t, `    Root:
      type: object
      required: [id]
      properties: {id: {type: string}}
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
`+pets)
	v := declared(t, s, "Root").Union.Variants
	same(t, "fields", goFields(declared(t, s, v[0].GoType).Fields), []string{
		"ID string json:id", "Kind string json:kind", "Lives int64 json:lives",
	})
}
