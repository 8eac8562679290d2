package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// retrying returns an HTTP client on a transport that plays steps. The test
// fails if they are not played to their end or an answer is left open.
func retrying(t *testing.T, s []retrytest.Step, opts ...Option) (*http.Client, *retrytest.Transport) {
	t.Helper()
	below := retrytest.NewTransport(s...)
	transport, err := NewTransport(below, append([]Option{noJitter()}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { below.Check(t) })
	return &http.Client{Transport: transport}, below
}

// send sends a request and reads its answer.
func send(t *testing.T, c *http.Client, req *http.Request) (*http.Response, string, error) {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func newRequest(t *testing.T, ctx context.Context, method string, body io.Reader, header ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "https://items.example/a?b=c", body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

func TestTransportRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := retrytest.Respond(503, http.Header{"Retry-After": {"7"}}, "later")
		c, below := retrying(t, steps(retrytest.Fail(retrytest.ConnectionReset()), slow, retrytest.Respond(201, nil, "done")),
			WithProfile(Profile{AttemptHeader: "X-Attempt", InvocationHeader: "X-Invocation", DeadlineHeader: "X-Left"}),
			WithRetry(retry.WithTotalTimeout(time.Minute)))
		var result Metadata
		ctx := ContextWithResult(t.Context(), &result)
		req := newRequest(t, ctx, http.MethodPut, strings.NewReader("the body"), "X-Own", "1")
		start := time.Now()
		resp, body, err := send(t, c, req)
		if err != nil || body != "done" || resp.StatusCode != 201 {
			t.Fatalf("got %v, %q, %v", resp, body, err)
		}
		if got := time.Since(start); got != 50*time.Millisecond+7*time.Second {
			t.Errorf("took %s", got)
		}
		if resp.Request != req || len(req.Header) != 1 {
			t.Errorf("the request was changed, or is not that of the answer: %v", req.Header)
		}
		var got []string
		sent := below.Requests()
		for _, r := range sent {
			got = append(got, string(r.Body)+" "+r.Header.Get("X-Attempt")+" "+r.Header.Get("X-Left"))
			if id := r.Header.Get("X-Invocation"); id == "" || id != sent[0].Header.Get("X-Invocation") {
				t.Errorf("invocation %q", id)
			}
		}
		if want := []string{"the body attempt=1; max=3 60000", "the body attempt=2; max=3 59950", "the body attempt=3; max=3 52950"}; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
		if result.Status != 201 || len(result.Attempts) != 2 || result.Attempts[0].Rule != "connection reset" || result.Attempts[1].Class != retry.Throttling {
			t.Errorf("result %+v", result)
		}
	})
}

// TestTransportGivesUp: the last answer is returned, whole and without an
// error; the attempts are in the result.
func TestTransportGivesUp(t *testing.T) {
	long := strings.Repeat("x", maxErrorBody+maxDrain+5)
	for _, body := range []string{"", "down", strings.Repeat("x", maxErrorBody), strings.Repeat("x", maxErrorBody+1), long} {
		synctest.Test(t, func(t *testing.T) {
			down := retrytest.Respond(500, http.Header{"X-Request-Id": {"r1"}}, body)
			c, _ := retrying(t, steps(down, down, down), WithRetry(retry.WithAttemptTimeout(time.Second)))
			var result Metadata
			resp, got, err := send(t, c, newRequest(t, ContextWithResult(t.Context(), &result), http.MethodGet, nil))
			if err != nil || resp.StatusCode != 500 || got != body {
				t.Errorf("got %v, %d bytes of %d, %v", resp, len(got), len(body), err)
			}
			last := result.Attempts[len(result.Attempts)-1]
			if len(result.Attempts) != 3 || last.Stop != retry.StopAttempts || result.Status != 500 || result.RequestID != "r1" {
				t.Errorf("result %+v", result)
			}
			failed, ok := errors.AsType[*ResponseError](last.Err)
			if !ok || failed.Status != 500 || failed.Truncated != (len(body) > maxErrorBody) || len(failed.Body) != min(len(body), maxErrorBody) {
				t.Errorf("failure %v", last.Err)
			}
		})
	}
}

