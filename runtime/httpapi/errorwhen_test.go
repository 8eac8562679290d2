package httpapi

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func TestBodyCondition(t *testing.T) {
	for _, c := range []struct {
		pointer, equals, body string
		want                  bool
	}{
		{"/error", "", `{"error":"busy"}`, true},
		{"/error", "", `{"a":[1,{}],"error":{"code":1}}`, true},
		{"/error", "", `{"error":["x"]}`, true},
		{"/error", "", `{"error":0}`, true},
		{"/error", "", `{"error":true}`, true},
		{"/error", "", `{"error":{"code":1},"cut o`, true},
		{"/error", "", `{"error":null}`, false},
		{"/error", "", `{"error":false}`, false},
		{"/error", "", `{"error":""}`, false},
		{"/error", "", `{"error":[]}`, false},
		{"/error", "", `{"error":{}}`, false},
		{"/error", "", `{"error":`, false},
		{"/error", "", `{"a":{"error":"x"}}`, false},
		{"/error", "", `["error"]`, false},
		{"/error", "", `<error/>`, false},
		{"/error", "", ``, false},
		{"/ok", "false", `{"ok":false}`, true},
		{"/ok", "false", `{"ok":true}`, false},
		{"/ok", "false", `{"ok":"false"}`, true},
		{"/ok", "false", `{"ok":null}`, false},
		{"/ok", "false", `{}`, false},
		{"/ok", "true", `{"ok":true}`, true},
		{"/code", "4", `{"code":4}`, true},
		{"/code", "4", `{"code":[4]}`, false},
		{"/0/a~1b", "x", `[{"a/b":"x"}]`, true},
		{"", "", `{"error":"busy"}`, false},
	} {
		if got := (BodyCondition{c.pointer, c.equals}).holds([]byte(c.body)); got != c.want {
			t.Errorf("%s equals %q in %s: got %t", c.pointer, c.equals, c.body, got)
		}
	}
}

// TestErrorWhen makes calls whose answers say 200 and carry an error.
func TestErrorWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profile := Profile{
			ErrorWhen: BodyCondition{"/ok", "false"}, Throttling: Match{Codes: []string{"ratelimited"}},
		}.Over(coded)
		c, _ := script(t, &Service{Name: "items", Profile: profile}, steps(
			retrytest.JSON(200, `{"ok":false,"code":"ratelimited"}`), retrytest.JSON(200, `{"ok":true,"name":"b"}`),
			retrytest.JSON(200, `{"ok":false,"code":"NotFound","resource":"r"}`),
			retrytest.JSON(200, `{"ok":false,"code":"odd"}`),
			retrytest.JSON(503, `{"ok":false}`), okay,
		))
		out, err := Call(t.Context(), c, getItem(), nil)
		if err != nil || out.Name != "b" || len(out.Attempts) != 1 || out.Attempts[0].Class != retry.Throttling {
			t.Fatalf("%+v, %v", out, err)
		}
		_, err = Call(t.Context(), c, getItem(), nil)
		if missing, ok := errors.AsType[*notFound](err); !ok || missing.Resource != "r" || missing.Status != 200 {
			t.Errorf("declared: %v", err)
		}
		_, err = Call(t.Context(), c, getItem(), nil)
		stop, _ := errors.AsType[*retry.StopError](err)
		if answer, ok := errors.AsType[*ResponseError](err); !ok || answer.Code != "odd" || stop.Attempts[0].Rule != "error document in status 200" {
			t.Errorf("not declared: %v", err)
		}
		if out, err := Call(t.Context(), c, getItem(), nil); err != nil || out.Attempts[0].Rule != "status 503" {
			t.Errorf("a status of failure: %+v, %v", out, err)
		}
	})
}

// FuzzBodyCondition cuts documents off: what the beginning says must not
// be otherwise when more is seen.
func FuzzBodyCondition(f *testing.F) {
	f.Add(`{"a":{"b":[1,2]},"ok":false}`, "/ok", "false", 20)
	f.Add(`{"error":12}`, "/error", "1", 10)
	f.Add(`["x",{"a/b":"\u0041"}]`, "/1/a~1b", "A", 19)
	f.Add(`{"error":[]}`, "/error", "", 10)
	f.Fuzz(func(t *testing.T, doc, pointer, equals string, n int) {
		c := BodyCondition{pointer, equals}
		if n < 0 || n > len(doc) || !jsontext.Value(doc).IsValid() {
			c.holds([]byte(doc))
			return
		}
		if c.holds([]byte(doc[:n])) && !c.holds([]byte(doc)) {
			t.Errorf("%+v holds in %q, not in %q", c, doc[:n], doc)
		}
	})
}
