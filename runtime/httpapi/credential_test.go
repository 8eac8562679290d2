package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func secured(security ...[]string) *Service {
	s := items()
	s.Security = security
	s.Schemes = map[string]Scheme{
		"bearer": {Kind: Bearer},
		"basic":  {Kind: Basic},
		"header": {Kind: APIKeyHeader, Name: "X-Api-Key"},
		"query":  {Kind: APIKeyQuery, Name: "api key"},
		"cookie": {Kind: APIKeyCookie, Name: "session"},
	}
	return s
}

func TestSecurity(t *testing.T) {
	bearer, basic := WithCredential("bearer", Token("t")), WithCredential("basic", UserPassword("u", "p"))
	header, query := WithCredential("header", Token("h")), WithCredential("query", Token("q&"))
	cookie := WithCredential("cookie", Token("c"))
	tests := []struct {
		name     string
		service  [][]string
		op       [][]string
		opts     []Option
		wantAuth string // Authorization
		wantSent string // "URL query; X-Api-Key; Cookie"
	}{
		{"bearer", [][]string{{"bearer"}}, nil, []Option{bearer}, "Bearer t", ";;"},
		{"basic", [][]string{{"basic"}}, nil, []Option{basic}, "Basic dTpw", ";;"},
		{"keys together", [][]string{{"header", "query", "cookie"}}, nil, []Option{header, query, cookie}, "", "api+key=q%26;h;session=c"},
		{"second alternative", [][]string{{"bearer", "header"}, {"basic"}}, nil, []Option{bearer, basic}, "Basic dTpw", ";;"},
		{"optional", [][]string{{}, {"bearer"}}, nil, []Option{bearer}, "Bearer t", ";;"},
		{"nothing satisfied", [][]string{{"bearer"}}, nil, []Option{header}, "", ";;"},
		{"the operation's own", [][]string{{"bearer"}}, [][]string{{"header"}}, []Option{bearer, header}, "", ";h;"},
		{"the operation needs none", [][]string{{"bearer"}}, [][]string{}, []Option{bearer}, "", ";;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op := getItem()
			op.Security = tt.op
			c, transport := script(t, secured(tt.service...), steps(okay), tt.opts...)
			if _, err := Call(t.Context(), c, op, nil); err != nil {
				t.Fatal(err)
			}
			req := transport.Requests()[0]
			if got := req.Header.Get("Authorization"); got != tt.wantAuth {
				t.Errorf("Authorization: got %q, want %q", got, tt.wantAuth)
			}
			_, sent, _ := strings.Cut(req.URL, "?")
			sent += ";" + req.Header.Get("X-Api-Key") + ";" + req.Header.Get("Cookie")
			if sent != tt.wantSent {
				t.Errorf("sent %q, want %q", sent, tt.wantSent)
			}
		})
	}
}

func TestCredentialIsAskedOnEveryAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		token := TokenFunc(func(context.Context) (string, error) {
			if n++; n == 2 {
				return "", retry.MarkTransient(errors.New("token service is busy"))
			}
			return strconv.Itoa(n), nil
		})
		c, transport := script(t, secured([]string{"bearer"}), steps(retrytest.JSON(500, ""), okay), WithCredential("bearer", token))
		out, err := Call(t.Context(), c, getItem(), nil)
		if err != nil || len(out.Attempts) != 2 {
			t.Fatalf("got %v, %v", out, err)
		}
		for i, want := range []string{"Bearer 1", "Bearer 3"} {
			if got := transport.Requests()[i].Header.Get("Authorization"); got != want {
				t.Errorf("request %d: got %s, want %s", i+1, got, want)
			}
		}
	})
}

func TestCredentialFails(t *testing.T) {
	lost := errors.New("keychain is locked")
	for _, credential := range []Credential{
		TokenFunc(func(context.Context) (string, error) { return "", lost }),
		Token("a\r\nb"),
	} {
		c, transport := script(t, secured([]string{"bearer"}), nil, WithCredential("bearer", credential))
		_, err := Call(t.Context(), c, getItem(), nil)
		if !errors.Is(err, retry.ErrTerminal) || !strings.Contains(err.Error(), "credential bearer: ") || len(transport.Requests()) != 0 {
			t.Errorf("got %v", err)
		}
	}
}

// TestCookieSecrets: what a cookie cannot carry is not sent mangled, and not
// told.
func TestCookieSecrets(t *testing.T) {
	for _, bad := range []string{"a;b", `a"b`, `"ab"`, `a\b`, "a b", "a,b", "a\tb", "a\x00b", "a\x7fb", "aéb"} {
		c, transport := script(t, secured([]string{"cookie"}), nil, WithCredential("cookie", Token(bad)))
		_, err := Call(t.Context(), c, getItem(), nil)
		if !errors.Is(err, retry.ErrTerminal) || !strings.Contains(err.Error(), "credential cookie: ") || strings.Contains(err.Error(), bad) {
			t.Errorf("%q: got %v", bad, err)
		}
		if n := len(transport.Requests()); n != 0 {
			t.Errorf("%q: %d requests", bad, n)
		}
	}
	const good = "!#$%&'()*+-./0123456789:<=>?@AZ[]^_`az{|}~"
	c, transport := script(t, secured([]string{"cookie"}), steps(okay), WithCredential("cookie", Token(good)))
	if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
		t.Fatal(err)
	}
	if got := transport.Requests()[0].Header.Get("Cookie"); got != "session="+good {
		t.Errorf("sent %q, want %q", got, "session="+good)
	}
}

func TestSignerComesLast(t *testing.T) {
	signer := signerFunc(func(_ context.Context, req *http.Request) error {
		body, err := req.GetBody()
		if err != nil {
			return err
		}
		defer body.Close()
		req.Header.Set("Signed", req.Header.Get("Authorization")+" "+req.Header.Get("Content-Type"))
		return nil
	})
	c, transport := script(t, secured([]string{"bearer"}), steps(okay), WithCredential("bearer", Token("t")), WithSigner(signer))
	if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
		t.Fatal(err)
	}
	if got := transport.Requests()[0].Header.Get("Signed"); got != "Bearer t application/json" {
		t.Errorf("got %q", got)
	}
}

func TestSignerFails(t *testing.T) {
	lost := errors.New("no key")
	signer := signerFunc(func(context.Context, *http.Request) error { return lost })
	c, _ := script(t, items(), nil, WithSigner(signer))
	if _, err := Call(t.Context(), c, getItem(), nil); !errors.Is(err, lost) || !strings.Contains(err.Error(), "sign: no key") {
		t.Errorf("got %v", err)
	}
}

func TestKeysStayOutOfErrors(t *testing.T) {
	c, _ := script(t, secured([]string{"query"}), steps(retrytest.Fail(retrytest.ConnectionReset())),
		WithCredential("query", Token("secret")), WithRetry(retry.WithMaxAttempts(1)))
	_, err := Call(t.Context(), c, getItem(), nil)
	if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), `Post "https://items.example/base/"`) {
		t.Errorf("got %v", err)
	}
}
