// Package load reads OpenAPI definitions: files into documents, with the place
// of everything in them.
package load

import (
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
	// Warnings tell what was set aside to make the definition readable,
	// sorted.
	Warnings diag.List
	// Root is the file's content, with places.
	Root *Node

	files *files
}
