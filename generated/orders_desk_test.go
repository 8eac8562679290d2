package generated_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// orderID is an order of the tests.
const orderID = "6f1b7d2e-0c3a-4b51-9a55-0f6f2d1c8e77"

// A desk is an order desk behind connections in memory: a server of net/http
// that plays a script, and a client of it. In a bubble of testing/synctest it
// lives in virtual time.
type desk struct {
	*orders.Client

	t      *testing.T
	mu     sync.Mutex
	script []http.Handler
	seen   []visit
}

// visit is a request as the desk saw it.
type visit struct {
	*http.Request
	body string
	at   time.Time
}

// openDesk opens a desk that gives one answer to each request. The test fails
// if there are more requests than answers, or fewer.
func openDesk(t *testing.T, script []http.Handler, opts ...httpapi.Option) *desk {
	t.Helper()
	d := &desk{t: t, script: script}
	d.Client = serveDesk(t, http.HandlerFunc(d.answer), opts...)
	t.Cleanup(func() {
		if left := len(d.script) - len(d.visits()); left > 0 {
			t.Errorf("%d of %d answers were not asked for", left, len(d.script))
		}
	})
	return d
}

// answer notes the request and plays the next answer.
func (d *desk) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client gave up
	}
	d.mu.Lock()
	n := len(d.seen)
	d.seen = append(d.seen, visit{r, string(body), time.Now()})
	d.mu.Unlock()
	if n >= len(d.script) {
		d.t.Errorf("request %d, %s %s, is beyond the script", n+1, r.Method, r.RequestURI)
		w.WriteHeader(http.StatusTeapot)
		return
	}
	d.script[n].ServeHTTP(w, r)
}

// visits returns the requests so far.
func (d *desk) visits() []visit {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen[:len(d.seen):len(d.seen)]
}

// only returns the one request of the test.
func (d *desk) only() visit {
	d.t.Helper()
	seen := d.visits()
	if len(seen) != 1 {
		d.t.Fatalf("got %d requests, want 1", len(seen))
	}
	return seen[0]
}

// waits returns the times between the requests.
func (d *desk) waits() []time.Duration {
	var waits []time.Duration
	seen := d.visits()
	for i := 1; i < len(seen); i++ {
		waits = append(waits, seen[i].at.Sub(seen[i-1].at))
	}
	return waits
}

// serveDesk returns a client of handler at the first server of the
// definition.
func serveDesk(t *testing.T, handler http.Handler, opts ...httpapi.Option) *orders.Client {
	t.Helper()
	return serveDeskAt(t, "", handler, opts...)
}

// serveDeskAt returns a client of handler at endpoint. Its backoffs are their
// full term.
func serveDeskAt(t *testing.T, endpoint string, handler http.Handler, opts ...httpapi.Option) *orders.Client {
	t.Helper()
	lines := &pipes{calls: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() {
		defer close(done)
		server.Serve(lines)
	}()
	transport := &http.Transport{DialContext: lines.dial, DialTLSContext: lines.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		<-done
	})
	fullBackoff := httpapi.WithRetry(retry.WithJitter(func() float64 { return 1 }))
	opts = append([]httpapi.Option{httpapi.WithHTTPClient(&http.Client{Transport: transport}), fullBackoff}, opts...)
	client, err := orders.New(endpoint, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// pipes is a listener whose connections are pipes in memory, without TLS
// whatever the scheme.
type pipes struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.calls <- far:
		return near, nil
	case <-p.closed:
		return nil, errors.New("the desk is closed")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.calls:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }

// reply is an answer of the desk.
type reply struct {
	status int
	header http.Header
	body   string
}

// answers is a script.
func answers(script ...http.Handler) []http.Handler { return script }

// times is a script of n equal answers.
func times(n int, answer http.Handler) []http.Handler {
	script := make([]http.Handler, n)
	for i := range script {
		script[i] = answer
	}
	return script
}

// bare answers without a body.
func bare(status int) reply { return reply{status: status, header: http.Header{}} }

// typed answers with a body of a media type.
func typed(status int, mediaType, body string) reply {
	return reply{status, http.Header{"Content-Type": {mediaType}}, body}
}

// document answers with JSON.
func document(status int, body string) reply { return typed(status, "application/json", body) }

// problem answers as RFC 9457 describes.
func problem(status int, body string) reply {
	return typed(status, "application/problem+json", body)
}

// failure answers with an error of the definition, with a code.
func failure(status int, code string) reply {
	return document(status, `{"error":{"code":`+strconv.Quote(code)+`,"message":"no"}}`)
}

// with returns a with another header.
func (a reply) with(name, value string) reply {
	a.header = a.header.Clone()
	a.header.Set(name, value)
	return a
}

func (a reply) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// hang answers nothing until the client gives up.
var hang = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })

// hangUp closes the connection without an answer.
var hangUp = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })

// anOrder is a complete order on the wire; status is its status.
func anOrder(status string) string {
	return strings.NewReplacer("STATUS", status).Replace(`{"id":"` + orderID + `","number":9007199254740993,
		"customerId":9223372036854775807,"status":"STATUS","lines":[{"number":1,"sku":"a","quantity":2}],
		"delivery":{"pointId":"p"},"note":null,"createdAt":"2026-02-28T23:59:59.123456789+01:00","shippedAt":null}`)
}
