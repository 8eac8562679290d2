package retry_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

var errBusy = errors.New("busy")

func transient() retry.Failure  { return retry.Failure{Err: errBusy, Class: retry.Transient} }
func throttling() retry.Failure { return retry.Failure{Err: errBusy, Class: retry.Throttling} }

// newPolicy returns a policy that must be valid.
func newPolicy(t testing.TB, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pinned is a jitter that always draws the same number.
func pinned(draw float64) retry.Option {
	return retry.WithJitter(func() float64 { return draw })
}

// asked is a transient failure with a delay that the server asked for.
func asked(d time.Duration) retry.Failure {
	return retry.Failure{Err: errBusy, Class: retry.Transient, ServerDelay: d, HasServerDelay: true}
}

// step is one failed attempt and what the core must make of it.
type step struct {
	failure retry.Failure
	stop    retry.StopReason // 0: retry
	delay   time.Duration
	cost    int
	quota   int
}

func TestCallNext(t *testing.T) {
	var (
		unsafe     = retry.CallOptions{Unsafe: true}
		polling    = retry.CallOptions{LongPolling: true}
		in         = func(d time.Duration) retry.CallOptions { return retry.CallOptions{Deadline: time.Time{}.Add(d)} }
		pollingFor = func(d time.Duration) retry.CallOptions {
			return retry.CallOptions{LongPolling: true, Deadline: time.Time{}.Add(d)}
		}
		ms     = time.Millisecond
		opts   = func(o ...retry.Option) []retry.Option { return o }
		notAct = retry.Failure{Class: retry.Throttling, NotActed: true}
		spent  = retry.Failure{Class: retry.Transient, BodySpent: true}
	)
	tests := []struct {
		name  string
		opts  []retry.Option
		call  retry.CallOptions
		steps []step
	}{
		{name: "attempts run out", steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 14, quota: 486},
			{failure: transient(), delay: 100 * ms, cost: 14, quota: 472},
			{failure: transient(), stop: retry.StopAttempts, quota: 472},
		}},
		{name: "the exponent counts retries of any class", opts: opts(retry.WithMaxAttempts(4)), steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 14, quota: 486},
			{failure: throttling(), delay: 2000 * ms, cost: 5, quota: 481},
			{failure: transient(), delay: 200 * ms, cost: 14, quota: 467},
		}},
		{name: "terminal", steps: []step{
			{failure: retry.Failure{Err: errBusy}, stop: retry.StopTerminal, quota: 500},
		}},
		{name: "off", opts: opts(retry.WithMode(retry.Off), retry.WithMaxAttempts(9)), steps: []step{
			{failure: transient(), stop: retry.StopAttempts, quota: 500},
		}},
		{name: "unsafe and perhaps acted", call: unsafe, steps: []step{
			{failure: transient(), stop: retry.StopNotIdempotent, quota: 500},
		}},
		{name: "unsafe and certainly not acted", call: unsafe, steps: []step{
			{failure: notAct, delay: 1000 * ms, cost: 5, quota: 495},
		}},
		{name: "unsafe where any operation may be repeated", opts: opts(retry.WithReplay(retry.ReplayAny)), call: unsafe, steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 14, quota: 486},
		}},
		{name: "body spent", steps: []step{
			{failure: spent, stop: retry.StopBody, quota: 500},
		}},
		{name: "quota cannot pay", opts: opts(retry.WithQuota(retry.NewQuotaAt(500, 13))), steps: []step{
			{failure: transient(), stop: retry.StopQuota, quota: 13},
		}},
		{name: "quota pays its last tokens", opts: opts(retry.WithQuota(retry.NewQuotaAt(500, 14))), steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 14, quota: 0},
			{failure: throttling(), stop: retry.StopQuota, quota: 0},
		}},
		{name: "attempts are asked before the quota", opts: opts(retry.WithQuota(retry.NewQuota(0)), retry.WithMaxAttempts(1)), steps: []step{
			{failure: transient(), stop: retry.StopAttempts, quota: 0},
		}},
		{name: "long polling waits when the quota cannot pay", opts: opts(retry.WithQuota(retry.NewQuota(0))), call: polling, steps: []step{
			{failure: throttling(), stop: retry.StopQuota, delay: 1000 * ms, quota: 0},
		}},
		{name: "long polling does not wait beyond the deadline", opts: opts(retry.WithQuota(retry.NewQuota(0))), call: pollingFor(1000 * ms), steps: []step{
			{failure: throttling(), stop: retry.StopQuota, quota: 0},
		}},
		{name: "a wait that ends at the deadline does not fit", call: in(50 * ms), steps: []step{
			{failure: transient(), stop: retry.StopDeadline, quota: 500},
		}},
		{name: "a wait that ends before the deadline fits", call: in(50*ms + 1), steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 14, quota: 486},
		}},
		{name: "the total timeout is a deadline", opts: opts(retry.WithTotalTimeout(50 * ms)), call: in(time.Hour), steps: []step{
			{failure: transient(), stop: retry.StopDeadline, quota: 500},
		}},
		{name: "clamp: between", steps: []step{{failure: asked(1500 * ms), delay: 1500 * ms, cost: 14, quota: 486}}},
		{name: "clamp: below", steps: []step{{failure: asked(0), delay: 50 * ms, cost: 14, quota: 486}}},
		{name: "clamp: above", steps: []step{{failure: asked(time.Hour), delay: 5050 * ms, cost: 14, quota: 486}}},
		{name: "clamp: largest", opts: opts(retry.WithBaseDelay(retry.BaseDelay{Transient: math.MaxInt64}), retry.WithMaxBackoff(math.MaxInt64)), steps: []step{
			{failure: asked(math.MaxInt64), delay: math.MaxInt64, cost: 14, quota: 486},
		}},
		{name: "honour: never earlier", opts: opts(retry.WithServerDelay(retry.Honour)), steps: []step{
			{failure: asked(time.Hour), delay: time.Hour, cost: 14, quota: 486},
		}},
		{name: "honour: nor earlier than the backoff", opts: opts(retry.WithServerDelay(retry.Honour)), steps: []step{
			{failure: asked(0), delay: 50 * ms, cost: 14, quota: 486},
		}},
		{name: "honour: does not fit", opts: opts(retry.WithServerDelay(retry.Honour)), call: in(time.Minute), steps: []step{
			{failure: asked(time.Hour), stop: retry.StopDeadline, quota: 500},
		}},
		{name: "ignore", opts: opts(retry.WithServerDelay(retry.Ignore)), steps: []step{
			{failure: asked(time.Hour), delay: 50 * ms, cost: 14, quota: 486},
		}},
		{name: "own costs", opts: opts(retry.WithSettings(retry.Settings{Quota: retry.QuotaSettings{Capacity: 20, TransientCost: 3, ThrottlingCost: 4}})), steps: []step{
			{failure: transient(), delay: 50 * ms, cost: 3, quota: 17},
			{failure: throttling(), delay: 2000 * ms, cost: 4, quota: 13},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPolicy(t, append(tt.opts, pinned(1))...)
			call := p.Begin(time.Time{}, tt.call)
			for i, s := range tt.steps {
				d := call.Next(s.failure, time.Time{})
				got := step{s.failure, d.Stop, d.Delay, d.Cost, d.Quota}
				if fmt.Sprint(got) != fmt.Sprint(s) {
					t.Errorf("attempt %d: %+v, want %+v", i+1, got, s)
				}
				if d.Attempt != i+1 || d.Err != s.failure.Err || d.Class != s.failure.Class {
					t.Errorf("attempt %d: decision %+v does not describe its failure", i+1, d)
				}
				if d.Retry() != (s.stop == 0) {
					t.Errorf("attempt %d: Retry() = %v with stop %v", i+1, d.Retry(), d.Stop)
				}
			}
		})
	}
}

