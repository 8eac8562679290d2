package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestParseLinks has the examples of RFC 8288, 3.5, and of appendix B.
func TestParseLinks(t *testing.T) {
	type rel struct{ name, target string }
	tests := []struct {
		header []string
		want   []rel
	}{
		{[]string{`<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter"`},
			[]rel{{"previous", "http://example.com/TheBook/chapter2"}}},
		{[]string{`</>; rel="http://example.net/foo"`}, []rel{{"http://example.net/foo", "/"}}},
		{[]string{`</terms>; rel="copyright"; anchor="#foo"`}, []rel{{"copyright", ""}}},
		{[]string{`</TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel`},
			[]rel{{"previous", "/TheBook/chapter2"}, {"next", "/TheBook/chapter4"}}},
		{[]string{`<http://example.org/>; rel="start http://example.net/relation/other"`},
			[]rel{{"start", "http://example.org/"}, {"http://example.net/relation/other", "http://example.org/"}, {"next", ""}}},
		{[]string{`<https://example.org/>; rel="start", <https://example.org/index>; rel="index"`},
			[]rel{{"start", "https://example.org/"}, {"index", "https://example.org/index"}}},
		// a link in each of two header fields, token values, spaces, upper case
		{[]string{`</a>;rel=prev`, `</b> ; REL = Next ;x`}, []rel{{"prev", "/a"}, {"next", "/b"}}},
		// commas and quotes in a quoted string
		{[]string{`</a>; title="a, <b>; rel=\"next\""; rel="last", </c>; rel="next"`}, []rel{{"last", "/a"}, {"next", "/c"}}},
		// only the first rel counts (3.3)
		{[]string{`</a>; rel="prev"; rel="next"`}, []rel{{"prev", "/a"}, {"next", ""}}},
		// a comma in the target
		{[]string{`</a?ids=1,2>; rel="next"`}, []rel{{"next", "/a?ids=1,2"}}},
		{[]string{"", "</a", "a>; rel=next", `; rel="next"`, `</a> rel="next"`}, []rel{{"next", ""}}},
	}
	for _, test := range tests {
		links := parseLinks(test.header)
		for _, want := range test.want {
			got := ""
			for _, l := range links {
				if l.hasRel(want.name) {
					got = l.target
					break
				}
			}
			if got != want.target {
				t.Errorf("%s: %s: got %q, want %q", test.header, want.name, got, want.target)
			}
		}
	}
}

// FuzzLinks checks that no header makes parsing panic, and that a link which
// is appended to it is found.
func FuzzLinks(f *testing.F) {
	for _, seed := range []string{`</a>; rel="next"`, `<`, `<>;;;=`, `</a>; title="`, `</a>; rel=next,, <b>`, `</a>;x="\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		for _, l := range parseLinks([]string{header}) {
			if strings.Contains(l.target, ">") {
				t.Errorf("%q: target %q", header, l.target)
			}
			_, _ = url.Parse(l.target)
		}
		h := http.Header{"Link": {header, `</appended>; rel="appended"`}}
		links := parseLinks(h.Values("Link"))
		if last := links[len(links)-1]; last.target != "/appended" || !last.hasRel("appended") {
			t.Errorf("%q: the last link is %+v", header, last)
		}
	})
}
