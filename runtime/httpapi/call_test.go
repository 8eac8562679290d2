package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func TestCallSucceeds(t *testing.T) {
	header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r1"}}
	c, transport := script(t, items(), steps(retrytest.Respond(200, header, `{"name":"a"}`)))
	out, err := Call(t.Context(), c, getItem(), &getIn{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if out.Name != "a" || out.Status != 200 || out.RequestID != "r1" || len(out.Attempts) != 0 {
		t.Errorf("got %+v", out)
	}
	req := transport.Requests()[0]
	if req.Method != "POST" || req.URL != "https://items.example/base/" || string(req.Body) != `{"key":"k"}` {
		t.Errorf("sent %s %s %s", req.Method, req.URL, req.Body)
	}
	if got := req.Header.Get("User-Agent"); got != "retrygen/1 items/1" {
		t.Errorf("User-Agent: got %q", got)
	}
	if got := req.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type: got %q", got)
	}
}

func TestCallNilInput(t *testing.T) {
	c, transport := script(t, items(), steps(okay))
	if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
		t.Fatal(err)
	}
	if got := string(transport.Requests()[0].Body); got != `{"key":""}` {
		t.Errorf("sent %s", got)
	}
}

func TestCallRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := retrytest.Respond(429, http.Header{"Retry-After": {"7"}}, "")
		c, transport := script(t, items(), steps(retrytest.JSON(500, `{}`), slow, okay))
		start := time.Now()
		out, err := Call(t.Context(), c, getItem(), &getIn{Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), 50*time.Millisecond+7*time.Second; got != want {
			t.Errorf("took %s, want %s", got, want)
		}
		if len(out.Attempts) != 2 || out.Attempts[0].Rule != "status 500" || out.Attempts[1].Rule != "status 429" {
			t.Errorf("attempts: got %v", out.Attempts)
		}
		for i, body := range retrytest.Bodies(transport.Requests()) {
			if body != `{"key":"k"}` {
				t.Errorf("attempt %d sent %s", i+1, body)
			}
		}
	})
}

func TestCallErrorOfTheSpecification(t *testing.T) {
	for _, step := range []retrytest.Step{
		retrytest.JSON(400, `{"code":"NotFound","message":"no such item","resource":"k"}`),
		retrytest.JSON(410, `{"message":"no such item","resource":"k"}`),
	} {
		c, _ := script(t, items(), steps(step))
		out, err := Call(t.Context(), c, getItem(), &getIn{Key: "k"})
		if out != nil {
			t.Errorf("got output %+v beside an error", out)
		}
		missing, ok := errors.AsType[*notFound](err)
		if !ok {
			t.Fatalf("got %v, want a notFound", err)
		}
		if missing.Resource != "k" || missing.Message != "no such item" || len(missing.Attempts) != 1 {
			t.Errorf("got %+v", missing)
		}
		if base, ok := errors.AsType[*ResponseError](err); !ok || base.Operation != "GetItem" || base.Status != missing.Status {
			t.Errorf("ResponseError: got %+v", base)
		}
		if call, ok := errors.AsType[*CallError](err); !ok || call.Operation != "items GetItem" {
			t.Errorf("CallError: got %+v", call)
		}
		if !errors.Is(err, retry.ErrTerminal) {
			t.Errorf("got %v, want it to match ErrTerminal", err)
		}
	}
}

func TestCallUndeclaredErrors(t *testing.T) {
	page := http.Header{"Content-Type": {"text/html"}, "X-Request-Id": {"r9"}}
	tests := []struct {
		name string
		step retrytest.Step
		want string
	}{
		{"proxy page", retrytest.Respond(403, page, "<html>\n <h1>Blocked</h1></html>"),
			`items GetItem: status 403: "<html> <h1>Blocked</h1></html>" (request r9)`},
		{"page instead of a declared error", retrytest.Respond(410, page, "<html>gone</html>"),
			`items GetItem: status 410: "<html>gone</html>" (request r9)`},
		{"code and message", retrytest.JSON(422, `{"code":"Odd","message":"very odd"}`),
			`items GetItem: status 422 Odd: very odd`},
		{"no body", retrytest.Respond(404, nil, ""), `items GetItem: status 404 Not Found`},
		{"redirect", retrytest.Respond(304, http.Header{"Location": {"/x"}}, ""),
			`items GetItem: status 304: redirect to /x not followed`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := script(t, items(), steps(tt.step))
			_, err := Call(t.Context(), c, getItem(), &getIn{})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if _, ok := errors.AsType[*notFound](err); ok {
				t.Error("got a notFound")
			}
		})
	}
}

