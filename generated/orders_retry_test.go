package generated_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// What the definition and the profile http-1 say.
const (
	transientBase  = 50 * time.Millisecond
	throttlingBase = time.Second
)

// readOrder reads an order.
func readOrder(t *testing.T, d *desk, opts ...httpapi.CallOption) error {
	t.Helper()
	_, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID}, opts...)
	return err
}

// TestOrdersRetryClasses answers once with a failure and then with success,
// and tells the class of the failure by the wait. Zero: not retried.
func TestOrdersRetryClasses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer reply
		want   time.Duration
	}{
		{"throttle code of the document at the pointer", failure(400, "busy"), throttlingBase},
		{"another one", failure(500, "over_quota"), throttlingBase},
		{"code in a header", bare(400).with("X-Error-Code", "busy"), throttlingBase},
		{"pointer before header", failure(400, "card_declined").with("X-Error-Code", "busy"), 0},
		{"code elsewhere in the body", document(400, `{"code":"busy","error":{"message":"no"}}`), 0},
		{"throttle status of the document", bare(429), throttlingBase},
		{"transient code", failure(400, "warehouse_unreachable"), transientBase},
		{"transient status of the document", bare(520), transientBase},
		{"transient status of the profile", bare(504), transientBase},
		{"503 without a delay", bare(503), transientBase},
		{"503 with a delay", bare(503).with("Retry-After", "0"), throttlingBase},
		{"terminal code with a transient status", failure(503, "card_declined"), 0},
		{"terminal status of the document", bare(501), 0},
		{"unknown code", failure(400, "busybody"), 0},
		{"status of another operation", bare(430), 0},
		{"code of another operation", failure(400, "crm_busy"), 0},
		{"declared terminal by x-retry-class", failure(404, "unknown"), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := answers(tt.answer, document(200, anOrder("placed")))
				if tt.want == 0 {
					script = script[:1]
				}
				d := openDesk(t, script)
				err := readOrder(t, d)
				if tt.want == 0 {
					if !errors.Is(err, retry.ErrTerminal) {
						t.Errorf("got %v, want it terminal", err)
					}
					return
				}
				wantSame(t, "error", err, error(nil))
				wantSame(t, "waits", d.waits(), []time.Duration{tt.want})
			})
		})
	}
}

// TestOrdersRetryThrottlingOfOneOperation: listCustomers adds a code and a
// status to those of the document, and its path makes it three attempts.
func TestOrdersRetryThrottlingOfOneOperation(t *testing.T) {
	for _, answer := range []reply{bare(430), failure(400, "crm_busy"), failure(400, "busy"), bare(429)} {
		synctest.Test(t, func(t *testing.T) {
			d := openDesk(t, times(3, answer))
			_, err := d.ListCustomers(t.Context(), nil)
			if !errors.Is(err, retry.ErrMaxAttempts) {
				t.Errorf("got %v, want %v", err, retry.ErrMaxAttempts)
			}
			wantSame(t, "waits", d.waits(), []time.Duration{throttlingBase, 2 * throttlingBase})
		})
	}
}

// TestOrdersRetryDeclaredClasses: what x-retry-class says on a response or a
// schema.
func TestOrdersRetryDeclaredClasses(t *testing.T) {
	in := &orders.CreateOrderInput{Body: aNewOrder()}
	for _, status := range []int{409, 422} {
		d := openDesk(t, answers(failure(status, "x")))
		if _, err := d.CreateOrder(t.Context(), in); !errors.Is(err, retry.ErrTerminal) {
			t.Errorf("%d: got %v, want it terminal", status, err)
		}
	}
	d := openDesk(t, answers(failure(402, "no_money"), problem(412, `{}`)))
	_, err := d.PayOrder(t.Context(), &orders.PayOrderInput{OrderID: orderID, Body: aPayment()})
	wantSame(t, "code", wantError[*orders.Error](t, err).ErrorValue.Code, "no_money")
	_, err = d.ReplaceOrder(t.Context(), &orders.ReplaceOrderInput{OrderID: orderID, IfMatch: "1", Body: aNewOrder()})
	wantSame(t, "status", wantError[*orders.Problem](t, err).Status, 412)
}

