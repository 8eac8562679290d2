package httpapi

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

// followAll is the CheckRedirect of a caller that copies headers on, as many
// do to keep Authorization.
func followAll(req *http.Request, via []*http.Request) error {
	maps.Copy(req.Header, via[0].Header)
	return nil
}

// TestRedirectsKeepCredentials runs calls that are redirected: the credentials
// and the Referer, which may hold a key, stay with the origin of the call.
func TestRedirectsKeepCredentials(t *testing.T) {
	// The call goes to https://items.example/base/.
	for _, tt := range []struct {
		name  string
		hops  []string
		stays bool
	}{
		{"same origin", []string{"/other"}, true},
		{"same origin with its port", []string{"https://items.example:443/other"}, true},
		{"another host", []string{"https://evil.example/"}, false},
		{"a subdomain", []string{"https://a.items.example/"}, false},
		{"another port", []string{"https://items.example:8443/"}, false},
		{"downgrade", []string{"http://items.example/"}, false},
		{"downgrade on the same port", []string{"http://items.example:443/"}, false},
		{"there and on", []string{"https://evil.example/", "/on"}, false},
		{"there and back", []string{"https://evil.example/", "https://items.example/base/"}, false},
	} {
		for name, own := range map[string]func(*http.Request, []*http.Request) error{"default": nil, "own": followAll} {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				var last *http.Request
				hops := tt.hops
				wire := roundTrip(func(req *http.Request) (*http.Response, error) {
					last = req
					if len(hops) == 0 {
						return okay.RoundTrip(req)
					}
					next := hops[0]
					hops = hops[1:]
					return retrytest.Respond(307, http.Header{"Location": {next}}, "").RoundTrip(req)
				})
				c, err := NewClient(secured([]string{"bearer", "header", "cookie"}), "https://items.example/base",
					WithHTTPClient(&http.Client{Transport: wire, CheckRedirect: own}), WithHeader("X-Note", "kept"),
					WithCredential("bearer", Token("s1")), WithCredential("header", Token("s2")), WithCredential("cookie", Token("s3")))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, name := range []string{"Authorization", "X-Api-Key", "Cookie"} {
					got = append(got, last.Header.Get(name))
				}
				want := []string{"", "", ""}
				if tt.stays {
					want = []string{"Bearer s1", "s2", "session=s3"}
				} else if ref := last.Header.Get("Referer"); ref != "" {
					t.Errorf("Referer: got %q", ref)
				}
				if !slices.Equal(got, want) || last.Header.Get("X-Note") != "kept" {
					t.Errorf("got %q, want %q; X-Note %q", got, want, last.Header.Get("X-Note"))
				}
			})
		}
	}
}

// TestRedirectsKeepQueryKeys: the Referer of a redirected request would tell
// the key, also within the origin.
func TestRedirectsKeepQueryKeys(t *testing.T) {
	for next, want := range map[string]string{
		"/other":                "",
		"https://evil.example/": "",
	} {
		c, transport := script(t, secured([]string{"query"}), steps(
			retrytest.Respond(307, http.Header{"Location": {next}}, ""), okay), WithCredential("query", Token("secret")))
		if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
			t.Fatal(err)
		}
		req := transport.Requests()[1]
		if got := req.Header.Get("Referer"); got != want {
			t.Errorf("to %s: got Referer %q, want %q", next, got, want)
		}
		if u, err := url.Parse(req.URL); err != nil || u.RawQuery != "" {
			t.Errorf("to %s: sent to %s, %v", next, req.URL, err)
		}
	}
}

// TestRedirectsOfSignedRequests: none are followed, whatever the HTTP client
// says. A refusal of the HTTP client's own is an error.
func TestRedirectsOfSignedRequests(t *testing.T) {
	moved := retrytest.Respond(307, http.Header{"Location": {"/other"}}, "")
	transport := retrytest.NewTransport(moved)
	c, err := NewClient(items(), "https://items.example", WithSigner(&clock{}),
		WithHTTPClient(&http.Client{Transport: transport, CheckRedirect: followAll}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Call(t.Context(), c, getItem(), nil)
	if e, ok := errors.AsType[*ResponseError](err); !ok || e.Status != 307 {
		t.Errorf("signed: got %v", err)
	}
	refusal := errors.New("not there")
	refuse := func(*http.Request, []*http.Request) error { return refusal }
	c, err = NewClient(items(), "https://items.example", noJitter(),
		WithHTTPClient(&http.Client{Transport: retrytest.NewTransport(moved), CheckRedirect: refuse}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Call(t.Context(), c, getItem(), nil); !errors.Is(err, refusal) {
		t.Errorf("refused: got %v", err)
	}
}

// TestHTTPClientStaysAsItIs: the caller's client is not changed.
func TestHTTPClientStaysAsItIs(t *testing.T) {
	own := new(http.Client)
	if _, err := NewClient(items(), "https://items.example", WithHTTPClient(own)); err != nil {
		t.Fatal(err)
	}
	if own.CheckRedirect != nil || own.Transport != nil {
		t.Errorf("got %+v", own)
	}
}
