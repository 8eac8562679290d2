package retry_test

import (
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// prices are what the account of FuzzQuotaSequence reckons with; no two costs
// or refunds are the same.
var prices = retry.QuotaSettings{Capacity: 40, TransientCost: 14, TimeoutCost: 9, ThrottlingCost: 5, FirstAttemptRefund: 3}

// timeoutError is the error of an attempt that took too long.
type timeoutError struct{}

func (timeoutError) Error() string { return "too slow" }
func (timeoutError) Timeout() bool { return true }

// charged are failures and what a retry after each costs, 0 if there is none.
var charged = []struct {
	failure retry.Failure
	cost    int
}{
	{transient(), 14},
	{throttling(), 5},
	{retry.Failure{Err: timeoutError{}, Class: retry.Transient}, 9},
	{retry.Failure{Err: errBusy}, 0}, // terminal
	{retry.Failure{Err: errBusy, Class: retry.Transient, BodySpent: true}, 0},
}

// account is the simple model of a quota and of the calls that are under way.
type account struct {
	capacity, tokens int
	calls            []*payer
}

// payer is a call of an account.
type payer struct {
	call     retry.Call
	failed   int // attempts
	paid     int // for the retry that is next
	attempts int // at most
	hurried  bool
}

func (a *account) refund(tokens int) { a.tokens = min(a.tokens+tokens, a.capacity) }

// fail is what the account makes of a failed attempt: whether it is retried.
func (a *account) fail(p *payer, cost int) bool {
	p.failed++
	if cost == 0 || p.failed >= p.attempts || p.hurried || cost > a.tokens {
		return false
	}
	a.tokens -= cost
	p.paid = cost
	return true
}

// FuzzQuotaSequence: calls that share a quota leave in it what a simple
// account says, and never less than nothing or more than it holds. The first
// two bytes are capacity and level; each further one is a call (lower bits)
// and what happens to it: it succeeds, fails, is dropped or is abandoned. A
// call that is not there begins.
func FuzzQuotaSequence(f *testing.F) {
	const success, abandon, drop, failures = 0, 1, 2, 3
	op := func(call, what int) byte { return byte(what<<2 | call) }
	f.Add([]byte{40, 40, 0, op(0, failures), op(0, failures+1), op(0, success)})
	f.Add([]byte{40, 13, 0, 1, op(0, failures), op(1, failures+1), op(1, abandon), op(1, success)})
	f.Add([]byte{40, 39, 2, op(2, success), 2, op(2, failures+2), op(2, drop), 3, op(3, failures)})
	f.Add([]byte{0, 9, 0, op(0, failures), 0, op(0, success)})
	f.Add([]byte{20, 20, 0, op(0, failures), 1, op(1, failures+1), 2, op(2, success), op(0, abandon)})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		a := &account{capacity: int(data[0]), calls: make([]*payer, 4)}
		a.tokens = min(int(data[1]), a.capacity)
		quota := retry.NewQuotaAt(int(data[0]), int(data[1]))
		policy := newPolicy(t, retry.WithQuota(quota), retry.WithMaxAttempts(4), retry.WithSettings(retry.Settings{Quota: prices}), pinned(1))
		for i, b := range data[2:] {
			slot, what := int(b&3), int(b>>2)
			a.step(t, policy, slot, what)
			if got := quota.Level(); got != a.tokens || got < 0 || got > quota.Capacity() {
				t.Fatalf("after step %d (%d to call %d): got %d of %d tokens, want %d", i, what, slot, got, quota.Capacity(), a.tokens)
			}
		}
	})
}

// step does what a byte says.
func (a *account) step(t *testing.T, policy *retry.Policy, slot, what int) {
	p := a.calls[slot]
	if p == nil {
		a.calls[slot] = begin(policy, what)
		return
	}
	switch what {
	case 0:
		a.refund(p.paid)
		if p.failed == 0 {
			a.refund(prices.FirstAttemptRefund)
		}
		a.report(t, p.call.Succeed(time.Time{}))
		a.calls[slot] = nil
	case 1:
		a.refund(p.paid)
		p.paid = 0
		a.report(t, p.call.Abandon())
		a.report(t, p.call.Abandon()) // the second one gives nothing
		a.calls[slot] = nil
	case 2: // as if its attempt had panicked
		a.calls[slot] = nil
	default:
		one := charged[what%len(charged)]
		retried := a.fail(p, one.cost)
		d := p.call.Next(one.failure, time.Time{}.Add(time.Hour))
		if d.Retry() != retried || d.Retry() && d.Cost != one.cost || !d.Retry() && d.Cost != 0 {
			t.Fatalf("%+v: got %+v, want a retry: %t, for %d", one.failure, d, retried, one.cost)
		}
		a.report(t, d.Quota)
		if !retried {
			a.calls[slot] = nil
		}
	}
}

// report compares a level that the core reports.
func (a *account) report(t *testing.T, level int) {
	t.Helper()
	if level != a.tokens {
		t.Errorf("reported level: got %d, want %d", level, a.tokens)
	}
}

// begin begins a call of a kind: of one attempt, without time for a retry, or
// an ordinary one.
func begin(policy *retry.Policy, kind int) *payer {
	p := &payer{attempts: 4}
	var opts retry.CallOptions
	switch kind % 8 {
	case 1:
		p.attempts, opts.Outer = 1, true
	case 2:
		p.hurried, opts.Deadline = true, time.Time{}.Add(time.Hour+time.Millisecond)
	}
	p.call = policy.Begin(time.Time{}, opts)
	return p
}
