package httpapi

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestKeyAnswers holds the answers of the Idempotency-Key draft against what
// becomes of them.
func TestKeyAnswers(t *testing.T) {
	const outstanding = `{"type":"https://developer.example.com/idempotency","title":"A request is outstanding for this Idempotency-Key"}`
	const reused = `{"error":{"code":"idempotency_key_reused"}}`
	const other = `{"title":"This order exists"}`
	declared := []ErrorCase{{Statuses: Status(409), New: NewError[notFound]}, {}}
	ranged := []ErrorCase{{Statuses: StatusRange{400, 499}}}
	for _, c := range []struct {
		name   string
		status int
		body   string
		errors []ErrorCase
		keyed  bool
		class  retry.Class
		rule   string
	}{
		{"in flight", 409, outstanding, nil, true, retry.Transient, "idempotency key in use by a request under way"},
		{"in flight, bare", 409, "", nil, true, retry.Transient, "idempotency key in use by a request under way"},
		{"in flight, declared as a range", 409, "", ranged, true, retry.Transient, "idempotency key in use by a request under way"},
		{"in flight, declared", 409, outstanding, declared, true, retry.Transient, "idempotency key in use by a request under way"},
		{"a declared conflict", 409, other, declared, true, retry.Terminal, "no rule for status 409"},
		{"without a key", 409, outstanding, nil, false, retry.Terminal, "no rule for status 409"},
		{"reused", 422, reused, nil, true, retry.Terminal, "idempotency key used for another request"},
		{"not valid", 422, other, nil, true, retry.Terminal, "no rule for status 422"},
		{"missing", 400, `{"title":"Idempotency-Key is missing"}`, nil, true, retry.Terminal, "idempotency key missing or refused"},
		{"bad", 400, other, nil, true, retry.Terminal, "no rule for status 400"},
	} {
		resp := &http.Response{StatusCode: c.status, Header: http.Header{}}
		if f := HTTP1.classify(resp, []byte(c.body), c.errors, request{keyed: c.keyed}); f.Class != c.class || f.Rule != c.rule {
			t.Errorf("%s: got %s (%s), want %s (%s)", c.name, f.Class, f.Rule, c.class, c.rule)
		}
	}
	owned := Profile{Terminal: Match{Statuses: []StatusRange{Status(409)}}}.Over(HTTP1)
	if f := owned.classify(&http.Response{StatusCode: 409}, nil, nil, request{keyed: true}); f.Class != retry.Terminal {
		t.Errorf("a status of the profile: got %s (%s)", f.Class, f.Rule)
	}
}

// TestKeyInFlight resends while the first request is under way, and returns
// the key with the error when it never ends.
func TestKeyInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := retrytest.JSON(409, "{}")
		c, transport := script(t, items(), steps(retrytest.Fail(retrytest.ConnectionReset()), busy, okay, busy, busy, busy))
		op := postOrder(IdempotencyKey{Header: "Idempotency-Key"})
		out, err := Call(t.Context(), c, op, nil)
		if err != nil || len(out.Attempts) != 2 {
			t.Fatalf("%+v, %v", out, err)
		}
		_, err = Call(t.Context(), c, op, nil, WithIdempotencyKey(out.IdempotencyKey))
		failed, ok := errors.AsType[*CallError](err)
		if !ok || failed.IdempotencyKey != out.IdempotencyKey || !errors.Is(err, retry.ErrMaxAttempts) {
			t.Errorf("got %v, want the key %s", err, out.IdempotencyKey)
		}
		for _, r := range transport.Requests() {
			if got := r.Header.Get("Idempotency-Key"); got != out.IdempotencyKey {
				t.Errorf("sent key %q, want %q", got, out.IdempotencyKey)
			}
		}
	})
}

type changeIn struct {
	Match *string `header:"If-Match"`
	Key   *string `header:"Idempotency-Key"`
	Body  *order  `body:"application/json"`
}