// TestTransportReplay: what is repeated after a failure whose outcome is
// open, or known.
func TestTransportReplay(t *testing.T) {
	open, refused := retrytest.Respond(500, nil, ""), retrytest.Fail(retrytest.ConnectionRefused())
	reader := func() io.Reader { return strings.NewReader("x") }
	for _, tt := range []struct {
		name   string
		method string
		body   io.Reader
		header []string
		first  retrytest.Step
		stop   retry.StopReason // zero: repeated
	}{
		{"GET", "GET", nil, nil, open, 0},
		{"no method", "", nil, nil, open, 0},
		{"DELETE", "DELETE", nil, nil, open, 0},
		{"PUT", "PUT", reader(), nil, open, 0},
		{"POST", "POST", reader(), nil, open, retry.StopNotIdempotent},
		{"PATCH", "PATCH", reader(), nil, open, retry.StopNotIdempotent},
		{"POST not acted", "POST", reader(), nil, refused, 0},
		{"POST throttled", "POST", reader(), nil, retrytest.Respond(429, nil, ""), 0},
		{"POST with a key", "POST", reader(), []string{"Idempotency-Key", "k"}, open, 0},
		{"POST with the other key", "POST", reader(), []string{"X-Idempotency-Key", "k"}, open, 0},
		{"PATCH of a version", "PATCH", reader(), []string{"If-Match", `"v1"`}, open, 0},
		{"PATCH of versions", "PATCH", reader(), []string{"If-Match", `"v1", "v2"`}, open, retry.StopNotIdempotent},
		{"POST of a version", "POST", reader(), []string{"If-Match", `"v1"`}, open, retry.StopNotIdempotent},
		{"POST with an empty key", "POST", reader(), []string{"Idempotency-Key", ""}, open, retry.StopNotIdempotent},
		{"one-shot body", "PUT", io.MultiReader(reader()), nil, open, retry.StopBody},
		{"no such thing", "GET", nil, nil, retrytest.Respond(404, nil, ""), retry.StopTerminal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := steps(tt.first)
				if tt.stop == 0 {
					script = append(script, okay)
				}
				c, below := retrying(t, script)
				var result Metadata
				resp, _, err := send(t, c, newRequest(t, ContextWithResult(t.Context(), &result), tt.method, tt.body, tt.header...))
				if err != nil || len(result.Attempts) != 1 || result.Attempts[0].Stop != tt.stop {
					t.Fatalf("got %v, %+v", err, result)
				}
				if (resp.StatusCode == 200) != (tt.stop == 0) {
					t.Errorf("status %d", resp.StatusCode)
				}
				bodies := retrytest.Bodies(below.Requests())
				if bodies[0] != bodies[len(bodies)-1] || (tt.body != nil) != (bodies[0] == "x") {
					t.Errorf("sent %q", bodies)
				}
			})
		})
	}
}

// TestTransportLostAnswer: a version that no longer matches may be the doing
// of an attempt whose answer was lost.
func TestTransportLostAnswer(t *testing.T) {
	stale := retrytest.Respond(412, nil, "")
	for _, tt := range []struct {
		script []retrytest.Step
		stop   retry.StopReason
	}{
		{steps(stale), retry.StopTerminal},
		{steps(retrytest.Fail(retrytest.ConnectionRefused()), stale), retry.StopTerminal},
		{steps(retrytest.Fail(retrytest.ConnectionReset()), stale), retry.StopNotIdempotent},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := retrying(t, tt.script)
			var result Metadata
			req := newRequest(t, ContextWithResult(t.Context(), &result), http.MethodPatch, strings.NewReader("x"), "If-Match", `"v1"`)
			resp, _, err := send(t, c, req)
			if err != nil || resp.StatusCode != 412 || len(result.Attempts) != len(tt.script) {
				t.Fatalf("got %v, %v, %v", resp, err, result.Attempts)
			}
			if last := result.Attempts[len(tt.script)-1]; last.Stop != tt.stop {
				t.Errorf("got %v, want %v", last, tt.stop)
			}
		})
	}
}

