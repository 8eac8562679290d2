package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// stalled is an answer whose body begins and does not go on until it is
// closed.
func stalled(status int, begins string) *http.Response {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, begins) }()
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: r, ContentLength: -1}
}

// TestStalledAnswerHoldsNoCall: what decides a call is known, and the rest of
// the answer does not come. Nothing else limits the time of the call.
func TestStalledAnswerHoldsNoCall(t *testing.T) {
	const document = `{"code":"Broken","message":"m"}`
	tests := []struct {
		name   string
		status int
		begins string
		took   time.Duration
		code   string // of the error; "": the call succeeds
		length int    // of the error's body
	}{
		{"large error", 500, document + strings.Repeat(" ", maxErrorBody+100), maxDrainTime, "Broken", maxErrorBody},
		{"small error", 500, document, maxErrorTime, "Broken", len(document)},
		{"refusal", 400, document, maxErrorTime, "Broken", len(document)},
		{"error without content", 500, "", maxErrorTime, "-", 0},
		{"success without content", 200, "data: x\n\n", maxDrainTime, "", 0},
		{"switched protocol", 101, "", 0, "-", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hc := doer(func(*http.Request) (*http.Response, error) { return stalled(tt.status, tt.begins), nil })
				c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc), WithRetry(retry.WithMaxAttempts(1)))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, err = Call(t.Context(), c, &Operation[struct{}, struct{}]{Name: "Get", Method: "GET", Path: "/"}, nil)
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				failed, ok := errors.AsType[*ResponseError](err)
				if ok != (tt.code != "") || !ok && err != nil {
					t.Fatalf("got %v", err)
				}
				if !ok {
					return
				}
				if failed.Status != tt.status || len(failed.Body) != tt.length || failed.Truncated != (tt.took > 0) ||
					tt.code != "-" && failed.Code != tt.code {
					t.Errorf("got %+v", failed)
				}
			})
		})
	}
}

// TestTransportDrainsInTime: an answer that is retried does not hold up the
// next attempt.
func TestTransportDrainsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		tr, err := NewTransport(roundTrip(func(*http.Request) (*http.Response, error) {
			if answers++; answers == 1 {
				return stalled(503, strings.Repeat(" ", maxErrorBody+100)), nil
			}
			return datedAnswer(200, http.Header{}, ""), nil
		}), noJitter())
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://items.example", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(req)
		if err != nil || resp.StatusCode != 200 || answers != 2 {
			t.Fatalf("got %v, %v after %d answers", resp, err, answers)
		}
		resp.Body.Close()
	})
}

// TestAnswerBesideAnError: an answer that comes with an error is closed.
func TestAnswerBesideAnError(t *testing.T) {
	closed := 0
	both := func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 500, Body: closer{strings.NewReader(""), &closed}}, errors.New("both")
	}
	c, err := NewClient(items(), "https://items.example", WithHTTPClient(doer(both)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Call(t.Context(), c, getItem(), nil); err == nil || !strings.HasSuffix(err.Error(), "both") || closed != 1 {
		t.Errorf("call: got %v, closed %d times", err, closed)
	}
	tr, err := NewTransport(roundTrip(both))
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://items.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.RoundTrip(req); err == nil || closed != 2 {
		t.Errorf("transport: got %v, closed %d times", err, closed)
	}
}
