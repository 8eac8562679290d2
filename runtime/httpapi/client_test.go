package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func TestNewClientReportsEveryBadOption(t *testing.T) {
	s := items()
	s.Servers = []Server{{URL: "https://{region}.example", Variables: []ServerVariable{{Name: "region", Default: "a", Enum: []string{"a", "b"}}}}}
	_, err := NewClient(s, "", nil,
		WithHTTPClient(nil),
		WithCredential("unknown", Token("t")),
		WithCredential("other", nil),
		WithServerVariable("zone", "1"),
		WithServerVariable("region", "c"),
		WithHeader("a b", "v"),
		WithHeader("A", "v\r\nB: w"),
		WithUserAgent("a\nb"),
		WithMaxResponseBytes(-1),
		WithIdempotencyKey("k"),
		WithResult(new(Metadata)),
		WithRetry(retry.WithMaxAttempts(-1), retry.WithMaxBackoff(-1)),
	)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"nil option", "WithHTTPClient", `"unknown"`, `"other"`, `"zone"`, `got "c", want one of a, b`, `"a b"`, "header A:",
		"User-Agent", "WithMaxResponseBytes", "WithIdempotencyKey", "WithResult", "MaxAttempts", "MaxBackoff",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant it to mention %s", err, want)
		}
	}
}

func TestEndpoints(t *testing.T) {
	servers := []Server{
		{URL: "https://{region}.example/{base}", Variables: []ServerVariable{{Name: "region", Default: "eu"}, {Name: "base", Default: "v1/"}}},
		{URL: "https://second.example"},
	}
	own := []Server{{URL: "https://upload.{region}.example", Variables: []ServerVariable{{Name: "region", Default: "us"}}}}
	tests := []struct {
		name, endpoint string
		servers, own   []Server
		opts           []Option
		want           string // a URL, or an error that begins with "httpapi: "
	}{
		{"first server", "", servers, nil, nil, "https://eu.example/v1/a/b%2Fc?q=1"},
		{"variables", "", servers, nil, []Option{WithServerVariable("region", "us"), WithServerVariable("base", "v2")}, "https://us.example/v2/a/b%2Fc?q=1"},
		{"given", "http://localhost:8080/x%2Fy/", servers, nil, nil, "http://localhost:8080/x%2Fy/a/b%2Fc?q=1"},
		{"with a query", "http://localhost?v=2", servers, nil, nil, "http://localhost/a/b%2Fc?v=2&q=1"},
		{"operation's own", "", servers, own, []Option{WithServerVariable("region", "ap")}, "https://upload.ap.example/a/b%2Fc?q=1"},
		{"given over the operation's own", "http://localhost", servers, own, nil, "http://localhost/a/b%2Fc?q=1"},
		{"none", "", nil, nil, nil, "httpapi: the definition declares no server"},
		{"relative", "/v1", servers, nil, nil, `httpapi: endpoint "/v1": want a URL that begins`},
		{"without host", "https:///v1", servers, nil, nil, `httpapi: endpoint "https:///v1": want a URL with a host`},
		{"other scheme", "ftp://host", servers, nil, nil, `httpapi: endpoint "ftp://host": want a URL that begins`},
		{"fragment", "https://host#x", servers, nil, nil, `httpapi: endpoint "https://host#x": want a URL without`},
		{"malformed", "https://ho st", servers, nil, nil, `httpapi: endpoint: parse`},
		{"relative server", "", []Server{{URL: "/api"}}, nil, nil, `httpapi: endpoint "/api": want`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			type in struct {
				ID string `path:"id"`
				Q  int    `query:"q"`
			}
			s := items()
			s.Servers = tt.servers
			transport := retrytest.NewTransport(retrytest.JSON(200, ""))
			c, err := NewClient(s, tt.endpoint, append(tt.opts, WithHTTPClient(transport.Client()))...)
			if err != nil {
				if !strings.HasPrefix(err.Error(), tt.want) {
					t.Errorf("got %v, want %s", err, tt.want)
				}
				return
			}
			op := &Operation[in, struct{}]{Name: "Get", Method: "GET", Path: "/a/{id}", Servers: tt.own}
			if _, err := Call(t.Context(), c, op, &in{"b/c", 1}); err != nil {
				t.Fatal(err)
			}
			if got := transport.Requests()[0].URL; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestProfiles(t *testing.T) {
	unnamed := Profile{Settings: retry.Settings{MaxAttempts: 7}}
	named := Profile{Name: "own", Settings: retry.Settings{MaxAttempts: 7}}
	overlay := WithProfile(Profile{Settings: retry.Settings{MaxBackoff: time.Second}})
	c, err := NewClient(&Service{Profile: unnamed}, "https://a.example", overlay)
	if err != nil {
		t.Fatal(err)
	}
	if p := c.profile; p.Name != "http-1" || p.MaxAttempts != 7 || p.MaxBackoff != time.Second || len(p.Throttling.Statuses) == 0 {
		t.Errorf("unnamed: got %+v", p)
	}
	if c, err = NewClient(&Service{Profile: named}, "https://a.example"); err != nil {
		t.Fatal(err)
	}
	if p := c.profile; p.Name != "own" || len(p.Throttling.Statuses) != 0 {
		t.Errorf("named: got %+v", p)
	}
}

// TestRedirects runs the default HTTP client, as far as it decides itself.
func TestRedirects(t *testing.T) {
	s := secured([]string{"header"})
	request := func(method, url string, status int) *http.Request {
		req := httptest.NewRequest(method, url, nil)
		req.Header.Set("X-Api-Key", "secret")
		req.Response = &http.Response{StatusCode: status}
		return req
	}
	first := request("POST", "https://a.example/", 0)
	long := make([]*http.Request, maxRedirects)
	for i := range long {
		long[i] = first
	}
	tests := []struct {
		name    string
		next    *http.Request
		via     []*http.Request
		signer  Signer
		follow  bool
		keepKey bool
	}{
		{"same host", request("POST", "https://a.example/x", 307), long[:1], nil, true, true},
		{"another host", request("POST", "https://b.example/x", 307), long[:1], nil, true, false},
		{"POST to GET", request("GET", "https://a.example/x", 301), long[:1], nil, false, true},
		{"see other", request("GET", "https://a.example/x", 303), long[:1], nil, true, true},
		{"too many", request("POST", "https://a.example/x", 307), long, nil, false, true},
		{"signed", request("POST", "https://a.example/x", 307), long[:1], &clock{}, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var opts []Option
			if tt.signer != nil {
				opts = append(opts, WithSigner(tt.signer))
			}
			c, err := NewClient(s, "https://a.example", opts...)
			if err != nil {
				t.Fatal(err)
			}
			err = c.http.(hopClient).HTTPClient.(*http.Client).CheckRedirect(tt.next, tt.via)
			if (err == nil) != tt.follow || err != nil && err != http.ErrUseLastResponse {
				t.Errorf("got %v", err)
			}
			if kept := tt.next.Header.Get("X-Api-Key") != ""; kept != tt.keepKey {
				t.Errorf("key kept: %t", kept)
			}
		})
	}
}
