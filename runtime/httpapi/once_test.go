package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

type onceInput struct {
	ID   *string `query:"id"`
	Body *string `body:"text/plain"`
}

type onceOutput struct {
	Metadata
	Body string `body:"200,text/plain"`
}

// TestRequestsEqualAttempts breaks a kept connection after the request was
// read, which makes net/http's transport send it again by itself, and wants
// each request on the wire to be an attempt of the history.
func TestRequestsEqualAttempts(t *testing.T) {
	for _, c := range []struct {
		name   string
		method string
		body   *string
		key    *IdempotencyKey
	}{
		{"GET", http.MethodGet, nil, nil},
		{"HEAD", http.MethodHead, nil, nil},
		{"OPTIONS", http.MethodOptions, nil, nil},
		{"DELETE", http.MethodDelete, nil, nil},
		{"TRACE", http.MethodTrace, nil, nil},
		{"PUT with a body", http.MethodPut, new("x"), nil},
		{"POST with a key and a body", http.MethodPost, new("x"), &IdempotencyKey{Header: "Idempotency-Key"}},
		{"POST with a key and no body", http.MethodPost, nil, &IdempotencyKey{Header: "Idempotency-Key"}},
		{"POST with another key and no body", http.MethodPost, nil, &IdempotencyKey{Header: "X-Idempotency-Key"}},
		{"GET with a body", http.MethodGet, new("x"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				if c.body == nil && (len(sent) > 0 || len(r.TransferEncoding) > 0 || r.ContentLength != 0) {
					t.Errorf("a request without a body has length %d, encoding %q", r.ContentLength, r.TransferEncoding)
				}
				if c.key != nil && r.Header.Get(c.key.Header) == "" {
					t.Error("no idempotency key")
				}
				if requests.Add(1) == 2 { // on the connection that the first call left
					hangUp(w)
					return
				}
				w.Header().Set("Content-Type", "text/plain")
				_, _ = io.WriteString(w, "ok")
			}))
			defer server.Close()
			client, err := NewClient(&Service{Name: "test"}, server.URL, WithRetry(retry.WithJitter(func() float64 { return 0 })))
			if err != nil {
				t.Fatal(err)
			}
			op := &Operation[onceInput, onceOutput]{Name: "op", Method: c.method, Path: "/", Key: c.key}
			in := &onceInput{Body: c.body}
			for call, failures := range []int{0, 1} {
				out, err := Call(t.Context(), client, op, in)
				if err != nil {
					t.Fatalf("call %d: %v", call+1, err)
				}
				if len(out.Attempts) != failures {
					t.Errorf("call %d: history %v, want %d failures", call+1, out.Attempts, failures)
				}
			}
			if got := requests.Load(); got != 3 {
				t.Errorf("%d requests, want 3", got)
			}
		})
	}
}

// hangUp resets the connection.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// TestOnceFollowsRedirects wants redirects that keep the method to work, with
// a body and without.
func TestOnceFollowsRedirects(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
			return
		}
		sent, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, r.Method+string(sent))
	}))
	defer server.Close()
	client, err := NewClient(&Service{Name: "test"}, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for method, body := range map[string]*string{http.MethodGet: nil, http.MethodPut: new("x")} {
		op := &Operation[onceInput, onceOutput]{Name: "op", Method: method, Path: "/"}
		out, err := Call(context.Background(), client, op, &onceInput{Body: body})
		if err != nil || !strings.HasPrefix(out.Body, method) {
			t.Errorf("%s: %+v, %v", method, out, err)
		}
	}
}

