package retry_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// kind is a class of failures with the numbers that the quota's bounds
// follow from.
type kind struct {
	name    string
	failure func() retry.Failure
	cost    int
	// independent and whole are the shares of failing attempts and of failing
	// calls beyond which the quota drains.
	independent, whole float64
	// load is the most that clients send in the long run, in attempts a call,
	// when attempts fail independently.
	load float64
}

var kinds = []kind{
	{"transient", transient, retry.DefaultTransientCost, 0.215, 0.034, 1.27},
	{"throttling", throttling, retry.DefaultThrottlingCost, 0.321, 0.091, 1.43},
}

// playCall makes one call on the state machine, as a client would; fails
// says whether the next attempt fails.
func playCall(p *retry.Policy, f retry.Failure, fails func() bool) (attempts int, ok bool) {
	call := p.Begin(time.Time{}, retry.CallOptions{})
	for {
		attempts++
		if !fails() {
			call.Succeed(time.Time{})
			return attempts, true
		}
		if !call.Next(f, time.Time{}).Retry() {
			return attempts, false
		}
	}
}

// TestQuotaConservation: under contention, with calls that are cut off at
// every point, no token is made or lost. 64 goroutines perform more than 10^6
// operations on one bucket. In a bucket that neither fills up nor runs dry,
// the account is exact.
func TestQuotaConservation(t *testing.T) {
	const deep = 1 << 30
	t.Run("default", func(t *testing.T) {
		q := retry.NewQuota(retry.DefaultQuotaCapacity)
		all := contend(t, q, 1_000_000)
		if got, most := all.lost+all.held, retry.DefaultQuotaCapacity+all.refunds; got > most {
			t.Errorf("failed retries cost %d and open ones hold %d, more than the %d that came in", all.lost, all.held, most)
		}
		for _, give := range all.open {
			give()
		}
		if got, most := all.lost+q.Level(), retry.DefaultQuotaCapacity+all.refunds; got > most {
			t.Errorf("with everything given back, %d tokens are lost and %d left of %d", all.lost, q.Level(), most)
		}
	})
	t.Run("deep", func(t *testing.T) {
		q := retry.NewQuotaAt(2*deep, deep)
		all := contend(t, q, 250_000)
		if got, want := q.Level(), deep+all.refunds-all.lost-all.held; got != want {
			t.Errorf("level %d, want %d", got, want)
		}
		for _, give := range all.open {
			give()
		}
		if got, want := q.Level(), deep+all.refunds-all.lost; got != want {
			t.Errorf("level %d with everything given back, want %d", got, want)
		}
	})
}

// contend has 64 goroutines draw on q.
func contend(t *testing.T, q *retry.Quota, operations int) *ledger {
	const workers = 64
	p := newPolicy(t, retry.WithQuota(q))
	var all ledger
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			l := ledger{t: t, q: q, rand: rand.New(rand.NewPCG(17, uint64(i)))}
			for l.operations < operations/workers {
				l.call(p)
			}
			all.add(&l)
		})
	}
	wg.Wait()
	if all.operations < operations {
		t.Errorf("%d operations, want %d", all.operations, operations)
	}
	if all.lost == 0 || all.held == 0 || all.refunds == 0 {
		t.Fatalf("the run is one-sided: %d lost, %d held, %d refunded", all.lost, all.held, all.refunds)
	}
	return &all
}

// TestRunConservation: the same for whole calls, whose contexts end at any
// moment: before the first attempt, within one, during a backoff.
func TestRunConservation(t *testing.T) {
	const workers, calls, deep = 64, 100, 1 << 30
	synctest.Test(t, func(t *testing.T) {
		q := retry.NewQuotaAt(2*deep, deep)
		p := newPolicy(t, retry.WithQuota(q))
		var gained atomic.Int64
		stops := make([]atomic.Int64, retry.StopOuter+1)
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(23, uint64(i)))
				for range calls {
					gain, stop := cutOffCall(t, p, r)
					gained.Add(int64(gain))
					stops[stop].Add(1)
				}
			})
		}
		wg.Wait()
		if got, want := q.Level(), deep+int(gained.Load()); got != want {
			t.Errorf("level %d, want %d", got, want)
		}
		for _, stop := range []retry.StopReason{0, retry.StopAttempts, retry.StopDeadline, retry.StopCanceled} {
			if stops[stop].Load() < calls {
				t.Errorf("%d calls ended with %v: the run is one-sided", stops[stop].Load(), stop)
			}
		}
	})
}

