package generated_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// collect reads pages to their end and returns how many there were, and the
// error that ended them.
func collect[Out any](t *testing.T, pages iter.Seq2[*Out, error]) (n int, err error) {
	t.Helper()
	for out, problem := range pages {
		if err != nil {
			t.Fatal("pages go on after an error")
		}
		if (out == nil) != (problem != nil) {
			t.Fatalf("got page %v with error %v", out, problem)
		}
		if err = problem; err == nil {
			n++
		}
	}
	return n, err
}

// wantPages wants n pages and no error.
func wantPages[Out any](t *testing.T, pages iter.Seq2[*Out, error], n int) {
	t.Helper()
	got, err := collect(t, pages)
	if got != n || err != nil {
		t.Errorf("got %d pages and %v, want %d", got, err, n)
	}
}

// queries returns the values of a query parameter over the requests, "-" where
// it is missing.
func (d *desk) queries(name string) []string {
	var all []string
	for _, v := range d.visits() {
		values := queryOf(d.t, v.Request).values(d.t, name)
		if len(values) == 0 {
			values = []string{"-"}
		}
		all = append(all, values...)
	}
	return all
}

// orderPage is a page that leads to next, unless more is false.
func orderPage(next string, more bool) reply {
	return document(200, fmt.Sprintf(`{"items":[],"nextCursor":%q,"hasMore":%t}`, next, more))
}

// TestOrdersPagesByCursor goes on while hasMore says so, with the other
// parameters as they were. The caller's input stays what it was.
func TestOrdersPagesByCursor(t *testing.T) {
	d := openDesk(t, answers(orderPage("b&=é", true), orderPage("c", true), orderPage("unused", false)))
	in := &orders.ListOrdersInput{Limit: new(int32(7)), Status: []orders.OrderStatus{"packed"}}
	wantPages(t, d.ListOrdersPages(t.Context(), in), 3)
	wantSame(t, "cursors", d.queries("cursor"), []string{"-", "b&=é", "c"})
	wantSame(t, "limits", d.queries("limit"), []string{"7", "7", "7"})
	wantSame(t, "statuses", d.queries("status"), []string{"packed", "packed", "packed"})
	if in.Cursor != nil {
		t.Errorf("the input has now the cursor %q", *in.Cursor)
	}
}

// TestOrdersPagesBeginWhereAsked begins at the caller's cursor, each time.
func TestOrdersPagesBeginWhereAsked(t *testing.T) {
	d := openDesk(t, answers(orderPage("b", true), orderPage("", false), orderPage("", false)))
	pages := d.ListOrdersPages(t.Context(), &orders.ListOrdersInput{Cursor: new("a")})
	wantPages(t, pages, 2)
	wantPages(t, pages, 1)
	wantSame(t, "cursors", d.queries("cursor"), []string{"a", "b", "a"})
}

// TestOrdersPagesByCursorInTheBody has no hasMore in its annotation: pages end
// when there is no cursor.
func TestOrdersPagesByCursorInTheBody(t *testing.T) {
	d := openDesk(t, answers(orderPage("b", false), orderPage("c", false), document(200, aPage)))
	in := &orders.SearchOrdersInput{Body: &orders.OrderQuery{Text: new("saw"), Limit: new(int32(2))}}
	wantPages(t, d.SearchOrdersPages(t.Context(), in), 3)
	bodies := []string{`{"text":"saw","limit":2}`, `{"text":"saw","limit":2,"cursor":"b"}`, `{"text":"saw","limit":2,"cursor":"c"}`}
	for i, got := range d.visits() {
		wantJSON(t, got.body, bodies[i])
	}
	if in.Body.Cursor != nil {
		t.Errorf("the input has now the cursor %q", *in.Body.Cursor)
	}
}

