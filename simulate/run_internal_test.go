package simulate

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// steady is a load that goes on for ever: a service that refuses a part of
// the requests, with latency, timeouts and retries.
func steady(clients int, overload Overload) Scenario {
	return Scenario{
		Clients: clients,
		Arrival: Arrival{Pattern: Poisson, Rate: 26 * float64(clients), For: 1e6 * time.Second},
		Service: Service{
			Capacity: clients, Per: 40 * time.Millisecond, Overload: overload, QueueLimit: clients,
			Latency: Latency{Shape: LogNormal, A: 10 * time.Millisecond, B: 100 * time.Millisecond},
		},
		Timeout:  80 * time.Millisecond,
		Deadline: 2 * time.Second,
		Window:   time.Hour,
		End:      1e6 * time.Second,
		Seed:     1,
	}
}

var steadyStrategies = map[string]Strategy{
	"quota":    {},
	"noquota":  {Budget: NoQuota},
	"shared":   {Budget: Shared},
	"adaptive": {Options: []retry.Option{retry.WithMode(retry.Adaptive)}},
	"full":     fiveAttempts(Full(20*time.Millisecond, 320*time.Millisecond)),
	"decorr":   fiveAttempts(Decorrelated(20*time.Millisecond, 320*time.Millisecond)),
}

func fiveAttempts(s Strategy) Strategy {
	s.Options = append(s.Options, retry.WithMaxAttempts(5))
	return s
}

// warm makes r's slices as long as they will be.
func warm(tb testing.TB, s Scenario, strategy Strategy) *run {
	tb.Helper()
	r, err := newRun(s, strategy)
	if err != nil {
		tb.Fatal(err)
	}
	for r.tally.requests < int64(max(200_000, 20*s.Clients)) {
		if !r.step() {
			tb.Fatal("the simulation ended")
		}
	}
	return r
}

// request goes on until another request has been sent.
func (r *run) request(tb testing.TB) {
	for sent := r.tally.requests; r.tally.requests == sent; {
		if !r.step() {
			tb.Fatal("the simulation ended")
		}
	}
}

func TestRequestsDoNotAllocate(t *testing.T) {
	for name, strategy := range steadyStrategies {
		for _, overload := range []Overload{Refuse, Queue} {
			t.Run(name+"/"+overload.String(), func(t *testing.T) {
				r := warm(t, steady(1000, overload), strategy)
				if n := testing.AllocsPerRun(50_000, func() { r.request(t) }); n != 0 {
					t.Errorf("%v allocations for a request, want none", n)
				}
				if r.tally.limited == 0 || r.tally.timedOut == 0 || r.tally.successes == 0 {
					t.Errorf("limited %d, timed out %d, succeeded %d: want some of each", r.tally.limited, r.tally.timedOut, r.tally.successes)
				}
			})
		}
	}
}

// BenchmarkRequest reports the time and memory of one simulated request.
func BenchmarkRequest(b *testing.B) {
	for _, c := range []struct {
		name    string
		clients int
	}{{"quota", 1000}, {"noquota", 1000}, {"shared", 1000}, {"adaptive", 1000}, {"quota", 100_000}, {"full", 100_000}} {
		b.Run(c.name+"/clients="+strconv.Itoa(c.clients), func(b *testing.B) {
			r := warm(b, steady(c.clients, Refuse), steadyStrategies[c.name])
			b.ReportAllocs()
			for b.Loop() {
				r.request(b)
			}
		})
	}
}

// TestEventsInOrder: events come by time, and those of one time in the order
// of scheduling, also when events are scheduled on the way.
func TestEventsInOrder(t *testing.T) {
	var q events
	random := rand.New(rand.NewPCG(1, 1))
	scheduled, happened := int32(0), 0
	schedule := func(now time.Duration) {
		q.push(now+time.Duration(random.Int64N(1<<random.IntN(40))), begin, scheduled)
		scheduled++
	}
	for range 1000 {
		schedule(0)
	}
	var last event
	for {
		e, ok := q.pop()
		if !ok {
			break
		}
		if e.at < last.at || happened > 0 && e.at == last.at && e.call < last.call {
			t.Fatalf("%+v came after %+v", e, last)
		}
		if happened++; scheduled < 20_000 {
			schedule(e.at)
		}
		last = e
	}
	if happened != int(scheduled) {
		t.Errorf("%d events happened of %d", happened, scheduled)
	}
}

// TestQuantiles compares with the exact quantiles of 1…n.
func TestQuantiles(t *testing.T) {
	for _, unit := range []time.Duration{1, time.Microsecond, time.Second} {
		q := newQuantiles()
		const n = 10_000
		for i := range n {
			q.add(time.Duration(i+1) * unit)
		}
		for share, want := range map[float64]time.Duration{0.5: n / 2 * unit, 0.99: n / 100 * 99 * unit, 1: n * unit} {
			if got := q.quantile(share); got < want || float64(got) > 1.001*float64(want) {
				t.Errorf("quantile %v of 1…%d × %v: got %v, want %v", share, n, unit, got, want)
			}
		}
	}
	q := newQuantiles()
	if got := q.quantile(0.5); got != 0 {
		t.Errorf("quantile of nothing: got %v, want 0", got)
	}
}

// TestFrozenServer: work stops during the freeze and goes on after it.
func TestFrozenServer(t *testing.T) {
	s := newServer(Service{
		Capacity: 1, Per: 10, Overload: Queue,
		Outages: []Outage{{From: 2, To: 4}, {From: 15, To: 20, Frozen: true}, {From: 22, To: 23, Frozen: true}, {From: 50, To: 60, Frozen: true}},
	}, nil)
	for i, want := range []time.Duration{10, 26, 36, 46, 66} { // work of 10 each, from 0 on
		if got := s.serve(0); got != want {
			t.Errorf("request %d: done at %d, want %d", i, got, want)
		}
	}
}

// TestQueueLimit: a ring holds as many requests as its limit, and forgets
// those that have left.
func TestQueueLimit(t *testing.T) {
	r := ring{limit: 20}
	admitted := 0
	for now := range time.Duration(100) { // one comes each 1, one leaves each 2
		if r.admit(now) {
			r.add(2 * time.Duration(admitted+1))
			admitted++
		}
		if r.size > 20 {
			t.Fatalf("at %d: %d in the queue, limit 20", now, r.size)
		}
	}
	if admitted < 68 || admitted > 70 { // 50 have left, 20 are waiting
		t.Errorf("admitted %d, want 50 and the 20 that wait", admitted)
	}
}
