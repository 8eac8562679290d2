package httpapi

import (
	"strings"
	"testing"
)

// TestCookieParameters: the style form escapes what a cookie cannot carry, the
// style cookie refuses it.
func TestCookieParameters(t *testing.T) {
	type in struct {
		Form   *string           `cookie:"a"`
		Plain  *string           `cookie:"b,style=cookie"`
		List   []string          `cookie:"c,style=cookie"`
		Object map[string]string `cookie:"d,style=cookie"`
	}
	for _, tt := range []struct {
		in   in
		want string // the header, or with "!" in front a part of the error
	}{
		{in{Form: new(`x; admin=1 "é"\`)}, "a=x%3B%20admin%3D1%20%22%C3%A9%22%5C"},
		{in{Plain: new("x=1"), List: []string{"y", "z"}}, "b=x=1; c=y; c=z"},
		{in{Object: map[string]string{"m": "1"}}, "m=1"},
		{in{Plain: new("x; admin=1")}, `!cookie parameter "b"`},
		{in{Plain: new(`"x"`)}, `!cookie parameter "b"`},
		{in{Plain: new("é")}, `!cookie parameter "b"`},
		{in{List: []string{"y", "x;y"}}, `!cookie parameter "c"`},
		{in{Object: map[string]string{"m": "a b"}}, `!cookie parameter "d"`},
		{in{Object: map[string]string{"m;n": "1"}}, `!cookie parameter "d"`},
	} {
		e, err := encode(&Operation[in, struct{}]{Path: "/"}, &tt.in)
		part, fails := strings.CutPrefix(tt.want, "!")
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), part)):
			t.Errorf("%+v: got %v, %v", tt.in, e.header, err)
		case !fails && (err != nil || e.header.Get("Cookie") != tt.want):
			t.Errorf("%+v: got %q, %v, want %q", tt.in, e.header.Get("Cookie"), err, tt.want)
		}
	}
}
