package httpapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// key is the cursor of the query operation: an object, as in DynamoDB.
type queryIn struct {
	Table string               `json:"TableName"`
	Start map[string]attribute `json:"ExclusiveStartKey,omitzero"`
}

type queryOut struct {
	Metadata `json:"-"`
	Items    []string             `json:"Items,omitzero"`
	Last     map[string]attribute `json:"LastEvaluatedKey,omitzero"`
}

var query = &Operation[queryIn, queryOut]{
	Name: "Query", Method: http.MethodPost, Path: "/", Document: "application/json", Idempotency: Idempotent,
}

var queryPages = &Pagination{
	Style: CursorPages, Input: "ExclusiveStartKey", Output: "/LastEvaluatedKey", Items: "/Items",
}

// collect ranges over pages and returns the items and the error at the end.
func collect[Out any](pages func(func(*Out, error) bool), items func(*Out) []string) (all []string, err error) {
	for out, pageErr := range pages {
		if pageErr != nil {
			if out != nil {
				return all, errors.Join(pageErr, errors.New("the output beside the error is not nil"))
			}
			return all, pageErr
		}
		all = append(all, items(out)...)
	}
	return all, nil
}

func (o *queryOut) items() []string { return o.Items }

func TestCursorPagesWithObjects(t *testing.T) {
	c, transport := script(t, items(), steps(
		retrytest.JSON(200, `{"Items":["a","b"],"LastEvaluatedKey":{"id":{"S":"b"}}}`),
		retrytest.JSON(500, `{}`), // retried within the page
		retrytest.JSON(200, `{"Items":[],"LastEvaluatedKey":{"id":{"S":"c"}}}`),
		retrytest.JSON(200, `{"Items":["d"]}`),
	), WithRetry(retry.WithBaseDelay(retry.BaseDelay{Transient: 1, Throttling: 1})))
	in := &queryIn{Table: "T"}
	all, err := collect(Pages(t.Context(), c, query, queryPages, in, WithHeader("X-Call", "1")), (*queryOut).items)
	if err != nil || !reflect.DeepEqual(all, []string{"a", "b", "d"}) {
		t.Errorf("got %v, %v", all, err)
	}
	if in.Start != nil {
		t.Errorf("the caller's input was changed to %v", in.Start)
	}
	want := []string{
		`{"TableName":"T"}`,
		`{"TableName":"T","ExclusiveStartKey":{"id":{"S":"b"}}}`,
		`{"TableName":"T","ExclusiveStartKey":{"id":{"S":"b"}}}`,
		`{"TableName":"T","ExclusiveStartKey":{"id":{"S":"c"}}}`,
	}
	if got := retrytest.Bodies(transport.Requests()); !reflect.DeepEqual(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	for i, req := range transport.Requests() {
		if req.Header.Get("X-Call") != "1" {
			t.Errorf("request %d lacks the option's header", i)
		}
	}
}

func TestCursorPagesStopAndRestart(t *testing.T) {
	page := retrytest.JSON(200, `{"Items":["a"],"LastEvaluatedKey":{"id":{"S":"a"}}}`)
	c, transport := script(t, items(), steps(page, page))
	pages := Pages(t.Context(), c, query, queryPages, nil)
	for range 2 {
		for _, err := range pages {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if got := retrytest.Bodies(transport.Requests()); len(got) != 2 || got[0] != got[1] {
		t.Errorf("sent %q, want the first page twice", got)
	}
}

func TestRepeatedCursor(t *testing.T) {
	first := retrytest.JSON(200, `{"Items":["a"],"LastEvaluatedKey":{"id":{"S":"1"},"n":{"N":"2"}}}`)
	second := retrytest.JSON(200, `{"Items":["b"],"LastEvaluatedKey":{"id":{"S":"2"}}}`)
	again := retrytest.JSON(200, `{"Items":["c"],"LastEvaluatedKey":{"n":{"N":"2"},"id":{"S":"1"}}}`)
	c, _ := script(t, items(), steps(first, second, again))
	all, err := collect(Pages(t.Context(), c, query, queryPages, nil), (*queryOut).items)
	if len(all) != 3 || !errors.Is(err, ErrRepeatedCursor) {
		t.Errorf("got %v, %v", all, err)
	}
	for _, want := range []string{"items Query", `{"id":{"S":"1"},"n":{"N":"2"}}`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to name %s", err, want)
		}
	}
	// the cursor that the caller began with counts as used
	c, _ = script(t, items(), steps(first))
	start := &queryIn{Start: map[string]attribute{"id": {S: new("1")}, "n": {N: new("2")}}}
	if _, err = collect(Pages(t.Context(), c, query, queryPages, start), (*queryOut).items); !errors.Is(err, ErrRepeatedCursor) {
		t.Errorf("got %v", err)
	}
}

func TestPagesEndWithError(t *testing.T) {
	c, _ := script(t, items(), steps(
		retrytest.JSON(200, `{"Items":["a"],"LastEvaluatedKey":{"id":{"S":"1"}}}`),
		retrytest.JSON(403, `{"code":"Denied"}`),
	))
	all, err := collect(Pages(t.Context(), c, query, queryPages, nil), (*queryOut).items)
	if answer, ok := errors.AsType[*ResponseError](err); len(all) != 1 || !ok || answer.Code != "Denied" {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestPagesCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, _ := script(t, items(), steps(retrytest.JSON(200, `{"Items":["a"],"LastEvaluatedKey":{"id":{"S":"1"}}}`)))
	var err error
	for _, err = range Pages(ctx, c, query, queryPages, nil) {
		cancel()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The list operation of REST, with every way of paging.
type listIn struct {
	Cursor *string     `query:"cursor"`
	Offset *int32      `query:"offset"`
	Page   int         `query:"page"`
	Auth   *string     `header:"X-Tenant"`
	Body   *listFilter `body:"application/json"`
}

type listFilter struct {
	Paging *listPaging    `json:"paging,omitzero"`
	Free   map[string]any `json:"free,omitzero"`
}

type listPaging struct {
	After *int64 `json:"after,omitzero"`
	Size  int    `json:"size"`
}

type listOut struct {
	Metadata
	Body *listBody `body:"200,application/json"`
}

type listBody struct {
	Data []struct {
		Name string `json:"name"`
	} `json:"data"`
	Meta struct {
		Next  *string         `json:"next,omitzero"`
		After Nullable[int64] `json:"after,omitzero"`
		More  *bool           `json:"more,omitzero"`
	} `json:"meta"`
	Extra map[string]any `json:",embed"`
}

func (o *listOut) names() []string {
	var names []string
	for _, item := range o.Body.Data {
		names = append(names, item.Name)
	}
	return names
}

func list(method string) *Operation[listIn, listOut] {
	return &Operation[listIn, listOut]{Name: "List", Method: method, Path: "/list", Idempotency: Idempotent}
}

const (
	pageA = `{"data":[{"name":"a"},{"name":"b"}],`
	pageB = `{"data":[{"name":"c"}],`
	empty = `{"data":[],"meta":{}}`
)

func TestPageStyles(t *testing.T) {
	tests := []struct {
		name   string
		p      Pagination
		in     listIn
		pages  []retrytest.Step
		want   string
		urls   []string
		bodies []string
	}{
		{
			name: "cursor in the query", p: Pagination{Style: CursorPages, Input: "cursor", Output: "/meta/next"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"next":"x/y"}}`), retrytest.JSON(200, pageB+`"meta":{"next":""}}`)),
			want:  "a b c", urls: []string{"?page=0", "?cursor=x%2Fy&page=0"},
		},
		{
			name: "cursor is null", p: Pagination{Style: CursorPages, Input: "cursor", Output: "/meta/next"},
			pages: steps(retrytest.JSON(200, pageB+`"meta":{"next":null}}`)),
			want:  "c", urls: []string{"?page=0"},
		},
		{
			name: "number as a text cursor", p: Pagination{Style: CursorPages, Input: "cursor", Output: "/meta/after"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"after":12345678901}}`), retrytest.JSON(200, pageB+`"meta":{"after":null}}`)),
			want:  "a b c", urls: []string{"?page=0", "?cursor=12345678901&page=0"},
		},
		{
			name: "cursor in a member without a field", p: Pagination{Style: CursorPages, Input: "cursor", Output: "/links/0/token"},
			pages: steps(retrytest.JSON(200, pageA+`"links":[{"token":"t"}]}`), retrytest.JSON(200, pageB+`"links":[]}`)),
			want:  "a b c", urls: []string{"?page=0", "?cursor=t&page=0"},
		},
		{
			name: "cursor deep in the body", p: Pagination{Style: CursorPages, Input: "/paging/after", Output: "/meta/after"},
			in:    listIn{Body: &listFilter{Paging: &listPaging{Size: 2}}},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"after":7}}`), retrytest.JSON(200, empty)),
			want:  "a b", bodies: []string{`{"paging":{"size":2}}`, `{"paging":{"after":7,"size":2}}`},
		},
		{
			name: "cursor in a body that is made", p: Pagination{Style: CursorPages, Input: "/free/page~1token/x", Output: "/meta/next"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"next":"n"}}`), retrytest.JSON(200, empty)),
			want:  "a b", bodies: []string{``, `{"free":{"page/token":{"x":"n"}}}`},
		},
		{
			name: "no more", p: Pagination{Style: CursorPages, Input: "cursor", Output: "/meta/next", More: "/meta/more"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"next":"x","more":true}}`), retrytest.JSON(200, pageB+`"meta":{"next":"y","more":false}}`)),
			want:  "a b c", urls: []string{"?page=0", "?cursor=x&page=0"},
		},
		{
			name: "offset", p: Pagination{Style: OffsetPages, Input: "offset", Items: "/data"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{}}`), retrytest.JSON(200, pageB+`"meta":{}}`), retrytest.JSON(200, empty)),
			want:  "a b c", urls: []string{"?page=0", "?offset=2&page=0", "?offset=3&page=0"},
		},
		{
			name: "offset from 10", p: Pagination{Style: OffsetPages, Input: "offset", Items: "/data", More: "/meta/more"},
			in:    listIn{Offset: new(int32(10))},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"more":true}}`), retrytest.JSON(200, pageB+`"meta":{"more":false}}`)),
			want:  "a b c", urls: []string{"?offset=10&page=0", "?offset=12&page=0"},
		},
		{
			name: "numbers from 1", p: Pagination{Style: NumberPages, Input: "offset", Items: "/data"},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{}}`), retrytest.JSON(200, empty)),
			want:  "a b", urls: []string{"?page=0", "?offset=2&page=0"},
		},
		{
			name: "numbers from 5, a required parameter", p: Pagination{Style: NumberPages, Input: "page", More: "/meta/more"},
			in:    listIn{Page: 5},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"more":true}}`), retrytest.JSON(200, pageB+`"meta":{}}`)),
			want:  "a b c", urls: []string{"?page=5", "?page=6"},
		},
		{
			name: "links", p: Pagination{Style: LinkPages},
			pages: steps(
				retrytest.Respond(200, http.Header{"Content-Type": {"application/json"}, "Link": {`<?after=2&x=%2F>; rel="next", </list>; rel=first`}}, pageA+`"meta":{}}`),
				retrytest.Respond(200, http.Header{"Content-Type": {"application/json"}, "Link": {`<HTTPS://ITEMS.example:443/other?p=3#f>; rel=next`}}, empty),
				retrytest.JSON(200, pageB+`"meta":{}}`)),
			want: "a b c", urls: []string{"?page=0", "?after=2&x=%2F", "//other?p=3"},
		},
		{
			name: "next URL", p: Pagination{Style: NextURLPages, Output: "/meta/next"},
			in:    listIn{Auth: new("t1")},
			pages: steps(retrytest.JSON(200, pageA+`"meta":{"next":"https://items.example/base/list?token=a%20b"}}`), retrytest.JSON(200, pageB+`"meta":{"next":null}}`)),
			want:  "a b c", urls: []string{"?page=0", "?token=a%20b"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			method := http.MethodGet
			if test.bodies != nil {
				method = http.MethodPost
			}
			c, transport := script(t, items(), test.pages)
			in := test.in
			all, err := collect(Pages(t.Context(), c, list(method), &test.p, &in), (*listOut).names)
			if got := strings.Join(all, " "); err != nil || got != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if !reflect.DeepEqual(in, test.in) || in.Body != nil && in.Body.Paging != nil && in.Body.Paging.After != nil {
				t.Errorf("the caller's input was changed to %+v", in)
			}
			for i, req := range transport.Requests() {
				if test.urls != nil && strings.TrimPrefix(req.URL, "https://items.example/base/list") != wantURL(test.urls[i]) {
					t.Errorf("request %d: got %s, want %s", i, req.URL, test.urls[i])
				}
				if test.bodies != nil && string(req.Body) != test.bodies[i] {
					t.Errorf("request %d: sent %s, want %s", i, req.Body, test.bodies[i])
				}
				if test.in.Auth != nil && req.Header.Get("X-Tenant") != *test.in.Auth {
					t.Errorf("request %d lacks the input's header", i)
				}
			}
		})
	}
}

