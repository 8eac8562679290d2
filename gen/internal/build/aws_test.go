package build

import (
	"testing"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// directory is a definition in the style of the public directory.
const directory = `openapi: 3.0.0
info: {title: Amazon DynamoDB, version: '1', x-providerName: amazonaws.com, x-serviceName: dynamodb}
security: [{hmac: []}]
servers: [{url: 'http://dynamodb.example.com'}, {url: 'https://dynamodb.example.com'}]
paths:
  /#X-Amz-Target=DynamoDB_20120810.ListThings:
    post:
      operationId: ListThings
      parameters:
        - {name: Limit, in: query, schema: {type: string}}
        - {name: ExclusiveStartKey, in: query, schema: {type: string}}
        - {name: X-Amz-Target, in: header, required: true, schema: {type: string}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/ListThingsInput'}}}}
      responses:
        '200': {description: Success, content: {application/json: {schema: {$ref: '#/components/schemas/ListThingsOutput'}}}}
        '480': {description: ThrottledException, content: {application/json: {schema: {$ref: '#/components/schemas/ThrottledException'}}}}
        '481': {description: GoneException, content: {application/json: {schema: {$ref: '#/components/schemas/GoneException'}}}}
    parameters: [{$ref: '#/components/parameters/X-Amz-Date'}]
  /#X-Amz-Target=DynamoDB_20120810.TransactWriteItems:
    post:
      operationId: TransactWriteItems
      requestBody: {content: {application/json: {schema: {type: object, properties: {ClientRequestToken: {type: string}}}}}}
      responses:
        '200': {description: Success, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
  /#X-Amz-Target=DynamoDB_20120810.DescribeThing:
    post:
      operationId: DescribeThing
      responses: {'200': {description: Success}}
components:
  parameters: {X-Amz-Date: {name: X-Amz-Date, in: header, schema: {type: string}}}
  securitySchemes: {hmac: {type: apiKey, name: Authorization, in: header, x-amazon-apigateway-authtype: awsSigv4}}
  schemas:
    ListThingsInput: {type: object, properties: {Limit: {type: integer}, ExclusiveStartKey: {$ref: '#/components/schemas/Key'}}}
    ListThingsOutput:
      type: object
      properties:
        Things: {allOf: [{$ref: '#/components/schemas/ThingList'}, {description: The things.}]}
        LastEvaluatedKey: {$ref: '#/components/schemas/Key'}
        Status: {type: string}
    ThingList: {type: array, items: {$ref: '#/components/schemas/Thing'}}
    Thing: {type: object, properties: {Made: {type: string, format: date-time}, Nothing: {type: object, properties: {}}}}
    Key: {type: object, additionalProperties: {type: string}}
    ThrottledException: {x-retry-class: throttling}
    GoneException: {type: object, properties: {Message: {type: string}}}
`

func TestDirectoryService(t *testing.T) {
	s := buildText(t, directory)
	same(t, "names", [4]string{s.Package, s.Name, s.SigningName, s.Retry.Profile}, [4]string{"dynamodb", "dynamodb", "dynamodb", "dynamodb"})
	same(t, "schemes", s.Schemes, nil)
	same(t, "security", s.Security, nil)
	same(t, "servers", s.Servers, []model.Server{{URL: "https://dynamodb.example.com"}})
	same(t, "skipped", s.Skipped, nil)
}

func TestDirectoryOperation(t *testing.T) {
	s := buildText(t, directory)
	op := operation(t, s, "ListThings")
	same(t, "wire", [3]string{op.Method, op.Path, op.Document}, [3]string{"POST", "/", "application/x-amz-json-1.0"})
	same(t, "header", op.Header, []model.Header{{Name: "X-Amz-Target", Value: "DynamoDB_20120810.ListThings"}})
	same(t, "types", [2]string{op.Input, op.Output}, [2]string{"ListThingsInput", "ListThingsOutput"})
	same(t, "pages", op.Pages, &model.Pages{
		GoName: "ListThingsPages", Descriptor: "listThingsPages", Style: "CursorPages",
		Input: "/ExclusiveStartKey", Output: "/LastEvaluatedKey", Items: "/Things",
	})
	same(t, "errors", op.Errors, []model.ErrorCase{
		{Code: "GoneException", GoType: "GoneException"},
		{Code: "ThrottledException", Class: "throttling", GoType: "ThrottledException"},
	})
	out := declared(t, s, "ListThingsOutput")
	same(t, "Output", out.Output, true)
	same(t, "fields", goFields(out.Fields), []string{
		"Things []Thing json:Things,omitzero", "LastEvaluatedKey map[string]string json:LastEvaluatedKey,omitzero",
		"StatusValue *string json:Status,omitzero",
	})
}

func TestDirectoryDocuments(t *testing.T) {
	s := buildText(t, directory)
	same(t, "thing", goFields(declared(t, s, "Thing").Fields), []string{
		"Made *httpapi.UnixTime json:Made,omitzero", "Nothing *ThingNothing json:Nothing,omitzero",
	})
	same(t, "shared output", goFields(declared(t, s, operation(t, s, "TransactWriteItems").Output).Fields), []string{
		"Body *Thing body:200,application/x-amz-json-1.0",
	})
	same(t, "token", operation(t, s, "TransactWriteItems").Key, &model.Key{Property: "ClientRequestToken"})
	same(t, "no output", declared(t, s, operation(t, s, "DescribeThing").Output).Output, true)
	same(t, "no input", len(declared(t, s, operation(t, s, "DescribeThing").Input).Fields), 0)
}

func TestChoiceOfErrors(t *testing.T) {
	s := buildText(t, `openapi: 3.0.3
info: {title: DynamoDB, version: '1', x-serviceName: dynamodb}
paths:
  /#X-Amz-Target=T.Get:
    post:
      operationId: Get
      responses:
        '400':
          description: Refused.
          content: {application/x-amz-json-1.0: {schema: {oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/A'}]}}}
components:
  schemas:
    A: {type: object, x-retry-class: terminal, properties: {message: {type: string}}}
    B: {type: object, properties: {message: {type: string}}}
`)
	same(t, "errors", operation(t, s, "Get").Errors, []model.ErrorCase{
		{Code: "A", Class: "terminal", GoType: "A"}, {Code: "B", GoType: "B"},
	})
}

func TestLongPolling(t *testing.T) {
	s := buildText(t, `openapi: 3.0.0
info: {title: Steps, version: '1', x-providerName: amazonaws.com, x-serviceName: states}
paths:
  /#X-Amz-Target=AWSStepFunctions.GetActivityTask: {post: {operationId: GetActivityTask, responses: {'200': {description: ok}}}}
`)
	same(t, "profile", s.Retry.Profile, "sfn")
	same(t, "polling", operation(t, s, "GetActivityTask").LongPolling, &model.LongPolling{})
}

func TestDirectoryFacts(t *testing.T) {
	s := buildText(t, `openapi: 3.0.0
info: {title: DynamoDB, version: '1', x-providerName: amazonaws.com, x-serviceName: dynamodb}
paths:
  /#X-Amz-Target=DynamoDB_20120810.DescribeTable:
    post:
      operationId: DescribeTable
      requestBody: {content: {application/json: {schema: {type: object, properties: {B: {allOf: [{$ref: '#/components/schemas/BinaryAttributeValue'}, {description: Bytes.}]}}}}}}
      responses: {'200': {description: Success}}
components:
  schemas: {BinaryAttributeValue: {type: string}}
`)
	op := operation(t, s, "DescribeTable")
	var waiters []string
	for _, w := range op.Waiters {
		waiters = append(waiters, w.GoName)
	}
	same(t, "waiters", waiters, []string{"WaitTableExists", "WaitTableNotExists"})
	same(t, "binary", goFields(declared(t, s, op.Input).Fields), []string{"B []byte json:B,omitzero"})
}

// TestPollingOfProfile wants the operations that a profile marks marked in
// every definition that has the profile.
func TestPollingOfProfile(t *testing.T) {
	s := buildText(t, `openapi: 3.0.3
info: {title: Queue, version: '1'}
x-retry: {profile: sqs}
paths:
  /receive:
    post:
      operationId: ReceiveMessage
      parameters: [{name: WaitTimeSeconds, in: query, schema: {type: integer}}]
      responses: {'200': {description: ok}}
  /send: {post: {operationId: SendMessage, responses: {'200': {description: ok}}}}
`)
	same(t, "polling", operation(t, s, "ReceiveMessage").LongPolling, &model.LongPolling{Wait: "WaitTimeSeconds"})
	same(t, "others", operation(t, s, "SendMessage").LongPolling, nil)
}
