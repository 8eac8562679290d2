package annotate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/retrygen/retrygen/specs"
)

// schema is the JSON Schema of the annotations.
type schema struct {
	raw        any                           // the schema itself, for looking around
	names      []string                      // of the extensions, sorted
	validators map[string]*jsonschema.Schema // by extension
}

// theSchema compiles the embedded schema, once. It panics if that is no
// schema, which is a bug of the generator.
var theSchema = sync.OnceValue(func() *schema {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(specs.Schema))
	if err != nil {
		panic("annotate: the schema of the annotations is not JSON: " + err.Error())
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaURL, raw); err != nil {
		panic("annotate: the schema of the annotations: " + err.Error())
	}
	s := &schema{raw: raw, validators: map[string]*jsonschema.Schema{}}
	extensions, _ := at(raw, "properties").(map[string]any)
	s.names = slices.Sorted(maps.Keys(extensions))
	for _, name := range s.names {
		s.validators[name] = c.MustCompile(schemaURL + "#/$defs/" + name)
	}
	return s
})

const schemaURL = "retrygen.schema.json"

// at returns what keys lead to in decoded JSON; nil if that is nothing.
func at(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// locate returns the part of the schema that a location in an error names.
func (s *schema) locate(url string) any {
	_, fragment, _ := strings.Cut(url, "#")
	var keys []string
	for token := range strings.SplitSeq(strings.Trim(fragment, "/"), "/") {
		keys = append(keys, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	return at(s.raw, keys...)
}

// places returns where an extension may stand.
func (s *schema) places(name string) []string { return whereOf(at(s.raw, "$defs", name)) }

// limited returns the keys of an extension that may stand in fewer places
// than the extension itself.
func (s *schema) limited(name string) map[string][]string {
	out := map[string][]string{}
	properties, _ := at(s.raw, "$defs", name, "properties").(map[string]any)
	for key, part := range properties {
		if where := whereOf(part); where != nil {
			out[key] = where
		}
	}
	return out
}

func whereOf(part any) []string {
	list, _ := at(part, "x-where").([]any)
	var places []string
	for _, v := range list {
		if place, ok := v.(string); ok {
			places = append(places, place)
		}
	}
	return places
}

// validate checks the value of an extension. The errors are the leaves of
// the validator's tree.
func (s *schema) validate(name string, value any) []*jsonschema.ValidationError {
	// The validator wants numbers as encoding/json makes them.
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	value, err = jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	invalid, ok := s.validators[name].Validate(value).(*jsonschema.ValidationError)
	if !ok {
		return nil
	}
	return leaves(invalid)
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, ok := e.ErrorKind.(*kind.PropertyNames); ok || len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var out []*jsonschema.ValidationError
	for _, c := range e.Causes {
		out = append(out, leaves(c)...)
	}
	return out
}