// TestTransportDeclaredIdempotent: as in net/http, an empty list of keys
// declares a POST idempotent and is not sent.
func TestTransportDeclaredIdempotent(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := r.Header["Idempotency-Key"]; ok {
			t.Error("a key was sent")
		}
		if requests.Add(1) == 1 {
			w.WriteHeader(500)
		}
	}))
	defer server.Close()
	transport, err := NewTransport(nil, WithRetry(retry.WithJitter(func() float64 { return 0 })))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Idempotency-Key"] = nil
	resp, _, err := send(t, &http.Client{Transport: transport}, req)
	if err != nil || resp.StatusCode != 200 || requests.Load() != 2 {
		t.Errorf("got %v, %v after %d requests", resp, err, requests.Load())
	}
}

// TestTransportErrors: without an answer, the error says how the retrying
// ended, and is what net/http's users look for.
func TestTransportErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := retrytest.Fail(retrytest.ConnectionReset())
		c, _ := retrying(t, steps(retrytest.Respond(500, nil, "down"), reset, retrytest.Fail(retrytest.ReadTimeout())))
		var result Metadata
		_, _, err := send(t, c, newRequest(t, ContextWithResult(t.Context(), &result), http.MethodGet, nil))
		stop, ok := errors.AsType[*retry.StopError](err)
		if !ok || !errors.Is(err, retry.ErrMaxAttempts) || len(stop.Attempts) != 3 || result.Status != 0 || len(result.Attempts) != 3 {
			t.Fatalf("got %v, %+v", err, result)
		}
		if wrapped, ok := errors.AsType[*url.Error](err); !ok || !wrapped.Timeout() {
			t.Errorf("%v does not say Timeout", err)
		}
	})
}

// TestTransportCancelled: the caller's cancellation during the backoff is an
// error, and the answer that was to be retried is closed.
func TestTransportCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, _ := retrying(t, steps(retrytest.Respond(500, nil, strings.Repeat("x", maxErrorBody+1))))
		time.AfterFunc(20*time.Millisecond, cancel)
		start := time.Now()
		_, _, err := send(t, c, newRequest(t, ctx, http.MethodGet, nil))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, retry.ErrCanceled) || time.Since(start) != 20*time.Millisecond {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

// closes counts how often a body is closed.
type closes struct {
	io.Reader
	n int
}

func (c *closes) Close() error {
	c.n++
	return nil
}

// TestTransportClosesUnsentBody: also a request that is never sent has its
// body closed.
func TestTransportClosesUnsentBody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	transport, err := NewTransport(retrytest.NewTransport())
	if err != nil {
		t.Fatal(err)
	}
	body := &closes{Reader: strings.NewReader("x")}
	if _, err := transport.RoundTrip(newRequest(t, ctx, http.MethodPut, body)); !errors.Is(err, context.Canceled) || body.n != 1 {
		t.Errorf("got %v, closed %d times", err, body.n)
	}
}

// TestTransportDeadline: a wait that does not fit is not begun; the answer is
// returned at once.
func TestTransportDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := retrytest.Respond(429, http.Header{"Retry-After": {"7"}}, "slow")
		c, _ := retrying(t, steps(slow))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		resp, body, err := send(t, c, newRequest(t, ctx, http.MethodGet, nil))
		if err != nil || resp.StatusCode != 429 || body != "slow" || time.Since(start) != 0 {
			t.Errorf("got %v, %v after %s", resp, err, time.Since(start))
		}
	})
}

