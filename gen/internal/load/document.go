// Package load reads OpenAPI definitions: files into documents, with the place
// of everything in them.
package load

import (
	"errors"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// Document is a definition whose references are resolved.
type Document struct {
	// T is the definition as OpenAPI 3; a 2.0 definition is converted.
	T *openapi3.T
	// File is the path as the user gave it, with slashes.
	File string
	// Version is what the file says: "2.0", "3.0.3", "3.1.0", ….
	Version string
	// Problems are errors that do not keep the definition from being read, so
	// that what else is wrong with it can be told beside them.
	Problems diag.List
	// Warnings tell what was set aside to make the definition readable,
	// sorted.
	Warnings diag.List
	// Root is the file's content, with places.
	Root *Node

	files *files
}

// Position returns where a JSON pointer into the definition leads: the place
// of the key that it ends with, or of the list's element. References on the
// way are followed. Of a pointer that leads nowhere it is the place of the
// last part that is there. Components of a 2.0 definition are found by their
// names in OpenAPI 3.
func (d *Document) Position(pointer string) diag.Position {
	o, _ := d.find(pointer)
	return o.Key
}

// Lookup is like [Document.Position], and reports whether the pointer leads
// somewhere.
func (d *Document) Lookup(pointer string) (diag.Position, bool) {
	o, err := d.find(pointer)
	return o.Key, err == nil
}

// Find returns the object that a JSON pointer into the definition leads to. Its
// Place is empty.
func (d *Document) Find(pointer string) (Object, bool) {
	o, err := d.find(pointer)
	return o, err == nil
}

var errNotFound = errors.New("not found")

// find returns the object at pointer; with an error, the last one on the way.
func (d *Document) find(pointer string) (Object, error) {
	o, tokens, ok := d.origin(Tokens(d.translate(pointer)))
	if !ok {
		o = d.files.root()
	}
	for _, token := range tokens {
		o = d.files.through(o, token)
		next, key := o.Node.child(token)
		if next == nil {
			return o, errNotFound
		}
		o = o.child(token, key, next)
	}
	return o, nil
}

// renamed are the components of OpenAPI 3 that 2.0 keeps elsewhere.
var renamed = []struct{ from, to string }{
	{"/components/schemas/", "/definitions/"},
	{"/components/parameters/", "/parameters/"},
	{"/components/requestBodies/", "/parameters/"},
	{"/components/responses/", "/responses/"},
	{"/components/securitySchemes/", "/securityDefinitions/"},
}

func (d *Document) translate(pointer string) string {
	if minor(d.Version) != "2.0" {
		return pointer
	}
	for _, r := range renamed {
		if rest, ok := strings.CutPrefix(pointer, r.from); ok {
			return r.to + rest
		}
	}
	return pointer
}
