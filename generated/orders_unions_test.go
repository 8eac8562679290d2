package generated_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/retrygen/retrygen/generated/orders"
)

// pay returns the method as it travelled.
func pay(t *testing.T, method orders.PaymentMethodValue) string {
	t.Helper()
	d := openDesk(t, answers(document(200, `{"id":"i","amount":{"amount":"1","currency":"EUR"},"paidAt":"2026-01-01T00:00:00Z"}`)))
	in := &orders.PayOrderInput{OrderID: orderID, Body: &orders.NewPayment{
		Method: orders.PaymentMethod{Value: method}, Amount: orders.Money{Amount: "1", Currency: "EUR"},
	}}
	if _, err := d.PayOrder(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return memberOf(t, d.only().body, "method")
}

// TestOrdersUnionWithDiscriminator wants the discriminator to be written even
// if the caller left it out.
func TestOrdersUnionWithDiscriminator(t *testing.T) {
	wantJSON(t, pay(t, &orders.CardPayment{CardToken: "c"}), `{"type":"card","cardToken":"c"}`)
	wantJSON(t, pay(t, &orders.TransferPayment{Type: "transfer", Iban: "DE1"}), `{"type":"transfer","iban":"DE1"}`)
	wantJSON(t, pay(t, &orders.VoucherPayment{Codes: []string{"x"}}), `{"type":"voucher","codes":["x"]}`)
	wantJSON(t, pay(t, orders.PaymentMethodUnknown(`{"type":"coins","n":9007199254740993}`)), `{"type":"coins","n":9007199254740993}`)
}

// TestOrdersUnionWithoutVariant: what is required is not sent as null.
func TestOrdersUnionWithoutVariant(t *testing.T) {
	d := openDesk(t, nil)
	for _, method := range []orders.PaymentMethodValue{nil, (*orders.CardPayment)(nil)} {
		in := &orders.PayOrderInput{OrderID: orderID, Body: &orders.NewPayment{Method: orders.PaymentMethod{Value: method}}}
		_, err := d.PayOrder(t.Context(), in)
		if err == nil || !strings.Contains(err.Error(), "no variant is set") || !strings.Contains(err.Error(), "/method") {
			t.Errorf("%#v: got %v", method, err)
		}
	}
}

func TestOrdersUnionByDiscriminator(t *testing.T) {
	d := openDesk(t, answers(document(200, `[
		{"number":9007199254740993,"at":"2026-02-28T22:59:59.123456789Z","status":"packed","kind":"status"},
		{"kind":"note","number":2,"at":"2026-02-28T22:59:59Z","text":"t"},
		{"kind":"drone","number":3,"x":1.10}]`)))
	out, err := d.WaitForEvents(t.Context(), &orders.WaitForEventsInput{OrderID: orderID, After: new(int64(9007199254740993))})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "after", queryOf(t, d.only().Request).value(t, "after"), "9007199254740993")
	if len(out.Body) != 3 {
		t.Fatalf("got %d events", len(out.Body))
	}
	status, ok := out.Body[0].Value.(*orders.StatusEvent)
	if !ok || status.Number != 9007199254740993 || status.Status != "packed" || status.Kind != "status" || !status.At.Equal(night) {
		t.Errorf("first: got %#v", out.Body[0].Value)
	}
	wantSame(t, "second", out.Body[1].Value, &orders.NoteEvent{
		Kind: "note", Number: 2, At: time.Date(2026, 2, 28, 22, 59, 59, 0, time.UTC), Text: "t",
	})
	drone, ok := out.Body[2].Value.(orders.EventUnknown)
	if !ok {
		t.Fatalf("third: got %#v, want it unknown", out.Body[2].Value)
	}
	wantJSON(t, string(drone), `{"kind":"drone","number":3,"x":1.10}`)
}

// TestOrdersUnionByMembers tells variants without a discriminator apart by the
// members that they require, and sends back what it does not know.
func TestOrdersUnionByMembers(t *testing.T) {
	const drone = `{"drone":"d7","height":1.10,"at":[9007199254740993]}`
	for _, tt := range []struct {
		wire string
		want orders.DeliveryValue
	}{
		{`{"street":"s","city":"c","country":"DE"}`, &orders.Address{Street: "s", City: "c", Country: "DE"}},
		{`{"pointId":"p"}`, &orders.PickupPoint{PointID: "p"}},
		{drone, orders.DeliveryUnknown(drone)},
	} {
		order := getOrder(t, `{"id":"i","number":1,"customerId":1,"status":"placed","lines":[],"note":null,
			"createdAt":"2026-01-01T00:00:00Z","shippedAt":null,"delivery":`+tt.wire+`}`)
		wantSame(t, "delivery", order.Delivery.Value, tt.want)
		d := openDesk(t, answers(document(200, anOrder("placed"))))
		in := &orders.ReplaceOrderInput{OrderID: orderID, IfMatch: "*", Body: aNewOrder()}
		in.Body.Delivery = order.Delivery
		if _, err := d.ReplaceOrder(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		wantJSON(t, memberOf(t, d.only().body, "delivery"), tt.wire)
	}
}

// TestOrdersUnionByKind sends a number or an object.
func TestOrdersUnionByKind(t *testing.T) {
	for _, tt := range []struct {
		total orders.OrderQueryTotalValue
		want  string
	}{
		{orders.OrderQueryTotalNumber(12.5), `12.5`},
		{&orders.Range{Min: new(0.1), Max: new(2.5)}, `{"min":0.1,"max":2.5}`},
		{&orders.Range{}, `{}`},
		{orders.OrderQueryTotalUnknown(`"cheap"`), `"cheap"`},
	} {
		d := openDesk(t, answers(document(200, aPage)))
		in := &orders.SearchOrdersInput{Body: &orders.OrderQuery{Total: &orders.OrderQueryTotal{Value: tt.total}}}
		if _, err := d.SearchOrders(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		wantJSON(t, memberOf(t, d.only().body, "total"), tt.want)
	}
}

// TestOrdersSeveralTypes reads a member of one of several JSON types.
func TestOrdersSeveralTypes(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"settings":[{"name":"a","value":"x"},{"name":"b","value":-1.5},
		{"name":"c","value":false},{"name":"d","value":null},{"name":"e","value":[1]}],"next":null}`)))
	out, err := d.ListSettings(t.Context(), &orders.ListSettingsInput{CustomerID: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []*orders.SettingValue{
		{Value: orders.SettingValueString("x")}, {Value: orders.SettingValueNumber(-1.5)},
		{Value: orders.SettingValueBoolean(false)}, nil, {Value: orders.SettingValueUnknown(jsontext.Value(`[1]`))},
	}
	for i, setting := range out.Body.Settings {
		wantSame(t, setting.Name, setting.Value, want[i])
	}
	if !out.Body.Next.IsNull() {
		t.Errorf("next: got %+v, want null", out.Body.Next)
	}
}
