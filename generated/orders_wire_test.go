package generated_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// pair is a name and a value as they travel.
type pair struct{ name, value string }

// A query is the query of a request, cut into parameters and no further: what
// separates items is told from what was escaped.
type query []pair

// queryOf cuts the query of a request.
func queryOf(t *testing.T, r *http.Request) query {
	t.Helper()
	_, raw, found := strings.Cut(r.RequestURI, "?")
	if !found {
		return nil
	}
	var q query
	for part := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		q = append(q, pair{unescape(t, name), value})
	}
	return q
}

// raw returns the values of a name, still escaped.
func (q query) raw(name string) []string {
	var values []string
	for _, p := range q {
		if p.name == name {
			values = append(values, p.value)
		}
	}
	return values
}

// values returns the values of a name.
func (q query) values(t *testing.T, name string) []string {
	t.Helper()
	values := q.raw(name)
	for i := range values {
		values[i] = unescape(t, values[i])
	}
	return values
}

// value returns the value of a name that must occur once.
func (q query) value(t *testing.T, name string) string {
	t.Helper()
	values := q.values(t, name)
	if len(values) != 1 {
		t.Fatalf("parameter %s: got %q, want one value in %v", name, values, q)
	}
	return values[0]
}

// items returns the items of a name that must occur once, with sep between.
func (q query) items(t *testing.T, name, sep string) []string {
	t.Helper()
	raw := q.raw(name)
	if len(raw) != 1 {
		t.Fatalf("parameter %s: got %q, want one value in %v", name, raw, q)
	}
	items := strings.Split(raw[0], sep)
	for i := range items {
		items[i] = unescape(t, items[i])
	}
	return items
}

// names returns the names in the query, each once, in order.
func (q query) names() []string {
	var names []string
	for _, p := range q {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// queryChars may stand in a query, RFC 3986, 3.4, beside letters, digits and
// percent-encoded bytes. "+" may as well, but servers take it for a space.
const queryChars = "-._~!$'()*,;:@/?="

// unescape undoes percent-encoding, RFC 3986, 2.1.
func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%':
			if i+2 >= len(s) {
				t.Fatalf("%q ends in its escape", s)
			}
			b.WriteByte(hexDigit(t, s[i+1])<<4 | hexDigit(t, s[i+2]))
			i += 2
		case isLetterOrDigit(c) || strings.IndexByte(queryChars, c) >= 0:
			b.WriteByte(c)
		default:
			t.Fatalf("%q has %q, which may not stand in a URL as it is", s, c)
		}
	}
	return b.String()
}

func hexDigit(t *testing.T, c byte) byte {
	t.Helper()
	i := strings.IndexByte("0123456789ABCDEF", c)
	if i < 0 {
		t.Fatalf("escape with %q, want an upper-case hexadecimal digit (RFC 3986, 2.1)", c)
	}
	return byte(i)
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// pathOf returns the path of a request below the server's, still escaped.
func pathOf(t *testing.T, r *http.Request) string {
	t.Helper()
	path, _, _ := strings.Cut(r.RequestURI, "?")
	below, found := strings.CutPrefix(path, "/v1")
	if !found {
		t.Fatalf("path %s: want it below /v1", path)
	}
	return below
}

// segmentsOf returns the segments of the path, unescaped.
func segmentsOf(t *testing.T, r *http.Request) []string {
	t.Helper()
	segments := strings.Split(strings.TrimPrefix(pathOf(t, r), "/"), "/")
	for i := range segments {
		segments[i] = unescape(t, segments[i])
	}
	return segments
}

// cookieOf returns the value of a cookie as it travels, RFC 6265, 4.2.1.
func cookieOf(t *testing.T, r *http.Request, name string) (string, bool) {
	t.Helper()
	lines := r.Header.Values("Cookie")
	if len(lines) > 1 {
		t.Fatalf("got %d Cookie headers, want at most one (RFC 6265, 5.4)", len(lines))
	}
	for _, line := range lines {
		for c := range strings.SplitSeq(line, "; ") {
			if key, value, _ := strings.Cut(c, "="); key == name {
				return value, true
			}
		}
	}
	return "", false
}

// wantJSON compares JSON texts by what they say, numbers digit by digit.
func wantJSON(t *testing.T, got, want string) {
	t.Helper()
	if !reflect.DeepEqual(parseJSON(t, got), parseJSON(t, want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q is no JSON: %v", text, err)
	}
	return v
}

// wantSame compares values deeply.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %#v\nwant %#v", what, got, want)
	}
}

// memberOf returns a member of a JSON object as text.
func memberOf(t *testing.T, object, name string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatalf("%q is no JSON object: %v", object, err)
	}
	return string(members[name])
}
