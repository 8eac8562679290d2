package httpapi

import (
	"encoding/base64"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// rgb is the object of the OpenAPI style tables, {"R": 100, "G": 200, "B": 150}.
type rgb struct {
	R int `json:"R"`
	G int `json:"G"`
	B int `json:"B"`
}

var (
	colors = []string{"blue", "black", "brown"}
	mixed  = rgb{100, 200, 150}
)

// TestStyles holds the table "Style Examples" of the OpenAPI Specification
// 3.1.1 (4.8.12.6), for a parameter named color; query styles without the
// leading "?". Label and matrix rows follow RFC 6570, as the table does.
func TestStyles(t *testing.T) {
	tests := []struct {
		in      location
		options string
		value   any
		want    string
	}{
		{inPath, "style=matrix", "", ";color"},
		{inPath, "style=matrix", "blue", ";color=blue"},
		{inPath, "style=matrix", colors, ";color=blue,black,brown"},
		{inPath, "style=matrix", mixed, ";color=R,100,G,200,B,150"},
		{inPath, "style=matrix,explode", "", ";color"},
		{inPath, "style=matrix,explode", "blue", ";color=blue"},
		{inPath, "style=matrix,explode", colors, ";color=blue;color=black;color=brown"},
		{inPath, "style=matrix,explode", mixed, ";R=100;G=200;B=150"},
		{inPath, "style=label", "", "."},
		{inPath, "style=label", "blue", ".blue"},
		{inPath, "style=label", colors, ".blue,black,brown"},
		{inPath, "style=label", mixed, ".R,100,G,200,B,150"},
		{inPath, "style=label,explode=true", "", "."},
		{inPath, "style=label,explode=true", "blue", ".blue"},
		{inPath, "style=label,explode=true", colors, ".blue.black.brown"},
		{inPath, "style=label,explode=true", mixed, ".R=100.G=200.B=150"},
		{inPath, "", "", ""},
		{inPath, "", "blue", "blue"},
		{inPath, "style=simple", colors, "blue,black,brown"},
		{inPath, "style=simple", mixed, "R,100,G,200,B,150"},
		{inPath, "explode", "blue", "blue"},
		{inPath, "explode", colors, "blue,black,brown"},
		{inPath, "explode", mixed, "R=100,G=200,B=150"},
		{inHeader, "", "blue", "blue"},
		{inHeader, "", colors, "blue,black,brown"},
		{inHeader, "", mixed, "R,100,G,200,B,150"},
		{inHeader, "explode", mixed, "R=100,G=200,B=150"},
		{inQuery, "explode=false", "", "color="},
		{inQuery, "explode=false", "blue", "color=blue"},
		{inQuery, "explode=false", colors, "color=blue,black,brown"},
		{inQuery, "explode=false", mixed, "color=R,100,G,200,B,150"},
		{inQuery, "", "", "color="},
		{inQuery, "style=form", "blue", "color=blue"},
		{inQuery, "", colors, "color=blue&color=black&color=brown"},
		{inQuery, "", mixed, "R=100&G=200&B=150"},
		{inQuery, "style=spaceDelimited", colors, "color=blue%20black%20brown"},
		{inQuery, "style=spaceDelimited", mixed, "color=R%20100%20G%20200%20B%20150"},
		{inQuery, "style=pipeDelimited", colors, "color=blue%7Cblack%7Cbrown"},
		{inQuery, "style=pipeDelimited", mixed, "color=R%7C100%7CG%7C200%7CB%7C150"},
		{inQuery, "style=deepObject", mixed, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"},
		{inCookie, "explode=false", "", "color="},
		{inCookie, "explode=false", "blue", "color=blue"},
		{inCookie, "explode=false", colors, "color=blue,black,brown"},
		{inCookie, "explode=false", mixed, "color=R,100,G,200,B,150"},
		{inCookie, "", colors, "color=blue&color=black&color=brown"},
		{inCookie, "", mixed, "R=100&G=200&B=150"},
		{inCookie, "style=cookie", colors, "color=blue; color=black; color=brown"}, // 3.2.0
	}
	for _, test := range tests {
		got := expandParam(t, test.in, "color", test.options, test.value)
		if got != test.want {
			t.Errorf("%s %q of %v: got %s, want %s", locations[test.in], test.options, test.value, got, test.want)
		}
	}
}

func expandParam(t *testing.T, in location, name, options string, value any) string {
	t.Helper()
	text, _, err := tryParam(in, name, options, value)
	if err != nil {
		t.Fatalf("%s %q of %v: %v", locations[in], options, value, err)
	}
	return text
}

func tryParam(in location, name, options string, value any) (string, bool, error) {
	var list []string
	if options != "" {
		list = strings.Split(options, ",")
	}
	f, err := parseFormat(in, list)
	if err != nil {
		return "", false, err
	}
	v := reflect.ValueOf(value)
	p := &param{name: name, in: in, format: f, plain: isPlain(v.Type())}
	text, sent, err := p.append(nil, v)
	return string(text), sent, err
}

// TestRFC6570 holds examples of RFC 6570, section 3.2, for the styles that
// OpenAPI takes from there.
func TestRFC6570(t *testing.T) {
	list := []string{"red", "green", "blue"}
	keys := map[string]string{"semi": ";", "dot": ".", "comma": ","}
	tests := []struct {
		in            location
		name, options string
		value         any
		want          string
	}{
		{inPath, "var", "", "value", "value"},
		{inPath, "hello", "", "Hello World!", "Hello%20World%21"},
		{inPath, "half", "", "50%", "50%25"},
		{inPath, "base", "", "http://example.com/home/", "http%3A%2F%2Fexample.com%2Fhome%2F"},
		{inPath, "list", "", list, "red,green,blue"},
		{inPath, "keys", "", keys, "comma,%2C,dot,.,semi,%3B"},
		{inPath, "keys", "explode", keys, "comma=%2C,dot=.,semi=%3B"},
		{inPath, "who", "style=label", "fred", ".fred"},
		{inPath, "half", "style=label", "50%", ".50%25"},
		{inPath, "list", "style=label,explode", list, ".red.green.blue"},
		{inPath, "keys", "style=label,explode", keys, ".comma=%2C.dot=..semi=%3B"},
		{inPath, "empty", "style=matrix", "", ";empty"},
		{inPath, "hello", "style=matrix", "Hello World!", ";hello=Hello%20World%21"},
		{inPath, "list", "style=matrix,explode", list, ";list=red;list=green;list=blue"},
		{inPath, "keys", "style=matrix,explode", keys, ";comma=%2C;dot=.;semi=%3B"},
		{inQuery, "x", "", 1024, "x=1024"},
		{inQuery, "empty", "", "", "empty="},
		{inQuery, "half", "", "50%", "half=50%25"},
		{inQuery, "keys", "", keys, "comma=%2C&dot=.&semi=%3B"},
		{inQuery, "keys", "explode=false", keys, "keys=comma,%2C,dot,.,semi,%3B"},
		{inPath, "path", "allowReserved", "/foo/bar", "/foo/bar"},
		{inPath, "hello", "allowReserved", "Hello World!", "Hello%20World!"},
		{inPath, "half", "allowReserved", "50%", "50%25"},
		{inPath, "triple", "allowReserved", "%2F", "%2F"},
	}
	for _, test := range tests {
		if got := expandParam(t, test.in, test.name, test.options, test.value); got != test.want {
			t.Errorf("%s %q of %v: got %s, want %s", test.name, test.options, test.value, got, test.want)
		}
	}
}

type level string

type flags int

type shade struct{ name string }

func (s shade) MarshalText() ([]byte, error) { return []byte("shade-" + s.name), nil }

// TestValues has a value of each type that a parameter may have.
func TestValues(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 7_000_000, time.UTC)
	tests := []struct {
		value any
		want  string
	}{
		{"ä/b c", "%C3%A4%2Fb%20c"},
		{new("x"), "x"},
		{true, "true"},
		{int32(-7), "-7"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{1e21, "1000000000000000000000"},
		{1e-7, "0.0000001"},
		{float32(0.1), "0.1"},
		{[]float64{1e21, 2.5}, "1000000000000000000000,2.5"},
		{level("high"), "high"},
		{flags(3), "3"},
		{shade{"red"}, "shade-red"},
		{at, "2026-02-03T04%3A05%3A06.007Z"},
		{Date{2026, 2, 3}, "2026-02-03"},
		{Unix(at), "1770091506.007"},
		{[]byte{0xfb, 0xff}, "%2B%2F8%3D"},
		{Value("a"), "a"},
		{Null[string](), ""},
		{[]level{"low", "high"}, "low,high"},
	}
	for _, test := range tests {
		if got := expandParam(t, inPath, "v", "", test.value); got != test.want {
			t.Errorf("%T: got %s, want %s", test.value, got, test.want)
		}
	}
	if want := base64.StdEncoding.EncodeToString([]byte{0xfb, 0xff}); want != "+/8=" {
		t.Errorf("the bytes of the table are %s", want)
	}
}

// TestNotSent has the values that are absent.
func TestNotSent(t *testing.T) {
	for _, value := range []any{
		(*string)(nil), []string(nil), []string{}, map[string]int(nil), map[string]int{}, Nullable[string]{},
	} {
		for in := range locations {
			if text, sent, err := tryParam(location(in), "v", "", value); text != "" || sent || err != nil {
				t.Errorf("%s %T: got %q, sent %t, error %v", locations[in], value, text, sent, err)
			}
		}
	}
}

func TestContentParam(t *testing.T) {
	got := expandParam(t, inQuery, "where", "content=application/json", map[string]any{"b": []int{1}, "a": "x y"})
	if want := "where=%7B%22a%22%3A%22x%20y%22%2C%22b%22%3A%5B1%5D%7D"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDeepObject(t *testing.T) {
	value := map[string]any{"a": map[string]any{"b c": "d&e"}, "list": []any{"x", map[string]any{"y": true}}}
	got := expandParam(t, inQuery, "f", "style=deepObject", value)
	want := "f%5Ba%5D%5Bb%20c%5D=d%26e&f%5Blist%5D%5B0%5D=x&f%5Blist%5D%5B1%5D%5By%5D=true"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReservedQuery(t *testing.T) {
	const value = `:/?#[]@!$&'()*+,;= %20`
	got := expandParam(t, inQuery, "q", "allowReserved", value)
	if want := "q=:/?%23%5B%5D@!$%26'()*%2B,%3B=%20%20"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	values, err := url.ParseQuery(got)
	if err != nil || values.Get("q") != `:/?#[]@!$&'()*+,;=  ` {
		t.Errorf("a server reads %q, %v", values.Get("q"), err)
	}
}

func TestUndefinedParams(t *testing.T) {
	nested := map[string]any{"a": []int{1}}
	for _, test := range []struct {
		in    location
		value any
	}{{inQuery, nested}, {inPath, nested}, {inHeader, nested}, {inCookie, [][]int{{1}}}, {inQuery, math.NaN()}, {inPath, math.Inf(1)}} {
		if text, _, err := tryParam(test.in, "v", "", test.value); err == nil {
			t.Errorf("%s of %v: got %s, want an error", locations[test.in], test.value, text)
		}
	}
}

type getOrder struct {
	Account string   `path:"account"`
	OrderID string   `path:"orderId"`
	Fields  []string `query:"fields,explode=false"`
	Limit   *int     `query:"limit"`
	Filter  *rgb     `query:"filter,style=deepObject"`
	Match   *string  `header:"If-Match"`
	Tags    []string `header:"X-Tags"`
	Session *string  `cookie:"session"`
	Theme   []string `cookie:"theme,explode=false"`
}

type getOrderOutput struct {
	Metadata
	Body *rgb `body:"200,application/json"`
}

func TestEncodeParams(t *testing.T) {
	op := &Operation[getOrder, getOrderOutput]{
		Name: "GetOrder", Method: http.MethodGet, Path: "/accounts/{account}/orders/{orderId}.json",
		Header: map[string]string{"X-Target": "T"},
	}
	e, err := encode(op, &getOrder{
		Account: "a/b", OrderID: "..", Fields: []string{"x,y", "z"}, Limit: new(0), Filter: &mixed,
		Match: new(`"v 1"`), Tags: []string{"a", "b"}, Session: new("s;1"), Theme: []string{"dark", "red"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "/accounts/a%2Fb/orders/...json"; e.path != want {
		t.Errorf("path: got %s, want %s", e.path, want)
	}
	want := "fields=x%2Cy,z&limit=0&filter%5BR%5D=100&filter%5BG%5D=200&filter%5BB%5D=150"
	if e.query != want {
		t.Errorf("query: got %s, want %s", e.query, want)
	}
	header := http.Header{
		"X-Target": {"T"}, "If-Match": {`"v 1"`}, "X-Tags": {"a,b"},
		"Cookie": {"session=s%3B1; theme=dark,red"},
	}
	if !reflect.DeepEqual(e.header, header) {
		t.Errorf("header: got %v, want %v", e.header, header)
	}
	if e.accept != "application/json" {
		t.Errorf("accept: got %s", e.accept)
	}
	if e.body.open != nil {
		t.Error("got a body, want none")
	}
}

func TestEncodeRefuses(t *testing.T) {
	op := &Operation[getOrder, getOrderOutput]{Path: "/{account}/{orderId}"}
	for name, in := range map[string]*getOrder{
		"empty":       {Account: "", OrderID: "1"},
		"nil":         nil,
		"dot":         {Account: ".", OrderID: "1"},
		"parent":      {Account: "a", OrderID: ".."},
		"line break":  {Account: "a", OrderID: "1", Match: new("x\r\nX-Evil: 1")},
		"header list": {Account: "a", OrderID: "1", Tags: []string{"a\nb"}},
	} {
		if e, err := encode(op, in); err == nil {
			t.Errorf("%s: got %s, want an error", name, e.path)
		}
	}
	for _, path := range []string{"/{account}", "/{account}/{orderId}/{more}", "/{account}/{orderId"} {
		op := &Operation[getOrder, getOrderOutput]{Path: path}
		if e, err := encode(op, &getOrder{Account: "a", OrderID: "b"}); err == nil {
			t.Errorf("path %s: got %s, want an error", path, e.path)
		}
	}
}

func TestBadTags(t *testing.T) {
	type badStyle struct {
		A string `path:"a,style=form"`
	}
	type badOption struct {
		Limit int `query:"limit,expolde"`
	}
	type twice struct {
		A string `query:"q"`
		B string `query:"q"`
	}
	type noName struct {
		A string `header:",explode"`
	}
	type notJSON struct {
		A string `query:"a,content=application/xml"`
	}
	type two struct {
		A string `query:"a" header:"a"`
	}
	type badStatus struct {
		A string `body:"2000,application/json"`
	}
	type badForm struct {
		A string `json:"a" form:"style=simple"`
	}
	for _, test := range []struct {
		typ  reflect.Type
		role role
		want string
	}{
		{reflect.TypeFor[badStyle](), inputRole, "badStyle.A"},
		{reflect.TypeFor[badOption](), inputRole, `badOption.Limit: tag query:"limit,expolde": unknown option "expolde"`},
		{reflect.TypeFor[twice](), inputRole, "twice.B"},
		{reflect.TypeFor[noName](), inputRole, "noName.A"},
		{reflect.TypeFor[notJSON](), inputRole, "notJSON.A"},
		{reflect.TypeFor[two](), inputRole, "two.A"},
		{reflect.TypeFor[badStatus](), outputRole, "badStatus.A"},
	} {
		_, err := planOf(test.typ, test.role)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %s", test.typ, err, test.want)
		}
	}
	if _, err := membersOf(reflect.TypeFor[badForm]()); err == nil || !strings.Contains(err.Error(), "badForm.A") {
		t.Errorf("badForm: got error %v", err)
	}
}

// FuzzEscape checks that a server reads what was sent.
func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", "a b", "50%", "/?#[]@!$&'()*+,;=", "ä\xff", "%2F"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		values, err := url.ParseQuery(expandParam(t, inQuery, "n", "", s) + "&" +
			expandParam(t, inQuery, "list", "", []level{level(strings.ToValidUTF8(s, "?"))}))
		if err != nil || len(values["n"]) != 1 || values.Get("n") != s {
			t.Errorf("query: sent %q, a server reads %q, %v", s, values["n"], err)
		}
		u := url.URL{Opaque: expandParam(t, inPath, "p", "", s)}
		if got, err := url.PathUnescape(u.Opaque); err != nil || got != s || strings.Contains(u.Opaque, "/") {
			t.Errorf("path: sent %q as %q, a server reads %q, %v", s, u.Opaque, got, err)
		}
		if strings.Contains(s, "%") {
			return // percent-encoded triples stay as they are
		}
		reserved, err := url.ParseQuery(expandParam(t, inQuery, "r", "allowReserved", s))
		if err != nil || reserved.Get("r") != s {
			t.Errorf("allowReserved: sent %q, a server reads %q, %v", s, reserved.Get("r"), err)
		}
	})
}