func TestCallSettlesTheQuota(t *testing.T) {
	var now time.Time
	p := newPolicy(t, pinned(0), retry.WithQuota(retry.NewQuotaAt(500, 400)))

	first := p.Begin(now, retry.CallOptions{})
	if got := first.Succeed(now); got != 401 {
		t.Errorf("after a first success: %d, want 401", got)
	}

	second := p.Begin(now, retry.CallOptions{})
	second.Next(transient(), now)
	second.Next(throttling(), now)
	if got := second.Succeed(now); got != 387 {
		t.Errorf("a success refunds the last cost only: %d, want 387", got)
	}

	if got := second.Abandon(); got != 387 {
		t.Errorf("abandoned after its success: %d, want 387", got)
	}

	third := p.Begin(now, retry.CallOptions{})
	third.Next(transient(), now)
	if got := third.Abandon(); got != 387 {
		t.Errorf("a retry that is not sent costs nothing: %d, want 387", got)
	}
	if got := third.Abandon(); got != 387 {
		t.Errorf("abandoned twice: %d, want 387", got)
	}
}

// TestQuotaUnderContention lets many calls share a bucket that is too small
// for them: no token appears or vanishes.
func TestQuotaUnderContention(t *testing.T) {
	const capacity, callers, rounds = 100, 64, 500
	quota := retry.NewQuota(capacity)
	p := newPolicy(t, retry.WithQuota(quota), retry.WithMaxAttempts(3))
	var lost sync.Map     // per caller: what failed retries cost
	var held atomic.Int64 // at most what the bucket has paid out
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			total := 0
			for round := range rounds {
				call := p.Begin(time.Time{}, retry.CallOptions{})
				d := call.Next(transient(), time.Time{})
				if out := held.Add(int64(d.Cost)); out > capacity {
					t.Errorf("%d tokens are paid out of %d", out, capacity)
				}
				runtime.Gosched()
				held.Add(-int64(d.Cost))
				if level := quota.Level(); level < 0 || level > capacity {
					t.Errorf("level %d, want 0 to %d", level, capacity)
				}
				switch {
				case !d.Retry():
				case round == rounds-1 && caller == 0:
					total += d.Cost
					call.Next(retry.Failure{}, time.Time{}) // a terminal failure keeps the cost
				case round%2 == 0:
					call.Abandon()
				default:
					call.Succeed(time.Time{})
				}
			}
			lost.Store(caller, total)
		})
	}
	wg.Wait()
	want := capacity
	lost.Range(func(_, cost any) bool { want -= cost.(int); return true })
	if got := quota.Level(); got != want {
		t.Errorf("level %d at the end, want %d", got, want)
	}
}

