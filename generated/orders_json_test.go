package generated_test

import (
	"testing"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
)

var (
	leapDay = httpapi.Date{Year: 2028, Month: time.February, Day: 29}
	night   = time.Date(2026, time.February, 28, 23, 59, 59, 123456789, time.FixedZone("", 3600))
)

// TestOrdersJSONRequest places an order with every member.
func TestOrdersJSONRequest(t *testing.T) {
	d := openDesk(t, answers(document(202, `{"reviewId":"r","reason":"large"}`)))
	_, err := d.CreateOrder(t.Context(), &orders.CreateOrderInput{Body: &orders.NewOrder{
		CustomerID: 9007199254740993,
		Reference:  new("<b>&\u2028 \"é\"\x00"),
		Lines: []orders.OrderLine{
			{Sku: "a", Quantity: 2, Price: &orders.Money{Amount: "-0.10", Currency: "EUR"}, Engraving: httpapi.Value("")},
			{Sku: "b", Quantity: 1, Engraving: httpapi.Null[string]()},
			{Sku: "c", Quantity: 2147483647},
		},
		Delivery:  orders.Delivery{Value: &orders.Address{Street: "s", City: "c", Country: "DE"}},
		Priority:  new(orders.Priority2),
		Gift:      new(false),
		WishDate:  &leapDay,
		Signature: []byte{0xfb, 0xff, 0x00},
		Metadata:  map[string]any{"n": 1.5, "deep": map[string]any{"list": []any{nil, true, "x"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := d.only()
	wantSame(t, "Content-Type", got.Header.Get("Content-Type"), "application/json")
	wantJSON(t, got.body, `{"customerId":9007199254740993,"reference":"<b>&\u2028 \"é\"\u0000",
		"lines":[{"sku":"a","quantity":2,"price":{"amount":"-0.10","currency":"EUR"},"engraving":""},
			{"sku":"b","quantity":1,"engraving":null},{"sku":"c","quantity":2147483647}],
		"delivery":{"street":"s","city":"c","country":"DE"},"priority":2,"gift":false,"wishDate":"2028-02-29",
		"note":null,"signature":"+/8A","metadata":{"n":1.5,"deep":{"list":[null,true,"x"]}}}`)
}

// TestOrdersJSONRequestLeast wants only what the definition requires.
func TestOrdersJSONRequestLeast(t *testing.T) {
	d := openDesk(t, answers(document(202, `{"reviewId":"r","reason":"large"}`)))
	if _, err := d.CreateOrder(t.Context(), &orders.CreateOrderInput{Body: aNewOrder()}); err != nil {
		t.Fatal(err)
	}
	wantJSON(t, d.only().body, `{"customerId":1,"lines":[{"sku":"a","quantity":1}],"delivery":{"pointId":"p"},"note":null}`)
}

// wholeOrder has every member, integers beyond 2^53 among them.
const wholeOrder = `{"id":"` + orderID + `","number":9007199254740993,"customerId":-9223372036854775808,
	"reference":"r","lines":[{"number":3,"sku":"a","quantity":2,"engraving":null}],
	"delivery":{"street":"s","city":"c","country":"DE"},"priority":3,"gift":true,"wishDate":"2028-02-29",
	"note":"n","signature":"+/8A","metadata":{"n":1.5,"deep":[null]},"status":"teleported",
	"total":{"amount":"12.50","currency":"EUR"},"weight":0.1,"createdAt":"2026-02-28T23:59:59.123456789+01:00",
	"shippedAt":"2026-02-28T22:59:59.123456789Z","invoiceAddress":{"street":"i","city":"c","country":"FR"}}`

func getOrder(t *testing.T, body string) *orders.Order {
	t.Helper()
	d := openDesk(t, answers(document(200, body)))
	out, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID})
	if err != nil {
		t.Fatal(err)
	}
	return out.Body
}

func TestOrdersJSONResponse(t *testing.T) {
	got := getOrder(t, wholeOrder)
	if !got.CreatedAt.Equal(night) || got.ShippedAt == nil || !got.ShippedAt.Equal(night) {
		t.Errorf("createdAt %v, shippedAt %v, want %v", got.CreatedAt, got.ShippedAt, night)
	}
	got.CreatedAt, got.ShippedAt = time.Time{}, nil
	wantSame(t, "order", got, &orders.Order{
		ID: orderID, Number: 9007199254740993, CustomerID: -9223372036854775808, Reference: new("r"),
		Lines:    []orders.OrderLine{{Number: new(int32(3)), Sku: "a", Quantity: 2, Engraving: httpapi.Null[string]()}},
		Delivery: orders.Delivery{Value: &orders.Address{Street: "s", City: "c", Country: "DE"}},
		Priority: new(orders.Priority3), Gift: new(true), WishDate: &leapDay, Note: new("n"),
		Signature: []byte{0xfb, 0xff, 0x00}, Metadata: map[string]any{"n": 1.5, "deep": []any{nil}},
		Status: "teleported", Total: &orders.Money{Amount: "12.50", Currency: "EUR"}, Weight: new(0.1),
		InvoiceAddress: httpapi.Value(orders.Address{Street: "i", City: "c", Country: "FR"}),
	})
}

// TestOrdersJSONResponseNulls tells null from absent.
func TestOrdersJSONResponseNulls(t *testing.T) {
	got := getOrder(t, anOrder("placed"))
	if got.Note != nil || got.ShippedAt != nil || !got.InvoiceAddress.IsZero() || got.Total != nil || got.Signature != nil {
		t.Errorf("got %+v, want no note, time, address, total and signature", got)
	}
	got = getOrder(t, `{"invoiceAddress":null,`+anOrder("placed")[1:])
	if !got.InvoiceAddress.IsNull() {
		t.Errorf("invoiceAddress: got %+v, want null", got.InvoiceAddress)
	}
}

// TestOrdersJSONUnknownMembers wants members of a newer server to be no error.
func TestOrdersJSONUnknownMembers(t *testing.T) {
	if got := getOrder(t, `{"colour":{"a":[1]},`+anOrder("placed")[1:]); got.Status != orders.OrderStatusPlaced {
		t.Errorf("status: got %q", got.Status)
	}
}

// TestOrdersPatch wants each member absent, null or a value.
func TestOrdersPatch(t *testing.T) {
	for _, tt := range []struct {
		patch orders.OrderPatch
		want  string
	}{
		{orders.OrderPatch{}, `{}`},
		{orders.OrderPatch{
			Note: httpapi.Null[string](), WishDate: httpapi.Null[httpapi.Date](), Priority: httpapi.Null[int32](),
		}, `{"note":null,"wishDate":null,"priority":null}`},
		{orders.OrderPatch{
			Status: new(orders.OrderStatusPacked), Note: httpapi.Value(""), WishDate: httpapi.Value(leapDay),
			Priority: httpapi.Value(int32(0)), Gift: new(false),
		}, `{"status":"packed","note":"","wishDate":"2028-02-29","priority":0,"gift":false}`},
	} {
		d := openDesk(t, answers(document(200, anOrder("placed"))))
		if _, err := d.UpdateOrder(t.Context(), &orders.UpdateOrderInput{OrderID: orderID, Body: &tt.patch}); err != nil {
			t.Fatal(err)
		}
		got := d.only()
		wantSame(t, "Content-Type", got.Header.Get("Content-Type"), "application/merge-patch+json")
		wantJSON(t, got.body, tt.want)
	}
}

// TestOrdersJSONRecursive reads a type that contains itself.
func TestOrdersJSONRecursive(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"name":"all","children":[{"name":"tools","children":[{"name":"saws"}]},{"name":"toys","children":[]}]}`)))
	out, err := d.GetCategories(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "tree", out.Body, &orders.Category{Name: "all", Children: []orders.Category{
		{Name: "tools", Children: []orders.Category{{Name: "saws"}}},
		{Name: "toys", Children: []orders.Category{}},
	}})
}

// TestOrdersJSONMaps reads maps, free forms, and members of several schemas.
func TestOrdersJSONMaps(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"name":"saw","price":{"amount":"9.99","currency":"EUR"},"weight":0.5,"discontinued":false,
		"extra":[1,{"a":null}],"sku":"s","attributes":{"a b":"c","":"d"},"stock":{"north":-1},
		"related":[`+aProduct+`]}`)))
	out, err := d.GetProduct(t.Context(), &orders.GetProductInput{Sku: "s"})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "product", out.Body, &orders.Product{
		Name: "saw", Price: orders.Money{Amount: "9.99", Currency: "EUR"}, Weight: new(float32(0.5)), Discontinued: new(false),
		Extra: []any{1.0, map[string]any{"a": nil}}, Sku: "s",
		Attributes: map[string]string{"a b": "c", "": "d"}, Stock: map[string]int32{"north": -1},
		Related: []orders.Product{{Name: "n", Sku: "a", Price: orders.Money{Amount: "1", Currency: "EUR"}}},
	})
}

