package generated_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// secrets are the credentials of a request, by where they travel.
type secrets struct {
	authorization, header, query, cookie string
}

// secretsOf reads the places of all schemes of the definition.
func secretsOf(t *testing.T, r *http.Request) secrets {
	t.Helper()
	s := secrets{authorization: r.Header.Get("Authorization"), header: r.Header.Get("X-API-Key")}
	s.query = strings.Join(queryOf(t, r).values(t, "apiKey"), "|")
	s.cookie, _ = cookieOf(t, r, "session")
	return s
}

// The alternatives of an operation are tried in their order; the first that
// the client has credentials for is used, and no other.
func TestOrdersSecurityAlternatives(t *testing.T) {
	all := credentials()
	withBearer, withBasic, withHeader, withQuery, withCookie := all[0], all[1], all[2], all[3], all[4]
	for _, tt := range []struct {
		name      string
		operation string
		opts      []httpapi.Option
		want      secrets
	}{
		{"first of the document", "getOrder", all, secrets{authorization: bearer}},
		{"second of the document", "getOrder", all[1:], secrets{header: "h34der"}},
		{"order of options", "getOrder", []httpapi.Option{withHeader, withBearer}, secrets{authorization: bearer}},
		{"none that fits", "getOrder", []httpapi.Option{withBasic, withQuery, withCookie}, secrets{}},
		{"first of the operation", "listProducts", all, secrets{query: "qu3ry"}},
		{"second of the operation", "listProducts", []httpapi.Option{withBearer, withHeader}, secrets{authorization: bearer}},
		{"not of the operation", "listProducts", []httpapi.Option{withHeader}, secrets{}},
		{"basic", "createToken", all, secrets{authorization: basic}},
		{"only basic", "createToken", []httpapi.Option{withBearer, withHeader}, secrets{}},
		{"cookie", "getCategories", all, secrets{cookie: "c00kie"}},
		{"optional", "getCategories", []httpapi.Option{withBearer, withHeader}, secrets{}},
		{"none at all", "getHealth", all, secrets{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			i := slices.IndexFunc(operations(), func(op operation) bool { return op.name == tt.operation })
			op := operations()[i]
			d := openDesk(t, answers(op.answer), tt.opts...)
			if err := op.call(t.Context(), d.Client); err != nil {
				t.Fatal(err)
			}
			wantSame(t, "secrets", secretsOf(t, d.only().Request), tt.want)
		})
	}
}

// TestOrdersSecurityBasic wants user and password as RFC 7617 says.
func TestOrdersSecurityBasic(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"accessToken":"t","expiresIn":1}`)), orders.WithBasic(httpapi.UserPassword("Zoë", "a:b:é")))
	if _, err := d.CreateToken(t.Context(), &orders.CreateTokenInput{Body: &orders.TokenRequest{GrantType: "refresh_token"}}); err != nil {
		t.Fatal(err)
	}
	encoded, _ := strings.CutPrefix(d.only().Header.Get("Authorization"), "Basic ")
	text, err := base64.StdEncoding.DecodeString(encoded)
	wantSame(t, "credentials", string(text), "Zoë:a:b:é")
	wantSame(t, "error", err, error(nil))
}

// TestOrdersSecurityQueryIsEscaped puts the key beside other parameters.
func TestOrdersSecurityQueryIsEscaped(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"products":[],"pages":0}`)), orders.WithAPIKeyQuery(httpapi.Token("a&page=9#é/=")))
	if _, err := d.ListProducts(t.Context(), &orders.ListProductsInput{Page: new(int32(3))}); err != nil {
		t.Fatal(err)
	}
	q := queryOf(t, d.only().Request)
	wantSame(t, "apiKey", q.value(t, "apiKey"), "a&page=9#é/=")
	wantSame(t, "page", q.value(t, "page"), "3")
}

// TestOrdersSecurityCookie is of getCategories, which has no
// cookie parameters: the session is the only cookie.
func TestOrdersSecurityCookie(t *testing.T) {
	d := openDesk(t, answers(document(200, `{"name":"all"}`)), orders.WithAPIKeyCookie(httpapi.Token("abc=123")))
	if _, err := d.GetCategories(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantSame(t, "Cookie", d.only().Header["Cookie"], []string{"session=abc=123"})
}

// counter gives another token each time.
func counter(n *int) httpapi.Credential {
	return httpapi.TokenFunc(func(context.Context) (string, error) {
		*n++
		return "t" + strconv.Itoa(*n), nil
	})
}

// TestOrdersSecurityOfEachAttempt asks for a token on every attempt.
func TestOrdersSecurityOfEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		d := openDesk(t, answers(bare(503), bare(429), document(200, anOrder("placed"))), orders.WithBearer(counter(&asked)))
		if _, err := d.GetOrder(t.Context(), &orders.GetOrderInput{OrderID: orderID}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range d.visits() {
			got = append(got, v.Header.Get("Authorization"))
		}
		wantSame(t, "tokens", got, []string{"Bearer t1", "Bearer t2", "Bearer t3"})
	})
}

// TestOrdersSecurityTokenFails: nothing is sent without a token; a failure
// that calls itself transient is retried, whatever the operation is.
func TestOrdersSecurityTokenFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locked := errors.New("vault is locked")
		asked := 0
		token := httpapi.TokenFunc(func(context.Context) (string, error) {
			if asked++; asked < 3 {
				return "", retry.MarkTransient(locked)
			}
			return "", locked
		})
		d := openDesk(t, nil, orders.WithBearer(token))
		_, err := cancelOrder(t.Context(), d.Client)
		if !errors.Is(err, locked) || !errors.Is(err, retry.ErrTerminal) || !strings.Contains(err.Error(), "bearer") {
			t.Errorf("got %v, want the token's error, terminal, with the scheme's name", err)
		}
		wantSame(t, "number of tokens asked for", asked, 3)
	})
}

// TestOrdersSecurityStaysOutOfErrors lets the connection fail, which makes an
// error that tells the URL.
func TestOrdersSecurityStaysOutOfErrors(t *testing.T) {
	d := openDesk(t, answers(hangUp), orders.WithAPIKeyQuery(httpapi.Token("qu3ry")))
	_, err := d.ListProducts(t.Context(), nil, httpapi.WithRetry(retry.WithMaxAttempts(1)))
	if err == nil || strings.Contains(err.Error(), "qu3ry") || !strings.Contains(err.Error(), "/products") {
		t.Errorf("got %v, want the URL without the key", err)
	}
	wantSame(t, "secrets", secretsOf(t, d.only().Request), secrets{query: "qu3ry"})
}