func TestCallDeclaredErrorWithoutBody(t *testing.T) {
	c, _ := script(t, items(), steps(retrytest.Respond(410, nil, "")))
	_, err := Call(t.Context(), c, getItem(), &getIn{})
	if _, ok := errors.AsType[*notFound](err); !ok {
		t.Errorf("got %v, want a notFound", err)
	}
}

func TestCallKeepsLongErrorBodiesBounded(t *testing.T) {
	c, _ := script(t, items(), steps(retrytest.Respond(400, nil, strings.Repeat("x", 3*maxDrain))))
	_, err := Call(t.Context(), c, getItem(), &getIn{})
	e, ok := errors.AsType[*ResponseError](err)
	if !ok || len(e.Body) != maxErrorBody || !e.Truncated {
		t.Fatalf("got %T, %d bytes", err, len(e.Body))
	}
}

func TestCallUnreadableSuccess(t *testing.T) {
	page := http.Header{"Content-Type": {"text/html"}}
	c, _ := script(t, items(), steps(retrytest.Respond(200, page, "<html>sign in</html>")))
	_, err := Call(t.Context(), c, getItem(), &getIn{})
	e, ok := errors.AsType[*DecodeError](err)
	if !ok || !strings.Contains(err.Error(), "sign in") || e.Status != 200 || !errors.Is(err, retry.ErrTerminal) {
		t.Errorf("got %v", err)
	}
}

func TestCallResponseLimit(t *testing.T) {
	c, _ := script(t, items(), steps(okay, okay), WithMaxResponseBytes(12))
	if _, err := Call(t.Context(), c, getItem(), &getIn{}, WithMaxResponseBytes(11)); err == nil || !strings.Contains(err.Error(), "larger than 11 bytes") {
		t.Errorf("got %v, want an error that names the limit", err)
	}
	if _, err := Call(t.Context(), c, getItem(), &getIn{}); err != nil {
		t.Errorf("got %v for a body of exactly the limit", err)
	}
}

func TestCallBodyBreaksOff(t *testing.T) {
	tests := []struct {
		name string
		step retrytest.Step
		rule string
	}{
		{"success", okay.CutBody(5, retrytest.ConnectionReset()), "connection reset"},
		{"success, odd failure", okay.CutBody(5, errors.New("gzip: invalid checksum")), "answer broke off"},
		{"terminal status", retrytest.JSON(400, `{"code":"NotFound"}`).CutBody(5, retrytest.UnexpectedEOF()), "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, items(), steps(tt.step, okay))
				out, err := Call(t.Context(), c, getItem(), &getIn{})
				if err != nil {
					t.Fatal(err)
				}
				if d := out.Attempts[0]; d.Class != retry.Transient || d.Rule != tt.rule {
					t.Errorf("got %s, want transient by %s", d, tt.rule)
				}
			})
		})
	}
}

func TestCallOutcomeUnknown(t *testing.T) {
	op := getItem()
	op.Idempotency = NotIdempotent
	t.Run("after the request was sent", func(t *testing.T) {
		c, _ := script(t, items(), steps(retrytest.Fail(retrytest.ConnectionReset())))
		if _, err := Call(t.Context(), c, op, &getIn{}); !errors.Is(err, retry.ErrOutcomeUnknown) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("before a connection", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c, _ := script(t, items(), steps(retrytest.Fail(retrytest.ConnectionRefused()), retrytest.Respond(429, nil, ""), okay))
			if _, err := Call(t.Context(), c, op, &getIn{}); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestCallAttemptTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(okay.Delay(time.Minute), okay), WithRetry(retry.WithAttemptTimeout(time.Second)))
		start := time.Now()
		out, err := Call(t.Context(), c, getItem(), &getIn{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := time.Since(start), time.Second+50*time.Millisecond; got != want || out.Attempts[0].Rule != "attempt timeout" {
			t.Errorf("took %s (%v), want %s", got, out.Attempts, want)
		}
	})
}

func TestCallTotalTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(okay.Delay(time.Minute)), WithRetry(retry.WithTotalTimeout(time.Second)))
		start := time.Now()
		_, err := Call(t.Context(), c, getItem(), &getIn{})
		if !errors.Is(err, retry.ErrDeadline) || time.Since(start) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(start))
		}
	})
}

func TestCallCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(okay.Delay(time.Minute)))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := Call(ctx, c, getItem(), &getIn{})
		if !errors.Is(err, retry.ErrCanceled) || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestCallLongPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		op := getItem()
		op.LongPolling = &LongPolling{Wait: "wait"}
		c, _ := script(t, items(), steps(okay.Delay(20*time.Second)), WithRetry(retry.WithAttemptTimeout(2*time.Second)))
		if _, err := Call(t.Context(), c, op, &getIn{Wait: new(int64(20))}); err != nil {
			t.Error(err)
		}
	})
}

type streamOut struct {
	Metadata
	Body io.ReadCloser `body:"200,application/octet-stream"`
}

func TestCallStreamOutlivesTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		op := &Operation[struct{}, streamOut]{Name: "Read", Method: "GET", Path: "/file"}
		c, transport := script(t, items(), steps(retrytest.Respond(200, nil, "content"), retrytest.Respond(200, nil, "content")),
			WithRetry(retry.WithAttemptTimeout(time.Second)))
		out, err := Call(t.Context(), c, op, nil)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		data, err := io.ReadAll(out.Body)
		if string(data) != "content" || err != nil || transport.OpenBodies() != 1 {
			t.Errorf("got %q, %v, %d open", data, err, transport.OpenBodies())
		}
		out.Body.Close()

		out, err = Call(t.Context(), c, op, nil, WithRetry(retry.WithTotalTimeout(time.Minute)))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, err := io.ReadAll(out.Body); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v after the total timeout", err)
		}
		out.Body.Close()
	})
}

func TestCallHeadersOfAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := script(t, items(), steps(retrytest.JSON(500, ""), okay, okay),
			WithProfile(Profile{AttemptHeader: "x-attempt", InvocationHeader: "x-invocation"}))
		for range 2 {
			if _, err := Call(t.Context(), c, getItem(), &getIn{}); err != nil {
				t.Fatal(err)
			}
		}
		var attempts, ids []string
		for _, r := range transport.Requests() {
			attempts, ids = append(attempts, r.Header.Get("X-Attempt")), append(ids, r.Header.Get("X-Invocation"))
		}
		if got := strings.Join(attempts, ", "); got != "attempt=1; max=3, attempt=2; max=3, attempt=1; max=3" {
			t.Errorf("attempts: got %s", got)
		}
		if ids[0] != ids[1] || ids[1] == ids[2] || !isUUID4(ids[0]) {
			t.Errorf("invocations: got %q", ids)
		}
	})
}

func isUUID4(s string) bool {
	return len(s) == 36 && s[14] == '4' && strings.Contains("89ab", s[19:20])
}

func TestCallOptionsWin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		op := getItem()
		op.Retry = &Profile{Settings: retry.Settings{MaxAttempts: 2}}
		attempts := func(opts []Option, callOpts ...CallOption) int {
			t.Helper()
			transport := retrytest.NewTransport()
			hc := doer(func(*http.Request) (*http.Response, error) { return nil, retrytest.ConnectionReset() })
			c, err := NewClient(items(), "https://items.example", append(opts, WithHTTPClient(hc))...)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Call(t.Context(), c, op, &getIn{}, callOpts...)
			transport.Check(t)
			stop, ok := errors.AsType[*retry.StopError](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			return len(stop.Attempts)
		}
		client := []Option{WithRetry(retry.WithMaxAttempts(4))}
		if got := attempts(nil); got != 2 {
			t.Errorf("operation over profile: %d attempts", got)
		}
		if got := attempts(client); got != 4 {
			t.Errorf("client over operation: %d attempts", got)
		}
		if got := attempts(client, WithRetry(retry.WithMaxAttempts(1))); got != 1 {
			t.Errorf("call over client: %d attempts", got)
		}
	})
}

type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(req *http.Request) (*http.Response, error) { return d(req) }

func TestCallsShareTheQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quota := retry.NewQuotaAt(500, 20)
		c, _ := script(t, items(), steps(retrytest.JSON(500, ""), retrytest.JSON(500, "")), WithRetry(retry.WithQuota(quota)))
		op := getItem()
		op.Retry = &Profile{Settings: retry.Settings{MaxAttempts: 9}}
		_, err := Call(t.Context(), c, op, &getIn{})
		if !errors.Is(err, retry.ErrQuotaExceeded) || quota.Level() != 6 {
			t.Errorf("got %v, level %d", err, quota.Level())
		}
	})
}

func TestCallResult(t *testing.T) {
	var m Metadata
	c, _ := script(t, items(), steps(okay, retrytest.JSON(404, "{}")))
	if _, err := Call(t.Context(), c, getItem(), nil, WithResult(&m)); err != nil || m.Status != 200 {
		t.Errorf("got %v, %+v", err, m)
	}
	if _, err := Call(t.Context(), c, getItem(), nil, WithResult(&m)); err == nil || m.Status != 404 || len(m.Attempts) != 1 {
		t.Errorf("got %v, %+v", err, m)
	}
}