// slowBody yields one byte every second.
type slowBody struct{ left int }

func (b *slowBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	time.Sleep(time.Second)
	b.left--
	p[0] = 'x'
	return 1, nil
}

// TestTransportTimeouts: an attempt that takes too long is retried; the body
// of a success may take longer, but not than the total timeout.
func TestTransportTimeouts(t *testing.T) {
	for _, tt := range []struct {
		length int
		fails  bool
	}{{5, false}, {15, true}} {
		synctest.Test(t, func(t *testing.T) {
			stream := retrytest.Func(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Body: io.NopCloser(&slowBody{tt.length})}, nil
			})
			c, _ := retrying(t, steps(okay.Delay(time.Minute), stream),
				WithRetry(retry.WithAttemptTimeout(2*time.Second), retry.WithTotalTimeout(12*time.Second)))
			var result Metadata
			_, body, err := send(t, c, newRequest(t, ContextWithResult(t.Context(), &result), http.MethodGet, nil))
			if (err != nil) != tt.fails || !tt.fails && len(body) != tt.length {
				t.Errorf("read %d bytes of %d, %v", len(body), tt.length, err)
			}
			if tt.fails && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if len(result.Attempts) != 1 || result.Attempts[0].Rule != "attempt timeout" {
				t.Errorf("attempts %v", result.Attempts)
			}
		})
	}
}

// TestTransportBrokenAnswer: an error answer that breaks off is retried; the
// last one is returned with what came of it, and breaks off there again.
func TestTransportBrokenAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := retrytest.Respond(404, nil, "a long answer").CutBody(6, io.ErrUnexpectedEOF)
		c, _ := retrying(t, steps(cut, cut, cut))
		resp, body, err := send(t, c, newRequest(t, t.Context(), http.MethodGet, nil))
		if resp.StatusCode != 404 || body != "a long" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v, %q, %v", resp, body, err)
		}
	})
}

// TestTransportKeepsInvocation: an invocation id that the caller set stays.
func TestTransportKeepsInvocation(t *testing.T) {
	c, below := retrying(t, steps(okay), WithProfile(Profile{InvocationHeader: "X-Invocation"}))
	if _, _, err := send(t, c, newRequest(t, t.Context(), http.MethodGet, nil, "X-Invocation", "own")); err != nil {
		t.Fatal(err)
	}
	if got := below.Requests()[0].Header.Get("X-Invocation"); got != "own" {
		t.Errorf("sent %q", got)
	}
}

// TestTransportErrorDocuments: codes in bodies are found, and errors in
// successes where the profile says so.
func TestTransportErrorDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profile := Profile{
			Throttling: Match{Codes: []string{"Slow"}}, ErrorCode: []CodeSource{{Pointer: "/code"}},
			ErrorWhen: BodyCondition{Pointer: "/failed"},
		}
		c, _ := retrying(t, steps(
			retrytest.JSON(400, `{"code":"Slow"}`),
			retrytest.JSON(200, `{"failed":true,"code":"Slow"}`),
			retrytest.JSON(200, `{"failed":false}`),
		), WithProfile(profile))
		start := time.Now()
		_, body, err := send(t, c, newRequest(t, t.Context(), http.MethodGet, nil))
		if err != nil || body != `{"failed":false}` || time.Since(start) != 3*time.Second {
			t.Errorf("got %q, %v after %s", body, err, time.Since(start))
		}
	})
}

// TestTransportClassifier: a policy's own classifier is asked last.
func TestTransportClassifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := retry.WithClassifier(func(err error) retry.Failure {
			if failed, ok := errors.AsType[*ResponseError](err); ok && failed.Status == 404 {
				return retry.Failure{Class: retry.Transient, Rule: "not there yet"}
			}
			return retry.Classify(err)
		})
		c, _ := retrying(t, steps(retrytest.Respond(404, nil, ""), retrytest.Respond(500, nil, ""), okay), WithRetry(busy))
		var result Metadata
		_, _, err := send(t, c, newRequest(t, ContextWithResult(t.Context(), &result), http.MethodGet, nil))
		if err != nil || len(result.Attempts) != 2 || result.Attempts[0].Rule != "not there yet" || result.Attempts[1].Rule != "status 500" {
			t.Errorf("got %v, %v", err, result.Attempts)
		}
	})
}

