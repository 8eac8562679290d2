package generated_test

import (
	"errors"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// uuid is a random UUID, RFC 9562, 5.4: the format that the definition gives
// the key of addOrderLine.
var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// keyed is an operation with an idempotency key.
type keyed struct {
	name string
	call func(t *testing.T, d *desk, key *string, opts ...httpapi.CallOption) error
	// sent reads the key from a request.
	sent func(t *testing.T, v visit) string
}

// keyedOperations carry the key in each of the places that there are.
func keyedOperations() []keyed {
	return []keyed{
		{"operation", placeWithKey, headerKey("Idempotency-Key")},
		{"parameter", addWithKey, headerKey("Request-Id")},
		{"property", payWithKey, bodyKey},
	}
}

func headerKey(name string) func(*testing.T, visit) string {
	return func(t *testing.T, v visit) string {
		t.Helper()
		values := v.Header.Values(name)
		if len(values) != 1 {
			t.Fatalf("%s: got %q, want one key", name, values)
		}
		return values[0]
	}
}

func bodyKey(t *testing.T, v visit) string {
	t.Helper()
	key, _ := parseJSON(t, v.body).(map[string]any)["requestId"].(string)
	return key
}

func placeWithKey(t *testing.T, d *desk, key *string, opts ...httpapi.CallOption) error {
	in := &orders.CreateOrderInput{Body: aNewOrder(), IdempotencyKey: key}
	_, err := d.CreateOrder(t.Context(), in, opts...)
	wantSame(t, "key in the input", in.IdempotencyKey, key)
	return err
}

func addWithKey(t *testing.T, d *desk, key *string, opts ...httpapi.CallOption) error {
	in := &orders.AddOrderLineInput{OrderID: orderID, RequestID: key, Body: &orders.OrderLine{Sku: "a", Quantity: 1}}
	_, err := d.AddOrderLine(t.Context(), in, opts...)
	wantSame(t, "key in the input", in.RequestID, key)
	return err
}

func payWithKey(t *testing.T, d *desk, key *string, opts ...httpapi.CallOption) error {
	in := &orders.PayOrderInput{OrderID: orderID, Body: aPayment()}
	in.Body.RequestID = key
	_, err := d.PayOrder(t.Context(), in, opts...)
	wantSame(t, "key in the input", in.Body.RequestID, key)
	return err
}

// eachKeyed runs f for each place of a key, in virtual time.
func eachKeyed(t *testing.T, f func(t *testing.T, op keyed)) {
	for _, op := range keyedOperations() {
		t.Run(op.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, op) })
		})
	}
}

// TestOrdersKeyIsTheSame makes one key for a call, another for the next, and
// sends it in each attempt.
func TestOrdersKeyIsTheSame(t *testing.T) {
	eachKeyed(t, func(t *testing.T, op keyed) {
		d := openDesk(t, answers(bare(502), hangUp, failure(404, "x"), failure(404, "x")))
		var meta httpapi.Metadata
		first := wantError[*httpapi.CallError](t, op.call(t, d, nil, httpapi.WithResult(&meta)))
		second := wantError[*httpapi.CallError](t, op.call(t, d, nil))
		if !uuid.MatchString(first.IdempotencyKey) || first.IdempotencyKey == second.IdempotencyKey {
			t.Errorf("got keys %q and %q, want a new UUID for each call", first.IdempotencyKey, second.IdempotencyKey)
		}
		wantSame(t, "key in the metadata", meta.IdempotencyKey, first.IdempotencyKey)
		for i, got := range d.visits() {
			want := first.IdempotencyKey
			if i == 3 {
				want = second.IdempotencyKey
			}
			wantSame(t, "key", op.sent(t, got), want)
		}
	})
}

// TestOrdersKeyIsAcceptedAgain sends the key of a call that failed with a
// later one.
func TestOrdersKeyIsAcceptedAgain(t *testing.T) {
	eachKeyed(t, func(t *testing.T, op keyed) {
		d := openDesk(t, answers(bare(502), bare(404)))
		err := op.call(t, d, nil, httpapi.WithRetry(retry.WithMaxAttempts(1)))
		key := wantError[*httpapi.CallError](t, err).IdempotencyKey
		op.call(t, d, nil, httpapi.WithIdempotencyKey(key))
		for _, got := range d.visits() {
			wantSame(t, "key", op.sent(t, got), key)
		}
	})
}

// TestOrdersKeyOfTheInput takes the caller's own key.
func TestOrdersKeyOfTheInput(t *testing.T) {
	eachKeyed(t, func(t *testing.T, op keyed) {
		d := openDesk(t, answers(bare(503), bare(404)))
		err := op.call(t, d, new("my-own"))
		wantSame(t, "key of the error", wantError[*httpapi.CallError](t, err).IdempotencyKey, "my-own")
		for _, got := range d.visits() {
			wantSame(t, "key", op.sent(t, got), "my-own")
		}
	})
}

// TestOrdersKeyOfSuccess is told on success, too.
func TestOrdersKeyOfSuccess(t *testing.T) {
	d := openDesk(t, answers(document(201, anOrder("placed")).with("Location", "/x")))
	out, err := d.CreateOrder(t.Context(), &orders.CreateOrderInput{Body: aNewOrder()})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "key", out.IdempotencyKey, d.only().Header.Get("Idempotency-Key"))
}

// TestOrdersKeyOfNone: other operations refuse a key instead of losing it.
func TestOrdersKeyOfNone(t *testing.T) {
	d := openDesk(t, nil)
	_, err := cancelOrder(t.Context(), d.Client, httpapi.WithIdempotencyKey("k"))
	if err == nil || errors.Is(err, retry.ErrTerminal) {
		t.Errorf("got %v, want an error before the first attempt", err)
	}
}
