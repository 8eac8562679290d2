package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// counted is a service that is down and counts its requests.
func counted(n *int) HTTPClient {
	return &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		*n++
		return retrytest.Respond(503, nil, "").RoundTrip(req)
	})}
}

// TestLayersOfClients: an outer retry over a client over a transport that
// retries, three attempts each: 3 requests, 27 without the guard.
func TestLayersOfClients(t *testing.T) {
	for _, tt := range []struct {
		name   string
		nested bool
		want   int
	}{{"guarded", false, 3}, {"unguarded", true, 27}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				policy := WithRetry(retry.WithNested(tt.nested))
				below, err := NewTransport(counted(&requests).(*http.Client).Transport, policy)
				if err != nil {
					t.Fatal(err)
				}
				c, err := NewClient(items(), "https://items.example", policy, WithHTTPClient(&http.Client{Transport: below}))
				if err != nil {
					t.Fatal(err)
				}
				outer, err := retry.New()
				if err != nil {
					t.Fatal(err)
				}
				op := getItem()
				op.Method = http.MethodPut // which the transport may repeat, too
				_, err = retry.Do(t.Context(), outer, func(ctx context.Context) (*getOut, error) {
					return Call(ctx, c, op, nil)
				})
				if requests != tt.want {
					t.Errorf("%d requests, want %d", requests, tt.want)
				}
				if failed, ok := errors.AsType[*ResponseError](err); !ok || failed.Status != 503 || errors.Is(err, retry.ErrOuterRetry) == tt.nested {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestOuterRetryHonoursServerDelay: what a client leaves to an outer retry
// keeps the delay that the server asked for.
func TestOuterRetryHonoursServerDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := retrytest.Respond(429, http.Header{"Retry-After": {"7"}}, "")
		c, _ := script(t, items(), steps(slow, okay))
		outer, err := retry.New(retry.WithServerDelay(retry.Honour))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		out, err := retry.Do(t.Context(), outer, func(ctx context.Context) (*getOut, error) {
			return Call(ctx, c, getItem(), nil)
		})
		if err != nil || out.Name != "a" || time.Since(start) != 7*time.Second {
			t.Errorf("got %v, %v after %s", out, err, time.Since(start))
		}
	})
}

// TestOuterRetryLeavesUnknownOutcomes: an outer retry does not repeat an
// operation that may have acted.
func TestOuterRetryLeavesUnknownOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := script(t, items(), steps(retrytest.Respond(500, nil, "")))
		op := getItem()
		op.Idempotency = NotIdempotent
		_, err := retry.Do(t.Context(), nil, func(ctx context.Context) (*getOut, error) { return Call(ctx, c, op, nil) })
		if !errors.Is(err, retry.ErrOutcomeUnknown) || len(transport.Requests()) != 1 {
			t.Errorf("got %v after %d requests", err, len(transport.Requests()))
		}
	})
}

// TestOneShotBodyUnderOuterRetry: a client that leaves retrying to an outer
// retry makes one attempt, and so may send a body that can be read once only.
// The outer one does not repeat it: it may give the same reader again.
func TestOneShotBodyUnderOuterRetry(t *testing.T) {
	pipe := func() io.Reader { return io.MultiReader(strings.NewReader("content")) }
	for _, tt := range []struct {
		status int
		nested bool
		sent   string
		want   error
	}{
		{200, false, "content", nil},
		{503, false, "content", retry.ErrBodyNotReplayable},
		{503, true, "", retry.ErrBodyNotReplayable}, // refused before it is sent
	} {
		var plan []retrytest.Step
		if tt.sent != "" {
			plan = steps(retrytest.JSON(tt.status, ""))
		}
		c, transport := script(t, items(), plan, WithRetry(retry.WithNested(tt.nested)))
		_, err := retry.Do(t.Context(), nil, func(ctx context.Context) (*struct{}, error) {
			return Call(ctx, c, putFile(), &putIn{pipe()})
		})
		if got := strings.Join(retrytest.Bodies(transport.Requests()), ","); got != tt.sent || !errors.Is(err, tt.want) {
			t.Errorf("%d, nested %t: sent %q, %v", tt.status, tt.nested, got, err)
		}
	}
}

// TestInheritAttempts: under a caller that retries, a server's own client
// makes one attempt.
func TestInheritAttempts(t *testing.T) {
	for value, want := range map[string]int{
		"attempt=1; max=3":         1,
		"attempt=2;max=2":          1,
		"ttl=x; attempt=1; max=4":  1,
		"attempt=1; max=1":         3,
		"attempt=1; max=-4":        3,
		"attempt=1; max=many":      3,
		"attempt=1; max":           3,
		"attempt=2":                3,
		"max=99999999999999999999": 3,
		"":                         3,
	} {
		synctest.Test(t, func(t *testing.T) {
			requests := 0
			c, err := NewClient(items(), "https://items.example", WithHTTPClient(counted(&requests)))
			if err != nil {
				t.Fatal(err)
			}
			handler := InheritAttempts(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = Call(r.Context(), c, getItem(), nil)
			}), "amz-sdk-request")
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			if value != "" {
				r.Header.Set("amz-sdk-request", value)
			}
			handler.ServeHTTP(httptest.NewRecorder(), r)
			if requests != want {
				t.Errorf("under %q: %d requests, want %d", value, requests, want)
			}
		})
	}
}

// TestTwoProcesses: a client, a server behind [InheritAttempts] and the
// service behind that: three requests reach the service, not nine.
func TestTwoProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		behind, err := NewClient(items(), "https://behind.example", WithHTTPClient(counted(&requests)))
		if err != nil {
			t.Fatal(err)
		}
		server := InheritAttempts(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := Call(r.Context(), behind, getItem(), nil); err != nil {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}), "X-Attempt")
		wire := roundTrip(func(req *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			incoming := httptest.NewRequestWithContext(context.Background(), req.Method, req.URL.String(), req.Body)
			incoming.Header = req.Header
			server.ServeHTTP(w, incoming)
			return w.Result(), nil
		})
		front, err := NewClient(items(), "https://front.example",
			WithHTTPClient(&http.Client{Transport: wire}), WithProfile(Profile{AttemptHeader: "X-Attempt"}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Call(t.Context(), front, getItem(), nil); !errors.Is(err, retry.ErrMaxAttempts) {
			t.Error(err)
		}
		if requests != 3 {
			t.Errorf("%d requests, want 3", requests)
		}
	})
}

// TestCallIsObserved: events name service and operation.
func TestCallIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []retry.Event
		observer := retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
			seen = append(seen, e)
			return nil
		})
		c, _ := script(t, items(), steps(retrytest.JSON(500, `{"code":"Broken"}`), okay), WithRetry(retry.WithObserver(observer)))
		if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
			t.Fatal(err)
		}
		if len(seen) != 6 {
			t.Fatalf("%d events, want 6", len(seen))
		}
		failed, _ := seen[2].(retry.AttemptEnded)
		ended, _ := seen[5].(retry.CallEnded)
		if failed.Decision.Code != "Broken" || failed.Service != "items" || failed.Operation != "GetItem" {
			t.Errorf("third event: %+v", failed)
		}
		if ended.Attempts != 2 || ended.Stop != 0 || ended.Wait != 50*time.Millisecond || ended.Operation != "GetItem" {
			t.Errorf("last event: %+v", ended)
		}
	})
}