// TestOrdersRetryBackoff doubles the waits of each class on its own base.
func TestOrdersRetryBackoff(t *testing.T) {
	for _, tt := range []struct {
		answer reply
		base   time.Duration
	}{{bare(500), transientBase}, {bare(429), throttlingBase}} {
		synctest.Test(t, func(t *testing.T) {
			d := openDesk(t, times(4, tt.answer))
			if err := readOrder(t, d); !errors.Is(err, retry.ErrMaxAttempts) {
				t.Errorf("got %v, want %v", err, retry.ErrMaxAttempts)
			}
			wantSame(t, "waits", d.waits(), []time.Duration{tt.base, 2 * tt.base, 4 * tt.base})
		})
	}
}

// TestOrdersRetryMaxBackoff: no drawn wait is longer than 15 s.
func TestOrdersRetryMaxBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, times(7, bare(429)))
		readOrder(t, d, httpapi.WithRetry(retry.WithMaxAttempts(7)))
		s := time.Second
		wantSame(t, "waits", d.waits(), []time.Duration{s, 2 * s, 4 * s, 8 * s, 15 * s, 15 * s})
	})
}

// TestOrdersRetryServerDelay never retries earlier than the server asks, nor
// earlier than the backoff.
func TestOrdersRetryServerDelay(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func() reply
		want   time.Duration
	}{
		{"seconds", func() reply { return bare(429).with("Retry-After", "7") }, 7 * time.Second},
		{"milliseconds", func() reply { return bare(503).with("Retry-After-Ms", "2500") }, 2500 * time.Millisecond},
		{"milliseconds first", func() reply { return bare(429).with("Retry-After", "7").with("Retry-After-Ms", "1750") }, 1750 * time.Millisecond},
		{"unusable milliseconds", func() reply { return bare(429).with("Retry-After", "7").with("Retry-After-Ms", "soon") }, 7 * time.Second},
		{"date", func() reply {
			return bare(429).with("Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))
		}, 9 * time.Second},
		{"shorter than the backoff", func() reply { return bare(429).with("Retry-After-Ms", "1") }, throttlingBase},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, answers(tt.answer(), document(200, anOrder("placed"))))
				wantSame(t, "error", readOrder(t, d), error(nil))
				wantSame(t, "waits", d.waits(), []time.Duration{tt.want})
			})
		})
	}
}

// TestOrdersRetryServerDelayTooLong gives up at once when the wait does not
// fit: the definition gives a call a minute and a half.
func TestOrdersRetryServerDelayTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(bare(429).with("Retry-After", "90")))
		start := time.Now()
		if err := readOrder(t, d); !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("got %v, want %v", err, retry.ErrDeadline)
		}
		wantSame(t, "time of the call", time.Since(start), time.Duration(0))
	})
}

// TestOrdersRetryTotalTimeout bounds a call whose server says nothing.
func TestOrdersRetryTotalTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hang))
		start := time.Now()
		if err := readOrder(t, d); !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("got %v, want %v", err, retry.ErrDeadline)
		}
		wantSame(t, "time of the call", time.Since(start), 90*time.Second)
	})
}

// TestOrdersRetryOfOneOperation: addOrderLine has attempts, base delays and a
// timeout of its own, and the longest backoff of the document.
func TestOrdersRetryOfOneOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hang, bare(500), failure(400, "busy"), bare(429), document(201, aLine)))
		in := &orders.AddOrderLineInput{OrderID: orderID, Body: &orders.OrderLine{Sku: "a", Quantity: 1}}
		out, err := d.AddOrderLine(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "line", out.Body, &orders.OrderLine{Number: new(int32(1)), Sku: "a", Quantity: 1})
		const transient, throttling = 100 * time.Millisecond, 2 * time.Second
		wantSame(t, "waits", d.waits(), []time.Duration{2*time.Second + transient, 2 * transient, 4 * throttling, 15 * time.Second})
	})
}

