package httpapi

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestUnsentRetry: a retry that cannot be prepared leaves the service's error
// in place, is no attempt and costs nothing.
func TestUnsentRetry(t *testing.T) {
	lost := errors.New("credentials expired")
	for _, good := range []int{0, 1, 2} { // how often the signer signs
		synctest.Test(t, func(t *testing.T) {
			n := 0
			signer := signerFunc(func(context.Context, *http.Request) error {
				if n++; n > good {
					return lost
				}
				return nil
			})
			var answers []retrytest.Step
			for range good {
				answers = append(answers, retrytest.JSON(410, `{"resource":"r"}`))
			}
			transient := WithProfile(Profile{Transient: Match{Statuses: []StatusRange{Status(410)}}})
			c, transport := script(t, items(), answers, WithSigner(signer), transient)
			var result Metadata
			_, err := Call(t.Context(), c, getItem(), nil, WithResult(&result))
			if !errors.Is(err, lost) || !errors.Is(err, retry.ErrTerminal) {
				t.Errorf("got %v", err)
			}
			answer, ok := errors.AsType[*notFound](err)
			if ok != (good > 0) || ok && (answer.Resource != "r" || len(answer.Attempts) != good) {
				t.Errorf("got %+v of %v", answer, err)
			}
			if len(transport.Requests()) != good || len(result.Attempts) != good {
				t.Errorf("%d requests, attempts %v", len(transport.Requests()), result.Attempts)
			}
			if got, want := c.Quota("").Level(), 500-14*max(good-1, 0); got != want {
				t.Errorf("quota %d, want %d", got, want)
			}
		})
	}
}