// TestTransportRedirects: redirects are the client's, and no failures.
func TestTransportRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, below := retrying(t, steps(retrytest.Respond(307, http.Header{"Location": {"/b"}}, ""), retrytest.Respond(500, nil, ""), okay))
		transport := c.Transport.(*Transport)
		resp, _, err := send(t, c, newRequest(t, t.Context(), http.MethodPut, strings.NewReader("x")))
		if err != nil || resp.StatusCode != 200 || resp.Request.URL.Path != "/b" {
			t.Errorf("got %v, %v", resp, err)
		}
		if got := retrytest.Bodies(below.Requests()); !slices.Equal(got, []string{"x", "x", "x"}) {
			t.Errorf("sent %q", got)
		}
		if level := transport.Quota("").Level(); level != 500 {
			t.Errorf("quota %d", level)
		}
	})
}

// TestTransportUpgrade: the body of a switched protocol can be written to.
func TestTransportUpgrade(t *testing.T) {
	var conn struct {
		bytes.Buffer
		io.Closer
	}
	transport, err := NewTransport(roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 101, Body: &conn}, nil
	}), WithRetry(retry.WithAttemptTimeout(time.Second)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(newRequest(t, t.Context(), http.MethodGet, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := resp.Body.(io.Writer); !ok {
		t.Errorf("the body is a %T", resp.Body)
	}
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

// TestTransportBodyFailure: the failure of the caller's own reader is not
// taken for the network's. If there is no reader, no request is sent and the
// answer before is returned.
func TestTransportBodyFailure(t *testing.T) {
	broken := fmt.Errorf("disk: %w", io.ErrUnexpectedEOF) // of the network, it would be transient
	for _, onOpen := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			transport, err := NewTransport(roundTrip(func(req *http.Request) (*http.Response, error) {
				requests++
				if _, err := io.ReadAll(req.Body); err != nil {
					return nil, err
				}
				return retrytest.Respond(500, nil, "why").RoundTrip(req)
			}))
			if err != nil {
				t.Fatal(err)
			}
			req := newRequest(t, t.Context(), http.MethodPut, strings.NewReader("x"))
			req.GetBody = func() (io.ReadCloser, error) {
				if onOpen {
					return nil, broken
				}
				return io.NopCloser(failingReader{broken}), nil
			}
			var result Metadata
			req = req.WithContext(ContextWithResult(t.Context(), &result))
			resp, err := transport.RoundTrip(req)
			last := result.Attempts[len(result.Attempts)-1]
			if !errors.Is(last.Err, broken) || last.Stop != retry.StopTerminal || requests != len(result.Attempts) {
				t.Errorf("%d requests, attempts %v", requests, result.Attempts)
			}
			if !onOpen {
				if !errors.Is(err, broken) || !errors.Is(err, retry.ErrTerminal) || requests != 2 {
					t.Errorf("got %v after %d requests", err, requests)
				}
				return
			}
			if err != nil || resp.StatusCode != 500 || requests != 1 || transport.Quota("").Level() != 500 {
				t.Fatalf("got %v, %v after %d requests, quota %d", resp, err, requests, transport.Quota("").Level())
			}
			if body, err := io.ReadAll(resp.Body); string(body) != "why" || err != nil || resp.Body.Close() != nil {
				t.Errorf("read %q, %v", body, err)
			}
			if failed, ok := errors.AsType[*ResponseError](last.Err); !ok || string(failed.Body) != "why" {
				t.Errorf("failure %v", last.Err)
			}
		})
	}
}

