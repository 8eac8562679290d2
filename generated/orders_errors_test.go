package generated_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// wantDecodeError wants an answer that was successful and not understood.
func wantDecodeError(t *testing.T, err error, status int) *httpapi.DecodeError {
	t.Helper()
	e, ok := errors.AsType[*httpapi.DecodeError](err)
	if !ok {
		t.Fatalf("got %v, want a DecodeError", err)
	}
	wantSame(t, "status", e.Status, status)
	if !errors.Is(err, retry.ErrTerminal) {
		t.Errorf("got %v, want it terminal", err)
	}
	return e
}

// wantError returns the error of the definition in err.
func wantError[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got %T %v, want a %T", err, err, e)
	}
	return e
}

// wantAnswer checks the answer in err, with its message and its attempts.
func wantAnswer(t *testing.T, err error, status int, message string, attempts int) *httpapi.ResponseError {
	t.Helper()
	e := wantError[*httpapi.ResponseError](t, err)
	wantSame(t, "status", e.Status, status)
	wantSame(t, "message", e.Message, message)
	wantSame(t, "number of attempts", len(e.Attempts), attempts)
	return e
}

// placeOrder orders until the script ends and returns the error.
func placeOrder(t *testing.T, attempts int, answer reply) error {
	t.Helper()
	d := openDesk(t, times(attempts, answer))
	out, err := d.CreateOrder(t.Context(), &orders.CreateOrderInput{Body: aNewOrder()})
	if err == nil || out != nil {
		t.Fatalf("got %+v and %v, want an error", out, err)
	}
	return err
}

func TestOrdersErrorOfAStatus(t *testing.T) {
	d := openDesk(t, answers(document(404, `{"error":{"code":"no_order","message":"gone","requestId":"q"},"kind":"order"}`).with("X-Request-Id", "r-1")))
	out, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	if out != nil {
		t.Errorf("got %+v, want nil", out)
	}
	e := wantError[*orders.NotFoundError](t, err)
	wantSame(t, "detail", e.ErrorValue, orders.ErrorDetail{Code: "no_order", Message: "gone", RequestID: new("q")})
	wantSame(t, "kind", e.Kind, new("order"))
	wantSame(t, "code", e.Code, "no_order")
	wantSame(t, "request id", e.RequestID, "r-1")
	wantAnswer(t, err, 404, "gone", 1)
	call := wantError[*httpapi.CallError](t, err)
	wantSame(t, "operation", call.Operation, "orders getOrder")
}

func TestOrdersErrorConflict(t *testing.T) {
	err := placeOrder(t, 1, document(409, `{"error":{"code":"exists","message":"twice"},"orderId":"`+orderID+`"}`))
	wantSame(t, "orderId", wantError[*orders.ConflictError](t, err).OrderID, new(orderID))
	wantAnswer(t, err, 409, "twice", 1)
}

func TestOrdersErrorValidation(t *testing.T) {
	err := placeOrder(t, 1, document(422, `{"error":{"code":"invalid","message":"bad"},"fields":{"lines":["too few","too dear"],"note":[]}}`))
	wantSame(t, "fields", wantError[*orders.ValidationError](t, err).Fields, map[string][]string{"lines": {"too few", "too dear"}, "note": {}})
	wantAnswer(t, err, 422, "bad", 1)
}

// TestOrdersErrorRange wants an exact status to come before a range, and what
// neither declares to be a plain answer.
func TestOrdersErrorRange(t *testing.T) {
	err := placeOrder(t, 1, problem(418, `{"title":"Teapot","detail":"short and stout"}`))
	wantSame(t, "title", wantError[*orders.Problem](t, err).Title, new("Teapot"))
	err = placeOrder(t, 1, document(599, `{"error":{"code":"odd","message":"what"}}`))
	if _, ok := errors.AsType[*orders.Problem](err); ok {
		t.Errorf("599 is a Problem, want it undeclared: %v", err)
	}
	wantSame(t, "code", wantAnswer(t, err, 599, "what", 1).Code, "odd")
}

func TestOrdersErrorUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := placeOrder(t, 4, document(503, `{"error":{"code":"down","message":"later"},"until":"2026-02-28T22:59:59.123456789Z"}`))
		e := wantError[*orders.UnavailableError](t, err)
		if e.Until == nil || !e.Until.Equal(night) {
			t.Errorf("until: got %v, want %v", e.Until, night)
		}
		wantAnswer(t, err, 503, "later", 4)
		if !errors.Is(err, retry.ErrMaxAttempts) {
			t.Errorf("got %v, want %v", err, retry.ErrMaxAttempts)
		}
	})
}