func TestOrdersPagesByNumber(t *testing.T) {
	full, empty := document(200, `{"products":[`+aProduct+`],"pages":2}`), document(200, `{"products":[],"pages":2}`)
	second := document(200, `{"products":[`+aProduct+`,`+aProduct+`],"pages":2}`)
	d := openDesk(t, answers(full, second, empty))
	wantPages(t, d.ListProductsPages(t.Context(), &orders.ListProductsInput{PerPage: new(int32(1))}), 3)
	got := d.queries("page")
	if got[0] == "-" { // the definition's default
		got[0] = "1"
	}
	wantSame(t, "pages", got, []string{"1", "2", "3"})
	wantSame(t, "sizes", d.queries("perPage"), []string{"1", "1", "1"})
	d = openDesk(t, answers(full, empty))
	wantPages(t, d.ListProductsPages(t.Context(), &orders.ListProductsInput{Page: new(int32(5))}), 2)
	wantSame(t, "pages", d.queries("page"), []string{"5", "6"})
}

func TestOrdersPagesByOffset(t *testing.T) {
	two, none := document(200, `{"customers":[{"id":1,"name":"a"},{"id":2,"name":"b"}]}`), document(200, `{"customers":[]}`)
	one := document(200, `{"customers":[{"id":3,"name":"c"}]}`)
	d := openDesk(t, answers(two, one, none))
	in := &orders.ListCustomersInput{Offset: new(int64(40)), Region: new("north")}
	wantPages(t, d.ListCustomersPages(t.Context(), in), 3)
	wantSame(t, "offsets", d.queries("offset"), []string{"40", "42", "43"})
	wantSame(t, "regions", d.queries("region"), []string{"north", "north", "north"})
}

// TestOrdersPagesByLink follows RFC 8288: relative targets, several links in a
// header, relation types in any case.
func TestOrdersPagesByLink(t *testing.T) {
	invoices := document(200, `[{"number":"1","issuedOn":"2026-01-31","total":{"amount":"1","currency":"EUR"}}]`)
	d := openDesk(t, answers(
		invoices.with("Link", `</v1/customers/5/invoices?at=1>; rel="prev", <?at=2;x,y>; title="a,b; rel=prev"; rel="last NEXT"`),
		invoices.with("Link", `<https://demo.orders.example.com/v1/customers/5/invoices?at=3>; rel=next`),
		invoices.with("Link", `<?at=1>; rel=first`),
	), credentials()...)
	wantPages(t, d.ListInvoicesPages(t.Context(), &orders.ListInvoicesInput{CustomerID: 5}), 3)
	var got []string
	for _, v := range d.visits() {
		got = append(got, v.RequestURI)
		wantSame(t, "Authorization", v.Header.Get("Authorization"), bearer)
	}
	const first = "/v1/customers/5/invoices"
	wantSame(t, "addresses", got, []string{first, first + "?at=2;x,y", first + "?at=3"})
}

func TestOrdersPagesByURL(t *testing.T) {
	d := openDesk(t, answers(
		document(200, `{"settings":[],"next":"settings?after=a%2Fb"}`),
		document(200, `{"settings":[],"next":"https://demo.orders.example.com:443/v1/customers/5/settings?after=c"}`),
		document(200, `{"settings":[],"next":null}`),
	))
	wantPages(t, d.ListSettingsPages(t.Context(), &orders.ListSettingsInput{CustomerID: 5}), 3)
	wantSame(t, "after", d.queries("after"), []string{"-", "a/b", "c"})
}

// TestOrdersPagesAreRelative resolves an address against the page that names
// it, RFC 3986, 5.1.3, not against the first.
func TestOrdersPagesAreRelative(t *testing.T) {
	d := openDesk(t, answers(
		document(200, `{"settings":[],"next":"archive/2"}`),
		document(200, `{"settings":[],"next":"3"}`),
		document(200, `{"settings":[]}`),
	))
	wantPages(t, d.ListSettingsPages(t.Context(), &orders.ListSettingsInput{CustomerID: 5}), 3)
	wantSame(t, "second", pathOf(t, d.visits()[1].Request), "/customers/5/archive/2")
	wantSame(t, "third", pathOf(t, d.visits()[2].Request), "/customers/5/archive/3")
}

