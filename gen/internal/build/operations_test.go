package build

import (
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

func TestInput(t *testing.T) {
	s := buildText(t, `paths:
  /orders/{orderId}/{part}:
    parameters:
      - {name: orderId, in: path, required: true, schema: {type: string}}
      - {name: page, in: query, schema: {type: string}}
    put:
      operationId: putOrder
      parameters:
        - {name: If-Match, in: header, required: true, schema: {type: string}}
        - {name: Authorization, in: header, schema: {type: string}}
        - {name: page, in: query, schema: {type: integer, format: int32}}
        - {name: tags, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: sizes, in: query, style: pipeDelimited, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object, properties: {a: {type: string}}}}
        - {name: where, in: query, content: {application/json: {schema: {type: object}}}}
        - {name: q, in: query, allowReserved: true, schema: {oneOf: [{type: string}, {type: integer}]}}
        - {name: ids, in: query, schema: {oneOf: [{type: string}, {type: array, items: {type: string}}]}}
        - {name: part, in: path, required: true, style: matrix, explode: true, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string, enum: [a, b]}}
        - {name: tags, in: header, schema: {type: string}}
        - {name: body, in: query, schema: {type: boolean}}
      requestBody: {content: {application/xml: {}, application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
      responses: {'204': {description: done}}
`)
	op := operation(t, s, "PutOrder")
	same(t, "fields", goFields(declared(t, s, op.Input).Fields), []string{
		"OrderID string path:orderId",
		"Part string path:part,style=matrix,explode",
		"Page *int32 query:page",
		"Tags []string query:tags,explode=false",
		"Sizes []int64 query:sizes,style=pipeDelimited",
		"Filter *PutOrderFilter query:filter,style=deepObject",
		"Where map[string]any query:where,content=application/json",
		"Q *string query:q,allowReserved",
		"IDs []string query:ids",
		"BodyQuery *bool query:body",
		"IfMatch string header:If-Match",
		"TagsHeader *string header:tags",
		"Session *PutOrderSession cookie:session",
		"Body *PutOrderInputBody body:application/json",
	})
}

func TestRequestBodies(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"required text", "{required: true, content: {text/csv: {schema: {type: string}}}}", "Body string body:text/csv"},
		{"required bytes", "{required: true, content: {image/png: {}}}", "Body io.Reader body:image/png,required"},
		{"required struct", "{required: true, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}", "Body *PostInputBody body:application/json,required"},
		{"required union", "{required: true, content: {application/json: {schema: {oneOf: [{type: string}, {type: array, items: {type: string}}]}}}}", "Body *PostInputBody body:application/json,required"},
		{"required map", "{required: true, content: {application/json: {schema: {type: object}}}}", "Body map[string]any body:application/json,required"},
		{"required scalar", "{required: true, content: {application/json: {schema: {type: string}}}}", "Body string body:application/json"},
		{"required null", "{required: true, content: {application/json: {schema: {type: [string, 'null']}}}}", "Body *string body:application/json,nullable,required"},
		{"optional null", "{content: {application/json: {schema: {type: [string, 'null']}}}}", "Body *string body:application/json"},
		{"required anything", "{required: true, content: {application/json: {}}}", "Body any body:application/json,nullable,required"},
		{"required form", "{required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}}", "Body *PostInputBody body:application/x-www-form-urlencoded,required"},
		{"bytes", "{content: {image/png: {}}}", "Body io.Reader body:image/png"},
		{"other JSON", "{required: true, content: {application/merge-patch+json: {schema: {type: array, items: {type: string}}}}}", "Body []string body:application/merge-patch+json,required"},
		{"JSON first", "{content: {text/plain: {}, application/json: {schema: {type: string}}}}", "Body *string body:application/json; BodyText *string body:text/plain"},
		{"any JSON", "{content: {application/json: {}}}", "Body any body:application/json"},
		{"form before text", "{content: {text/plain: {}, application/x-www-form-urlencoded: {schema: {type: object, properties: {a: {type: string}}}}}}", "Body *PostInputBody body:application/x-www-form-urlencoded; BodyText *string body:text/plain"},
		{"one of several is required", "{required: true, content: {application/json: {schema: {type: string}}, text/plain: {}, image/png: {}}}",
			"Body *string body:application/json,required; BodyText *string body:text/plain; BodyBinary io.Reader body:image/png"},
		{"required text among several", "{required: true, content: {text/plain: {}, image/png: {}}}", "Body *string body:text/plain,required; BodyBinary io.Reader body:image/png"},
		{"several of a kind", "{content: {application/json: {schema: {type: string}}, application/merge-patch+json: {schema: {type: integer}}, image/png: {}, image/gif: {}}}",
			"Body *string body:application/json; BodyMergePatchJSON *int64 body:application/merge-patch+json; BodyGif io.Reader body:image/gif; BodyPng io.Reader body:image/png"},
		{"ranges", "{content: {image/*: {}, audio/*: {}, text/plain: {}}}", "Body *string body:text/plain; BodyAudio io.Reader body:audio/*; BodyImage io.Reader body:image/*"},
		{"beside XML", "{required: true, content: {application/xml: {}, application/json: {schema: {type: string}}}}", "Body string body:application/json"},
		{"twins", "{required: true, content: {'application/json; charset=utf-8': {schema: {type: string}}, '*/*': {schema: {type: boolean}}, application/json: {schema: {type: integer}}}}",
			"Body int64 body:application/json"},
		{"any media type", "{content: {'*/*': {schema: {type: string, format: binary}}}}", "Body io.Reader body:application/octet-stream"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := buildText(t, "paths: {/: {post: {operationId: post, requestBody: "+c.body+", responses: {'204': {description: ok}}}}}\n")
			same(t, "fields", goFields(declared(t, s, "PostInput").Fields), strings.Split(c.want, "; "))
		})
	}
}