func TestOrdersErrorThrottled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := placeOrder(t, 4, failure(429, "slow_down").with("Retry-After", "1"))
		wantSame(t, "code", wantError[*orders.Error](t, err).ErrorValue.Code, "slow_down")
		for i, a := range wantAnswer(t, err, 429, "no", 4).Attempts {
			if a.Attempt != i+1 || a.Class != retry.Throttling || !a.HasServerDelay || a.ServerDelay != time.Second {
				t.Errorf("attempt %d: got %+v", i+1, a)
			}
		}
	})
}

// TestOrdersErrorProblem keeps extension members, RFC 9457, 3.2.
func TestOrdersErrorProblem(t *testing.T) {
	d := openDesk(t, answers(problem(403, `{"type":"https://example.com/credit","title":"No credit","status":403,
		"detail":"30 too much","instance":"/account/1","balance":30,"accounts":["/a","/b"]}`)))
	_, err := d.ListOrders(t.Context(), nil)
	e := wantError[*orders.Problem](t, err)
	wantSame(t, "members", []*string{e.Type, e.Title, e.Detail, e.Instance},
		[]*string{new("https://example.com/credit"), new("No credit"), new("30 too much"), new("/account/1")})
	wantSame(t, "status", e.StatusValue, new(int32(403)))
	wantSame(t, "extensions", e.Extra, map[string]any{"balance": 30.0, "accounts": []any{"/a", "/b"}})
	if !strings.Contains(err.Error(), "30 too much") {
		t.Errorf("got %v, want its detail", err)
	}
}

// TestOrdersErrorWithoutBody wants the type of the status all the same.
func TestOrdersErrorWithoutBody(t *testing.T) {
	d := openDesk(t, answers(bare(404)))
	_, err := d.DeleteOrder(t.Context(), &orders.DeleteOrderInput{OrderID: orderID})
	wantError[*orders.NotFoundError](t, err)
	wantAnswer(t, err, 404, "", 1)
}

// TestOrdersErrorOfHead has no body by the rules of HTTP.
func TestOrdersErrorOfHead(t *testing.T) {
	d := openDesk(t, answers(bare(404).with("X-Request-Id", "r-2")))
	_, err := d.CheckOrder(t.Context(), &orders.CheckOrderInput{OrderID: orderID})
	wantSame(t, "request id", wantAnswer(t, err, 404, "", 1).RequestID, "r-2")
}

// TestOrdersErrorBounded keeps the beginning of a body that is too long.
func TestOrdersErrorBounded(t *testing.T) {
	const kept = 64 << 10
	body := `{"error":{"code":"long","message":"m"},"kind":"` + strings.Repeat("x", 2*kept) + `"}`
	d := openDesk(t, answers(document(404, body)))
	_, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	e := wantAnswer(t, err, 404, "m", 1)
	if string(e.Body) != body[:kept] || !e.Truncated || e.Code != "long" {
		t.Errorf("got %d bytes, truncated %t, code %q, want the first %d bytes", len(e.Body), e.Truncated, e.Code, kept)
	}
	if len(err.Error()) > 1<<10 {
		t.Errorf("the error's text has %d bytes", len(err.Error()))
	}
}

// webPage is what proxies answer.
func webPage(status int) reply {
	return typed(status, "text/html; charset=utf-8", "<!DOCTYPE html><html><title>Bad Gateway</title>")
}

// TestOrdersErrorOfAProxy answers with HTML instead of what is declared.
func TestOrdersErrorOfAProxy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, times(4, webPage(502)))
		_, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
		if _, ok := errors.AsType[*orders.Problem](err); ok {
			t.Errorf("got a Problem: %v", err)
		}
		e := wantError[*httpapi.ResponseError](t, err)
		if e.Status != 502 || !strings.Contains(err.Error(), "Bad Gateway") {
			t.Errorf("got %v, want status 502 and a snippet", err)
		}
	})
}

// TestOrdersSuccessOfAProxy answers 200 with HTML, which is no success.
func TestOrdersSuccessOfAProxy(t *testing.T) {
	d := openDesk(t, answers(webPage(200).with("X-Request-Id", "r-3")))
	out, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	e := wantDecodeError(t, err, 200)
	if out != nil || e.RequestID != "r-3" || !strings.Contains(err.Error(), "Bad Gateway") {
		t.Errorf("got %+v and %v, want a snippet and the request id", out, err)
	}
}

func TestOrdersErrorOfBrokenJSON(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"id":`)))
	_, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	wantDecodeError(t, err, 200)
}