// TestPagesRepeat has servers whose pages would never end.
func TestPagesRepeat(t *testing.T) {
	same := retrytest.JSON(200, pageA+`"meta":{"more":true}}`)
	other := retrytest.JSON(200, pageB+`"meta":{"more":true}}`)
	none := retrytest.JSON(200, `{"data":[],"meta":{"more":true}}`)
	numbers := Pagination{Style: NumberPages, Input: "page", Items: "/data", More: "/meta/more"}
	offsets := Pagination{Style: OffsetPages, Input: "offset", Items: "/data"}
	for _, test := range []struct {
		name  string
		p     Pagination
		pages []retrytest.Step
		want  string
		text  string
	}{
		{"the offset is ignored", offsets, steps(same, same), "a b", `"/data"`},
		{"the number is ignored", numbers, steps(other, same, same), "c a b", `"/data"`},
		{"no items and more, twice", numbers, steps(same, none, none), "a b", "/meta/more is true"},
	} {
		c, _ := script(t, items(), test.pages)
		all, err := collect(Pages(t.Context(), c, list("GET"), &test.p, &listIn{Page: 1}), (*listOut).names)
		if strings.Join(all, " ") != test.want || !errors.Is(err, ErrRepeatedPage) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: got %v, %v", test.name, all, err)
		}
	}
	// pages that only have items again, and an empty one between others
	c, _ := script(t, items(), steps(same, other, none, same, none, retrytest.JSON(200, empty)))
	all, err := collect(Pages(t.Context(), c, list("GET"), &numbers, &listIn{Page: 1}), (*listOut).names)
	if err != nil || strings.Join(all, " ") != "a b c a b" {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestPagesMore(t *testing.T) {
	p := Pagination{Style: NumberPages, Input: "page", Items: "/data", More: "/links/more"}
	for _, test := range []struct{ more, want string }{
		{`false`, ""}, {`null`, ""}, {`"yes"`, "/links/more is a string"}, {`1`, "/links/more is a float64"},
	} {
		c, _ := script(t, items(), steps(retrytest.JSON(200, pageA+`"links":{"more":`+test.more+`}}`)))
		all, err := collect(Pages(t.Context(), c, list("GET"), &p, &listIn{Page: 1}), (*listOut).names)
		if len(all) != 2 || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("more is %s: got %v, %v", test.more, all, err)
		}
	}
}