// cutOffCall makes a call that may be cut off and returns how it must change
// the quota, and how it ended.
func cutOffCall(t *testing.T, p *retry.Policy, r *rand.Rand) (gain int, _ retry.StopReason) {
	ctx, cancel := context.WithCancel(t.Context())
	if r.IntN(2) == 0 {
		ctx, cancel = context.WithTimeout(t.Context(), time.Duration(r.IntN(200))*time.Millisecond)
	} else {
		time.AfterFunc(time.Duration(r.IntN(200))*time.Millisecond, cancel)
	}
	defer cancel()
	history, stop := retry.Run(ctx, p, retry.CallOptions{}, func(context.Context, retry.Attempt) *retry.Failure {
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		if r.IntN(3) == 0 {
			return nil
		}
		return new(transient())
	})
	for _, d := range history {
		gain -= d.Cost
	}
	if stop != nil {
		return gain, stop.Stop
	}
	if len(history) == 0 {
		return retry.DefaultFirstAttemptRefund, 0
	}
	return gain + history[len(history)-1].Cost, 0
}

// ledger counts what one goroutine, or all, did to a quota, in tokens.
type ledger struct {
	t          *testing.T
	q          *retry.Quota
	rand       *rand.Rand
	mu         sync.Mutex
	operations int
	lost       int // cost of retries that failed
	held       int // cost of retries that are still under way
	refunds    int // first attempts that succeeded
	open       []func()
}

func (l *ledger) add(o *ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.operations += o.operations
	l.lost += o.lost
	l.held += o.held
	l.refunds += o.refunds
	l.open = append(l.open, o.open...)
}

// call makes one call that may end at any point: before a retry is sent,
// while one is under way, or never.
func (l *ledger) call(p *retry.Policy) {
	call := p.Begin(time.Time{}, retry.CallOptions{})
	paid := 0
	for {
		l.step()
		if l.rand.IntN(100) < 55 {
			if paid == 0 && call.Attempt() == 1 {
				l.refunds++
			}
			l.level(call.Succeed(time.Time{}))
			return
		}
		l.lost += paid
		d := call.Next([]retry.Failure{transient(), throttling(), {}}[l.rand.IntN(3)], time.Time{})
		paid = d.Cost
		l.level(d.Quota)
		switch {
		case !d.Retry():
			return
		case l.rand.IntN(8) == 0: // cancelled during the backoff
			l.step()
			l.level(call.Abandon())
			return
		case l.rand.IntN(64) == 0: // the attempt panicked
			l.lost += paid
			return
		case l.rand.IntN(4096) == 0: // still under way at the end
			l.held += paid
			l.open = append(l.open, func() { call.Abandon() })
			return
		}
	}
}

func (l *ledger) step() {
	l.operations++
	l.level(l.q.Level())
}

func (l *ledger) level(tokens int) {
	if tokens < 0 || tokens > l.q.Capacity() {
		l.t.Errorf("level %d, want 0 to %d", tokens, l.q.Capacity())
	}
}

// TestOutageSendsFewRetries: in a total outage, the retries of all calls
// together are what the bucket holds: 35 of transient failures, 100 of
// throttling.
func TestOutageSendsFewRetries(t *testing.T) {
	const workers, calls = 16, 200
	for _, k := range kinds {
		p := newPolicy(t)
		var attempts atomic.Int64
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range calls {
					n, _ := playCall(p, k.failure(), func() bool { return true })
					attempts.Add(int64(n))
				}
			})
		}
		wg.Wait()
		retries := int(attempts.Load()) - workers*calls
		if want := retry.DefaultQuotaCapacity / k.cost; retries != want {
			t.Errorf("%s: %d retries, want %d", k.name, retries, want)
		}
	}
}