// TestTransportQuotas: one host's outage leaves the retries of another.
func TestTransportQuotas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, err := NewTransport(roundTrip(func(req *http.Request) (*http.Response, error) {
			return retrytest.Respond(500, nil, "").RoundTrip(req)
		}), WithQuotaScope(QuotaPerHost))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := transport.RoundTrip(newRequest(t, t.Context(), http.MethodGet, nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for key, want := range map[string]int{"": 500, "items.example": 472, "other.example": 500} {
			if got := transport.Quota(key).Level(); got != want {
				t.Errorf("quota of %q: %d, want %d", key, got, want)
			}
		}
	})
}

// TestTransportLimiters: in mode adaptive, a host that throttles holds back its
// own requests only, unless one limiter is named for all.
func TestTransportLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := roundTrip(func(req *http.Request) (*http.Response, error) {
			status := http.StatusOK
			if req.URL.Host == "bad.example" {
				status = http.StatusTooManyRequests
			}
			return datedAnswer(status, http.Header{}, ""), nil
		})
		shared := retry.NewLimiter(time.Now())
		for name, opts := range map[string][]retry.Option{
			"per host": nil, "shared": {retry.WithLimiter(shared)}, "standard": {retry.WithMode(retry.Standard)},
		} {
			var ended retry.CallEnded
			observer := retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
				ended, _ = e.(retry.CallEnded)
				return nil
			})
			opts = append([]retry.Option{retry.WithMode(retry.Adaptive), retry.WithMaxAttempts(1), retry.WithObserver(observer)}, opts...)
			transport, err := NewTransport(wire, WithRetry(opts...))
			if err != nil {
				t.Fatal(err)
			}
			visit := func(host string) time.Duration {
				start := time.Now()
				resp, err := (&http.Client{Transport: transport}).Get("https://" + host)
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
				return time.Since(start)
			}
			for range 3 {
				visit("bad.example")
			}
			if name != "standard" && !ended.Limiter.Enabled {
				t.Errorf("%s: the observer sees another limiter: %+v", name, ended.Limiter)
			}
			visit("good.example")
			if held := visit("good.example") > 0; held != (name == "shared") {
				t.Errorf("%s: the good host was held back: %t", name, held)
			}
			if name == "per host" && (!transport.Limiter("bad.example").State(time.Now()).Enabled || transport.Limiter("").State(time.Now()).Enabled) {
				t.Error("the states are not those of the hosts")
			}
			if name == "standard" && len(transport.client.partitions.byKey) != 0 {
				t.Error("mode standard keeps limiters")
			}
		}
	})
}