func TestCallHeaderOptions(t *testing.T) {
	type in struct {
		Tenant *string `header:"X-Tenant"`
	}
	op := &Operation[in, getOut]{Name: "Get", Method: "GET", Path: "/", Document: ""}
	c, transport := script(t, items(), steps(okay, okay, okay),
		WithHeader("x-tenant", "client"), WithHeader("Host", "other.example"))
	for _, opts := range [][]CallOption{nil, {WithHeader("X-Tenant", "call")}} {
		if _, err := Call(t.Context(), c, op, &in{Tenant: new("input")}, opts...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Call(t.Context(), c, op, nil); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"input", "call", "client"} {
		if got := transport.Requests()[i].Header.Get("X-Tenant"); got != want {
			t.Errorf("call %d: got %q, want %q", i, got, want)
		}
	}
}

func TestBadCallOptions(t *testing.T) {
	c, _ := script(t, items(), nil)
	_, err := Call(t.Context(), c, getItem(), nil, WithHeader("a b", ""), WithMaxResponseBytes(0),
		WithIdempotencyKey(""), WithIdempotencyKey("k"), WithRetry(retry.WithMaxAttempts(-1)), nil)
	for _, want := range []string{`"a b"`, "empty key", "WithMaxResponseBytes", "no idempotency key", "MaxAttempts", "nil option"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to mention %s", err, want)
		}
	}
}

func TestCallSuccessWithError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		xml := http.Header{"Content-Type": {"application/xml"}}
		type out struct {
			Body string `body:"200,text/xml"`
		}
		op := &Operation[struct{}, out]{Name: "Copy", Method: "PUT", Path: "/"}
		c, _ := script(t, items(), steps(
			retrytest.Respond(200, xml, "<Error><Code>Whatever</Code></Error>"),
			retrytest.Respond(200, xml, "<Copied/>"),
		), WithProfile(Profile{ErrorInSuccess: true, ErrorCode: []CodeSource{{XML: "Error/Code"}}}))
		got, err := Call(t.Context(), c, op, nil)
		if err != nil || got.Body != "<Copied/>" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestPollWait(t *testing.T) {
	tests := []struct {
		wait any
		unit time.Duration
		want time.Duration
	}{
		{int32(20), 0, 20 * time.Second},
		{new(int64(20)), time.Millisecond, 20 * time.Millisecond},
		{uint8(1), time.Minute, time.Minute},
		{1.5, 0, 1500 * time.Millisecond},
		{"3", 0, 3 * time.Second},
		{"soon", 0, 0},
		{true, 0, 0},
		{-1, 0, 0},
		{(*int64)(nil), 0, 0},
		{int64(1) << 62, time.Hour, maxPollWait},
	}
	for _, tt := range tests {
		op := &prepared{waitPlace: place{}, longPolling: &LongPolling{Wait: "wait", Unit: tt.unit}}
		if got := op.pollWait(valueOf(tt.wait)); got != tt.want {
			t.Errorf("%T %v: got %s, want %s", tt.wait, tt.wait, got, tt.want)
		}
	}
}

// TestPollWaitByDefault: what is not sent the server fills in.
func TestPollWaitByDefault(t *testing.T) {
	for _, tt := range []struct {
		wait any
		want time.Duration
	}{
		{(*int64)(nil), 2500 * time.Millisecond},
		{Nullable[int64]{}, 2500 * time.Millisecond},
		{new(int64(0)), 0},
		{new(int64(7)), 7 * time.Second},
		{Value(int64(7)), 7 * time.Second},
	} {
		op := &prepared{waitPlace: place{}, longPolling: &LongPolling{Wait: "wait", Default: 2.5}}
		if got := op.pollWait(valueOf(tt.wait)); got != tt.want {
			t.Errorf("%T %v: got %s, want %s", tt.wait, tt.wait, got, tt.want)
		}
	}
}

func TestLongPollingWithoutAPlace(t *testing.T) {
	op := getItem()
	op.LongPolling = &LongPolling{Wait: "absent"}
	c, _ := script(t, items(), nil)
	if _, err := Call(t.Context(), c, op, nil); err == nil || !strings.Contains(err.Error(), `no parameter or member "absent"`) {
		t.Errorf("got %v", err)
	}
}

func TestCallsAtTheSameTime(t *testing.T) {
	const calls = 50
	c, _ := script(t, items(), slices.Repeat(steps(okay), calls), WithHeader("A", "b"))
	op := getItem()
	var group sync.WaitGroup
	for range calls {
		group.Go(func() {
			if out, err := Call(t.Context(), c, op, nil, WithHeader("C", "d")); err != nil || out.Name != "a" {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
	group.Wait()
}

func TestOddHTTPClients(t *testing.T) {
	tests := []struct {
		resp *http.Response
		want string // in the error, "" for none
	}{
		{nil, "neither an answer nor an error"},
		{&http.Response{StatusCode: 404}, "status 404 Not Found"},
		{&http.Response{StatusCode: 204}, ""},
	}
	for _, tt := range tests {
		hc := doer(func(*http.Request) (*http.Response, error) { return tt.resp, nil })
		c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Call(t.Context(), c, getItem(), nil)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}
