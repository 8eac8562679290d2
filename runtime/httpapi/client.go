package httpapi

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Client holds what the calls of one client share: endpoint, transport,
// credentials, retry policy with its quota, and the observed clock skew. It is
// safe for concurrent use.
type Client struct{}

// NewClient returns a client of service at endpoint, a base URL; "" means the
// service's first declared server. Errors name every bad option.
func NewClient(service *Service, endpoint string, opts ...Option) (*Client, error) {
	panic("unwritten")
}

// Call performs op with in: encode, then attempts under the effective policy
// (call option over client option over operation over service profile), then
// decode. A nil in means the zero input. The error is a [*CallError].
func Call[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], in *In, opts ...CallOption) (*Out, error) {
	panic("unwritten")
}

// Pages yields the outputs of op page by page. It stops after the last page,
// at the first error (yielded with a nil output), and with
// [ErrRepeatedCursor] when the server answers with a cursor that was already used.
func Pages[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], p *Pagination, in *In, opts ...CallOption) iter.Seq2[*Out, error] {
	panic("unwritten")
}

// Wait polls op until an acceptor of w says success or failure or ctx ends.
func Wait[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], w *Waiter, in *In, opts ...CallOption) (*Out, error) {
	panic("unwritten")
}

// Signer signs the request of one attempt. at is the time to sign with,
// corrected for the observed clock skew. The body, if any, can be read from
// req.GetBody.
type Signer interface {
	Sign(ctx context.Context, req *http.Request, at time.Time) error
}
