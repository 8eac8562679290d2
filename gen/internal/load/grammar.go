package load

import "strings"

// Place is the kind of object that a value of a definition is.
type Place string

// The kinds of objects, of OpenAPI 3 and 2.
const (
	PlaceDocument    Place = "document"
	PlacePaths       Place = "paths"
	PlacePath        Place = "path"
	PlaceOperation   Place = "operation"
	PlaceParameter   Place = "parameter"
	PlaceRequestBody Place = "requestBody"
	PlaceResponses   Place = "responses"
	PlaceResponse    Place = "response"
	PlaceHeader      Place = "header"
	PlaceMediaType   Place = "mediaType"
	PlaceEncoding    Place = "encoding"
	PlaceSchema      Place = "schema"
	PlaceProperty    Place = "property"
	PlaceComponents  Place = "components"
	PlaceCallback    Place = "callback"
	PlaceExample     Place = "example"
	PlaceLink        Place = "link"
	PlaceSecurity    Place = "securityScheme"
	PlaceInfo        Place = "info"
	PlaceTag         Place = "tag"
	PlaceServer      Place = "server"
)

// form says how the objects under a key are held.
type form int

const (
	one       form = iota // the value is the object
	list                  // a list of objects
	named                 // an object whose members are the objects
	oneOrList             // the object, or a list of such
)

type member struct {
	form  form
	place Place
}

// grammar says which members of an object hold objects. The key "*" stands
// for every other key that is not an extension.
var grammar = map[Place]map[string]member{
	PlaceDocument: {
		"info": {one, PlaceInfo}, "servers": {list, PlaceServer}, "tags": {list, PlaceTag},
		"paths": {one, PlacePaths}, "webhooks": {named, PlacePath}, "components": {one, PlaceComponents},
		"definitions": {named, PlaceSchema}, "parameters": {named, PlaceParameter},
		"responses": {named, PlaceResponse}, "securityDefinitions": {named, PlaceSecurity},
	},
	PlacePaths: {"*": {one, PlacePath}},
	PlaceComponents: {
		"schemas": {named, PlaceSchema}, "responses": {named, PlaceResponse},
		"parameters": {named, PlaceParameter}, "examples": {named, PlaceExample},
		"requestBodies": {named, PlaceRequestBody}, "headers": {named, PlaceHeader},
		"securitySchemes": {named, PlaceSecurity}, "links": {named, PlaceLink},
		"callbacks": {named, PlaceCallback}, "pathItems": {named, PlacePath},
		"mediaTypes": {named, PlaceMediaType},
	},
	PlacePath: {
		"servers": {list, PlaceServer}, "parameters": {list, PlaceParameter},
		"get": {one, PlaceOperation}, "put": {one, PlaceOperation}, "post": {one, PlaceOperation},
		"delete": {one, PlaceOperation}, "options": {one, PlaceOperation}, "head": {one, PlaceOperation},
		"patch": {one, PlaceOperation}, "trace": {one, PlaceOperation}, "query": {one, PlaceOperation},
		"additionalOperations": {named, PlaceOperation},
	},
	PlaceOperation: {
		"servers": {list, PlaceServer}, "parameters": {list, PlaceParameter},
		"requestBody": {one, PlaceRequestBody}, "responses": {one, PlaceResponses},
		"callbacks": {named, PlaceCallback},
	},
	PlaceCallback:    {"*": {one, PlacePath}},
	PlaceResponses:   {"*": {one, PlaceResponse}},
	PlaceParameter:   withSchema,
	PlaceHeader:      withSchema,
	PlaceRequestBody: {"content": {named, PlaceMediaType}},
	PlaceResponse: {
		"headers": {named, PlaceHeader}, "content": {named, PlaceMediaType}, "links": {named, PlaceLink},
		"schema": {one, PlaceSchema},
	},
	PlaceMediaType: {
		"schema": {one, PlaceSchema}, "itemSchema": {one, PlaceSchema}, "examples": {named, PlaceExample},
		"encoding": {named, PlaceEncoding}, "prefixEncoding": {list, PlaceEncoding}, "itemEncoding": {one, PlaceEncoding},
	},
	PlaceEncoding: {
		"headers": {named, PlaceHeader}, "encoding": {named, PlaceEncoding},
		"prefixEncoding": {list, PlaceEncoding}, "itemEncoding": {one, PlaceEncoding},
	},
	PlaceSchema:   schemaMembers,
	PlaceProperty: schemaMembers,
}

// withSchema are the members of parameters and headers.
var withSchema = map[string]member{
	"schema": {one, PlaceSchema}, "content": {named, PlaceMediaType}, "examples": {named, PlaceExample},
	"items": {one, PlaceSchema},
}

var schemaMembers = map[string]member{
	"properties": {named, PlaceProperty}, "patternProperties": {named, PlaceSchema},
	"additionalProperties": {one, PlaceSchema}, "unevaluatedProperties": {one, PlaceSchema},
	"propertyNames": {one, PlaceSchema}, "dependentSchemas": {named, PlaceSchema},
	"items": {oneOrList, PlaceSchema}, "prefixItems": {list, PlaceSchema},
	"unevaluatedItems": {one, PlaceSchema}, "contains": {one, PlaceSchema},
	"allOf": {list, PlaceSchema}, "anyOf": {list, PlaceSchema}, "oneOf": {list, PlaceSchema},
	"not": {one, PlaceSchema}, "if": {one, PlaceSchema}, "then": {one, PlaceSchema}, "else": {one, PlaceSchema},
	"contentSchema": {one, PlaceSchema}, "$defs": {named, PlaceSchema}, "definitions": {named, PlaceSchema},
}

// memberOf returns how the value of key in an object at p holds objects.
func (p Place) memberOf(key string) (member, bool) {
	if strings.HasPrefix(key, "x-") {
		return member{}, false
	}
	members := grammar[p]
	if m, ok := members[key]; ok {
		return m, true
	}
	m, ok := members["*"]
	return m, ok
}
