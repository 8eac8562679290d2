package httpapi

import (
	"strings"
	"testing"
)

func TestSnippet(t *testing.T) {
	for body, want := range map[string]string{
		" a\r\n\tb\x00c ":                     `"a b c"`,
		strings.Repeat("x", maxSnippet):       `"` + strings.Repeat("x", maxSnippet) + `"`,
		strings.Repeat("x", maxSnippet+1):     `"` + strings.Repeat("x", maxSnippet) + `…"`,
		strings.Repeat("ü", maxSnippet):       `"` + strings.Repeat("ü", maxSnippet/2) + `…"`,
		"x" + strings.Repeat("ü", maxSnippet): `"x` + strings.Repeat("ü", maxSnippet/2-1) + `…"`,
	} {
		if got := snippet([]byte(body)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNewErrorIsFresh(t *testing.T) {
	a, b := NewError[notFound](), NewError[notFound]()
	if a == b {
		t.Error("got the same error twice")
	}
	if _, ok := a.(*notFound); !ok {
		t.Errorf("got a %T", a)
	}
}
