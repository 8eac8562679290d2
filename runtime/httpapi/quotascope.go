package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/retrygen/retrygen/runtime/retry"
)

// QuotaScope says which calls of a client share a retry quota.
type QuotaScope uint8

const (
	// QuotaPerClient: all calls of the client. It is the default.
	QuotaPerClient QuotaScope = iota
	// QuotaPerHost: the calls to one host (and port).
	QuotaPerHost
	// QuotaPerOperation: the calls of one operation.
	QuotaPerOperation
	// QuotaPerKey: the calls with one key of the caller's, from
	// [WithQuotaKey] or [ContextWithQuotaKey]. Calls without a key share the
	// client's quota.
	QuotaPerKey
)

var quotaScopes = [...]string{"client", "host", "operation", "key"}

// String returns "client", "host", "operation" or "key".
func (s QuotaScope) String() string {
	if int(s) < len(quotaScopes) {
		return quotaScopes[s]
	}
	return fmt.Sprintf("QuotaScope(%d)", uint8(s))
}

// WithQuotaScope gives each host, operation or key a retry quota of its own,
// as large as the client's, so that one that fails does not use up the retries
// of the others. A call with a [retry.WithQuota] of its own uses that.
//
// A client keeps up to 1024 quotas. Beyond that it forgets those that are
// full, which are as good as new; if none is, the client's own quota serves
// the keys that are new.
func WithQuotaScope(s QuotaScope) Option {
	return option(func(c *config) {
		if int(s) >= len(quotaScopes) {
			c.errs = append(c.errs, fmt.Errorf("httpapi: WithQuotaScope: got %v, want a scope of this package", s))
		}
		c.quotaScope = s
	})
}

// WithQuotaKey names the quota of a call under [QuotaPerKey]. A call's key wins
// over that of the context, which wins over a client's.
func WithQuotaKey(key string) CallOption {
	return callOption(func(c *callConfig) { c.quotaKey = key })
}

// quotaKey is the key of a quota's name in a context.
type quotaKey struct{}

// ContextWithQuotaKey names the quota of the calls under ctx, for clients with
// [QuotaPerKey]: a tenant or a table, say.
func ContextWithQuotaKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, quotaKey{}, key)
}

// Quota returns the retry quota that calls draw on: with "" the client's own,
// else that of a host, operation or key, as [WithQuotaScope] says.
func (c *Client) Quota(key string) *retry.Quota {
	if c.quotas.scope == QuotaPerClient || key == "" {
		return c.quota
	}
	return c.quotas.of(key, c.quota)
}

// scopedQuota is the quota of a call in the client's scope.
func (c *Client) scopedQuota(ctx context.Context, host, operation, key string) *retry.Quota {
	switch c.quotas.scope {
	case QuotaPerHost:
		key = host
	case QuotaPerOperation:
		key = operation
	case QuotaPerKey:
		named, _ := ctx.Value(quotaKey{}).(string)
		key = cmp.Or(key, named, c.defaults.quotaKey)
	}
	return c.Quota(key)
}

// maxQuotas is how many quotas a client keeps beside its own.
const maxQuotas = 1024

// quotas are the quotas of a client by host, operation or key.
type quotas struct {
	scope QuotaScope
	mu    sync.Mutex
	byKey map[string]*retry.Quota
}

// of returns the quota of key, or rest if there are too many.
func (q *quotas) of(key string, rest *retry.Quota) *retry.Quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	if found, ok := q.byKey[key]; ok {
		return found
	}
	if len(q.byKey) >= maxQuotas {
		q.forgetFull()
	}
	if len(q.byKey) >= maxQuotas {
		return rest
	}
	if q.byKey == nil {
		q.byKey = make(map[string]*retry.Quota)
	}
	fresh := retry.NewQuota(rest.Capacity())
	q.byKey[key] = fresh
	return fresh
}

func (q *quotas) forgetFull() {
	for key, quota := range q.byKey {
		if quota.Level() == quota.Capacity() {
			delete(q.byKey, key)
		}
	}
}
