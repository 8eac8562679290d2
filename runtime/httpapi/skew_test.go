package httpapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// clock records the times that requests are signed with.
type clock struct{ signed []time.Time }

func (c *clock) Sign(_ context.Context, req *http.Request, at time.Time) error {
	c.signed = append(c.signed, at)
	req.Header.Set("Signature", at.Format(time.RFC3339))
	return nil
}

var skewed = Profile{ClockSkew: []string{"Skewed"}}

// dated answers with the server's clock that far ahead.
func dated(status int, body string, ahead time.Duration, header ...string) retrytest.Step {
	return retrytest.Func(func(*http.Request) (*http.Response, error) {
		h := http.Header{"Date": {time.Now().Add(ahead).UTC().Format(http.TimeFormat)}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return datedAnswer(status, h, body), nil
	})
}

func TestSkewIsCorrectedOnce(t *testing.T) {
	const refused = `{"code":"Skewed"}`
	tests := []struct {
		name    string
		steps   []retrytest.Step
		wantErr bool
	}{
		{"ahead", steps(dated(403, refused, 5*time.Minute), dated(200, `{}`, 5*time.Minute)), false},
		{"behind", steps(dated(403, refused, -10*time.Minute), dated(200, `{}`, -10*time.Minute)), false},
		{"four minutes", steps(dated(403, refused, 4*time.Minute)), true},
		{"more than four minutes", steps(dated(403, refused, 4*time.Minute+time.Second), okay), false},
		{"twice the same", steps(dated(403, refused, 10*time.Minute), dated(403, refused, 10*time.Minute)), true},
		{"another code", steps(dated(403, `{"code":"Denied"}`, time.Hour)), true},
		{"cached", steps(dated(403, refused, time.Hour, "Age", "3600")), true},
		{"no date", steps(retrytest.JSON(403, refused)), true},
		{"slow", steps(dated(403, refused, time.Hour).Delay(15*time.Minute + time.Millisecond)), true},
		{"slow but trusted", steps(dated(403, refused, time.Hour).Delay(15*time.Minute), okay), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, items(), tt.steps, WithProfile(skewed))
				_, err := Call(t.Context(), c, getItem(), nil)
				if (err != nil) != tt.wantErr {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestSkewIsKeptAndHeals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signer := &clock{}
		c, _ := script(t, items(), steps(
			dated(200, `{}`, 10*time.Minute),
			dated(403, `{"code":"Skewed"}`, 10*time.Minute),
			dated(403, `{"code":"Skewed"}`, 0), dated(200, `{}`, 0),
		), WithProfile(skewed), WithSigner(signer))
		op := getItem()
		op.Idempotency = NotIdempotent // a refused signature proves that the server did not act
		var begun []time.Time
		call := func() error {
			begun = append(begun, time.Now())
			_, err := Call(t.Context(), c, op, nil)
			return err
		}
		if err := call(); err != nil {
			t.Fatal(err)
		}
		if err := call(); !errors.Is(err, retry.ErrTerminal) {
			t.Errorf("got %v though the clock was right", err)
		}
		if err := call(); err != nil {
			t.Errorf("got %v, want the stale correction dropped", err)
		}
		want := []time.Time{
			begun[0], begun[1].Add(10 * time.Minute), begun[2].Add(10 * time.Minute), begun[2].Add(50 * time.Millisecond),
		}
		for i, at := range signer.signed {
			if !at.Equal(want[i]) {
				t.Errorf("request %d: signed at %s, want %s", i+1, at, want[i])
			}
		}
	})
}
