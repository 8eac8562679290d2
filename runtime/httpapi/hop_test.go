package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// doFunc is an HTTPClient of the caller's own.
type doFunc func(*http.Request) (*http.Response, error)

func (f doFunc) Do(req *http.Request) (*http.Response, error) { return f(req) }

// insideOut is a transport that is an HTTP client inside.
type insideOut struct{ client *http.Client }

func (t insideOut) RoundTrip(req *http.Request) (*http.Response, error) {
	inner := req.Clone(req.Context())
	inner.RequestURI = ""
	return t.client.Do(inner)
}

// redirectedEnds are ways for a redirected request to fail, each of which
// would prove of a request that was not redirected that it was not acted on.
var redirectedEnds = []struct {
	name  string
	to    string
	then  []retrytest.Step
	check func(*http.Request, []*http.Request) error
}{
	{"throttled", "/made/1", steps(retrytest.JSON(429, "{}")), nil},
	{"unavailable for a while", "/made/1", steps(retrytest.Respond(503, http.Header{"Retry-After": {"1"}}, "")), nil},
	{"throttled at the same URL", "https://items.example/base/orders", steps(retrytest.JSON(429, "{}")), nil},
	{"not connected", "https://gone.example/", steps(retrytest.Fail(retrytest.ConnectionRefused())), nil},
	{"not connected to the same URL", "https://items.example/base/orders", steps(retrytest.Fail(retrytest.ConnectionRefused())), nil},
	{"name unknown", "https://gone.example/", steps(retrytest.Fail(retrytest.DNSNotFound())), nil},
	{"refused by HTTP/2", "/made/1", steps(retrytest.Fail(http2StreamError{StreamID: 1, Code: http2RefusedStream})), nil},
	{"location not understood", "https://items.example:REFUSED_STREAM/", nil, nil},
	{"not followed, with an error", "/made/1", nil, func(*http.Request, []*http.Request) error { return retrytest.ConnectionRefused() }},
}

// TestRedirectedFailureProvesNothing: a POST that was redirected is not sent
// again because the request that followed it did not get through.
func TestRedirectedFailureProvesNothing(t *testing.T) {
	for _, end := range redirectedEnds {
		for _, status := range []int{303, 307} {
			t.Run(end.name+"/"+http.StatusText(status), func(t *testing.T) {
				moved := retrytest.Respond(status, http.Header{"Location": {end.to}}, "")
				transport := retrytest.NewTransport(append(steps(moved), end.then...)...)
				hc := &http.Client{Transport: transport, CheckRedirect: end.check}
				c, err := NewClient(items(), "https://items.example/base", WithHTTPClient(hc), noJitter())
				if err != nil {
					t.Fatal(err)
				}
				op := &Operation[changeIn, getOut]{Name: "Order", Method: http.MethodPost, Path: "/orders"}
				var m Metadata
				_, err = Call(t.Context(), c, op, nil, WithResult(&m))
				if err == nil || len(m.Attempts) != 1 || m.Attempts[0].NotActed {
					t.Errorf("got %v after %v, want one attempt of which nothing is proved", err, m.Attempts)
				}
				transport.Check(t)
			})
		}
	}
}

// TestRedirectOverTheWire counts what a server gets, under clients of all
// kinds and under a transport.
func TestRedirectOverTheWire(t *testing.T) {
	var posts atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
			w.Header().Set("Location", r.URL.Path)
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	gone := &http.Client{Transport: &refuseGet{http.DefaultTransport}}
	for name, hc := range map[string]HTTPClient{
		"default":               new(http.Client),
		"of the caller":         doFunc(http.DefaultClient.Do),
		"inside a transport":    &http.Client{Transport: insideOut{http.DefaultClient}},
		"no second connection":  gone,
		"none, of the caller":   doFunc(gone.Do),
		"none, in a transport":  &http.Client{Transport: insideOut{gone}},
		"under a retry of ours": &http.Client{Transport: mustTransport(t, nil)},
		"around a client":       &http.Client{Transport: mustTransport(t, insideOut{gone})},
	} {
		c, err := NewClient(items(), server.URL, WithHTTPClient(hc), WithRetry(retry.WithJitter(func() float64 { return 0 })))
		if err != nil {
			t.Fatal(err)
		}
		posts.Store(0)
		op := &Operation[changeIn, getOut]{Name: "Order", Method: http.MethodPost, Path: "/orders"}
		if _, err := Call(t.Context(), c, op, nil); posts.Load() != 1 || err == nil {
			t.Errorf("%s: %d POSTs, want 1: %v", name, posts.Load(), err)
		}
	}
	posts.Store(0)
	outer := &http.Client{Transport: mustTransport(t, insideOut{http.DefaultClient})}
	resp, err := outer.Post(server.URL+"/orders", "text/plain", nil)
	if err == nil {
		resp.Body.Close()
	}
	if posts.Load() != 1 {
		t.Errorf("under a transport: %d POSTs, want 1: %v", posts.Load(), err)
	}
}

