package generated_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

func waitShipped(t *testing.T, d *desk) (*orders.GetOrderOutput, error) {
	t.Helper()
	return d.WaitOrderShipped(t.Context(), &orders.GetOrderInput{OrderID: orderID})
}

// TestOrdersWaiterSucceeds goes on over answers and errors that no success
// is, with waits of 5 s at least and a minute at most.
func TestOrdersWaiterSucceeds(t *testing.T) {
	for _, last := range []string{"shipped", "delivered"} {
		synctest.Test(t, func(t *testing.T) {
			script := append(times(12, document(200, anOrder("placed"))),
				failure(404, "order_not_ready"), failure(409, "order_not_ready"), document(200, anOrder(last)))
			d := openDesk(t, script)
			out, err := waitShipped(t, d)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "status", string(out.Body.Status), last)
			for i, wait := range d.waits() {
				if wait < 5*time.Second || wait > time.Minute {
					t.Errorf("wait %d: got %s, want between 5s and 1m", i+1, wait)
				}
			}
			if first := d.waits()[0]; first != 5*time.Second {
				t.Errorf("first wait: got %s, want 5s", first)
			}
		})
	}
}

func TestOrdersWaiterFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(document(200, anOrder("packed")), document(200, anOrder("cancelled"))))
		_, err := waitShipped(t, d)
		e := wantError[*httpapi.WaiterError](t, err)
		if e.Waiter != "OrderShipped" || e.State != httpapi.WaitFailure || e.Polls != 2 || e.Last != nil {
			t.Errorf("got %+v, want the failure of OrderShipped at the second poll", e)
		}
	})
}

// TestOrdersWaiterEnds with an error that no rule expects.
func TestOrdersWaiterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(document(200, anOrder("packed")), failure(404, "no_order")))
		_, err := waitShipped(t, d)
		e := wantError[*httpapi.WaiterError](t, err)
		if e.State != 0 || e.Polls != 2 {
			t.Errorf("got %+v, want no state at the second poll", e)
		}
		wantSame(t, "code", wantError[*orders.NotFoundError](t, err).Code, "no_order")
	})
}

// TestOrdersWaiterRetriesPolls: a poll is a call, with retries of its own.
func TestOrdersWaiterRetriesPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(bare(503), document(200, anOrder("shipped"))))
		if _, err := waitShipped(t, d); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "waits", d.waits(), []time.Duration{transientBase})
	})
}

// TestOrdersWaiterByStatus succeeds with a failure: the order is gone.
func TestOrdersWaiterByStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(document(200, anOrder("placed")), document(200, anOrder("placed")), failure(404, "x")))
		_, err := d.WaitOrderGone(t.Context(), &orders.GetOrderInput{OrderID: orderID})
		wantSame(t, "error", err, error(nil))
		for i, wait := range d.waits() {
			if wait < time.Second || wait > 2*time.Minute {
				t.Errorf("wait %d: got %s, want between 1s and 2m", i+1, wait)
			}
		}
	})
}

// TestOrdersWaiterDeadline does not begin a wait that does not fit.
func TestOrdersWaiterDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		d := openDesk(t, answers(document(200, anOrder("placed"))))
		start := time.Now()
		_, err := d.WaitOrderShipped(ctx, &orders.GetOrderInput{OrderID: orderID})
		if !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("got %v, want %v", err, retry.ErrDeadline)
		}
		wantSame(t, "state", wantError[*httpapi.WaiterError](t, err).State, httpapi.WaitRetry)
		wantSame(t, "time of the wait", time.Since(start), time.Duration(0))
	})
}

// TestOrdersWaiterPollDelay lets the caller choose the waits.
func TestOrdersWaiterPollDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var script []http.Handler = append(times(3, document(200, anOrder("placed"))), document(200, anOrder("shipped")))
		d := openDesk(t, script)
		in := &orders.GetOrderInput{OrderID: orderID}
		if _, err := d.WaitOrderShipped(t.Context(), in, httpapi.WithPollDelay(time.Second, time.Second)); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "waits", d.waits(), []time.Duration{time.Second, time.Second, time.Second})
	})
}
