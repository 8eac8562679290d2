package httpapi

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestKeyHeaderIsItsOwn: a key does not travel in a header that something else
// sets. Such a call is not begun.
func TestKeyHeaderIsItsOwn(t *testing.T) {
	service := secured([]string{"bearer", "header", "cookie"})
	service.Profile = Profile{Name: "p", AttemptHeader: "X-Attempt", InvocationHeader: "X-Call", DeadlineHeader: "X-Left"}.Over(HTTP1)
	for header, want := range map[string]string{
		"Authorization": "meaning of its own", "authorization": "meaning of its own", "Cookie": "meaning of its own",
		"Host": "meaning of its own", "Content-Type": "meaning of its own", "Content-Length": "meaning of its own",
		"Accept": "meaning of its own", "User-Agent": "meaning of its own", "Transfer-Encoding": "meaning of its own",
		"Connection": "meaning of its own", "x-api-key": `the API key of the scheme "header"`,
		"X-Attempt": "AttemptHeader", "x-call": "InvocationHeader", "X-Left": "DeadlineHeader",
		"X-Kind": "same on every request", "No Token": "the name of a header",
	} {
		c, _ := script(t, service, nil, WithCredential("bearer", Token("s1")), WithCredential("header", Token("s2")), WithCredential("cookie", Token("s3")))
		op := postOrder(IdempotencyKey{Header: header})
		op.Header = map[string]string{"x-kind": "a"}
		if _, err := Call(t.Context(), c, op, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", header, err, want)
		}
	}
}

// TestProfileHeadersAreTheirOwn: likewise for what a profile has sent.
func TestProfileHeadersAreTheirOwn(t *testing.T) {
	for want, p := range map[string]Profile{
		"AttemptHeader: got Authorization":           {AttemptHeader: "Authorization"},
		"InvocationHeader: got content-length":       {InvocationHeader: "content-length"},
		"DeadlineHeader: got Idempotency-Key":        {DeadlineHeader: "Idempotency-Key"},
		"AttemptHeader: got X-Idempotency-Key":       {AttemptHeader: "X-Idempotency-Key"},
		"which is the AttemptHeader too":             {AttemptHeader: "X-One", DeadlineHeader: "x-one"},
		"which is the InvocationHeader too":          {InvocationHeader: "X-One", DeadlineHeader: "X-One"},
		`the API key of the scheme "header"`:         {DeadlineHeader: "X-API-Key"},
		`InvocationHeader: got "a b", want the name`: {InvocationHeader: "a b"},
	} {
		if _, err := NewClient(secured([]string{"header"}), "https://items.example", WithProfile(p)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestKeyByHeaderOption: the header of a key is the key, on the wire and in
// what is reported, and is never empty.
func TestKeyByHeaderOption(t *testing.T) {
	op := postOrder(IdempotencyKey{Header: "idempotency-key"})
	mine := WithHeader("IDEMPOTENCY-KEY", "mine")
	synctest.Test(t, func(t *testing.T) {
		lost := retrytest.Fail(retrytest.ConnectionReset())
		c, transport := script(t, items(), steps(lost, okay, lost, lost, lost))
		out, err := Call(t.Context(), c, op, nil, mine)
		if err != nil || out.IdempotencyKey != "mine" {
			t.Fatalf("got %+v, %v", out, err)
		}
		_, err = Call(t.Context(), c, op, nil, mine, WithIdempotencyKey("mine"))
		if failed, ok := errors.AsType[*CallError](err); !ok || failed.IdempotencyKey != "mine" || !errors.Is(err, retry.ErrMaxAttempts) {
			t.Errorf("got %v, want the key", err)
		}
		for _, r := range transport.Requests() {
			if got := r.Header.Values("Idempotency-Key"); len(got) != 1 || got[0] != "mine" {
				t.Errorf("sent %q", got)
			}
		}
	})
	c, _ := script(t, items(), nil)
	for name, opts := range map[string][]CallOption{
		"an empty header":  {WithHeader("Idempotency-Key", "")},
		"a blank header":   {WithHeader("Idempotency-Key", " \t")},
		"a blank key":      {WithIdempotencyKey(" ")},
		"two keys":         {mine, WithIdempotencyKey("other")},
		"empty after mine": {mine, WithHeader("Idempotency-Key", "")},
	} {
		if out, err := Call(t.Context(), c, op, nil, opts...); err == nil || !strings.Contains(err.Error(), "key") {
			t.Errorf("%s: got %+v, %v", name, out, err)
		}
	}
}

// TestKeyOfAClient: a header of the client is no key of its calls, which would
// be taken for one.
func TestKeyOfAClient(t *testing.T) {
	for _, value := range []string{"", "shared"} {
		c, transport := script(t, items(), steps(okay), WithHeader("Idempotency-Key", value))
		out, err := Call(t.Context(), c, postOrder(IdempotencyKey{Header: "Idempotency-Key"}), nil)
		if err != nil || out.IdempotencyKey == "" || out.IdempotencyKey == "shared" ||
			transport.Requests()[0].Header.Get("Idempotency-Key") != out.IdempotencyKey {
			t.Errorf("got %+v, %v", out, err)
		}
	}
}