// wantURL is the whole URL where a test leaves the operation's path.
func wantURL(s string) string {
	if path, other := strings.CutPrefix(s, "//"); other {
		return "https://ITEMS.example:443/" + path
	}
	return s
}

func TestPagesStayOnOrigin(t *testing.T) {
	for _, next := range []string{
		"https://evil.example/base/list", "http://items.example/base/list", "https://items.example:8443/base/list",
		"//evil.example/x", "https://user@items.example/x", "file:///etc/passwd", "::",
	} {
		c, transport := script(t, items(), steps(retrytest.JSON(200, pageA+`"meta":{"next":"`+next+`"}}`)))
		p := &Pagination{Style: NextURLPages, Output: "/meta/next"}
		all, err := collect(Pages(t.Context(), c, list("GET"), p, nil), (*listOut).names)
		if len(all) != 2 || err == nil || !strings.Contains(err.Error(), "next page") || len(transport.Requests()) != 1 {
			t.Errorf("%s: got %v, %v", next, all, err)
		}
	}
	loop := retrytest.JSON(200, pageA+`"meta":{"next":"/base/list?p=2"}}`)
	c, _ := script(t, items(), steps(loop, loop))
	p := &Pagination{Style: NextURLPages, Output: "/meta/next"}
	if _, err := collect(Pages(t.Context(), c, list("GET"), p, nil), (*listOut).names); !errors.Is(err, ErrRepeatedCursor) {
		t.Errorf("a loop: got %v", err)
	}
}