// TestOrdersPagesOfAnotherOrigin wants credentials to stay where they belong.
func TestOrdersPagesOfAnotherOrigin(t *testing.T) {
	for _, next := range []string{
		"https://evil.example/v1/customers/5/settings", "http://demo.orders.example.com/v1/customers/5/settings",
		"//evil.example/", "https://demo.orders.example.com:8443/", "https://user@demo.orders.example.com/",
	} {
		d := openDesk(t, answers(document(200, `{"settings":[],"next":"`+next+`"}`)), credentials()...)
		n, err := collect(t, d.ListSettingsPages(t.Context(), &orders.ListSettingsInput{CustomerID: 5}))
		if n != 1 || err == nil {
			t.Errorf("%s: got %d pages and %v, want one and an error", next, n, err)
		}
	}
}

// TestOrdersPagesRepeated wants pages that lead in a circle to end.
func TestOrdersPagesRepeated(t *testing.T) {
	d := openDesk(t, answers(orderPage("b", true), orderPage("c", true), orderPage("b", true)))
	n, err := collect(t, d.ListOrdersPages(t.Context(), nil))
	if n != 3 || !errors.Is(err, httpapi.ErrRepeatedCursor) {
		t.Errorf("cursor: got %d pages and %v, want 3 and %v", n, err, httpapi.ErrRepeatedCursor)
	}
	d = openDesk(t, answers(orderPage("b", true), orderPage("b", true)))
	n, err = collect(t, d.SearchOrdersPages(t.Context(), &orders.SearchOrdersInput{Body: &orders.OrderQuery{}}))
	if n != 2 || !errors.Is(err, httpapi.ErrRepeatedCursor) {
		t.Errorf("body: got %d pages and %v, want 2 and %v", n, err, httpapi.ErrRepeatedCursor)
	}
	d = openDesk(t, times(2, document(200, `{"settings":[],"next":"?after=a"}`)))
	n, err = collect(t, d.ListSettingsPages(t.Context(), &orders.ListSettingsInput{CustomerID: 5}))
	if n != 2 || !errors.Is(err, httpapi.ErrRepeatedCursor) {
		t.Errorf("URL: got %d pages and %v, want 2 and %v", n, err, httpapi.ErrRepeatedCursor)
	}
	d = openDesk(t, times(2, document(200, `[]`).with("Link", `<?at=2>; rel=next`)))
	n, err = collect(t, d.ListInvoicesPages(t.Context(), &orders.ListInvoicesInput{CustomerID: 5}))
	if n != 2 || !errors.Is(err, httpapi.ErrRepeatedCursor) {
		t.Errorf("link: got %d pages and %v, want 2 and %v", n, err, httpapi.ErrRepeatedCursor)
	}
}

// TestOrdersPagesBreak wants no request beyond the page where the caller
// stops.
func TestOrdersPagesBreak(t *testing.T) {
	d := openDesk(t, answers(orderPage("b", true), orderPage("c", true)))
	n := 0
	for _, err := range d.ListOrdersPages(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	wantSame(t, "cursors", d.queries("cursor"), []string{"-", "b"})
}

// TestOrdersPagesAreRetried retries one page, and ends with an error that
// tells its type.
func TestOrdersPagesAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, append(answers(orderPage("b", true), failure(400, "busy"), orderPage("c", true)), times(4, failure(429, "slow"))...))
		n, err := collect(t, d.ListOrdersPages(t.Context(), nil))
		if n != 2 || !errors.Is(err, retry.ErrMaxAttempts) {
			t.Errorf("got %d pages and %v, want 2 and %v", n, err, retry.ErrMaxAttempts)
		}
		wantSame(t, "code", wantError[*orders.Error](t, err).ErrorValue.Code, "slow")
		wantSame(t, "cursors", d.queries("cursor"), []string{"-", "b", "b", "c", "c", "c", "c"})
	})
}
