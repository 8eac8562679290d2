package httpapi

import (
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func respond(status int, contentType, content string, header ...string) *http.Response {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	for i := 0; i < len(header); i += 2 {
		h.Add(header[i], header[i+1])
	}
	return &http.Response{
		StatusCode: status, Header: h, ContentLength: int64(len(content)), Body: io.NopCloser(strings.NewReader(content)),
	}
}

type manyBodies struct {
	Metadata
	OK       *rgb          `body:"200,application/json"`
	Created  *string       `body:"201,text/plain"`
	Accepted []byte        `body:"202,application/pdf"`
	Stream   io.ReadCloser `body:"206,application/octet-stream"`
	Any      any           `body:"207,*/*"`
	Range    []rgb         `body:"2XX,application/json"`
}

func TestDecodeBodies(t *testing.T) {
	one := &rgb{1, 2, 3}
	const object = `{"R":1,"G":2,"B":3}`
	tests := []struct {
		status            int
		mediaType, answer string
		want              manyBodies
	}{
		{200, "application/json", object, manyBodies{OK: one}},
		{200, "application/json; charset=utf-8", object, manyBodies{OK: one}},
		{200, "application/problem+json", object, manyBodies{OK: one}},
		{200, "", object, manyBodies{OK: one}},
		{200, "text/plain", object, manyBodies{OK: one}},
		{200, "application/json", "\ufeff" + `{"R":1,"new":{"a":[1]},"G":2,"R":1,"B":3}`, manyBodies{OK: one}},
		{200, "application/json", "", manyBodies{}},
		{200, "application/json", "null", manyBodies{}},
		{201, "text/plain", object, manyBodies{Created: new(object)}},
		{201, "text/markdown", "# x", manyBodies{Created: new("# x")}},
		{202, "application/pdf", "%PDF", manyBodies{Accepted: []byte("%PDF")}},
		{202, "application/octet-stream", "%PDF", manyBodies{Accepted: []byte("%PDF")}},
		{204, "", "", manyBodies{}},
		{205, "application/json", "", manyBodies{}},
		{207, "text/plain", "x", manyBodies{Any: "x"}},
		{207, "application/json", `{"a":[1]}`, manyBodies{Any: map[string]any{"a": []any{1.0}}}},
		{207, "image/png", "\x89", manyBodies{Any: []byte{0x89}}},
		{226, "application/json", "[" + object + "]", manyBodies{Range: []rgb{*one}}},
	}
	for _, test := range tests {
		var out manyBodies
		streamed, err := decode(decodeInfo{}, respond(test.status, test.mediaType, test.answer), &out, 100)
		if err != nil || streamed || !reflect.DeepEqual(out, test.want) {
			t.Errorf("%d %s %q: got %+v, streamed %t, error %v", test.status, test.mediaType, test.answer, out, streamed, err)
		}
	}
}

func TestDecodeStream(t *testing.T) {
	var out manyBodies
	resp := respond(206, "image/png", strings.Repeat("x", 1000))
	streamed, err := decode(decodeInfo{}, resp, &out, 10)
	if err != nil || !streamed || out.Stream != resp.Body {
		t.Errorf("got %v, streamed %t, error %v", out.Stream, streamed, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	const page = "<html><body>Bad Gateway</body></html>"
	tests := []struct {
		name string
		resp *http.Response
		want string
	}{
		{"page instead of JSON", respond(200, "text/html", page), `"text/html"`},
		{"page instead of text", respond(201, "text/html; charset=utf-8", page), `"text/html; charset=utf-8"`},
		{"page instead of a stream", respond(206, "text/html", page), `"text/html"`},
		{"wrong JSON", respond(200, "application/json", `{"R":"x"}`), "R"},
		{"cut JSON", respond(200, "application/json", `{"R":1`), ""},
		{"two documents", respond(200, "application/json", `{} {}`), ""},
		{"too large", respond(200, "application/json", strings.Repeat(" ", 201)), "200 bytes"},
	}
	for _, test := range tests {
		var out manyBodies
		streamed, err := decode(decodeInfo{operation: "Op"}, test.resp, &out, 200)
		if err == nil || streamed || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %+v, streamed %t, error %v; want an error with %s", test.name, out, streamed, err, test.want)
			continue
		}
		if seen, ok := errors.AsType[*answerError](err); !ok || len(seen.data) == 0 {
			t.Errorf("%s: the error %v has lost the body", test.name, err)
		}
	}
	var out getOrderOutput
	if _, err := decode(decodeInfo{operation: "Op"}, respond(202, "application/json", "{}"), &out, 0); err == nil ||
		!strings.Contains(err.Error(), "status 202 is not declared") {
		t.Errorf("undeclared status: got %v", err)
	}
	if _, err := decode(decodeInfo{}, respond(202, "", ""), &out, 0); err != nil {
		t.Errorf("undeclared status without a body: %v", err)
	}
	var none struct{ Metadata }
	if _, err := decode(decodeInfo{}, respond(299, "text/html", page), &none, 0); err != nil {
		t.Errorf("an output without bodies: %v", err)
	}
}

func TestDecodeDocument(t *testing.T) {
	type output struct {
		Metadata `json:"-"`
		Name     string `json:"name"`
	}
	info := decodeInfo{document: "application/x-amz-json-1.0", operation: "Op"}
	var out output
	if _, err := decode(info, respond(200, "application/x-amz-json-1.0", `{"name":"a\ud800"}`), &out, 0); err != nil || out.Name != "a\uFFFD" {
		t.Errorf("got %q, %v", out.Name, err)
	}
	if _, err := decode(info, respond(200, "", ""), new(output), 0); err != nil {
		t.Errorf("empty: %v", err)
	}
	var nothing struct {
		Metadata `json:"-"`
	}
	if _, err := decode(info, respond(200, "application/x-amz-json-1.0", `""`), &nothing, 0); err != nil {
		t.Errorf("an output without members: %v", err)
	}
	var wrapped getOrderOutput
	if _, err := decode(info, respond(200, "application/x-amz-json-1.0", `{"R":1}`), &wrapped, 0); err != nil || wrapped.Body == nil || wrapped.Body.R != 1 {
		t.Errorf("body field: got %+v, %v", wrapped.Body, err)
	}
}

type headerOutput struct {
	Metadata
	Text    *string            `header:"X-Text"`
	Count   *int32             `header:"X-Count"`
	Flag    *bool              `header:"X-Flag"`
	Ratio   float64            `header:"X-Ratio"`
	Level   *level             `header:"X-Level"`
	At      *time.Time         `header:"X-At"`
	Expires *time.Time         `header:"Expires"`
	Unix    *UnixTime          `header:"X-Unix"`
	Day     *Date              `header:"X-Day"`
	List    []level            `header:"X-List"`
	Nums    []int              `header:"X-Nums"`
	Pair    *rgb               `header:"X-Pair"`
	Map     map[string]int     `header:"X-Map,explode"`
	JSON    *rgb               `header:"X-Json,content=application/json"`
	Null    Nullable[int]      `header:"X-Null"`
	Dyn     map[string]any     `header:"X-Dyn,explode=true"`
	Missing *string            `header:"X-Missing"`
	Other   map[string]float32 `header:"X-Other"`
}

func TestDecodeHeaders(t *testing.T) {
	resp := respond(200, "", "",
		"X-Text", "a, b", "X-Count", "-5", "X-Flag", "true", "X-Ratio", "0.5", "X-Level", "new-level",
		"X-At", "2026-02-03T04:05:06Z", "Expires", "Tue, 03 Feb 2026 04:05:06 GMT", "X-Unix", "1770091506.5",
		"X-Day", "2026-02-03", "X-List", `a, "b,c",,d`, "X-List", "e", "X-Nums", "1,2", "X-Pair", "R,100,G,200,B,150",
		"X-Map", "a=1,b=2", "X-Json", `{"R":1,"G":2,"B":3}`, "X-Null", "7", "X-Dyn", "k=v")
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	want := headerOutput{
		Text: new("a, b"), Count: new(int32(-5)), Flag: new(true), Ratio: 0.5, Level: new(level("new-level")),
		At: &at, Expires: &at, Unix: &UnixTime{at.Add(time.Second / 2)}, Day: &Date{2026, 2, 3},
		List: []level{"a", `"b,c"`, "d", "e"}, Nums: []int{1, 2}, Pair: &mixed,
		Map: map[string]int{"a": 1, "b": 2}, JSON: &rgb{1, 2, 3}, Null: Value(7), Dyn: map[string]any{"k": "v"},
	}
	var out headerOutput
	if _, err := decode(decodeInfo{}, resp, &out, 0); err != nil || !reflect.DeepEqual(out, want) {
		t.Errorf("got  %+v, %v\nwant %+v", out, err, want)
	}
	// A header that cannot be read does not undo what succeeded.
	for _, bad := range [][2]string{{"X-Count", "x"}, {"X-Count", "99999999999"}, {"X-Flag", "maybe"}, {"X-At", "soon"},
		{"X-Nums", "1,x"}, {"X-Pair", "R"}, {"X-Pair", "R,x"}, {"X-Map", "a"}, {"X-Json", "{"}, {"X-Null", "x"}} {
		out = headerOutput{}
		_, err := decode(decodeInfo{}, respond(200, "", "", "X-Text", "t", bad[0], bad[1], "X-Other", "a,1"), &out, 0)
		want := headerOutput{Text: new("t"), Other: map[string]float32{"a": 1}}
		if err != nil || !reflect.DeepEqual(out, want) {
			t.Errorf("%s: %s: got %+v, %v", bad[0], bad[1], out, err)
		}
	}
}

type problem struct {
	ResponseError `json:"-"`
	Title         string `json:"title"`
	Balance       *int   `json:"balance,omitzero"`
}

type listError struct {
	ResponseError `json:"-"`
	Body          []problem `body:"error"`
}

type textError struct {
	ResponseError `json:"-"`
	Body          string `body:"error"`
}

func TestDecodeError(t *testing.T) {
	var p problem
	if err := decodeError([]byte(`{"title":"low","balance":3,"x":1}`), "application/problem+json", &p); err != nil || p.Title != "low" || *p.Balance != 3 {
		t.Errorf("got %+v, %v", p, err)
	}
	var l listError
	if err := decodeError([]byte(`[{"title":"a"}]`), "", &l); err != nil || len(l.Body) != 1 || l.Body[0].Title != "a" {
		t.Errorf("wrapped: got %+v, %v", l.Body, err)
	}
	var text textError
	if err := decodeError([]byte(`no`), "text/plain", &text); err != nil || text.Body != "no" {
		t.Errorf("text: got %q, %v", text.Body, err)
	}
	if err := decodeError([]byte(`"no"`), "application/json", &text); err != nil || text.Body != "no" {
		t.Errorf("JSON string: got %q, %v", text.Body, err)
	}
	if err := decodeError(nil, "", new(problem)); err != nil {
		t.Errorf("empty: %v", err)
	}
	for _, body := range []string{"<html>", `{"title":1}`, `[]`} {
		if err := decodeError([]byte(body), "text/html", new(problem)); err == nil {
			t.Errorf("%s: got no error", body)
		}
	}
	if err := decodeError([]byte("{}"), "", errors.New("x")); err == nil {
		t.Error("not a struct: got no error")
	}
}

// FuzzDecode checks that no answer makes decoding panic.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"R":1}`, `[{"R":null}]`, "", "\xff", `{"a":{"a":{}}}`, "1e999", "1,2"} {
		for _, status := range []int{200, 201, 207, 226} {
			f.Add(status, "application/json", seed, seed)
		}
	}
	f.Fuzz(func(t *testing.T, status int, mediaType, body, header string) {
		var out manyBodies
		if _, err := decode(decodeInfo{}, respond(status, mediaType, body), &out, 1<<20); err == nil && out.OK != nil {
			if _, err := marshalJSON(out.OK); err != nil {
				t.Errorf("decoded %q to what cannot be written: %v", body, err)
			}
		}
		var headers headerOutput
		names := reflect.TypeFor[headerOutput]()
		var list []string
		for i := 1; i < names.NumField(); i++ {
			name, _, _ := strings.Cut(names.Field(i).Tag.Get("header"), ",")
			list = append(list, name, header)
		}
		_, _ = decode(decodeInfo{}, respond(200, "", "", list...), &headers, 0)
		_ = decodeError([]byte(body), mediaType, new(listError))
	})
}
