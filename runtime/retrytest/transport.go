package retrytest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// A Transport answers requests from a script: the first request gets the
// first step, and so on, whatever the requests are. It is safe for concurrent
// use; the order of concurrent requests is then the order of their arrival.
type Transport struct {
	mu       sync.Mutex
	steps    []Step
	next     int
	requests []Request
	faults   []error
	open     int
}

// Request is what one request was when it arrived.
type Request struct {
	Method string
	URL    string
	Header http.Header
	// Body is the body as sent, nil if there was none.
	Body []byte
	// At is when the request arrived.
	At time.Time
}

// NewTransport returns a transport that plays steps in their order. A request
// beyond the last step fails with a terminal error, which [Transport.Check]
// reports too.
func NewTransport(steps ...Step) *Transport {
	return &Transport{steps: steps}
}

// Client returns an HTTP client on t, without a timeout of its own and
// without cookies.
func (t *Transport) Client() *http.Client { return &http.Client{Transport: t} }

// RoundTrip implements [http.RoundTripper]: it reads and closes the request's
// body, records the request and plays the next step.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := readBody(req)
	if err != nil {
		t.fault(fmt.Errorf("body of %s %s: %w", req.Method, req.URL, err))
		return nil, err
	}
	step, err := t.take(req, sent)
	if err != nil {
		return nil, err
	}
	resp, err := step.answer(req, sent)
	if resp != nil {
		t.watch(req.Context(), resp, step)
	}
	return resp, err
}

func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	sent, err := io.ReadAll(req.Body)
	return sent, errors.Join(err, req.Body.Close())
}

// take records the request and returns its step.
func (t *Transport) take(req *http.Request, sent []byte) (Step, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests = append(t.requests, Request{
		Method: req.Method, URL: req.URL.String(), Header: req.Header.Clone(), Body: sent, At: time.Now(),
	})
	if t.next == len(t.steps) {
		err := fmt.Errorf("retrytest: request %d (%s %s) is beyond the script of %d steps",
			len(t.requests), req.Method, req.URL, len(t.steps))
		t.faults = append(t.faults, err)
		return Step{}, retry.MarkTerminal(err)
	}
	t.next++
	return t.steps[t.next-1], nil
}

func (t *Transport) fault(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults = append(t.faults, err)
}

// watch counts resp's body as open until it is closed.
func (t *Transport) watch(ctx context.Context, resp *http.Response, step Step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	resp.Body = step.body(ctx, resp.Body, sync.OnceFunc(t.closed))
}

func (t *Transport) closed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
}

// Requests returns what was sent so far, in order.
func (t *Transport) Requests() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Request(nil), t.requests...)
}

// OpenBodies returns how many response bodies have not been closed.
func (t *Transport) OpenBodies() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// Err returns everything that is wrong at the end of a test, nil if nothing
// is: steps that no request consumed, requests beyond the script, request
// bodies that failed, response bodies left open.
func (t *Transport) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	errs := append([]error(nil), t.faults...)
	for i := t.next; i < len(t.steps); i++ {
		errs = append(errs, fmt.Errorf("retrytest: step %d of %d (%s) was not consumed", i+1, len(t.steps), t.steps[i]))
	}
	if t.open > 0 {
		errs = append(errs, fmt.Errorf("retrytest: %d response bodies were not closed", t.open))
	}
	return errors.Join(errs...)
}

// Reporter is the part of [testing.TB] that [Transport.Check] uses.
type Reporter interface {
	Helper()
	Error(args ...any)
}

// Check reports [Transport.Err] as a failure of the test r.
func (t *Transport) Check(r Reporter) {
	r.Helper()
	if err := t.Err(); err != nil {
		r.Error(err)
	}
}

// watchedBody is a response body that knows when it is closed and, like that
// of a real transport, fails once the request's context has ended.
type watchedBody struct {
	ctx    context.Context
	src    io.Reader
	closer io.Closer
	closed func()
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.src.Read(p)
}

func (b *watchedBody) Close() error {
	b.closed()
	b.src = failing{http.ErrBodyReadAfterClose}
	return b.closer.Close()
}

// failing is a reader that fails at once.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

var _ http.RoundTripper = (*Transport)(nil)

// Bodies returns the bodies of requests as strings, for comparing.
func Bodies(requests []Request) []string {
	out := make([]string, len(requests))
	for i, r := range requests {
		out[i] = string(r.Body)
	}
	return out
}
