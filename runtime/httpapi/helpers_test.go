package httpapi

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// The item service of the tests: one JSON-RPC operation that may be repeated,
// and a few of REST.
type getIn struct {
	Key  string  `json:"key"`
	Wait *int64  `json:"wait,omitzero"`
	Tok  *string `json:"token,omitzero"`
}

type getOut struct {
	Metadata `json:"-"`
	Name     string `json:"name"`
}

type notFound struct {
	ResponseError `json:"-"`
	Resource      string `json:"resource"`
}

func getItem() *Operation[getIn, getOut] {
	return &Operation[getIn, getOut]{
		Name: "GetItem", Method: http.MethodPost, Path: "/", Document: "application/json", Idempotency: Idempotent,
		Errors: []ErrorCase{
			{Code: "NotFound", New: NewError[notFound]},
			{Statuses: Status(410), New: NewError[notFound]},
		},
	}
}

// coded is HTTP1 with error codes at /code.
var coded = Profile{Name: "coded", ErrorCode: []CodeSource{{Pointer: "/code"}}}.Over(HTTP1)

func items() *Service {
	return &Service{Name: "items", Version: "1", Profile: coded}
}

// noJitter makes backoffs their full term.
func noJitter() Option { return WithRetry(retry.WithJitter(func() float64 { return 1 })) }

// script returns a client that plays steps; the test fails if the script is
// not played to its end or an answer is left open.
func script(t *testing.T, s *Service, steps []retrytest.Step, opts ...Option) (*Client, *retrytest.Transport) {
	t.Helper()
	transport := retrytest.NewTransport(steps...)
	opts = append([]Option{WithHTTPClient(transport.Client()), noJitter()}, opts...)
	c, err := NewClient(s, "https://items.example/base", opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { transport.Check(t) })
	return c, transport
}

func steps(s ...retrytest.Step) []retrytest.Step { return s }

var okay = retrytest.JSON(200, `{"name":"a"}`)

// datedAnswer is a response for [retrytest.Func].
func datedAnswer(status int, h http.Header, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

type signerFunc func(context.Context, *http.Request) error

func (f signerFunc) Sign(ctx context.Context, req *http.Request, _ time.Time) error {
	return f(ctx, req)
}

func valueOf(v any) reflect.Value { return reflect.ValueOf(v) }
