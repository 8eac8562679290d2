package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// dripping is an answer of which one byte comes in somewhat more than
// a second, the first at once, until it is closed or its request's context ends.
func dripping(req *http.Request, status int, mediaType, body string) *http.Response {
	r, w := io.Pipe()
	go func() {
		for i := range len(body) {
			if i > 0 {
				select {
				case <-time.After(1001 * time.Millisecond):
				case <-req.Context().Done():
					w.CloseWithError(req.Context().Err())
					return
				}
			}
			if _, err := io.WriteString(w, body[i:i+1]); err != nil {
				return
			}
		}
		w.Close()
	}()
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {mediaType}}, Body: r, ContentLength: -1}
}

// slowAnswers are answers whose status is known long before their end.
var slowAnswers = []struct {
	name     string
	method   string
	status   int
	opts     []retry.Option
	within   time.Duration // of the caller; zero: no limit
	stop     error
	rules    []string
	took     time.Duration // until the call ends
	answered int           // bytes of the last failure's body
}{
	{"refusal", "GET", 404, attemptOf(2500), 0, retry.ErrTerminal, []string{"no rule for status 404"}, 2500 * time.Millisecond, 3},
	{"refusal of a POST", "POST", 400, attemptOf(2500), 0, retry.ErrTerminal, []string{"no rule for status 400"}, 2500 * time.Millisecond, 3},
	{"without attempt timeout", "GET", 404, nil, 0, retry.ErrTerminal, []string{"no rule for status 404"}, 5 * time.Second, 5},
	{"long attempt timeout", "GET", 404, attemptOf(60000), 0, retry.ErrTerminal, []string{"no rule for status 404"}, 5 * time.Second, 5},
	{"total timeout", "GET", 404, []retry.Option{retry.WithTotalTimeout(2500 * time.Millisecond)}, 0, retry.ErrDeadline,
		[]string{"caller's deadline"}, 2500 * time.Millisecond, 3},
	{"caller's deadline", "GET", 404, attemptOf(4000), 2500 * time.Millisecond, retry.ErrDeadline,
		[]string{"caller's deadline"}, 2500 * time.Millisecond, -1},
}

func attemptOf(ms time.Duration) []retry.Option {
	return []retry.Option{retry.WithAttemptTimeout(ms * time.Millisecond)}
}

func rulesOf(attempts []retry.Decision) (rules []string) {
	for _, d := range attempts {
		rules = append(rules, d.Rule)
	}
	return rules
}

func callerContext(t *testing.T, within time.Duration) context.Context {
	if within == 0 {
		return t.Context()
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

// TestSlowRefusals: a status that is known decides, although the body does
// not come in the time of the attempt.
func TestSlowRefusals(t *testing.T) {
	for _, tt := range slowAnswers {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				hc := doer(func(req *http.Request) (*http.Response, error) {
					requests++
					return dripping(req, tt.status, "text/plain", strings.Repeat("x", 20)), nil
				})
				c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc), noJitter())
				if err != nil {
					t.Fatal(err)
				}
				op := &Operation[struct{}, struct{}]{Name: "Op", Method: tt.method, Path: "/"}
				start := time.Now()
				var result Metadata
				_, err = Call(callerContext(t, tt.within), c, op, nil, WithRetry(tt.opts...), WithResult(&result))
				if took := time.Since(start); took != tt.took || requests != len(tt.rules) {
					t.Errorf("took %s, want %s; %d requests", took, tt.took, requests)
				}
				if !errors.Is(err, tt.stop) || !slices.Equal(rulesOf(result.Attempts), tt.rules) {
					t.Errorf("got %v, attempts %v", err, result.Attempts)
				}
				failed, ok := errors.AsType[*ResponseError](err)
				if ok != (tt.answered >= 0) || ok && (failed.Status != tt.status || !failed.Truncated || len(failed.Body) != tt.answered) {
					t.Errorf("got %+v of %v", failed, err)
				}
			})
		})
	}
}