func TestXMLIsSkipped(t *testing.T) {
	s := buildText(t, "paths: {/: {post: {operationId: post, requestBody: {content: {application/xml: {}}}, responses: {'204': {description: ok}}}}}\n")
	same(t, "operations", len(s.Operations), 0)
	same(t, "reason", s.Skipped[0].Why, "a request body of type application/xml is not supported")
}

func TestMultipart(t *testing.T) {
	s := buildText(t, `paths:
  /upload:
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data:
            schema: {$ref: '#/components/schemas/Import'}
            encoding: {file: {contentType: text/csv}, options: {contentType: application/json}}
      responses: {'204': {description: done}}
  /token:
    post:
      operationId: token
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {$ref: '#/components/schemas/TokenRequest'}
            encoding: {scope: {style: form, explode: false}}
      responses: {'204': {description: done}}
components:
  schemas:
    Import:
      type: object
      required: [file]
      properties: {file: {type: string, format: binary}, more: {type: array, items: {type: string, format: binary}}, options: {type: object}}
    TokenRequest: {type: object, properties: {scope: {type: array, items: {type: string}}}}
`)
	same(t, "multipart", goFields(declared(t, s, "Import").Fields), []string{
		"File httpapi.File json:file part:text/csv", "More []httpapi.File json:more,omitzero",
		"Options map[string]any json:options,omitzero part:application/json",
	})
	same(t, "form", goFields(declared(t, s, "TokenRequest").Fields), []string{"Scope []string json:scope,omitzero form:explode=false"})
	same(t, "body", goFields(declared(t, s, "UploadInput").Fields), []string{"Body *Import body:multipart/form-data"})
}

func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name, responses string
		want            []string
	}{
		{"one body", "{'200': {description: ok, content: {application/json: {schema: {type: array, items: {type: string}}}}}, '204': {description: none}}",
			[]string{"Body []string body:200,application/json"}},
		{"two bodies", "{'200': {description: ok, content: {application/json: {schema: {type: object, properties: {a: {}}}}}}, '202': {description: later, content: {text/plain: {}}}}",
			[]string{"OK *GetOutputOK body:200,application/json", "Accepted string body:202,text/plain"}},
		{"range", "{2XX: {description: ok, content: {application/octet-stream: {}}}}",
			[]string{"Body io.ReadCloser body:2XX,application/octet-stream"}},
		{"stream", "{'200': {description: ok, content: {text/event-stream: {}}}}",
			[]string{"Body io.ReadCloser body:200,text/event-stream"}},
		{"default alone", "{default: {description: ok, content: {application/json: {schema: {type: string}}}}}",
			[]string{"Body string body:2XX,application/json"}},
		{"headers", "{'204': {description: ok, headers: {Status: {schema: {type: integer}}, ETag: {required: true, schema: {type: string}}, Content-Type: {schema: {type: string}}}}}",
			[]string{"ETag *string header:ETag", "StatusHeader *int64 header:Status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := buildText(t, "paths: {/: {get: {operationId: get, responses: "+c.responses+"}}}\n")
			out := declared(t, s, "GetOutput")
			same(t, "Output", out.Output, true)
			same(t, "fields", goFields(out.Fields), c.want)
		})
	}
}