// refuseGet does not connect for a GET.
type refuseGet struct{ base http.RoundTripper }

func (t *refuseGet) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet {
		return nil, retrytest.ConnectionRefused()
	}
	return t.base.RoundTrip(req)
}

func mustTransport(t *testing.T, base http.RoundTripper) *Transport {
	t.Helper()
	transport, err := NewTransport(base, noJitter())
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// TestRedirectUnderAnOuterRetry: to an outer retry of a POST, the failure of
// the GET that it led to proves nothing either.
func TestRedirectUnderAnOuterRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy, err := retry.New(retry.WithReplay(retry.ReplaySafe))
		if err != nil {
			t.Fatal(err)
		}
		script := retrytest.NewTransport(
			retrytest.Respond(303, http.Header{"Location": {"/made/1"}}, ""), retrytest.Fail(retrytest.ConnectionRefused()))
		hc := &http.Client{Transport: mustTransport(t, script)}
		history, stop := retry.Run(t.Context(), policy, retry.CallOptions{Unsafe: true}, func(ctx context.Context, _ retry.Attempt) *retry.Failure {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://items.example/orders", nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = hc.Do(req)
			f := HTTP1.ClassifyError(err)
			return &f
		})
		if len(history) != 1 || !errors.Is(stop, retry.ErrOutcomeUnknown) {
			t.Errorf("got %v, %v; want one attempt with an unknown outcome", history, stop)
		}
		script.Check(t)
	})
}

// TestProofWithoutRedirect: what is about the request itself still proves that
// nothing was done, in each kind of client.
func TestProofWithoutRedirect(t *testing.T) {
	refusals := steps(retrytest.JSON(429, "{}"), retrytest.Fail(retrytest.ConnectionRefused()), okay)
	for name, client := range map[string]func(*retrytest.Transport) HTTPClient{
		"an http.Client":      func(s *retrytest.Transport) HTTPClient { return s.Client() },
		"one around a client": func(s *retrytest.Transport) HTTPClient { return &http.Client{Transport: insideOut{s.Client()}} },
		"of the caller":       func(s *retrytest.Transport) HTTPClient { return doFunc(s.Client().Do) },
		"under a transport":   func(s *retrytest.Transport) HTTPClient { return &http.Client{Transport: mustTransport(t, s)} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := retrytest.NewTransport(slices.Clone(refusals)...)
				service := items()
				service.Schemes = map[string]Scheme{"key": {Kind: APIKeyQuery, Name: "key"}}
				service.Security = [][]string{{"key"}}
				c, err := NewClient(service, "https://items.example/a%20b", WithHTTPClient(client(script)), WithCredential("key", Token("s/1")), noJitter())
				if err != nil {
					t.Fatal(err)
				}
				op := &Operation[changeIn, getOut]{Name: "Order", Method: http.MethodPost, Path: "/orders"}
				out, err := Call(t.Context(), c, op, nil)
				if err != nil || len(out.Attempts) != 2 {
					t.Errorf("got %+v, %v; want 2 failures", out, err)
				}
			})
		})
	}
}

// TestFailedElsewhere reads the URL of an error.
func TestFailedElsewhere(t *testing.T) {
	sent, err := http.NewRequest(http.MethodPost, "https://user:word@items.example/a?b=c", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{io.EOF, false},
		{&url.Error{Op: "Post", URL: "https://user:***@items.example/a?b=c", Err: io.EOF}, false},
		{&url.Error{Op: "Get", URL: "https://items.example/a?b=c", Err: io.EOF}, true},
		{&url.Error{Op: "Post", URL: "https://items.example/b?b=c", Err: io.EOF}, true},
		{&url.Error{Op: "Post", URL: "https://items.example/a", Err: io.EOF}, true},
		{&url.Error{Op: "Post", URL: "http://items.example/a?b=c", Err: io.EOF}, true},
		{&url.Error{Op: "Post", URL: "https://user:***@items.example/a?b=c", Err: &url.Error{Op: "Get", URL: "/", Err: io.EOF}}, true},
	} {
		if got := failedElsewhere(sent, tt.err); got != tt.want {
			t.Errorf("%v: got %t, want %t", tt.err, got, tt.want)
		}
	}
}