func TestPagesRefuse(t *testing.T) {
	for name, p := range map[string]*Pagination{
		"no style":     {},
		"no parameter": {Style: CursorPages, Input: "missing", Output: "/meta/next"},
		"no member":    {Style: CursorPages, Input: "/paging/missing", Output: "/meta/next"},
	} {
		c, _ := script(t, items(), nil)
		all, err := collect(Pages(t.Context(), c, list("GET"), p, nil), (*listOut).names)
		if all != nil || err == nil || !strings.Contains(err.Error(), "items List: pages") {
			t.Errorf("%s: got %v, %v", name, all, err)
		}
	}
	for name, p := range map[string]*Pagination{
		"items are no list":     {Style: OffsetPages, Input: "offset", Items: "/meta"},
		"cursor does not fit":   {Style: CursorPages, Input: "offset", Output: "/meta/next"},
		"next URL is no string": {Style: NextURLPages, Output: "/data"},
		"neither items nor end": {Style: NumberPages, Input: "page"},
	} {
		c, _ := script(t, items(), steps(retrytest.JSON(200, pageA+`"meta":{"next":"x"}}`)))
		all, err := collect(Pages(t.Context(), c, list("GET"), p, nil), (*listOut).names)
		if len(all) != 2 || err == nil {
			t.Errorf("%s: got %v, %v", name, all, err)
		}
	}
}