func TestQuota(t *testing.T) {
	tests := []struct {
		name            string
		quota           *retry.Quota
		capacity, level int
	}{
		{"full", retry.NewQuota(10), 10, 10},
		{"begun", retry.NewQuotaAt(10, 4), 10, 4},
		{"begun beyond", retry.NewQuotaAt(10, 40), 10, 10},
		{"begun below", retry.NewQuotaAt(10, -4), 10, 0},
		{"negative", retry.NewQuota(-1), 0, 0},
		{"zero value", new(retry.Quota), 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.quota.Capacity() != tt.capacity || tt.quota.Level() != tt.level {
				t.Errorf("capacity %d, level %d, want %d, %d", tt.quota.Capacity(), tt.quota.Level(), tt.capacity, tt.level)
			}
		})
	}
}

// TestQuotaRefundSaturates adds more than an int64 holds.
func TestQuotaRefundSaturates(t *testing.T) {
	p := newPolicy(t, retry.WithQuota(retry.NewQuotaAt(500, 7)),
		retry.WithSettings(retry.Settings{Quota: retry.QuotaSettings{FirstAttemptRefund: math.MaxInt}}))
	call := p.Begin(time.Time{}, retry.CallOptions{})
	if got := call.Succeed(time.Time{}); got != 500 {
		t.Errorf("level %d, want 500", got)
	}
}