// TestOnceHTTP2 wants a GET and a TRACE over HTTP/2 to arrive without a body.
func TestOnceHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if r.ProtoMajor != 2 || len(sent) > 0 || err != nil {
			t.Errorf("protocol %s, body %q, %v", r.Proto, sent, err)
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "ok")
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client, err := NewClient(&Service{Name: "test"}, server.URL, WithHTTPClient(server.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{http.MethodGet, http.MethodTrace} {
		op := &Operation[onceInput, onceOutput]{Name: "op", Method: method, Path: "/"}
		if out, err := Call(t.Context(), client, op, nil); err != nil || out.Body != "ok" {
			t.Errorf("%s: %+v, %v", method, out, err)
		}
	}
}

// TestUnwrittenIsNotResent breaks a kept connection at the first byte of a
// POST: net/http would send it again on another one, without being asked.
func TestUnwrittenIsNotResent(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	var mu sync.Mutex
	var conns []*countingConn
	base := &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		counting := &countingConn{Conn: conn}
		conns = append(conns, counting)
		return counting, nil
	}}
	defer base.CloseIdleConnections()
	client, err := NewClient(&Service{Name: "test"}, server.URL, WithHTTPClient(&http.Client{Transport: base}),
		WithRetry(retry.WithJitter(func() float64 { return 0 })))
	if err != nil {
		t.Fatal(err)
	}
	op := &Operation[onceInput, struct{ Metadata }]{Name: "op", Method: http.MethodPost, Path: "/"}
	for call, failures := range []int{0, 1} {
		out, err := Call(t.Context(), client, op, nil)
		if err != nil || len(out.Attempts) != failures {
			t.Fatalf("call %d: %+v, %v", call+1, out, err)
		}
		conns[0].broken.Store(true)
	}
	mu.Lock()
	defer mu.Unlock()
	var writes []int32
	for _, c := range conns {
		writes = append(writes, c.writes.Load())
	}
	if !slices.Equal(writes, []int32{1, 0, 1}) {
		t.Errorf("connections were written to %v times, want 1, 0 and 1", writes)
	}
}

// countingConn counts what is written, until it is broken.
type countingConn struct {
	net.Conn
	broken atomic.Bool
	writes atomic.Int32
}

func (c *countingConn) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, io.ErrClosedPipe
	}
	n, err := c.Conn.Write(p)
	if err == nil {
		c.writes.Add(1)
	}
	return n, err
}

// TestSecondConnection: the connection of a second request is closed before it
// can be written to, but not one of HTTP/2, which others share.
func TestSecondConnection(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []string // written to the first connection
		answer bool     // to the first request
		closed bool
	}{
		{"HTTP/1", []string{"Host"}, false, true},
		{"HTTP/1, answered", []string{"Host"}, true, false},
		{"HTTP/2", []string{":authority", ":method"}, false, false},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		trace := (&wire{cancel: cancel, twice: errUnanswered}).trace()
		near, far := net.Pipe()
		trace.GotConn(httptrace.GotConnInfo{Conn: near})
		for _, name := range c.fields {
			trace.WroteHeaderField(name, nil)
		}
		trace.WroteHeaders()
		if ctx.Err() != nil {
			t.Errorf("%s: the first request is stopped", c.name)
		}
		if c.answer {
			trace.GotFirstResponseByte()
		}
		trace.GotConn(httptrace.GotConnInfo{Conn: near})
		if closed := near.SetDeadline(time.Time{}) != nil; closed != c.closed {
			t.Errorf("%s: closed %t, want %t", c.name, closed, c.closed)
		}
		if stopped := context.Cause(ctx) == errUnanswered; stopped == c.answer {
			t.Errorf("%s: stopped %t", c.name, stopped)
		}
		cancel(nil)
		_, _ = near.Close(), far.Close()
	}
}

// TestWrappedTransportSendsMore: requests that a transport makes one after the
// other, for a token first, say, are no repeats.
func TestWrappedTransportSendsMore(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	base := new(http.Transport)
	defer base.CloseIdleConnections()
	twice := roundTrip(func(req *http.Request) (*http.Response, error) {
		first, err := base.RoundTrip(req.Clone(req.Context()))
		if err != nil {
			return nil, err
		}
		_ = first.Body.Close()
		return base.RoundTrip(req)
	})
	transport, err := NewTransport(twice)
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	req.Header.Set("Idempotency-Key", "k")
	if _, _, err := send(t, &http.Client{Transport: transport}, req); err != nil || requests.Load() != 2 {
		t.Errorf("%d requests, %v", requests.Load(), err)
	}
}
