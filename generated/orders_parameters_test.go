package generated_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
)

// awkward are values that need escaping, wherever they stand.
var awkward = []string{"a,b", "c&d=e", "f+g h", "50%25", "ü/ß?#[]", "日本", `"q"`, "~._-"}

func listOrders(t *testing.T, in *orders.ListOrdersInput) visit {
	t.Helper()
	d := openDesk(t, answers(document(200, aPage)))
	if _, err := d.ListOrders(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return d.only()
}

func listProducts(t *testing.T, in *orders.ListProductsInput) visit {
	t.Helper()
	d := openDesk(t, answers(document(200, `{"products":[],"pages":0}`)))
	if _, err := d.ListProducts(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return d.only()
}

func TestOrdersQueryFormExploded(t *testing.T) {
	got := listOrders(t, &orders.ListOrdersInput{
		Status: []orders.OrderStatus{orders.OrderStatusPacked, "on hold", "a&b"},
		Limit:  new(int32(200)), Cursor: new("c=1&d+e"),
	})
	q := queryOf(t, got.Request)
	wantSame(t, "status", q.values(t, "status"), []string{"packed", "on hold", "a&b"})
	wantSame(t, "limit", q.value(t, "limit"), "200")
	wantSame(t, "cursor", q.value(t, "cursor"), "c=1&d+e")
	wantSame(t, "names", q.names(), []string{"cursor", "limit", "status"})
}

// TestOrdersQueryFormObject sends the members of an exploded object as
// parameters of their own.
func TestOrdersQueryFormObject(t *testing.T) {
	day := httpapi.Date{Year: 2026, Month: time.February, Day: 3}
	got := listOrders(t, &orders.ListOrdersInput{Created: &orders.Period{From: &day}})
	q := queryOf(t, got.Request)
	wantSame(t, "from", q.value(t, "from"), "2026-02-03")
	wantSame(t, "names", q.names(), []string{"from"})
}

func TestOrdersQueryFormNotExploded(t *testing.T) {
	got := listOrders(t, &orders.ListOrdersInput{Fields: awkward})
	wantSame(t, "fields", queryOf(t, got.Request).items(t, "fields", ","), awkward)
}

func TestOrdersQuerySpaceAndPipeDelimited(t *testing.T) {
	colours, sizes := []string{"red", "lime/green", "a,b"}, []string{"xl", "38+", "m&s"}
	got := listProducts(t, &orders.ListProductsInput{Colours: colours, Sizes: sizes})
	q := queryOf(t, got.Request)
	wantSame(t, "colours", q.items(t, "colours", "%20"), colours)
	wantSame(t, "sizes", q.items(t, "sizes", "%7C"), sizes)
}

func TestOrdersQueryDeepObject(t *testing.T) {
	got := listProducts(t, &orders.ListProductsInput{Filter: &orders.ProductFilter{
		MinPrice: new(0.1), MaxPrice: new(1e21), Brand: new("B&O [x]=é"), InStock: new(false),
	}})
	q := queryOf(t, got.Request)
	wantSame(t, "minPrice", q.value(t, "filter[minPrice]"), "0.1")
	if most, err := strconv.ParseFloat(q.value(t, "filter[maxPrice]"), 64); err != nil || most != 1e21 {
		t.Errorf("maxPrice: got %v and %v", most, err)
	}
	wantSame(t, "brand", q.value(t, "filter[brand]"), "B&O [x]=é")
	wantSame(t, "inStock", q.value(t, "filter[inStock]"), "false")
}

// TestOrdersQueryAllowReserved wants reserved characters to stay, as far as
// they do not end the parameter.
func TestOrdersQueryAllowReserved(t *testing.T) {
	const path = "/tools:saws/@home?x=(1)*!$',é & #1+[2]"
	got := listProducts(t, &orders.ListProductsInput{Path: new(path), Page: new(int32(2))})
	q := queryOf(t, got.Request)
	wantSame(t, "path", q.value(t, "path"), path)
	if raw := q.raw("path")[0]; !strings.HasPrefix(raw, "/tools:saws/@home?x=(1)*!$',") {
		t.Errorf("sent %s, want its reserved characters as they are", raw)
	}
	wantSame(t, "page", q.value(t, "page"), "2")
}

func TestOrdersQueryJSON(t *testing.T) {
	in := aQuote()
	in.Basket.Voucher = new(`10%&"é"`)
	in.Parcel = &orders.ParcelSize{Width: new(int32(10)), Depth: new(int32(-3))}
	d := openDesk(t, answers(document(200, `{"amount":"1","currency":"EUR"}`)))
	if _, err := d.GetQuote(t.Context(), &in); err != nil {
		t.Fatal(err)
	}
	q := queryOf(t, d.only().Request)
	wantJSON(t, q.value(t, "basket"), `{"lines":[{"sku":"a","quantity":1}],"voucher":"10%&\"é\""}`)
	wantSame(t, "parcel", q.items(t, "parcel", ","), []string{"width", "10", "depth", "-3"})
}

// TestOrdersParametersAbsent tells what is not given from what is empty.
func TestOrdersParametersAbsent(t *testing.T) {
	got := listOrders(t, &orders.ListOrdersInput{Status: []orders.OrderStatus{}, Created: &orders.Period{}})
	if strings.Contains(got.RequestURI, "?") || got.Header["X-Include"] != nil {
		t.Errorf("sent %s and X-Include %q, want neither", got.RequestURI, got.Header["X-Include"])
	}
	q := queryOf(t, listOrders(t, &orders.ListOrdersInput{Cursor: new("")}).Request)
	wantSame(t, "cursor", q.value(t, "cursor"), "")
	q = queryOf(t, listOrders(t, &orders.ListOrdersInput{Limit: new(int32(0))}).Request)
	wantSame(t, "limit", q.value(t, "limit"), "0")
}

func TestOrdersHeaderArray(t *testing.T) {
	got := listOrders(t, &orders.ListOrdersInput{
		XInclude: []orders.ListOrdersXIncludeItem{orders.ListOrdersXIncludeItemCustomer, orders.ListOrdersXIncludeItemPayments},
	})
	wantSame(t, "X-Include", got.Header["X-Include"], []string{"customer,payments"})
}

func TestOrdersHeaderString(t *testing.T) {
	d := openDesk(t, answers(document(200, anOrder("placed"))))
	in := &orders.ReplaceOrderInput{OrderID: orderID, IfMatch: `W/"a, b"`, Body: aNewOrder()}
	if _, err := d.ReplaceOrder(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "If-Match", d.only().Header["If-Match"], []string{`W/"a, b"`})
}

// TestOrdersHeaderInjection wants a line break in a value to be an error
// before anything is sent.
func TestOrdersHeaderInjection(t *testing.T) {
	d := openDesk(t, nil)
	in := &orders.ReplaceOrderInput{OrderID: orderID, IfMatch: "x\r\nX-Evil: 1", Body: aNewOrder()}
	if _, err := d.ReplaceOrder(t.Context(), in); err == nil || !strings.Contains(err.Error(), "If-Match") {
		t.Errorf("got %v, want an error that names If-Match", err)
	}
}

func TestOrdersCookies(t *testing.T) {
	in := aQuote()
	in.Currency, in.Campaigns = new("CHF"), []string{"spring", "two words;", "a,b", "é"}
	d := openDesk(t, answers(document(200, `{"amount":"1","currency":"CHF"}`)))
	if _, err := d.GetQuote(t.Context(), &in); err != nil {
		t.Fatal(err)
	}
	got := d.only()
	currency, _ := cookieOf(t, got.Request, "currency")
	wantSame(t, "currency", currency, "CHF")
	raw, _ := cookieOf(t, got.Request, "campaigns")
	items := strings.Split(raw, ",")
	for i := range items {
		items[i] = unescape(t, items[i])
	}
	wantSame(t, "campaigns", items, in.Campaigns)
}

func TestOrdersCookiesAbsent(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"amount":"1","currency":"EUR"}`)))
	in := aQuote()
	if _, err := d.GetQuote(t.Context(), &in); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "cookies", d.only().Header["Cookie"], []string(nil))
}

func TestOrdersPathSimple(t *testing.T) {
	for _, id := range append(awkward, "a.b", "...", orderID) {
		d := openDesk(t, answers(bare(200)))
		if _, err := d.CheckOrder(t.Context(), &orders.CheckOrderInput{OrderID: id}); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "path", segmentsOf(t, d.only().Request), []string{"orders", id})
	}
}

// TestOrdersPathRefused wants values that would make another path to be
// errors before anything is sent.
func TestOrdersPathRefused(t *testing.T) {
	for _, id := range []string{"", ".", ".."} {
		d := openDesk(t, nil)
		_, err := d.DeleteOrder(t.Context(), &orders.DeleteOrderInput{OrderID: id})
		if err == nil || !strings.Contains(err.Error(), "orderId") {
			t.Errorf("%q: got %v, want an error that names orderId", id, err)
		}
	}
}

func TestOrdersPathInteger(t *testing.T) {
	for id, want := range map[int64]string{
		9007199254740993:     "9007199254740993",
		-9223372036854775808: "-9223372036854775808",
		0:                    "0",
	} {
		d := openDesk(t, answers(document(200, `[]`)))
		if _, err := d.ListInvoices(t.Context(), &orders.ListInvoicesInput{CustomerID: id}); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "path", segmentsOf(t, d.only().Request), []string{"customers", want, "invoices"})
	}
}

func TestOrdersPathLabel(t *testing.T) {
	for _, sku := range awkward {
		d := openDesk(t, answers(document(200, aProduct)))
		if _, err := d.GetProduct(t.Context(), &orders.GetProductInput{Sku: sku}); err != nil {
			t.Fatal(err)
		}
		wantSame(t, "path", segmentsOf(t, d.only().Request), []string{"products", "." + sku})
	}
}

func TestOrdersPathMatrix(t *testing.T) {
	d := openDesk(t, answers(document(200, aProduct)))
	in := &orders.GetVariantInput{Sku: "s/1", Options: orders.VariantOptions{Colour: new("dark;red=é"), Size: new("x l")}}
	if _, err := d.GetVariant(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "path", pathOf(t, d.only().Request), "/products/s%2F1/variants/;colour=dark%3Bred%3D%C3%A9;size=x%20l")
}
