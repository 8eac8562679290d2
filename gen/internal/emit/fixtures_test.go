package emit

import (
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// fixture is a small service about one idea.
type fixture struct {
	service func() *model.Service
	files   string // that the idea is about; the others are type-checked only
}

var fixtures = map[string]fixture{
	"rpc":          {rpcService, "client.go operations.go types.go errors.go"},
	"rest":         {restService, "operations.go types.go"},
	"constructor":  {constructorService, "client.go"},
	"relative":     {relativeService, "client.go"},
	"security":     {securityService, "client.go operations.go"},
	"overlay":      {overlayService, "client.go operations.go"},
	"operations":   {operationsService, "operations.go"},
	"fields":       {fieldsService, "types.go"},
	"declarations": {declarationsService, "types.go"},
	"enums":        {enumsService, "types.go"},
	"unions":       {unionsService, "types.go"},
	"onemember":    {oneMemberService, "types.go"},
	"errors":       {errorsService, "errors.go operations.go"},
	"shared":       {sharedErrorsService, "errors.go operations.go"},
	"pages":        {pagesService, "pages.go"},
	"waiters":      {waitersService, "waiters.go"},
	"docs":         {docsService, "client.go operations.go"},
	"skipped":      {skippedService, "client.go"},
	"off":          {offService, "client.go"},
	"legacy":       {legacyService, "client.go operations.go"},
}

// service is a service without operations.
func service() *model.Service {
	return &model.Service{
		Package: "example",
		Source:  "specs/example.yaml",
		Title:   "the example",
		Name:    "example",
		Retry:   model.Retry{Profile: "http-1"},
	}
}

// with adds an operation with empty input and output.
func with(s *model.Service, op model.Operation) *model.Service {
	op.Name, op.Descriptor = op.GoName, lowerFirst(op.GoName)
	if op.Method == "" {
		op.Method, op.Path = "GET", "/"+op.Descriptor
	}
	op.Input, op.Output = op.GoName+"Input", op.GoName+"Output"
	s.Operations = append(s.Operations, op)
	s.Types = append(s.Types,
		model.Type{GoName: op.Input, Kind: model.Struct, Doc: op.Input + " is the input of [Client." + op.GoName + "]."},
		model.Type{GoName: op.Output, Kind: model.Struct, Output: true},
	)
	return s
}

func lowerFirst(s string) string { return string(s[0]+'a'-'A') + s[1:] }

// Type expressions.

func basic(name string) model.Ref      { return model.Ref{Kind: model.Basic, Name: name} }
func named(name string) model.Ref      { return model.Ref{Kind: model.Named, Name: name} }
func slice(of model.Ref) model.Ref     { return model.Ref{Kind: model.Slice, Elem: &of} }
func mapping(of model.Ref) model.Ref   { return model.Ref{Kind: model.Map, Elem: &of} }
func optional(of model.Ref) model.Ref  { return model.Ref{Kind: model.Pointer, Elem: &of} }
func nullable(of model.Ref) model.Ref  { return model.Ref{Kind: model.Nullable, Elem: &of} }
func qualified(p, n string) model.Ref  { return model.Ref{Kind: model.Qualified, Package: p, Name: n} }
func tags(pairs ...string) []model.Tag { return pairTags(pairs) }

func pairTags(pairs []string) []model.Tag {
	var out []model.Tag
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, model.Tag{Key: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// member is an optional member of a JSON object.
func member(goName, name string, of model.Ref) model.Field {
	return model.Field{Name: name, GoName: goName, Type: of, Tags: tags("json", name+",omitzero")}
}

// rpcService has an input and an output that are the documents themselves.
func rpcService() *model.Service {
	return &model.Service{
		Package: "example",
		Source:  "specs/example.yaml",
		Title:   "Amazon DynamoDB",
		Version: "2012-08-10",
		Doc:     "It reads and writes the items of tables.\n\nA client error says which error it is.",
		Name:    "dynamodb",
		Retry:   model.Retry{Profile: "dynamodb"},
		Servers: []model.Server{{
			URL: "https://dynamodb.{region}.amazonaws.com", Doc: "The public endpoint of a Region.",
			Variables: []model.ServerVariable{{Name: "region", Default: "us-east-1", Doc: "The AWS Region."}},
		}},
		SigningName: "dynamodb",
		Operations: []model.Operation{{
			Name: "GetItem", GoName: "GetItem", Descriptor: "getItem",
			Doc:    "GetItem returns the attributes of one item.\n\nIt is idempotent: transient and throttling failures are retried, up to 4 attempts in all.",
			Method: "POST", Path: "/",
			Header:   []model.Header{{Name: "X-Amz-Target", Value: "DynamoDB_20120810.GetItem"}},
			Document: "application/x-amz-json-1.0",
			Input:    "GetItemInput", Output: "GetItemOutput", Idempotency: "Idempotent",
			Errors: []model.ErrorCase{{Code: "ResourceNotFoundException", GoType: "ResourceNotFoundException"}},
		}},
		Types: []model.Type{
			{
				Name: "GetItemInput", GoName: "GetItemInput", Kind: model.Struct, Doc: "GetItemInput names an item.",
				Fields: []model.Field{
					{Name: "TableName", GoName: "TableName", Type: basic("string"), Tags: tags("json", "TableName"), Doc: "TableName is the name or the ARN of the table."},
					member("ConsistentRead", "ConsistentRead", optional(basic("bool"))),
				},
			},
			{
				Name: "GetItemOutput", GoName: "GetItemOutput", Kind: model.Struct, Output: true, Doc: "GetItemOutput holds the item.",
				Fields: []model.Field{member("Item", "Item", mapping(basic("any")))},
			},
		},
		Errors: []model.ErrorType{{
			Name: "ResourceNotFoundException", GoName: "ResourceNotFoundException", Doc: "ResourceNotFoundException says that the table does not exist.",
			Fields: []model.Field{member("Message", "message", optional(basic("string")))},
		}},
	}
}

// restService has parameters, bodies and response headers.
func restService() *model.Service {
	s := service()
	s.Operations = []model.Operation{{
		Name: "uploadInvoice", GoName: "UploadInvoice", Descriptor: "uploadInvoice", Method: "PUT", Path: "/orders/{orderId}/invoice",
		Input: "UploadInvoiceInput", Output: "UploadInvoiceOutput", Doc: "UploadInvoice stores the invoice of an order.",
	}}
	s.Types = []model.Type{
		{GoName: "UploadInvoiceInput", Kind: model.Struct, Fields: []model.Field{
			{GoName: "OrderID", Type: basic("string"), Tags: tags("path", "orderId")},
			{GoName: "Tags", Type: slice(basic("string")), Tags: tags("query", "tags,explode=false")},
			{GoName: "IfMatch", Type: optional(basic("string")), Tags: tags("header", "If-Match")},
			{GoName: "Body", Type: qualified("io", "Reader"), Tags: tags("body", "application/pdf,required")},
		}},
		{GoName: "UploadInvoiceOutput", Kind: model.Struct, Output: true, Fields: []model.Field{
			{GoName: "OK", Type: qualified("io", "ReadCloser"), Tags: tags("body", "200,application/pdf")},
			{GoName: "Location", Type: optional(basic("string")), Tags: tags("header", "Location")},
		}},
	}
	return s
}

// constructorService has several servers.
func constructorService() *model.Service {
	s := service()
	s.Title = "" // the name stands in
	s.Servers = []model.Server{
		{URL: "https://{host}.example.com/{version}", Variables: []model.ServerVariable{
			{Name: "host", Default: "api", Enum: []string{"api", "sandbox"}},
			{Name: "version", Default: "v1", Doc: "The version of the API,\nas a path."},
		}},
		{URL: "https://backup.example.com", Doc: "Read only."},
	}
	return s
}

// relativeService has a server that says nothing without the definition's own
// address, and one attempt.
func relativeService() *model.Service {
	s := service()
	s.Servers = []model.Server{{URL: "/v1"}}
	s.Retry.MaxAttempts = 1
	return s
}

func securityService() *model.Service {
	s := service()
	s.Security = [][]string{{"bearerAuth"}, {"apiKey", "session"}}
	s.Schemes = []model.Scheme{
		{Name: "apiKey", GoName: "WithAPIKey", Kind: "APIKeyHeader", Key: "X-Api-Key", Doc: "Ask the help desk for a key."},
		{Name: "basicAuth", GoName: "WithBasicAuth", Kind: "Basic"},
		{Name: "bearerAuth", GoName: "WithBearerAuth", Kind: "Bearer"},
		{Name: "queryKey", GoName: "WithQueryKey", Kind: "APIKeyQuery", Key: "key"},
		{Name: "session", GoName: "WithSession", Kind: "APIKeyCookie", Key: "sid"},
	}
	with(s, model.Operation{GoName: "GetOrder"})
	with(s, model.Operation{GoName: "GetStatus", Security: [][]string{}})
	with(s, model.Operation{GoName: "ListUsers", Security: [][]string{{"basicAuth"}, {}}})
	return s
}

// overlayService changes everything that a profile has.
func overlayService() *model.Service {
	s := service()
	s.Retry = model.Retry{
		Profile: "http-1", Mode: "adaptive", Partition: "tenant", MaxAttempts: 5,
		BaseTransient: 25 * time.Millisecond, BaseThrottling: 1500 * time.Millisecond,
		MaxBackoff: 10 * time.Second, AttemptTimeout: time.Second, TotalTimeout: 2 * time.Minute,
		MinAttemptTime: 50 * time.Millisecond,
		Quota:          model.Quota{Capacity: 100, TransientCost: 10, ThrottlingCost: 1, FirstAttemptRefund: 2},
		ServerDelay:    "clamp",
		DelayHeaders: []model.DelayHeader{{Name: "X-Wait", Unit: "ms"}, {Name: "X-Wait-Seconds", Unit: "s"}, {Name: "Retry-After", Unit: "http"}, {Pointer: "/error/wait", Unit: "s"},
			{Name: "X-RateLimit-Reset", Unit: "epoch"}, {Name: "X-Again", Unit: "epochMs"}, {Name: "RateLimit", Unit: "rateLimit"}},
		ErrorWhen:  &model.BodyCondition{Pointer: "/ok", Equals: "false"},
		ErrorCode:  []model.CodeSource{{Header: "X-Error"}, {Pointer: "/error/code"}, {XML: "Error/Code"}},
		Transient:  model.Match{Codes: []string{"Hiccup"}},
		Throttling: model.Match{Codes: []string{"SlowDown", "TooMany"}, Statuses: []model.StatusRange{{From: 420, To: 420}, {From: 520, To: 529}}},
		Terminal:   model.Match{Statuses: []model.StatusRange{{From: 500, To: 500}}},

		DeadlineHeader: "X-Time-Left", ShouldRetryHeader: "X-Again", AttemptHeader: "X-Attempt", EnvPrefix: "EXAMPLE",
	}
	with(s, model.Operation{GoName: "CountOrders", Retry: &model.Retry{ErrorWhen: &model.BodyCondition{Pointer: "/error"}}})
	return with(s, model.Operation{GoName: "GetOrder", Retry: &model.Retry{
		MaxAttempts: 2, BaseThrottling: 90 * time.Minute,
		Throttling: model.Match{Codes: []string{"ALongNameOfAnErrorCode", "AnotherLongNameOfAnErrorCode", "YetAnotherLongNameOfAnErrorCode"}},
	}})
}

// operationsService has all that a descriptor can say.
func operationsService() *model.Service {
	s := service()
	with(s, model.Operation{
		GoName: "CreateOrder", Method: "POST", Path: "/orders", Idempotency: "ByMethod",
		Doc: "CreateOrder places an order.", Key: &model.Key{Header: "Idempotency-Key"},
		Header: []model.Header{{Name: "X-B", Value: "1"}, {Name: "X-A", Value: "2"}},
	})
	with(s, model.Operation{
		GoName: "Poll", Method: "QUERY", Path: "/poll", Idempotency: "NotIdempotent",
		Key:         &model.Key{Property: "token"},
		LongPolling: &model.LongPolling{Wait: "wait", Unit: time.Millisecond, Default: 2500},
		Servers:     []model.Server{{URL: "https://poll.example.com"}},
		Deprecated:  "use [Client.Watch].",
	})
	return with(s, model.Operation{
		GoName: "Watch", Doc: "Watch waits.", LongPolling: &model.LongPolling{}, Deprecated: "",
	})
}

// fieldsService has every type expression and odd tags.
func fieldsService() *model.Service {
	s := service()
	s.Types = []model.Type{
		{GoName: "Airy", Kind: model.Struct, Fields: []model.Field{
			{GoName: "A", Type: basic("int64"), Doc: "A is described in one line.", Tags: tags("json", "a")},
			{GoName: "B", Type: basic("int64"), Doc: "B is described in more than one line, so that blank lines set the fields apart.", Tags: tags("json", "b")},
			{GoName: "C", Type: basic("int64"), Deprecated: "use B.", Tags: tags("json", "c")},
		}},
		{GoName: "Empty", Kind: model.Struct, Doc: "Empty has no fields."},
		{GoName: "Everything", Kind: model.Struct, Doc: "Everything has fields of all kinds.", Fields: []model.Field{
			member("Any", "any", basic("any")),
			member("Time", "time", optional(qualified("time", "Time"))),
			member("Date", "date", optional(qualified(httpapi, "Date"))),
			member("Stamp", "stamp", optional(qualified(httpapi, "UnixTime"))),
			member("Maybe", "maybe", nullable(basic("string"))),
			member("Matrix", "matrix", slice(slice(basic("float64")))),
			member("Others", "others", mapping(optional(named("Everything")))),
			{GoName: "Quoted", Type: basic("string"), Doc: "Quoted has a strange name.", Tags: tags("json", "'a`b\"c,d'")},
			{GoName: "Two", Type: basic("string"), Doc: "Two has two tags, in their order.", Tags: tags("json", "two", "form", "style=form")},
			{GoName: "Bare", Type: basic("string")},
		}},
	}
	return s
}

func declarationsService() *model.Service {
	s := service()
	s.Types = []model.Type{
		{GoName: "Labels", Kind: model.Defined, Underlying: mapping(basic("string")), Doc: "Labels are free."},
		{GoName: "Names", Kind: model.Defined, Underlying: slice(basic("string")), Deprecated: "use [Labels]."},
		{GoName: "Tags", Kind: model.Alias, Underlying: named("Labels"), Doc: "Tags are [Labels]."},
	}
	return s
}

func enumsService() *model.Service {
	s := service()
	s.Types = []model.Type{
		{GoName: "Color", Kind: model.Enum, Underlying: basic("string"), Doc: "Color is a color.", Values: []model.Value{
			{GoName: "ColorRed", Literal: "red", Doc: "Of fire."},
			{GoName: "ColorDeepBlue", Literal: "deep \"blue\""},
		}},
		{GoName: "Level", Kind: model.Enum, Underlying: basic("int64"), Values: []model.Value{
			{GoName: "LevelMinus1", Literal: int64(-1)}, {GoName: "LevelBig", Literal: int64(1) << 40},
		}},
		{GoName: "Open", Kind: model.Enum, Underlying: basic("string"), Doc: "Open names no values."},
		{GoName: "Ratio", Kind: model.Enum, Underlying: basic("float64"), Values: []model.Value{
			{GoName: "RatioHalf", Literal: 0.5}, {GoName: "RatioOne", Literal: 1.0},
		}},
		{GoName: "Yes", Kind: model.Enum, Underlying: basic("bool"), Values: []model.Value{{GoName: "YesTrue", Literal: true}}},
	}
	return s
}

// unionsService has a union with a discriminator and one without.
func unionsService() *model.Service {
	s := service()
	s.Types = []model.Type{
		{GoName: "Anything", Kind: model.OneOf, Union: &model.Union{
			Interface: "AnythingValue", Method: "isAnything", Table: "anything", Unknown: "AnythingUnknown",
			Variants: []model.Variant{
				{GoType: "AnythingString", Kinds: []string{"string"}},
				{GoType: "CardPayment", Pointer: true, Kinds: []string{"object"}, Required: []string{"kind", "number"}},
				{GoType: "PaymentMethod", Kinds: []string{"object"}},
			},
		}},
		{GoName: "AnythingString", Kind: model.Defined, Underlying: basic("string"), Doc: "AnythingString is a variant of [Anything]."},
		{GoName: "CardPayment", Kind: model.Struct, Fields: []model.Field{member("Kind", "kind", basic("string"))}},
		{GoName: "CashPayment", Kind: model.Struct, Fields: []model.Field{member("Kind", "kind", basic("string"))}},
		{GoName: "PaymentMethod", Kind: model.OneOf, Doc: "PaymentMethod is how an order is paid.", Union: &model.Union{
			Interface: "PaymentMethodValue", Method: "isPaymentMethod", Table: "paymentMethod", Unknown: "PaymentMethodUnknown",
			Discriminator: "kind",
			Variants: []model.Variant{
				{GoType: "CardPayment", Pointer: true, Values: []string{"card", "credit"}},
				{GoType: "CashPayment", Pointer: true, Values: []string{"cash"}},
				{GoType: "CardPayment", Pointer: true, Values: []string{"debit"}},
			},
		}},
	}
	return s
}

func oneMemberService() *model.Service {
	s := service()
	s.Types = []model.Type{{
		GoName: "AttributeValue", Kind: model.Struct, OneMember: true, Doc: "AttributeValue has exactly one member.",
		Fields: []model.Field{
			member("S", "S", optional(basic("string"))),
			member("L", "L", slice(named("AttributeValue"))),
		},
	}}
	return s
}

// errorsService has every way to match an error.
func errorsService() *model.Service {
	s := service()
	problem := named("Problem")
	s.Errors = []model.ErrorType{
		{GoName: "ConflictError", Doc: "ConflictError wraps a body that is used elsewhere too.", Wrapped: &problem},
		{GoName: "GoneError", Doc: "GoneError has no members.", Deprecated: "nothing goes away any more."},
		{GoName: "LimitError", Fields: []model.Field{
			member("Message", "message", optional(basic("string"))),
			member("Limit", "limit", optional(basic("int64"))),
		}},
	}
	s.Types = []model.Type{{GoName: "Problem", Kind: model.Struct, Fields: []model.Field{member("Title", "title", optional(basic("string")))}}}
	return with(s, model.Operation{GoName: "GetOrder", Errors: []model.ErrorCase{
		{Code: "Limit", Class: "throttling", GoType: "LimitError"},
		{Statuses: model.StatusRange{From: 409, To: 409}, GoType: "ConflictError"},
		{Statuses: model.StatusRange{From: 410, To: 410}, Class: "terminal", GoType: "GoneError"},
		{Statuses: model.StatusRange{From: 500, To: 599}, Class: "transient"},
		{GoType: "LimitError"},
	}})
}

// sharedErrorsService has a list of errors that operations share, and whose
// first name is taken.
func sharedErrorsService() *model.Service {
	s := service()
	s.Errors = []model.ErrorType{{GoName: "LimitError"}}
	list := func() []model.ErrorCase { return []model.ErrorCase{{Code: "Limit", GoType: "LimitError"}} }
	with(s, model.Operation{GoName: "GetItem", Errors: list()})
	with(s, model.Operation{GoName: "GetItemErrors"})
	with(s, model.Operation{GoName: "GetOther", Errors: []model.ErrorCase{{GoType: "LimitError"}}})
	return with(s, model.Operation{GoName: "PutItem", Errors: list()})
}

func pagesService() *model.Service {
	s := service()
	with(s, model.Operation{GoName: "ListLinks", Deprecated: "use [Client.Query].", Pages: &model.Pages{
		GoName: "ListLinksPages", Descriptor: "listLinksPages", Style: "LinkPages",
	}})
	return with(s, model.Operation{GoName: "Query", Pages: &model.Pages{
		GoName: "QueryPages", Descriptor: "queryPages", Style: "CursorPages",
		Input: "/ExclusiveStartKey", Output: "/LastEvaluatedKey", Items: "/Items", More: "/More",
	}})
}

func waitersService() *model.Service {
	return with(service(), model.Operation{GoName: "DescribeTable", Waiters: []model.Waiter{
		{
			Name: "TableExists", GoName: "WaitTableExists", Descriptor: "tableExists", Doc: "WaitTableExists returns when the table is active.",
			Delay: 20 * time.Second, MaxDelay: 2 * time.Minute,
			Acceptors: []model.Acceptor{
				{State: "WaitSuccess", Pointer: "/Table/TableStatus", Equals: "ACTIVE"},
				{State: "WaitRetry", ErrorCode: "ResourceNotFoundException"},
				{State: "WaitFailure", Status: 410},
			},
		},
		{
			Name: "TableNotExists", GoName: "WaitTableNotExists", Descriptor: "tableNotExists",
			Acceptors: []model.Acceptor{{State: "WaitSuccess", ErrorCode: "ResourceNotFoundException"}},
		},
	}})
}

// docsService has prose with paragraphs, lists and traps.
func docsService() *model.Service {
	s := service()
	s.Doc = "A description with a list:\n- one item that is so long that it must go on in the next line of the comment, indented\n" +
		"- two\n\nand code:\n\n\tx := 1\n\ty := 2\n\nThe end.\r\nOr not."
	return with(s, model.Operation{
		GoName: "GetOrder", Deprecated: "use another operation, for this one will be removed when the last of its callers has gone.",
		Doc: "GetOrder does it.\n\n+build ignore\n\n//go:build ignore */ /* \x00\ufeff\xff\n\n1. first\n2. second\n   line\n\n" +
			"https://example.com/a/very/long/url/that/does/not/fit/into/one/line/of/a/comment/but/stays/whole",
	})
}

func skippedService() *model.Service {
	s := service()
	s.Version = "1.0"
	s.Skipped = []model.Skip{
		{Position: "specs/example.yaml:7:3", What: "operation streamLogs", Why: "request body of type application/xml is not supported"},
		{Position: "specs/example.yaml:9:3", What: "operation watch", Why: "callbacks are not supported"},
	}
	return s
}

func offService() *model.Service {
	s := service()
	s.Retry.Mode = "off"
	return s
}

func legacyService() *model.Service {
	s := service()
	s.Retry.Profile = "aws-legacy"
	return with(s, model.Operation{GoName: "Today", Doc: "Today is as today.", Retry: &model.Retry{Mode: "standard"}})
}
