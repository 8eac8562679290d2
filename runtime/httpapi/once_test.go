package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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
