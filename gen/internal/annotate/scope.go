package annotate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/load"
)

// scope is what the annotations of an operation can name.
type scope struct {
	doc        *load.Document
	operation  load.Object
	parameters []parameter
	request    []load.Object // schemas of the request body
	response   []load.Object // schemas of the bodies of success
}

type parameter struct {
	load.Object
	name, in string
}

func newScope(d *load.Document, op entry) *scope {
	s := &scope{doc: d, operation: op.Object}
	for _, o := range []load.Object{op.Object, op.item} {
		if list, ok := s.child(o, "parameters"); ok {
			s.addParameters(list)
		}
	}
	if body, ok := s.child(op.Object, "requestBody"); ok {
		s.request = append(s.request, s.bodies(body)...)
	}
	if responses, ok := s.child(op.Object, "responses"); ok {
		for _, r := range members(d, responses) {
			if strings.HasPrefix(r.name, "2") || r.name == "default" && len(s.response) == 0 {
				s.response = append(s.response, s.bodies(r.Object)...)
			}
		}
	}
	return s
}

// child returns the member of o, or of what o refers to.
func (s *scope) child(o load.Object, key string) (load.Object, bool) {
	for _, on := range s.doc.Follow(o) {
		if v, ok := on.Child(key); ok {
			return v, true
		}
	}
	return load.Object{}, false
}

// str returns the text of a member, "" if it is none.
func (s *scope) str(o load.Object, key string) string {
	if v, ok := s.child(o, key); ok && v.Node.Kind == load.String {
		return v.Node.Text
	}
	return ""
}

// addParameters adds those of a list that are not there yet. The body of a
// 2.0 operation is one of them.
func (s *scope) addParameters(list load.Object) {
	for i := range list.Node.Values {
		o, _ := list.Child(strconv.Itoa(i))
		p := parameter{o, s.str(o, "name"), s.str(o, "in")}
		known := slices.ContainsFunc(s.parameters, func(q parameter) bool { return q.name == p.name && q.in == p.in })
		switch schema, ok := s.child(o, "schema"); {
		case known:
		case p.in == "body" && ok:
			s.request = append(s.request, schema)
		default:
			s.parameters = append(s.parameters, p)
		}
	}
}

// bodies returns the schemas of a request body or a response; those of JSON
// alone, if there are such.
func (s *scope) bodies(o load.Object) []load.Object {
	if schema, ok := s.child(o, "schema"); ok { // 2.0
		return []load.Object{schema}
	}
	content, ok := s.child(o, "content")
	if !ok {
		return nil
	}
	var all, jsons []load.Object
	for _, media := range members(s.doc, content) {
		if schema, ok := s.child(media.Object, "schema"); ok {
			all = append(all, schema)
			if strings.Contains(media.name, "json") {
				jsons = append(jsons, schema)
			}
		}
	}
	if jsons != nil {
		return jsons
	}
	return all
}

// parameterSchemas returns the schema of the parameter of a name; nil if it is
// not known.
func (s *scope) parameterSchemas(name string) []load.Object {
	for _, p := range s.parameters {
		if p.name != name {
			continue
		}
		if schema, ok := s.child(p.Object, "schema"); ok {
			return []load.Object{schema}
		}
		if _, ok := s.child(p.Object, "type"); ok { // 2.0
			return []load.Object{p.Object}
		}
	}
	return nil
}

// parameterNames returns the names of the parameters.
func (s *scope) parameterNames() []string {
	names := make([]string, len(s.parameters))
	for i, p := range s.parameters {
		names[i] = p.name
	}
	return names
}

// input reports whether a parameter, or a property at the top of the request
// body, has that name, and returns the names of all.
func (s *scope) input(name string) (names []string, ok bool) {
	names = s.parameterNames()
	body := s.step(s.request, name)
	ok = slices.Contains(names, name) || len(body.values) > 0 || body.open
	return append(names, body.names...), ok
}

