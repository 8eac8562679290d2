package e2e

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/e2e/script"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

func TestTour(t *testing.T) {
	script.Run(t, script.NewClient(t, startDynalite(t)))
}

// TestTourThroughFaults takes the tour while the network misbehaves now and
// then. Enough attempts make each call succeed all the same.
func TestTourThroughFaults(t *testing.T) {
	for _, tox := range []toxic{
		{Type: "latency", Stream: "downstream", Attributes: map[string]any{"latency": 5, "jitter": 5}},
		{Type: "bandwidth", Stream: "downstream", Attributes: map[string]any{"rate": 20_000}},
		{Type: "slicer", Stream: "downstream", Attributes: map[string]any{"average_size": 4096, "size_variation": 2048, "delay": 10}},
	} {
		t.Run(tox.Type, func(t *testing.T) {
			proxy, endpoint := startToxiproxy(t, startDynalite(t))
			poison(t, proxy, tox)
			script.Run(t, script.NewClient(t, endpoint))
		})
	}
}

// TestTourThroughBreaks takes the tour while every fifth call breaks at its
// first attempt, before or after the server has acted.
func TestTourThroughBreaks(t *testing.T) {
	for _, c := range []struct {
		name string
		tox  toxic
	}{
		{"reset", toxic{Type: "reset_peer", Stream: "downstream", Attributes: map[string]any{"timeout": 0}}},
		{"timeout", toxic{Type: "timeout", Stream: "downstream", Attributes: map[string]any{"timeout": 100}}},
		{"cut body", toxic{Type: "limit_data", Stream: "downstream", Attributes: map[string]any{"bytes": 250}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			proxy, endpoint := startToxiproxy(t, startDynalite(t))
			calls, broken := 0, 0
			mend := func() {}
			transport := roundTripper(func(r *http.Request) (*http.Response, error) {
				mend()
				mend = func() {}
				if strings.HasPrefix(r.Header.Get("Amz-Sdk-Request"), "attempt=1;") {
					if calls++; calls%5 == 0 {
						broken++
						mend = poison(t, proxy, c.tox)
					}
				}
				return http.DefaultTransport.RoundTrip(r)
			})
			script.Run(t, script.NewClient(t, endpoint, httpapi.WithHTTPClient(&http.Client{Transport: transport})))
			if broken < 10 {
				t.Errorf("%d of %d calls were broken, want at least 10", broken, calls)
			}
		})
	}
}

// TestFault breaks the connection in several ways, mends it after the first
// attempts, and wants the call to have survived with the failures named.
func TestFault(t *testing.T) {
	for _, c := range []struct {
		name string
		tox  toxic
		rule string // of the first failure
		opts []retry.Option
	}{
		{"reset", toxic{Type: "reset_peer", Stream: "downstream", Attributes: map[string]any{"timeout": 0}}, "connection reset", nil},
		{"attempt timeout", toxic{Type: "timeout", Stream: "downstream", Attributes: map[string]any{"timeout": 0}}, "attempt timeout",
			[]retry.Option{retry.WithAttemptTimeout(200 * time.Millisecond)}},
		{"cut body", toxic{Type: "limit_data", Stream: "downstream", Attributes: map[string]any{"bytes": 250}}, "unexpected EOF", nil},
		{"closed before the answer", toxic{Type: "limit_data", Stream: "downstream", Attributes: map[string]any{"bytes": 0}}, "EOF", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			proxy, endpoint := startToxiproxy(t, startDynalite(t))
			mend := poison(t, proxy, c.tox)
			attempts := 0
			transport := roundTripper(func(r *http.Request) (*http.Response, error) {
				if attempts++; attempts == 3 {
					mend()
				}
				return http.DefaultTransport.RoundTrip(r)
			})
			client := script.NewClient(t, endpoint,
				httpapi.WithHTTPClient(&http.Client{Transport: transport}), httpapi.WithRetry(c.opts...))
			var result httpapi.Metadata
			if _, err := client.ListTables(t.Context(), nil, httpapi.WithResult(&result)); err != nil {
				t.Fatal(err)
			}
			if len(result.Attempts) != 2 || attempts != 3 {
				t.Fatalf("%d attempts, failures %v, want 3 attempts", attempts, result.Attempts)
			}
			for _, d := range result.Attempts {
				if d.Class != retry.Transient || d.Rule != c.rule {
					t.Errorf("%v: want a transient failure by the rule %q", d, c.rule)
				}
			}
		})
	}
}

// TestDeadServer wants all four attempts of the profile spent on a server
// that refuses connections, and none left over when the caller gives up.
func TestDeadServer(t *testing.T) {
	client := script.NewClient(t, "http://127.0.0.1:"+freePort(t))
	_, err := client.ListTables(t.Context(), nil)
	var gaveUp *retry.StopError
	if !errors.As(err, &gaveUp) || gaveUp.Stop != retry.StopAttempts || len(gaveUp.Attempts) != 4 {
		t.Fatalf("got %v, want 4 attempts", err)
	}
	if rule := gaveUp.Attempts[0].Rule; rule != "connection refused" {
		t.Errorf("rule %q", rule)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.ListTables(ctx, nil); !errors.Is(err, retry.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