func TestOperationNames(t *testing.T) {
	s := buildText(t, `paths:
  /orders/{id}: {get: {responses: {'204': {description: ok}}, parameters: [{name: id, in: path, required: true, schema: {type: string}}]}}
  /a: {get: {operationId: GetItem, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: get_item, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: retry, responses: {'204': {description: ok}}}}
`)
	var got [][2]string
	for _, op := range s.Operations {
		got = append(got, [2]string{op.GoName, op.Descriptor})
	}
	same(t, "names", got, [][2]string{{"GetB", "getB"}, {"GetItem", "getItem"}, {"GetOrdersID", "getOrdersID"}, {"Retry", "retryOperation"}})
}

// TestNamesAreStable adds an operation and wants all other names as they were.
func TestNamesAreStable(t *testing.T) {
	const paths = `paths:
  /m: {get: {operationId: middle, responses: {'200': {$ref: '#/components/responses/Things'}}}}
`
	const components = `components:
  responses:
    Things: {description: ok, content: {application/json: {schema: {type: object, properties: {state: {type: string, enum: [a]}}}}}}
  schemas:
    Middle: {type: string}
    MiddleInput: {type: object, properties: {a: {type: string}}}
`
	before := buildText(t, paths+components)
	after := buildText(t, paths+`  /a: {get: {operationId: a, responses: {'200': {$ref: '#/components/responses/Things'}}}}
  /z: {get: {operationId: z, responses: {'200': {$ref: '#/components/responses/Things'}}}}
`+components)
	same(t, "operation", operation(t, after, "Middle").Input, operation(t, before, "Middle").Input)
	for _, typ := range before.Types {
		same(t, typ.GoName, declared(t, after, typ.GoName), typ)
	}
}

func TestBehaviour(t *testing.T) {
	s := buildText(t, `x-retry: {maxAttempts: 5}
paths:
  /a: {post: {operationId: plain, summary: Make a thing., responses: {'204': {description: ok}}}}
  /b: {post: {operationId: safe, x-idempotent: true, description: Find things., responses: {'204': {description: ok}}}}
  /c: {get: {operationId: claim, x-idempotent: false, x-retry: {maxAttempts: 2}, responses: {'204': {description: ok}}}}
  /d: {post: {operationId: keyed, x-idempotency-key: {header: Idempotency-Key}, responses: {'204': {description: ok}}}}
  /e: {get: {operationId: once, x-retry: {mode: 'off'}, responses: {'204': {description: ok}}}}
`)
	same(t, "profile", s.Retry.Profile, "http-1")
	for name, want := range map[string][2]string{
		"Plain": {"ByMethod", "Plain makes a thing.\n\nIt is not idempotent: it is retried only when the server certainly did not act, up to 5 attempts in all."},
		"Safe":  {"Idempotent", "Safe finds things.\n\nIt is idempotent: transient and throttling failures are retried, up to 5 attempts in all."},
		"Claim": {"NotIdempotent", "Claim calls GET /c.\n\nIt is not idempotent: it is retried only when the server certainly did not act, up to 2 attempts in all."},
		"Keyed": {"ByMethod", "Keyed calls POST /d.\n\nAn idempotency key in the Idempotency-Key header makes it safe to retry: transient and throttling failures are retried, up to 5 attempts in all."},
		"Once":  {"ByMethod", "Once calls GET /e.\n\nIt is not retried: a call is one attempt."},
	} {
		op := operation(t, s, name)
		same(t, name, [2]string{op.Idempotency, op.Doc}, want)
	}
	same(t, "key", operation(t, s, "Keyed").Key, &model.Key{Header: "Idempotency-Key"})
	same(t, "retry", operation(t, s, "Claim").Retry, &model.Retry{MaxAttempts: 2})
}

