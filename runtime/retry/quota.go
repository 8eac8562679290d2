package retry

import "sync/atomic"

// Quota is a token bucket of retries that the calls of a client share. A retry
// costs tokens when it is granted; a success gives back what the call's last
// retry cost; a call that succeeds at its first attempt adds a little. When
// the bucket cannot pay, a failure is returned instead of retried, so that
// retries stay a bounded share of the traffic while a service is down.
//
// A Quota is safe for concurrent use. Its zero value is an empty bucket of
// capacity zero, which grants nothing.
type Quota struct {
	tokens   atomic.Int64
	capacity int64
}

// NewQuota returns a full bucket of the given capacity in tokens. A negative
// capacity counts as zero.
func NewQuota(capacity int) *Quota {
	return NewQuotaAt(capacity, capacity)
}

// NewQuotaAt returns a bucket of the given capacity that holds level tokens,
// limited to 0…capacity.
func NewQuotaAt(capacity, level int) *Quota {
	q := &Quota{capacity: int64(max(capacity, 0))}
	q.tokens.Store(min(int64(max(level, 0)), q.capacity))
	return q
}

// Capacity returns the most tokens that the bucket holds.
func (q *Quota) Capacity() int { return int(q.capacity) }

// Level returns the tokens left now.
func (q *Quota) Level() int { return int(q.tokens.Load()) }

// take removes cost tokens and reports whether they were there.
func (q *Quota) take(cost int) bool {
	for {
		have := q.tokens.Load()
		if have < int64(cost) {
			return false
		}
		if q.tokens.CompareAndSwap(have, have-int64(cost)) {
			return true
		}
	}
}

// give adds tokens, up to the capacity.
func (q *Quota) give(tokens int) {
	for {
		have := q.tokens.Load()
		next := have + min(int64(tokens), q.capacity-have)
		if next == have || q.tokens.CompareAndSwap(have, next) {
			return
		}
	}
}