// TestTransportSlowRefusals: the same of a transport, which loses nothing of
// the body.
func TestTransportSlowRefusals(t *testing.T) {
	for _, tt := range slowAnswers {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				transport, err := NewTransport(roundTrip(func(req *http.Request) (*http.Response, error) {
					requests++
					return dripping(req, tt.status, "text/plain", "0123456789"), nil
				}), noJitter(), WithRetry(tt.opts...))
				if err != nil {
					t.Fatal(err)
				}
				var result Metadata
				start := time.Now()
				ctx := ContextWithResult(callerContext(t, tt.within), &result)
				resp, err := transport.RoundTrip(newRequest(t, ctx, tt.method, nil))
				if took := time.Since(start); took != tt.took || requests != len(tt.rules) {
					t.Errorf("took %s, want %s; %d requests", took, tt.took, requests)
				}
				if !slices.Equal(rulesOf(result.Attempts), tt.rules) {
					t.Errorf("attempts %v", result.Attempts)
				}
				if tt.answered < 0 {
					if !errors.Is(err, tt.stop) {
						t.Errorf("got %v, %v", resp, err)
					}
					return
				}
				failed, ok := errors.AsType[*ResponseError](result.Attempts[0].Err)
				if !ok || !failed.Truncated || len(failed.Body) != tt.answered {
					t.Errorf("got %v", result.Attempts[0].Err)
				}
				checkRest(t, resp, tt.stop == retry.ErrDeadline)
			})
		})
	}
}

// checkRest reads an answer that was looked into, of which all is there
// unless it was cut off.
func checkRest(t *testing.T, resp *http.Response, cut bool) {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	switch {
	case cut && (string(body) != "012" || !errors.Is(err, context.DeadlineExceeded)):
	case !cut && (string(body) != "0123456789" || err != nil):
	default:
		return
	}
	t.Errorf("read %q, %v", body, err)
}

// TestSlowFailureIsRetried: a slow answer of a status that is transient is
// retried as one.
func TestSlowFailureIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		transport, err := NewTransport(roundTrip(func(req *http.Request) (*http.Response, error) {
			if answers++; answers == 2 {
				return datedAnswer(200, http.Header{}, "done"), nil
			}
			return dripping(req, 503, "text/plain", "0123456789"), nil
		}), noJitter(), WithRetry(attemptOf(2500)...))
		if err != nil {
			t.Fatal(err)
		}
		var result Metadata
		start := time.Now()
		resp, err := transport.RoundTrip(newRequest(t, ContextWithResult(t.Context(), &result), "GET", nil))
		if err != nil || resp.StatusCode != 200 || !slices.Equal(rulesOf(result.Attempts), []string{"status 503"}) {
			t.Fatalf("got %v, %v, attempts %v", resp, err, result.Attempts)
		}
		resp.Body.Close()
		// the attempt, the backoff, and the reading of the rest, which is cut
		if took, want := time.Since(start), 2550*time.Millisecond+maxDrainTime; took > want {
			t.Errorf("took %s, more than %s", took, want)
		}
	})
}

// TestTransportLooksInTime: looking for errors in successes holds up neither
// streams nor slow documents for long, and loses nothing of them.
func TestTransportLooksInTime(t *testing.T) {
	for _, tt := range []struct {
		mediaType, body string
		took            time.Duration
	}{
		{"text/event-stream", "0123456789", 0},
		{"application/octet-stream", "0123456789", 0},
		{"application/json", "0123456789", 5 * time.Second},
		{"application/problem+json; charset=utf-8", "0123456789", 5 * time.Second},
		{"", "0123456789", 5 * time.Second},
		{"application/json", `{"e":1}`, 5 * time.Second}, // the number may go on
	} {
		t.Run(tt.mediaType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport, err := NewTransport(roundTrip(func(req *http.Request) (*http.Response, error) {
					return dripping(req, 200, tt.mediaType, tt.body), nil
				}), WithProfile(Profile{ErrorWhen: BodyCondition{Pointer: "/e"}}))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				resp, err := transport.RoundTrip(newRequest(t, t.Context(), "GET", nil))
				if took := time.Since(start); err != nil || took != tt.took {
					t.Fatalf("got %v after %s, want %s", err, took, tt.took)
				}
				body, err := io.ReadAll(resp.Body)
				if string(body) != tt.body || err != nil || resp.Body.Close() != nil {
					t.Errorf("read %q, %v", body, err)
				}
			})
		})
	}
}