// TestLegacy: in mode legacy the profile's numbers do not hold.
func TestLegacy(t *testing.T) {
	s := buildText(t, `x-retry: {profile: dynamodb}
paths:
  /a: {get: {operationId: plain, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: old, x-retry: {profile: aws-legacy}, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: own, x-retry: {mode: legacy, maxAttempts: 7}, responses: {'204': {description: ok}}}}
  /d: {get: {operationId: retrySettings, responses: {'204': {description: ok}}}}
`)
	for name, want := range map[string]string{"Plain": "up to 4 attempts", "Old": "up to 3 attempts", "Own": "up to 7 attempts"} {
		if doc := operation(t, s, name).Doc; !strings.Contains(doc, want) {
			t.Errorf("%s: %q, want %s", name, doc, want)
		}
	}
	same(t, "retry", operation(t, s, "Old").Retry, &model.Retry{Mode: "legacy"})
	same(t, "a name that the client has", operation(t, s, "GetD").Name, "retrySettings")
	s = buildText(t, `x-retry: {profile: aws-legacy}
paths:
  /a: {get: {operationId: old, responses: {'204': {description: ok}}}}
  /b: {get: {operationId: today, x-retry: {mode: standard, maxAttempts: 5}, responses: {'204': {description: ok}}}}
`)
	same(t, "profile", s.Retry.Profile, "aws-legacy")
	for name, want := range map[string]string{"Old": "up to 3 attempts", "Today": "up to 5 attempts"} {
		if doc := operation(t, s, name).Doc; !strings.Contains(doc, want) {
			t.Errorf("%s: %q, want %s", name, doc, want)
		}
	}
}

func TestPagesAndWaiters(t *testing.T) {
	s := buildText(t, `paths:
  /jobs:
    get:
      operationId: listJobs
      parameters: [{name: cursor, in: query, schema: {type: string}}]
      x-pagination: {style: cursor, input: cursor, output: /next, items: /jobs}
      x-waiter: {JobDone: {delay: 1s, acceptors: [{state: success, pointer: /state, equals: done}, {state: failure, status: 404}]}}
      responses: {'200': {description: ok, content: {application/json: {schema: {type: object, properties: {next: {type: string}, state: {type: string}, jobs: {type: array, items: {type: string}}}}}}}}
`)
	op := operation(t, s, "ListJobs")
	same(t, "pages", op.Pages, &model.Pages{
		GoName: "ListJobsPages", Descriptor: "listJobsPages", Style: "CursorPages", Input: "cursor", Output: "/next", Items: "/jobs",
	})
	same(t, "waiters", op.Waiters, []model.Waiter{{
		Name: "JobDone", GoName: "WaitJobDone", Descriptor: "jobDone", Delay: time.Second, MaxDelay: 2 * time.Minute,
		Doc: "WaitJobDone calls [Client.ListJobs] until /state is done. It fails when the status is 404.\n\n" +
			"Between calls it waits 1s at first and 2m at most.",
		Acceptors: []model.Acceptor{
			{State: "WaitSuccess", Pointer: "/state", Equals: "done"}, {State: "WaitFailure", Status: 404},
		},
	}})
}

func TestSecurity(t *testing.T) {
	s := buildText(t, `security: [{bearer: []}, {key: [], basic: []}]
paths:
  /a: {get: {operationId: a, security: [], responses: {'204': {description: ok}}}}
  /b: {get: {operationId: b, responses: {'204': {description: ok}}}}
  /c: {get: {operationId: c, security: [{mtls: []}, {}], responses: {'204': {description: ok}}}}
components:
  securitySchemes:
    bearer: {type: oauth2, flows: {}}
    basic: {type: http, scheme: basic}
    key: {type: apiKey, in: cookie, name: session}
    mtls: {type: mutualTLS}
`)
	same(t, "schemes", s.Schemes, []model.Scheme{
		{Name: "basic", GoName: "WithBasic", Kind: "Basic"},
		{Name: "bearer", GoName: "WithBearer", Kind: "Bearer"},
		{Name: "key", GoName: "WithKey", Kind: "APIKeyCookie", Key: "session"},
	})
	same(t, "service", s.Security, [][]string{{"bearer"}, {"basic", "key"}})
	same(t, "none", operation(t, s, "A").Security, [][]string{})
	same(t, "inherited", operation(t, s, "B").Security, nil)
	same(t, "without mtls", operation(t, s, "C").Security, [][]string{{}})
	same(t, "skipped", s.Skipped[0].What, "security scheme mtls")
}

func TestServers(t *testing.T) {
	s := buildText(t, `servers:
  - url: https://{b}.{a}.example.com
    variables: {a: {default: x, enum: [x, y]}, b: {default: z}}
paths: {/a: {get: {operationId: a, servers: [{url: 'https://other.example.com'}], responses: {'204': {description: ok}}}}}
`)
	same(t, "servers", s.Servers, []model.Server{{
		URL:       "https://{b}.{a}.example.com",
		Variables: []model.ServerVariable{{Name: "b", Default: "z"}, {Name: "a", Default: "x", Enum: []string{"x", "y"}}},
	}})
	same(t, "own", operation(t, s, "A").Servers, []model.Server{{URL: "https://other.example.com"}})
}
