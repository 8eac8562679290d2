package build

import (
	"testing"

	"github.com/retrygen/retrygen/gen/internal/model"
)

func TestErrors(t *testing.T) {
	s := buildText(t, `paths:
  /a:
    get:
      operationId: get
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Shared'}}}}
        default: {description: Anything else., content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}
        4XX: {description: Your fault., content: {application/json: {schema: {$ref: '#/components/schemas/Shared'}}}}
        '404': {description: Nothing there., x-retry-class: terminal}
        '409': {description: A list., content: {application/json: {schema: {type: array, items: {type: string}}}}}
        '500': {$ref: '#/components/responses/Broken'}
        '503': {description: Down., content: {text/html: {}}}
components:
  responses:
    Broken: {description: The server is broken., content: {application/json: {schema: {type: object, properties: {error: {type: string}, status: {type: string}, message: {type: string}}}}}}
  schemas:
    Shared: {type: object, properties: {a: {type: string}}}
    Problem: {type: object, x-retry-class: transient, properties: {detail: {$ref: '#/components/schemas/Detail'}}}
    Detail: {type: object, properties: {b: {type: string}}}
`)
	same(t, "cases", operation(t, s, "Get").Errors, []model.ErrorCase{
		{Statuses: model.StatusRange{From: 404, To: 404}, Class: "terminal"},
		{Statuses: model.StatusRange{From: 409, To: 409}, GoType: "GetConflictError"},
		{Statuses: model.StatusRange{From: 500, To: 500}, GoType: "BrokenError"},
		{Statuses: model.StatusRange{From: 503, To: 503}},
		{Statuses: model.StatusRange{From: 400, To: 499}, GoType: "SharedError"},
		{Class: "transient", GoType: "Problem"},
	})
	same(t, "itself", goFields(errorNamed(t, s, "Problem").Fields), []string{"Detail *Detail json:detail,omitzero"})
	same(t, "used elsewhere", goType(*errorNamed(t, s, "SharedError").Wrapped), "*Shared")
	same(t, "no object", goType(*errorNamed(t, s, "GetConflictError").Wrapped), "[]string")
	same(t, "taken names", goFields(errorNamed(t, s, "BrokenError").Fields), []string{
		"ErrorValue *string json:error,omitzero", "StatusValue *string json:status,omitzero", "Message *string json:message,omitzero",
	})
}