// TestRecoveryAfterOutage: with an empty bucket, the next retry is granted
// after as many first-attempt successes as it costs, and no sooner.
func TestRecoveryAfterOutage(t *testing.T) {
	for _, k := range kinds {
		p := newPolicy(t, retry.WithQuota(retry.NewQuotaAt(retry.DefaultQuotaCapacity, 0)))
		for n := 0; ; n++ {
			attempts, _ := playCall(p, k.failure(), func() bool { return true })
			if attempts > 1 {
				if n != k.cost {
					t.Errorf("%s: a retry after %d successes, want %d", k.name, n, k.cost)
				}
				break
			}
			if n > k.cost {
				t.Fatalf("%s: no retry after %d successes", k.name, n)
			}
			playCall(p, k.failure(), func() bool { return false })
		}
	}
}

// drift is the change of the bucket that a call of three attempts causes on
// average, in tokens, when attempts fail independently with probability p: a
// first success adds 1; a call that succeeds at its third attempt has lost the
// cost of one retry, one that fails has lost two.
func drift(p float64, cost int) float64 {
	c := float64(cost)
	return (1-p)*1 - p*p*(1-p)*c - p*p*p*2*c
}

// driftOfCalls is the same when whole calls fail with probability f, as in an
// outage of a shard, and other calls succeed at once.
func driftOfCalls(f float64, cost int) float64 { return (1 - f) - f*2*float64(cost) }

// zero finds where a falling function crosses zero, between 0 and 1.
func zero(f func(float64) float64) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if mid := (low + high) / 2; f(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// TestQuotaThresholds: the bucket stays full below a share of failures and
// drains above it. The share is where the expected drift is zero, and the
// state machine behaves so in a long run.
func TestQuotaThresholds(t *testing.T) {
	for _, k := range kinds {
		single := zero(func(p float64) float64 { return drift(p, k.cost) })
		whole := zero(func(f float64) float64 { return driftOfCalls(f, k.cost) })
		if math.Abs(single-k.independent) > 0.0005 || math.Abs(whole-k.whole) > 0.0005 {
			t.Errorf("%s: thresholds %.4f and %.4f, want %.3f and %.3f", k.name, single, whole, k.independent, k.whole)
		}
		for _, tt := range []struct {
			name  string
			share float64
			whole bool
		}{{"independent attempts", single, false}, {"whole calls", whole, true}} {
			below, above := refusedShare(t, k, 0.8*tt.share, tt.whole), refusedShare(t, k, 1.2*tt.share, tt.whole)
			if below > 1e-4 || above < 0.02 {
				t.Errorf("%s, %s: of the retries wanted, %.4f are refused below the threshold and %.4f above",
					k.name, tt.name, below, above)
			}
		}
	}
}

// refusedShare is the share of wanted retries that the quota refuses in a
// long run.
func refusedShare(t *testing.T, k kind, share float64, whole bool) float64 {
	const calls = 100_000
	p := newPolicy(t, pinned(0))
	r := rand.New(rand.NewPCG(3, 5))
	wanted, refused := 0, 0
	for range calls {
		down := r.Float64() < share
		call := p.Begin(time.Time{}, retry.CallOptions{})
		for {
			if !whole && call.Attempt() > 1 {
				down = r.Float64() < share
			}
			if !down {
				call.Succeed(time.Time{})
				break
			}
			d := call.Next(k.failure(), time.Time{})
			if d.Stop != retry.StopAttempts {
				wanted++
			}
			if d.Stop == retry.StopQuota {
				refused++
			}
			if !d.Retry() {
				break
			}
		}
	}
	return float64(refused) / float64(wanted)
}

// TestLongRunLoad: when attempts fail independently, whatever their share,
// clients send at most 1.27 (transient) or 1.43 (throttling) attempts a call
// in the long run; the most is reached at the threshold.
func TestLongRunLoad(t *testing.T) {
	const calls = 40_000
	for _, k := range kinds {
		most := 0.0
		for _, share := range []float64{0.05, 0.1, 0.15, 0.2, k.independent, 0.25, 0.3, 0.35, 0.4, 0.5, 0.7, 0.9, 1} {
			p := newPolicy(t, pinned(0))
			r := rand.New(rand.NewPCG(7, 11))
			attempts := 0
			for range calls {
				n, _ := playCall(p, k.failure(), func() bool { return r.Float64() < share })
				attempts += n
			}
			most = max(most, float64(attempts)/calls)
		}
		if most > k.load || most < k.load-0.03 {
			t.Errorf("%s: at most %.4f attempts a call, want up to %.2f", k.name, most, k.load)
		}
	}
}
