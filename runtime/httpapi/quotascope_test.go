package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// downClient returns a client of a service that is down.
func downClient(t *testing.T, opts ...Option) *Client {
	t.Helper()
	down := roundTrip(func(req *http.Request) (*http.Response, error) {
		return retrytest.Respond(500, nil, "").RoundTrip(req)
	})
	c, err := NewClient(items(), "https://items.example", append([]Option{WithHTTPClient(&http.Client{Transport: down})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// TestQuotaScopes: a call that fails costs its own bucket 28 tokens, and no
// other.
func TestQuotaScopes(t *testing.T) {
	own := retry.NewQuota(100)
	for _, tt := range []struct {
		name  string
		scope QuotaScope
		ctx   func(context.Context) context.Context
		call  []CallOption
		want  map[string]int // levels by key
	}{
		{"client", QuotaPerClient, nil, nil, map[string]int{"": 472, "items.example": 472, "GetItem": 472}},
		{"client, with a key", QuotaPerClient, nil, []CallOption{WithQuotaKey("a")}, map[string]int{"": 472, "a": 472}},
		{"host", QuotaPerHost, nil, nil, map[string]int{"": 500, "items.example": 472, "GetItem": 500}},
		{"operation", QuotaPerOperation, nil, nil, map[string]int{"": 500, "items.example": 500, "GetItem": 472}},
		{"key of the call", QuotaPerKey, withKeyOf("b"), []CallOption{WithQuotaKey("a")}, map[string]int{"": 500, "a": 472, "b": 500}},
		{"key of the context", QuotaPerKey, withKeyOf("b"), nil, map[string]int{"": 500, "a": 500, "b": 472}},
		{"no key", QuotaPerKey, nil, nil, map[string]int{"": 472, "a": 500}},
		{"the call's own", QuotaPerHost, nil, []CallOption{WithRetry(retry.WithQuota(own))}, map[string]int{"": 500, "items.example": 500}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := downClient(t, WithQuotaScope(tt.scope))
				ctx := t.Context()
				if tt.ctx != nil {
					ctx = tt.ctx(ctx)
				}
				if _, err := Call(ctx, c, getItem(), nil, tt.call...); err == nil {
					t.Fatal("want an error")
				}
				for key, want := range tt.want {
					if got := c.Quota(key).Level(); got != want {
						t.Errorf("level of %q: got %d, want %d", key, got, want)
					}
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := downClient(t, WithQuotaScope(QuotaPerKey), WithQuotaKey("client"))
		_, _ = Call(t.Context(), c, getItem(), nil)
		_, _ = Call(ContextWithQuotaKey(t.Context(), "context"), c, getItem(), nil)
		if a, b := c.Quota("client").Level(), c.Quota("context").Level(); a != 472 || b != 472 {
			t.Errorf("levels of the client's key and of the context's: %d and %d, want 472", a, b)
		}
	})
	if own.Level() != 72 {
		t.Errorf("level of the call's own quota: got %d, want 72", own.Level())
	}
}

func withKeyOf(key string) func(context.Context) context.Context {
	return func(ctx context.Context) context.Context { return ContextWithQuotaKey(ctx, key) }
}

// TestQuotasAreBounded: of any number of keys, at most maxQuotas are kept, and
// the ones that are not full are not forgotten.
func TestQuotasAreBounded(t *testing.T) {
	c := downClient(t, WithQuotaScope(QuotaPerKey), WithRetry(retry.WithQuota(retry.NewQuota(30))))
	synctest.Test(t, func(t *testing.T) {
		_, _ = Call(t.Context(), c, getItem(), nil, WithQuotaKey("used"))
	})
	for i := range 3 * maxQuotas {
		if got := c.Quota(fmt.Sprint("new ", i)); got == c.quota || got.Level() != 30 {
			t.Fatalf("key %d: level %d, shared %t", i, got.Level(), got == c.quota)
		}
	}
	if n := len(c.quotas.byKey); n > maxQuotas {
		t.Errorf("%d quotas are kept, want at most %d", n, maxQuotas)
	}
	if got := c.Quota("used").Level(); got != 2 {
		t.Errorf("the used quota holds %d, want 2", got)
	}
	for key := range c.quotas.byKey {
		c.quotas.byKey[key] = retry.NewQuotaAt(30, 1)
	}
	for i := 0; len(c.quotas.byKey) < maxQuotas; i++ {
		c.quotas.byKey[fmt.Sprint("spent ", i)] = retry.NewQuotaAt(30, 1)
	}
	if c.Quota("one more") != c.quota {
		t.Error("a key beyond the bound does not share the client's quota")
	}
}

func TestQuotaScopeNames(t *testing.T) {
	for scope, want := range map[QuotaScope]string{
		QuotaPerClient: "client", QuotaPerHost: "host", QuotaPerOperation: "operation", QuotaPerKey: "key", 9: "QuotaScope(9)",
	} {
		if got := scope.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	_, err := NewClient(items(), "https://items.example", WithQuotaScope(9))
	if err == nil || !strings.Contains(err.Error(), "WithQuotaScope: got QuotaScope(9)") {
		t.Errorf("got %v", err)
	}
}
