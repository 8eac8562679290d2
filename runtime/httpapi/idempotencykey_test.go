package httpapi

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

type order struct {
	Item  string  `json:"item"`
	Token *string `json:"token,omitzero"`
}

type orderIn struct {
	Key  *string `header:"Idempotency-Key"`
	Body *order  `body:"application/json"`
}

func postOrder(key IdempotencyKey) *Operation[orderIn, getOut] {
	return &Operation[orderIn, getOut]{Name: "Order", Method: "POST", Path: "/orders", Key: &key}
}

func TestKeyIsTheSameOnEveryAttempt(t *testing.T) {
	header, property := IdempotencyKey{Header: "Idempotency-Key"}, IdempotencyKey{Property: "token"}
	sent := func(key IdempotencyKey, r retrytest.Request) string {
		if key.Header != "" {
			return r.Header.Get(key.Header)
		}
		_, token, _ := strings.Cut(string(r.Body), `"token":"`)
		return strings.TrimSuffix(token, `"}`)
	}
	tests := []struct {
		name string
		key  IdempotencyKey
		in   orderIn
		opts []CallOption
		want string // "": a new one
	}{
		{"header, new", header, orderIn{Body: &order{Item: "a"}}, nil, ""},
		{"header, of the input", header, orderIn{Key: new("mine")}, nil, "mine"},
		{"header, of the call", header, orderIn{Key: new("mine")}, []CallOption{WithIdempotencyKey("again")}, "again"},
		{"member, new", property, orderIn{Body: &order{Item: "a"}}, nil, ""},
		{"member, no body", property, orderIn{}, nil, ""},
		{"member, of the input", property, orderIn{Body: &order{Token: new("mine")}}, nil, "mine"},
		{"member, of the call", property, orderIn{Body: &order{Token: new("mine")}}, []CallOption{WithIdempotencyKey("again")}, "again"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, transport := script(t, items(), steps(retrytest.Fail(retrytest.ConnectionReset()), okay))
				before := deepCopy(tt.in)
				out, err := Call(t.Context(), c, postOrder(tt.key), &tt.in, tt.opts...)
				if err != nil {
					t.Fatal(err)
				}
				first, second := sent(tt.key, transport.Requests()[0]), sent(tt.key, transport.Requests()[1])
				if first != second || first != out.IdempotencyKey || tt.want != "" && first != tt.want || tt.want == "" && !isUUID4(first) {
					t.Errorf("sent %q, then %q, told %q", first, second, out.IdempotencyKey)
				}
				if !reflect.DeepEqual(tt.in, before) {
					t.Errorf("the input was changed to %+v", tt.in)
				}
			})
		})
	}
}

func deepCopy(in orderIn) orderIn {
	if in.Body != nil {
		body := *in.Body
		in.Body = &body
	}
	return in
}

func TestKeyIsOnTheError(t *testing.T) {
	c, _ := script(t, items(), steps(retrytest.JSON(400, "{}")))
	_, err := Call(t.Context(), c, postOrder(IdempotencyKey{Header: "Idempotency-Key"}), nil)
	call, ok := errors.AsType[*CallError](err)
	if !ok || !isUUID4(call.IdempotencyKey) || !strings.Contains(err.Error(), call.IdempotencyKey) {
		t.Errorf("got %v", err)
	}
}

func TestKeyOfADocument(t *testing.T) {
	op := getItem()
	op.Key = &IdempotencyKey{Property: "token"}
	c, transport := script(t, items(), steps(okay))
	if _, err := Call(t.Context(), c, op, &getIn{Key: "k"}, WithIdempotencyKey("t1")); err != nil {
		t.Fatal(err)
	}
	if got := string(transport.Requests()[0].Body); got != `{"key":"k","token":"t1"}` {
		t.Errorf("sent %s", got)
	}
}

func TestKeyWithoutAPlace(t *testing.T) {
	for property, want := range map[string]string{
		"absent": `no member "absent"`,
		"wait":   "got a int64, want a string",
	} {
		op := getItem()
		op.Key = &IdempotencyKey{Property: property}
		c, _ := script(t, items(), nil)
		if _, err := Call(t.Context(), c, op, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestReplayClass(t *testing.T) {
	key := &IdempotencyKey{Header: "K"}
	tests := []struct {
		declared Idempotency
		method   string
		key      *IdempotencyKey
		want     bool
	}{
		{ByMethod, http.MethodGet, nil, true},
		{ByMethod, http.MethodPut, nil, true},
		{ByMethod, http.MethodDelete, nil, true},
		{ByMethod, "QUERY", nil, true},
		{ByMethod, http.MethodPost, nil, false},
		{ByMethod, http.MethodPatch, nil, false},
		{Idempotent, http.MethodPost, nil, true},
		{NotIdempotent, http.MethodGet, nil, false},
		{ByMethod, http.MethodPost, key, true},
	}
	for _, tt := range tests {
		if got := isIdempotent(tt.declared, tt.method, tt.key); got != tt.want {
			t.Errorf("%d %s key %t: got %t", tt.declared, tt.method, tt.key != nil, got)
		}
	}
}
