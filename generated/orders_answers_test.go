package generated_test

import (
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
)

// TestOrdersAnswersOfSeveralStatuses wants the body of one status in its own
// field, and the headers beside it.
func TestOrdersAnswersOfSeveralStatuses(t *testing.T) {
	in := &orders.CreateOrderInput{Body: aNewOrder()}
	d := openDesk(t, answers(
		document(201, anOrder("placed")).with("Location", "/v1/orders/é%20").with("X-Rate-Remaining", "2147483647"),
		document(202, `{"reviewId":"r","reason":"large"}`),
	))
	created, err := d.CreateOrder(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if created.Status != 201 || created.Created == nil || created.Created.ID != orderID || created.Accepted != nil {
		t.Errorf("got %+v, want a created order", created)
	}
	wantSame(t, "Location", created.Location, new("/v1/orders/é%20"))
	wantSame(t, "X-Rate-Remaining", created.XRateRemaining, new(int32(2147483647)))
	accepted, err := d.CreateOrder(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "review", accepted.Accepted, &orders.OrderReview{ReviewID: "r", Reason: "large"})
	if accepted.Status != 202 || accepted.Created != nil || accepted.Location != nil || accepted.XRateRemaining != nil {
		t.Errorf("got %+v, want a review alone", accepted)
	}
}

// TestOrdersAnswersWithoutBody are declared beside ones that have a body.
func TestOrdersAnswersWithoutBody(t *testing.T) {
	d := openDesk(t, answers(bare(202), bare(204), bare(204), bare(204)))
	cancelled, err := cancelOrder(t.Context(), d.Client)
	if err != nil || cancelled.Status != 202 || cancelled.Body != nil {
		t.Errorf("cancelOrder: got %+v and %v", cancelled, err)
	}
	ticket, err := d.ClaimNextTicket(t.Context(), nil)
	if err != nil || ticket.Status != 204 || ticket.Body != nil {
		t.Errorf("claimNextTicket: got %+v and %v", ticket, err)
	}
	events, err := d.WaitForEvents(t.Context(), &orders.WaitForEventsInput{OrderID: orderID})
	if err != nil || events.Status != 204 || events.Body != nil {
		t.Errorf("waitForEvents: got %+v and %v", events, err)
	}
	deleted, err := d.DeleteOrder(t.Context(), &orders.DeleteOrderInput{OrderID: orderID})
	if err != nil || deleted.Status != 204 {
		t.Errorf("deleteOrder: got %+v and %v", deleted, err)
	}
	for _, got := range d.visits() {
		if got.ContentLength != 0 || got.TransferEncoding != nil || got.Header.Get("Content-Type") != "" {
			t.Errorf("%s %s: sent %q of type %q, want no body", got.Method, got.RequestURI, got.body, got.Header.Get("Content-Type"))
		}
	}
}

// TestOrdersAnswerMissing: the definition declares a body for 200 that the
// caller relies on.
func TestOrdersAnswerMissing(t *testing.T) {
	d := openDesk(t, answers(document(203, anOrder("placed"))))
	_, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	wantDecodeError(t, err, 203)
}

func TestOrdersAnswerOfHead(t *testing.T) {
	d := openDesk(t, answers(bare(200).with("ETag", `W/"7"`).with("Content-Length", "1000")))
	out, err := d.CheckOrder(t.Context(), &orders.CheckOrderInput{OrderID: orderID})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "ETag", out.ETag, new(`W/"7"`))
	wantSame(t, "status", out.Status, 200)
}

func TestOrdersAnswerOfText(t *testing.T) {
	d := openDesk(t, answers(typed(200, `Text/Plain;charset="UTF-8"`, "très bien\n"), typed(200, "text/plain", "")))
	for _, want := range []string{"très bien\n", ""} {
		out, err := d.GetHealth(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "health", out.Body, want)
	}
}

// TestOrdersAnswerParameters takes JSON with parameters and in any case for
// JSON.
func TestOrdersAnswerParameters(t *testing.T) {
	d := openDesk(t, answers(typed(200, "Application/JSON; charset=utf-8", anOrder("packed")).with("ETag", `"1"`)))
	out, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "status", out.Body.Status, orders.OrderStatusPacked)
	wantSame(t, "ETag", out.ETag, new(`"1"`))
}

// TestOrdersAnswerTellsItsHistory has the attempts and the request id on
// success, too.
func TestOrdersAnswerTellsItsHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(failure(400, "busy"), bare(502), document(200, anOrder("placed")).with("X-Request-Id", "r-9")))
		out, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "request id", out.RequestID, "r-9")
		if len(out.Attempts) != 2 || out.Attempts[0].Code != "busy" || out.Attempts[1].Rule != "status 502" {
			t.Errorf("attempts: got %v", out.Attempts)
		}
	})
}