// property is a property of a schema, and whether the schema is open, so
// that a property that it does not name can be there all the same.
type found struct {
	values []load.Object
	names  []string // of all properties
	open   bool
}

// maxSchemas is how many schemas are looked through for one property.
const maxSchemas = 1000

// step finds what a token of a JSON pointer leads to in values of the
// schemas.
func (s *scope) step(schemas []load.Object, token string) found {
	var f found
	seen := map[*load.Node]bool{}
	for queue := schemas; len(queue) > 0 && len(seen) < maxSchemas; queue = queue[1:] {
		for _, o := range s.doc.Follow(queue[0]) {
			if !seen[o.Node] {
				seen[o.Node] = true
				s.look(o, token, &f)
				queue = append(queue, parts(o)...)
			}
		}
	}
	return f
}

// look adds to f what o itself has at token.
func (s *scope) look(o load.Object, token string, f *found) {
	properties, _ := o.Child("properties")
	if properties.Node != nil {
		for _, on := range s.doc.Follow(properties) {
			f.names = append(f.names, on.Node.Names()...)
			if v, ok := on.Child(token); ok {
				f.values = append(f.values, v)
			}
		}
	}
	if items, ok := o.Child("items"); ok && isIndex(token) {
		f.values = append(f.values, items)
	}
	additional, ok := o.Child("additionalProperties")
	switch {
	case ok && additional.Node.Kind == load.Map:
		f.values = append(f.values, additional)
	case ok && additional.Node.Text == "true":
		f.open = true
	}
	if o.Node.Ref() == "" && properties.Node == nil && len(parts(o)) == 0 && !ok {
		kind := o.Node.Str("type")
		f.open = f.open || kind == "" || kind == "object"
	}
}

func isIndex(token string) bool {
	_, err := strconv.ParseUint(token, 10, 32)
	return err == nil
}

// parts returns the schemas that o is put together from.
func parts(o load.Object) []load.Object {
	var out []load.Object
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		out = append(out, partsOf(o, key)...)
	}
	return out
}

// partsOf returns the schemas in a list under key.
func partsOf(o load.Object, key string) []load.Object {
	list, ok := o.Child(key)
	if !ok || list.Node.Kind != load.List {
		return nil
	}
	var out []load.Object
	for i := range list.Node.Values {
		part, _ := list.Child(strconv.Itoa(i))
		out = append(out, part)
	}
	return out
}

// types returns the types that values of the schemas can have, sorted and
// without null; nil if one of the schemas may have any.
func (s *scope) types(schemas []load.Object) []string {
	var out []string
	for _, schema := range schemas {
		types := s.typesOf(schema, maxNesting)
		if types == nil {
			return nil
		}
		out = append(out, types...)
	}
	out = slices.DeleteFunc(out, func(t string) bool { return t == "null" })
	slices.Sort(out)
	return slices.Compact(out)
}

// maxNesting is how deep schemas in schemas are looked into for a type.
const maxNesting = 20

// typesOf returns the types that a schema allows; nil for any.
func (s *scope) typesOf(schema load.Object, depth int) []string {
	if depth == 0 {
		return nil
	}
	for _, o := range s.doc.Follow(schema) {
		if t := o.Node.Get("type"); t != nil {
			out := t.Values
			if t.Kind == load.String {
				out = []*load.Node{t}
			}
			var names []string
			for _, v := range out {
				names = append(names, v.Text)
			}
			return names
		}
		for _, part := range partsOf(o, "allOf") { // each narrows
			if types := s.typesOf(part, depth-1); types != nil {
				return types
			}
		}
		var all []string
		choices := append(partsOf(o, "anyOf"), partsOf(o, "oneOf")...)
		for _, part := range choices {
			types := s.typesOf(part, depth-1)
			if types == nil {
				return nil
			}
			all = append(all, types...)
		}
		if len(choices) > 0 {
			return all
		}
	}
	return nil
}
