package retrytest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

const target = "https://service.example/things"

// get sends a request and returns status and body.
func get(ctx context.Context, c *http.Client) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func TestTransportPlaysItsScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errOdd := errors.New("odd")
		transport := retrytest.NewTransport(
			retrytest.Respond(503, http.Header{"Retry-After": {"7"}}, "busy"),
			retrytest.Fail(retrytest.ConnectionReset()),
			retrytest.JSON(200, `{"a":1}`).Delay(2*time.Second),
			retrytest.Respond(200, nil, "0123456789").CutBody(4, errOdd),
			retrytest.Respond(200, nil, "0123").CutBody(9, errOdd),
			retrytest.Func(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 204, Header: http.Header{}, Request: req}, nil
			}),
			retrytest.Step{},
		)
		tests := []struct {
			status int
			body   string
			err    error
			took   time.Duration
		}{
			{503, "busy", nil, 0},
			{0, "", retrytest.ConnectionReset().(interface{ Unwrap() error }).Unwrap(), 0},
			{200, `{"a":1}`, nil, 2 * time.Second},
			{200, "0123", errOdd, 0},
			{200, "0123", errOdd, 0},
			{204, "", nil, 0},
			{200, "", nil, 0},
		}
		client := transport.Client()
		for i, tt := range tests {
			start := time.Now()
			status, body, err := get(t.Context(), client)
			if status != tt.status || body != tt.body || time.Since(start) != tt.took {
				t.Errorf("request %d: %d %q after %v, want %d %q after %v", i+1, status, body, time.Since(start), tt.status, tt.body, tt.took)
			}
			if tt.err == nil && err != nil || tt.err != nil && (err == nil || !strings.Contains(err.Error(), tt.err.Error())) {
				t.Errorf("request %d: error %v, want %v", i+1, err, tt.err)
			}
		}
		transport.Check(t)
	})
}

func TestTransportRecordsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := retrytest.NewTransport(retrytest.Respond(200, nil, ""), retrytest.Func(func(req *http.Request) (*http.Response, error) {
			sent, err := io.ReadAll(req.Body)
			if string(sent) != "two" || err != nil {
				t.Errorf("the function reads %q, %v, want two", sent, err)
			}
			return nil, errors.New("no")
		}))
		start := time.Now()
		for _, body := range []string{"one", "two"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Body", body)
			if resp, err := transport.RoundTrip(req); err == nil {
				resp.Body.Close()
			}
			time.Sleep(time.Second)
		}
		got := transport.Requests()
		if bodies := retrytest.Bodies(got); !slices.Equal(bodies, []string{"one", "two"}) {
			t.Fatalf("bodies %v", bodies)
		}
		for i, r := range got {
			if r.Method != http.MethodPut || r.URL != target || r.Header.Get("X-Body") != string(r.Body) || r.At.Sub(start) != time.Duration(i)*time.Second {
				t.Errorf("request %d: %+v", i+1, r)
			}
		}
		transport.Check(t)
	})
}

// TestDelayEndsWithTheContext: the caller's cause comes back, and no time is
// spent beyond it.
func TestDelayEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := retrytest.NewTransport(retrytest.Respond(200, nil, "").Delay(time.Hour))
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("too slow"))
		defer cancel()
		start := time.Now()
		_, _, err := get(ctx, transport.Client())
		if time.Since(start) != time.Second || err == nil || !strings.Contains(err.Error(), "too slow") {
			t.Errorf("error %v after %v, want the cause after 1s", err, time.Since(start))
		}
		transport.Check(t)
	})
}

func TestBodyFailsOnceTheContextHasEnded(t *testing.T) {
	transport := retrytest.NewTransport(retrytest.Respond(200, nil, "body"))
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	resp.Body.Close()
	transport.Check(t)
}

// reports collects what Check reports.
type reports []string

func (*reports) Helper()             {}
func (r *reports) Error(args ...any) { *r = append(*r, fmt.Sprint(args...)) }