func change(method string) *Operation[changeIn, getOut] {
	return &Operation[changeIn, getOut]{Name: "Change", Method: method, Path: "/orders"}
}

// TestIfMatchReplays resends what is not idempotent when the request names
// the one version that it changes.
func TestIfMatchReplays(t *testing.T) {
	lost := retrytest.Fail(retrytest.ConnectionReset())
	for _, c := range []struct {
		name, method, match string
		declared            Idempotency
		opts                []CallOption
		resent              bool
	}{
		{"PATCH", "PATCH", `"v1"`, ByMethod, nil, true},
		{"POST", "POST", `"v1"`, ByMethod, nil, false},
		{"POST, declared idempotent", "POST", `"v1"`, Idempotent, nil, true},
		{"an empty tag", "PATCH", `""`, ByMethod, nil, true},
		{"a list", "PATCH", `"v1", "v2"`, ByMethod, nil, false},
		{"a list without spaces", "PATCH", `"v1","v2"`, ByMethod, nil, false},
		{"a weak tag", "PATCH", `W/"v1"`, ByMethod, nil, false},
		{"no quotes", "PATCH", `v1`, ByMethod, nil, false},
		{"half a quote", "PATCH", `"`, ByMethod, nil, false},
		{"PUT", "PUT", `"v1"`, ByMethod, nil, true},
		{"DELETE", "DELETE", `"v1"`, ByMethod, nil, true},
		{"by an option", "PATCH", "", ByMethod, []CallOption{WithHeader("If-Match", `"v1"`)}, true},
		{"any version", "PATCH", "*", ByMethod, nil, false},
		{"no version", "PATCH", "", ByMethod, nil, false},
		{"declared not idempotent", "PATCH", `"v1"`, NotIdempotent, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				play := steps(lost)
				if c.resent {
					play = steps(lost, okay)
				}
				client, _ := script(t, items(), play)
				op := change(c.method)
				op.Idempotency = c.declared
				in := &changeIn{}
				if c.match != "" {
					in.Match = &c.match
				}
				_, err := Call(t.Context(), client, op, in, c.opts...)
				if c.resent && err != nil || !c.resent && !errors.Is(err, retry.ErrOutcomeUnknown) {
					t.Error(err)
				}
			})
		})
	}
}

// TestLostAnswer wants a 412 after an attempt that may have acted to say that
// the outcome is unknown, with the answer and the key, and other ones not.
func TestLostAnswer(t *testing.T) {
	refused := retrytest.JSON(412, `{"message":"changed"}`)
	for _, c := range []struct {
		name    string
		before  []retrytest.Step
		match   *string
		unknown bool
	}{
		{"at once", nil, new(`"v1"`), false},
		{"after a lost answer", steps(retrytest.Fail(retrytest.ConnectionReset())), new(`"v1"`), true},
		{"after an error of the server", steps(retrytest.JSON(500, "{}")), new(`"v1"`), true},
		{"after a refusal", steps(retrytest.JSON(429, "{}")), new(`"v1"`), false},
		{"never connected", steps(retrytest.Fail(retrytest.ConnectionRefused())), new(`"v1"`), false},
		{"a condition of another kind", steps(retrytest.JSON(500, "{}")), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, _ := script(t, items(), append(c.before, refused))
				op := change("PUT")
				op.Key = &IdempotencyKey{Header: "Idempotency-Key"}
				_, err := Call(t.Context(), client, op, &changeIn{Match: c.match}, WithIdempotencyKey("k1"))
				if errors.Is(err, retry.ErrOutcomeUnknown) != c.unknown {
					t.Errorf("outcome unknown: got %v", err)
				}
				answer, ok := errors.AsType[*ResponseError](err)
				failed, _ := errors.AsType[*CallError](err)
				if !ok || answer.Status != 412 || answer.Message != "changed" || failed.IdempotencyKey != "k1" {
					t.Errorf("got %v, want the 412 and the key", err)
				}
			})
		})
	}
}
