package build

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/load"
)

// places are the JSON pointers of schemas. They tell the order in which the
// definition lists members, which the maps of a document do not.
type places struct {
	doc      *load.Document
	pointers map[*openapi3.Schema]string
	// lists are the members of schemas that the definition does not have.
	lists map[*openapi3.Schema][]property
}

// newPlaces finds every schema of a document.
func newPlaces(doc *load.Document) *places {
	p := &places{doc: doc, pointers: make(map[*openapi3.Schema]string), lists: make(map[*openapi3.Schema][]property)}
	if c := doc.T.Components; c != nil {
		for name, ref := range c.Schemas {
			p.schema(ref, load.Pointer("components", "schemas", name))
		}
		for name, ref := range c.Parameters {
			p.parameter(ref, load.Pointer("components", "parameters", name))
		}
		for name, ref := range c.RequestBodies {
			if ref != nil && ref.Value != nil {
				p.content(ref.Value.Content, load.Pointer("components", "requestBodies", name, "content"))
			}
		}
		for name, ref := range c.Responses {
			if ref != nil && ref.Value != nil {
				p.content(ref.Value.Content, load.Pointer("components", "responses", name, "content"))
			}
		}
	}
	if doc.T.Paths == nil {
		return p
	}
	for path, item := range doc.T.Paths.Map() {
		if item == nil {
			continue
		}
		for i, ref := range item.Parameters {
			p.parameter(ref, load.Pointer("paths", path, "parameters", strconv.Itoa(i)))
		}
		for method, op := range item.Operations() {
			if op != nil {
				p.operation(op, operationPointer(item, path, method))
			}
		}
	}
	return p
}

func (p *places) operation(op *openapi3.Operation, at string) {
	for i, ref := range op.Parameters {
		p.parameter(ref, at+load.Pointer("parameters", strconv.Itoa(i)))
	}
	if op.RequestBody != nil && op.RequestBody.Value != nil && op.RequestBody.Ref == "" {
		p.content(op.RequestBody.Value.Content, at+"/requestBody/content")
	}
	for status, ref := range op.Responses.Map() {
		if ref != nil && ref.Value != nil && ref.Ref == "" {
			p.content(ref.Value.Content, at+load.Pointer("responses", status, "content"))
		}
	}
}

func (p *places) parameter(ref *openapi3.ParameterRef, at string) {
	if ref != nil && ref.Value != nil && ref.Ref == "" {
		p.schema(ref.Value.Schema, at+"/schema")
		p.content(ref.Value.Content, at+"/content")
	}
}

func (p *places) content(content openapi3.Content, at string) {
	for name, media := range content {
		if media != nil {
			p.schema(media.Schema, at+load.Pointer(name, "schema"))
		}
	}
}

// schema finds a schema and those in it.
func (p *places) schema(ref *openapi3.SchemaRef, at string) {
	if ref == nil || ref.Value == nil || lastToken(ref.Ref, componentPrefix) != "" {
		return
	}
	s := ref.Value
	if old, ok := p.pointers[s]; ok && old <= at {
		return
	}
	p.pointers[s] = at
	for name, r := range s.Properties {
		p.schema(r, at+load.Pointer("properties", name))
	}
	for name, r := range s.PatternProperties {
		p.schema(r, at+load.Pointer("patternProperties", name))
	}
	for key, list := range map[string]openapi3.SchemaRefs{"allOf": s.AllOf, "oneOf": s.OneOf, "anyOf": s.AnyOf} {
		for i, r := range list {
			p.schema(r, at+load.Pointer(key, strconv.Itoa(i)))
		}
	}
	p.schema(s.Items, at+"/items")
	p.schema(s.AdditionalProperties.Schema, at+"/additionalProperties")
}

// members lists the properties of s in the order of the definition; by name
// where that is not known.
func (p *places) members(s *openapi3.Schema) []property {
	if list := p.lists[s]; list != nil {
		return list
	}
	return p.ordered(s.Properties, p.pointers[s]+"/properties")
}

func (p *places) ordered(schemas openapi3.Schemas, at string) []property {
	type placed struct {
		property
		key [2]int
	}
	all := make([]placed, 0, len(schemas))
	for name, ref := range schemas {
		if ref != nil {
			where := p.doc.Position(at + load.Pointer(name))
			all = append(all, placed{property{name, ref}, [2]int{where.Line, where.Column}})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		return cmp.Or(slices.Compare(a.key[:], b.key[:]), cmp.Compare(a.name, b.name))
	})
	out := make([]property, len(all))
	for i, m := range all {
		out[i] = m.property
	}
	return out
}