// TestTransportRefuses: what cannot be sent is an error, and its body is closed.
func TestTransportRefuses(t *testing.T) {
	ready, err := NewTransport(nil)
	if err != nil {
		t.Fatal(err)
	}
	body := &closeCounter{}
	for _, c := range []struct {
		transport *Transport
		req       *http.Request
		want      string
	}{
		{ready, nil, "nil request"},
		{ready, &http.Request{Body: body}, "nil URL"},
		{new(Transport), &http.Request{URL: new(url.URL), Body: body}, "NewTransport did not make"},
		{nil, &http.Request{URL: new(url.URL), Body: body}, "NewTransport did not make"},
	} {
		if _, err := c.transport.RoundTrip(c.req); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if body.closed != 3 {
		t.Errorf("%d bodies closed, want 3", body.closed)
	}
}

type closeCounter struct{ closed int }

func (c *closeCounter) Read([]byte) (int, error) { return 0, io.EOF }
func (c *closeCounter) Close() error             { c.closed++; return nil }

func TestTransportOptions(t *testing.T) {
	for name, opt := range map[string]Option{
		"WithHTTPClient": WithHTTPClient(http.DefaultClient), "WithSigner": WithSigner(signerFunc(nil)),
		"WithCredential": WithCredential("a", Token("b")), "WithServerVariable": WithServerVariable("a", "b"),
		"WithUserAgent": WithUserAgent("a"), "WithHeader": WithHeader("A", "b"), "WithIdempotencyKey": WithIdempotencyKey("a"),
		"WithResult": WithResult(new(Metadata)), "WithMaxResponseBytes": WithMaxResponseBytes(1),
		"WithPollDelay": WithPollDelay(1, 1), "WithSpool": WithSpool(1, 1), "WithQuotaScope": WithQuotaScope(QuotaPerOperation),
		"nil option": nil, "MaxAttempts": WithRetry(retry.WithMaxAttempts(-1)),
	} {
		if _, err := NewTransport(nil, opt); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	transport, err := NewTransport(nil, WithProfile(Profile{Name: "own", Settings: retry.Settings{MaxAttempts: 9}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := transport.RetrySettings()[0].Value; got != "own" || transport.policy.Settings().MaxAttempts != 9 {
		t.Errorf("profile %s, %d attempts", got, transport.policy.Settings().MaxAttempts)
	}
	transport.CloseIdleConnections()
}

// TestTransportSendsOnce: on a kept connection that turns out to be dead,
// net/http would send again by itself; here that is an attempt.
func TestTransportSendsOnce(t *testing.T) {
	for _, tt := range []struct{ method, body, key string }{
		{http.MethodGet, "", ""}, {http.MethodPut, "x", ""}, {http.MethodPost, "", "k"}, {http.MethodPost, "x", "k"},
	} {
		for name, base := range map[string]http.RoundTripper{"": new(http.Transport), " wrapped": wrappedTransport{new(http.Transport)}} {
			t.Run(tt.method+tt.body+name, func(t *testing.T) { sendsOnce(t, base, tt.method, tt.body, tt.key) })
		}
	}
}

// wrappedTransport hides what is inside, as tracing transports do.
type wrappedTransport struct{ *http.Transport }

// sendsOnce makes two calls; the second finds the connection of the first dead.
func sendsOnce(t *testing.T, base http.RoundTripper, method, text, key string) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Idempotency-Key") != key {
			t.Errorf("key %q", r.Header)
		}
		if requests.Add(1) == 2 {
			hangUp(w)
		}
	}))
	defer server.Close()
	transport, err := NewTransport(base, WithRetry(retry.WithJitter(func() float64 { return 0 })))
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	for call, failures := range []int{0, 1} {
		var result Metadata
		var body io.Reader
		if text != "" {
			body = strings.NewReader(text)
		}
		req := newRequest(t, ContextWithResult(t.Context(), &result), method, body)
		if key != "" {
			req.Header.Set("Idempotency-Key", key)
		}
		if req.URL, err = url.Parse(server.URL); err != nil {
			t.Fatal(err)
		}
		req.Host = ""
		if _, _, err := send(t, &http.Client{Transport: transport}, req); err != nil || len(result.Attempts) != failures {
			t.Errorf("call %d: %v, attempts %v", call+1, err, result.Attempts)
		}
		if result.IdempotencyKey != key {
			t.Errorf("key of the result %q", result.IdempotencyKey)
		}
	}
	if got := requests.Load(); got != 3 {
		t.Errorf("%d requests on the wire, want 3", got)
	}
}

// TestTransportObserved: host and method name the request.
func TestTransportObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last retry.CallEnded
		c, _ := retrying(t, steps(retrytest.Respond(500, nil, ""), okay), WithRetry(retry.WithObserver(
			retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
				last, _ = e.(retry.CallEnded)
				return nil
			}))))
		if _, _, err := send(t, c, newRequest(t, t.Context(), http.MethodGet, nil)); err != nil {
			t.Fatal(err)
		}
		if last.Service != "items.example" || last.Operation != "GET" || last.Attempts != 2 {
			t.Errorf("observed %+v", last)
		}
	})
}