// TestOrdersRetryUnsafe: a POST without a key is repeated when the server
// certainly did not act, and else not.
func TestOrdersRetryUnsafe(t *testing.T) {
	done := document(200, anOrder("cancelled"))
	for _, tt := range []struct {
		name   string
		script []http.Handler
		want   error
	}{
		{"gateway", answers(bare(502)), retry.ErrOutcomeUnknown},
		{"connection lost", answers(hangUp), retry.ErrOutcomeUnknown},
		{"refused by status", answers(bare(429), done), nil},
		{"refused by code", answers(failure(400, "over_quota"), done), nil},
		{"refused, then lost", answers(bare(429), bare(502)), retry.ErrOutcomeUnknown},
		{"terminal", answers(failure(404, "gone")), retry.ErrTerminal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, tt.script)
				_, err := cancelOrder(t.Context(), d.Client)
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestOrdersRetryOfLostConnections: the same on a connection that was kept,
// where HTTP clients like to repeat a GET by themselves.
func TestOrdersRetryOfLostConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(bare(204), hangUp))
		if _, err := d.ClaimNextTicket(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := d.ClaimNextTicket(t.Context(), nil); !errors.Is(err, retry.ErrOutcomeUnknown) {
			t.Errorf("got %v, want %v", err, retry.ErrOutcomeUnknown)
		}
	})
}

// TestOrdersRetryOfLostConnectionsIsCounted: a repeat is an attempt, also of a
// request with a key, which HTTP clients take for repeatable.
func TestOrdersRetryOfLostConnectionsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		placed := document(201, anOrder("placed")).with("Location", "/x")
		d := openDesk(t, answers(placed, hangUp, placed))
		in := &orders.CreateOrderInput{Body: aNewOrder()}
		for failures := range 2 {
			out, err := d.CreateOrder(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, "number of failures", len(out.Attempts), failures)
		}
		wantSame(t, "X-Attempt", d.visits()[2].Header.Get("X-Attempt"), "attempt=2; max=4")
	})
}

// TestOrdersRetryIdempotentPost: x-idempotent makes a POST repeatable.
func TestOrdersRetryIdempotentPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(bare(502), hangUp, document(200, aPage)))
		in := &orders.SearchOrdersInput{Body: &orders.OrderQuery{Text: new("saw")}}
		if _, err := d.SearchOrders(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		for _, got := range d.visits() {
			wantJSON(t, got.body, `{"text":"saw"}`)
		}
	})
}

// TestOrdersRetryCancelled wants the caller's own end to be final.
func TestOrdersRetryCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bored := errors.New("bored")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(bored) })
		d := openDesk(t, answers(bare(429).with("Retry-After", "60")))
		start := time.Now()
		_, err := d.GetOrder(ctx, &orders.GetOrderInput{OrderID: orderID})
		if !errors.Is(err, retry.ErrCanceled) || !errors.Is(err, bored) {
			t.Errorf("got %v, want it cancelled, with the cause", err)
		}
		wantError[*orders.Problem](t, err)
		wantSame(t, "time of the call", time.Since(start), 3*time.Second)
	})
}

// TestOrdersRetryMetadata wants the User-Agent and the service named.
func TestOrdersRetryMetadata(t *testing.T) {
	d := openDesk(t, answers(failure(404, "x")))
	err := readOrder(t, d)
	wantSame(t, "User-Agent", d.only().Header.Get("User-Agent"), "retrygen/1 orders/1.4.0")
	if !strings.HasPrefix(err.Error(), "orders getOrder: ") {
		t.Errorf("got %v, want it to begin with the operation", err)
	}
}