// TestOrdersJSONNullableDates reads dates that are absent, null and given.
func TestOrdersJSONNullableDates(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"customers":[{"id":9007199254740993,"name":"a"},
		{"id":2,"name":"b","born":null},{"id":3,"name":"c","born":"2028-02-29","email":"c@example.com"}],"total":3}`)))
	out, err := d.ListCustomers(t.Context(), &orders.ListCustomersInput{Region: new("süd")})
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "region", queryOf(t, d.only().Request).value(t, "region"), "süd")
	wantSame(t, "customers", out.Body.Customers, []orders.Customer{
		{ID: 9007199254740993, Name: "a"},
		{ID: 2, Name: "b", Born: httpapi.Null[httpapi.Date]()},
		{ID: 3, Name: "c", Born: httpapi.Value(leapDay), Email: new("c@example.com")},
	})
}

// TestOrdersJSONBadDate wants a day that no calendar has to be an error.
func TestOrdersJSONBadDate(t *testing.T) {
	d := openDesk(t, answers(document(200, `[{"number":"1","issuedOn":"2026-02-29","total":{"amount":"1","currency":"EUR"}}]`)))
	_, err := d.ListInvoices(t.Context(), &orders.ListInvoicesInput{CustomerID: 1})
	wantDecodeError(t, err, 200)
}
