package generated_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// after answers when d has passed, unless the client gives up before.
func after(d time.Duration, answer http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(d):
			answer.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

func waitForEvents(t *testing.T, d *desk, wait *int32, opts ...httpapi.CallOption) error {
	t.Helper()
	in := &orders.WaitForEventsInput{OrderID: orderID, Wait: wait}
	_, err := d.WaitForEvents(t.Context(), in, opts...)
	return err
}

func attemptTimeout(d time.Duration) httpapi.CallOption {
	return httpapi.WithRetry(retry.WithAttemptTimeout(d))
}

// TestOrdersPollingTimeout gives an attempt its timeout beside what wait asks
// for.
func TestOrdersPollingTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(after(24*time.Second, bare(204))))
		wantSame(t, "error", waitForEvents(t, d, new(int32(20)), attemptTimeout(5*time.Second)), error(nil))
		wantSame(t, "wait", queryOf(t, d.only().Request).value(t, "wait"), "20")
	})
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hang, bare(204)))
		wantSame(t, "error", waitForEvents(t, d, new(int32(20)), attemptTimeout(5*time.Second)), error(nil))
		wantSame(t, "waits", d.waits(), []time.Duration{25*time.Second + transientBase})
	})
}

// TestOrdersPollingTimeoutByDefault: the server waits the default of the
// definition, 20 seconds, when wait is not sent.
func TestOrdersPollingTimeoutByDefault(t *testing.T) {
	for _, tt := range []struct {
		wait *int32
		sent []string
		want time.Duration
	}{
		{nil, nil, 25*time.Second + transientBase},
		{new(int32(0)), []string{"0"}, 5*time.Second + transientBase},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := openDesk(t, answers(hang, bare(204)))
			wantSame(t, "error", waitForEvents(t, d, tt.wait, attemptTimeout(5*time.Second)), error(nil))
			wantSame(t, "wait", queryOf(t, d.visits()[0].Request).values(t, "wait"), tt.sent)
			wantSame(t, "waits", d.waits(), []time.Duration{tt.want})
		})
	}
}

// TestOrdersPollingTimeoutOfOthers does not grow.
func TestOrdersPollingTimeoutOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hang, document(200, anOrder("placed"))))
		wantSame(t, "error", readOrder(t, d, attemptTimeout(5*time.Second)), error(nil))
		wantSame(t, "waits", d.waits(), []time.Duration{5*time.Second + transientBase})
	})
}

// TestOrdersPollingEmptyQuota waits the backoff before it returns the error,
// so that a loop of polls does not become a busy one; others return at once.
func TestOrdersPollingEmptyQuota(t *testing.T) {
	for _, tt := range []struct {
		name    string
		polling bool
		answer  reply
		want    time.Duration
	}{
		{"transient", true, bare(503), transientBase},
		{"throttling", true, bare(429), throttlingBase},
		{"server delay", true, bare(429).with("Retry-After", "3"), 3 * time.Second},
		{"terminal", true, bare(404), 0},
		{"not polling", false, bare(503), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, answers(tt.answer))
				empty := httpapi.WithRetry(retry.WithQuota(retry.NewQuota(0)))
				start := time.Now()
				var err error
				if tt.polling {
					err = waitForEvents(t, d, nil, empty)
				} else {
					err = readOrder(t, d, empty)
				}
				wantSame(t, "time of the call", time.Since(start), tt.want)
				if refused := errors.Is(err, retry.ErrQuotaExceeded); refused != (tt.name != "terminal") {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}
