package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestCharsetOfAnswers: text becomes UTF-8, or a [DecodeError] that names the
// charset.
func TestCharsetOfAnswers(t *testing.T) {
	type text struct {
		Metadata
		Body string `body:"200,text/plain"`
	}
	type declared struct {
		Metadata
		Body *string `body:"200,text/plain; charset=latin1"`
	}
	type free struct {
		Metadata
		Body any `body:"200,text/plain"`
	}
	for _, tt := range []struct{ contentType, body, want string }{
		{"text/plain; charset=iso-8859-1", "caf\xe9 \xff", "café ÿ"},
		{`Text/Plain; Charset="ISO-8859-1"`, "\xa3", "£"},
		{"text/plain; charset=latin1", "\xe9", "é"},
		{"text/plain; charset=us-ascii", "cafe", "cafe"},
		{"text/plain; charset=UTF-8", "café", "café"},
		{"text/plain", "café", "café"},
		{"text/plain; charset=utf-16", "\x00a", `!charset "utf-16" is not supported`},
		{"text/plain; charset=windows-1251", "a", `!charset "windows-1251"`},
	} {
		answer := retrytest.Respond(200, http.Header{"Content-Type": {tt.contentType}}, tt.body)
		c, _ := script(t, items(), steps(answer, answer))
		out, err := Call(t.Context(), c, &Operation[struct{}, text]{Method: "GET", Path: "/"}, nil)
		dynamic, err2 := Call(t.Context(), c, &Operation[struct{}, free]{Method: "GET", Path: "/"}, nil)
		if part, fails := strings.CutPrefix(tt.want, "!"); fails {
			for _, err := range []error{err, err2} {
				if e, ok := errors.AsType[*DecodeError](err); !ok || !strings.Contains(err.Error(), part) || string(e.Body) != tt.body {
					t.Errorf("%s: got %v, want a DecodeError with %s", tt.contentType, err, part)
				}
			}
			continue
		}
		if err != nil || err2 != nil || out.Body != tt.want || dynamic.Body != tt.want {
			t.Errorf("%s: got %+v, %v and %+v, %v", tt.contentType, out, err, dynamic, err2)
		}
	}
	c, _ := script(t, items(), steps(retrytest.Respond(200, http.Header{"Content-Type": {"text/plain"}}, "\xe9")))
	out, err := Call(t.Context(), c, &Operation[struct{}, declared]{Method: "GET", Path: "/"}, nil)
	if err != nil || *out.Body != "é" {
		t.Errorf("declared: got %+v, %v", out, err)
	}
}

// TestCharsetOfRequests: text is sent in the charset that it is labelled with.
func TestCharsetOfRequests(t *testing.T) {
	for _, tt := range []struct{ mediaType, text, want string }{
		{"text/plain; charset=iso-8859-1", "café", "caf\xe9"},
		{"text/plain; charset=utf-8", "café", "café"},
		{"text/plain", "café", "café"},
		{"text/plain; charset=iso-8859-1", "10 €", `!'€', which charset iso-8859-1 has not`},
		{"text/plain; charset=us-ascii", "café", `!'é', which charset us-ascii has not`},
		{"text/plain; charset=utf-16", "a", `!charset "utf-16"`},
	} {
		b, err := encodeBody(tt.mediaType, valueOf(tt.text))
		if part, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s, %q: got %v", tt.mediaType, tt.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %q: got %v", tt.mediaType, tt.text, err)
			continue
		}
		r, err := b.open()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != tt.want || b.contentType != tt.mediaType {
			t.Errorf("%s, %q: sent %q as %s, %v", tt.mediaType, tt.text, got, b.contentType, err)
		}
	}
}
