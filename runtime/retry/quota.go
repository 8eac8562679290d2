package retry

import "sync/atomic"

// Quota is a token bucket of retries that the calls of a client share. A retry
// costs tokens when it is granted; a success gives back what the call's last
// retry cost; a call that succeeds at its first attempt adds a little. When
// the bucket cannot pay, a failure is returned instead of retried, so that
// retries stay a bounded share of the traffic while a service is down.
//
// How much failure leaves the bucket full follows from the numbers, here the
// default ones with three attempts, for transient failures (a retry costs 14)
// and throttling ones (5). In the long run a bucket drains where a call takes
// more on average than first-attempt successes add:
//
//   - attempts that fail independently with probability p:
//     1-p < 14 p²(1-p) + 28 p³, from p = 21.5 % on (32.1 %);
//   - whole calls that fail with probability f, other calls succeeding at
//     once: 1-f < 28 f, from f = 3.4 % on (9.1 %).
//
// A total outage gets at most 35 retries (100) beyond first attempts, whatever
// the number of calls. After it the next retry is granted within 14 (5)
// first-attempt successes. When attempts fail independently, clients send at
// most 1.27 attempts a call (1.43) in the long run, at any p.
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
