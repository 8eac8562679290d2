package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Call performs op with in: encode, then attempts under the effective policy
// (call option over client option over operation over service profile), then
// decode. A nil in means the zero input. The error is a [*CallError].
//
// The caller closes what it gets as an [io.ReadCloser].
func Call[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], in *In, opts ...CallOption) (*Out, error) {
	if err := checkCall(ctx, c, op); err != nil {
		return nil, err
	}
	x := call{client: c, name: op.Name}
	if in == nil {
		in = new(In)
	}
	ready, err := prepare(c, op)
	if err == nil {
		err = x.configure(ready, opts)
	}
	if err == nil {
		err = encodeCall(ctx, &x, op, in)
	}
	if err == nil {
		err = x.spool(ctx)
	}
	if err != nil {
		return nil, x.failed(err)
	}
	if x.request.body.release != nil {
		defer x.request.body.release()
	}
	var out *Out
	x.decode = func(resp *http.Response) (bool, error) {
		out = new(Out)
		return decode(decodeInfo{document: op.Document, operation: op.Name}, resp, out, x.config.maxBytes)
	}
	settings := ready.callOptions(reflect.ValueOf(in))
	settings.Limiter = x.limiter(reflect.ValueOf(in).Elem())
	settings.Unsafe = settings.Unsafe && !(ready.byMethod && isGuarded(ready.method, x.request.header))
	if err := x.run(ctx, settings); err != nil {
		return nil, err
	}
	if holder, ok := any(out).(interface{ metadata() *Metadata }); ok {
		*holder.metadata() = x.meta
	}
	return out, nil
}

// checkCall refuses what no call can be made of.
func checkCall[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out]) error {
	name, missing := "call", ""
	switch {
	case c == nil:
		missing = "client"
	case op == nil:
		name, missing = c.service.Name+" call", "operation"
	case ctx == nil:
		name, missing = c.service.Name+" "+op.Name, "context"
	default:
		return nil
	}
	return &CallError{Operation: name, Err: errors.New("httpapi: nil " + missing)}
}

// encodeCall fills in the request of x, with its idempotency key.
func encodeCall[In, Out any](ctx context.Context, x *call, op *Operation[In, Out], in *In) (err error) {
	if x.op.keyPlace != nil {
		in, x.meta.IdempotencyKey = withKey(in, x.op.keyPlace, x.config.key)
	}
	if x.request, err = encode(op, in); err != nil {
		return err
	}
	if x.op.key != nil && x.op.key.Header != "" {
		x.meta.IdempotencyKey = x.request.headerKey(x.op.key.Header, x.config.key)
	}
	return x.complete(ctx)
}

// call is one call on its way.
type call struct {
	client     *Client
	name       string
	op         *prepared
	config     callConfig
	policy     *retry.Policy
	request    encoded
	url        *url.URL
	invocation string    // the same on each attempt, "" if the profile has none
	deadline   time.Time // of the policy's total timeout; zero: none
	decode     func(*http.Response) (streamed bool, err error)
	meta       Metadata
	doubtful   bool // an attempt may have acted, although it failed
}

// configure applies the options of the call.
func (x *call) configure(op *prepared, opts []CallOption) (err error) {
	x.op = op
	x.config = callConfig{maxBytes: x.client.defaults.maxBytes}.with(opts)
	if x.config.maxBytes == 0 {
		x.config.maxBytes = DefaultMaxResponseBytes
	}
	x.policy, err = op.policy.With(x.config.retry...)
	return errors.Join(append(x.config.errs, err, x.config.takeKey(op.key))...)
}

// complete works out what the attempts of the call share beside the encoded
// input, and refuses a body that could not be sent twice.
func (x *call) complete(ctx context.Context) error {
	if err := x.address(); err != nil {
		return err
	}
	h := x.request.header
	if h == nil {
		h = make(http.Header)
		x.request.header = h
	}
	for name, value := range x.client.defaults.header {
		if _, set := h[name]; !set {
			h[name] = []string{value}
		}
	}
	for name, value := range x.config.header {
		h[name] = []string{value}
	}
	if _, set := h["Accept"]; !set && x.request.accept != "" {
		h["Accept"] = []string{x.request.accept}
	}
	if _, set := h["User-Agent"]; !set {
		h["User-Agent"] = x.client.agent // cloned for each attempt
	}
	if x.op.profile.InvocationHeader != "" {
		x.invocation = newUUID()
	}
	return x.checkBody(ctx)
}

// checkBody refuses a body that can be read once only if it might have to be
// sent again.
func (x *call) checkBody(ctx context.Context) error {
	if attempts := x.policy.MaxAttempts(ctx); x.request.body.oneShot && attempts > 1 && x.config.spool == nil {
		return fmt.Errorf("%w: it can be read once only and the policy allows %d attempts: "+
			"pass an io.Seeker, a *bytes.Buffer or an httpapi.Reopen, keep it with httpapi.WithSpool, or allow one attempt with retry.WithMaxAttempts(1)",
			retry.ErrBodyNotReplayable, attempts)
	}
	return nil
}

// address works out where the request goes: where the input says, or to a
// page that the last one named.
func (x *call) address() (err error) {
	page := x.config.page
	if page != nil && page.next != nil {
		x.url = page.next
	} else if x.url, err = resolve(x.op.base, x.request.path, x.request.query); err != nil {
		return err
	}
	if page != nil {
		page.sent = x.url
	}
	return nil
}

// run makes the attempts.
func (x *call) run(ctx context.Context, opts retry.CallOptions) error {
	if total := x.policy.Settings().TotalTimeout; total > 0 {
		x.deadline = time.Now().Add(total)
	}
	opts.Service, opts.Operation = x.client.service.Name, x.name
	if x.policy.Quota() == x.op.policy.Quota() {
		opts.Quota = x.client.scopedQuota(ctx, x.url.Host, x.name, x.config.quotaKey)
	}
	history, stop := retry.Run(ctx, x.policy, opts, x.attempt)
	x.meta.Attempts = history
	if stop == nil {
		x.tell()
		return nil
	}
	if e, ok := errors.AsType[interface {
		error
		responseError() *ResponseError
	}](stop.Err); ok {
		e.responseError().Attempts = history
	}
	return x.failed(stop)
}

// tell fills in what [WithResult] asked for.
func (x *call) tell() {
	if x.config.result != nil {
		*x.config.result = x.meta
	}
}

// failed is the error of the call.
func (x *call) failed(err error) error {
	x.tell()
	return &CallError{
		Operation:      x.client.service.Name + " " + x.name,
		IdempotencyKey: x.meta.IdempotencyKey,
		Err:            err,
	}
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