func TestCheckReports(t *testing.T) {
	transport := retrytest.NewTransport(retrytest.Respond(200, nil, "left open"), retrytest.Fail(retrytest.EOF()))
	req, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	var r reports
	transport.Check(&r)
	want := "retrytest: step 2 of 2 (failure \"EOF\") was not consumed\nretrytest: 1 response bodies were not closed"
	if len(r) != 1 || r[0] != want {
		t.Errorf("reports %q, want %q", r, want)
	}
	resp.Body.Close()
	resp.Body.Close() // closing twice counts once
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a closed body is read: %v", err)
	}
	if n := transport.OpenBodies(); n != 0 {
		t.Errorf("%d open bodies, want 0", n)
	}

	if _, err := transport.RoundTrip(req); !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
	_, err = transport.RoundTrip(req)
	if retry.Classify(err).Class != retry.Terminal {
		t.Errorf("a request beyond the script is worth a retry: %v", err)
	}
	r = nil
	transport.Check(&r)
	want = "retrytest: request 3 (GET https://service.example/things) is beyond the script of 2 steps"
	if len(r) != 1 || r[0] != want {
		t.Errorf("reports %q, want %q", r, want)
	}
}

type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, errors.New("no body") }
func (brokenBody) Close() error             { return nil }

func TestRequestBodyFails(t *testing.T) {
	transport := retrytest.NewTransport()
	req, err := http.NewRequest(http.MethodPost, target, brokenBody{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.RoundTrip(req); err == nil || len(transport.Requests()) != 0 {
		t.Errorf("error %v and %d requests, want an error and no request", err, len(transport.Requests()))
	}
	if err := transport.Err(); err == nil || !strings.Contains(err.Error(), "no body") {
		t.Errorf("Err() = %v, want the body's failure", err)
	}
}

// TestFaults: the failures say of themselves what those of net/http say.
func TestFaults(t *testing.T) {
	faults := map[string]struct {
		err     error
		timeout bool
	}{
		"ConnectionReset":       {retrytest.ConnectionReset(), false},
		"ConnectionRefused":     {retrytest.ConnectionRefused(), false},
		"BrokenPipe":            {retrytest.BrokenPipe(), false},
		"HostUnreachable":       {retrytest.HostUnreachable(), false},
		"ClosedConnection":      {retrytest.ClosedConnection(), false},
		"ServerClosedIdle":      {retrytest.ServerClosedIdle(), false},
		"DNSTemporary":          {retrytest.DNSTemporary(), false},
		"DNSTimeout":            {retrytest.DNSTimeout(), true},
		"DNSNotFound":           {retrytest.DNSNotFound(), false},
		"ConnectTimeout":        {retrytest.ConnectTimeout(), true},
		"ReadTimeout":           {retrytest.ReadTimeout(), true},
		"TLSHandshakeTimeout":   {retrytest.TLSHandshakeTimeout(), true},
		"ResponseHeaderTimeout": {retrytest.ResponseHeaderTimeout(), true},
		"AttemptTimeout":        {retrytest.AttemptTimeout(), true},
		"Canceled":              {retrytest.Canceled(), false},
		"EOF":                   {retrytest.EOF(), false},
		"UnexpectedEOF":         {retrytest.UnexpectedEOF(), false},
		"GoAway":                {retrytest.GoAway(), false},
		"UnknownAuthority":      {retrytest.UnknownAuthority(), false},
		"HostnameMismatch":      {retrytest.HostnameMismatch(), false},
	}
	for name, tt := range faults {
		t.Run(name, func(t *testing.T) {
			transport := retrytest.NewTransport(retrytest.Fail(tt.err))
			_, _, err := get(t.Context(), transport.Client())
			var wrapped *url.Error
			if !errors.As(err, &wrapped) || !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want a *url.Error around %v", err, tt.err)
			}
			if wrapped.Timeout() != tt.timeout {
				t.Errorf("Timeout() = %v, want %v", wrapped.Timeout(), tt.timeout)
			}
			transport.Check(t)
		})
	}
}

// A test of code that retries: the first answer asks to wait, the second is
// good.
func ExampleTransport() {
	transport := retrytest.NewTransport(
		retrytest.Respond(503, http.Header{"Retry-After": {"1"}}, "busy"),
		retrytest.JSON(200, `{"ok":true}`),
	)
	client := transport.Client()
	for range 2 {
		resp, err := client.Get("https://service.example/status")
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, string(body))
	}
	fmt.Println(len(transport.Requests()), "requests, wrong:", transport.Err())
	// Output:
	// 503 busy
	// 200 {"ok":true}
	// 2 requests, wrong: <nil>
}
