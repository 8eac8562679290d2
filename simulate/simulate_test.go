package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
)

// plain is a scenario to change: ten clients, a call each, a service that
// answers at once.
func plain() simulate.Scenario {
	return simulate.Scenario{Clients: 10, Window: 10 * time.Millisecond, End: time.Minute, Seed: 1}
}

func run(t *testing.T, s simulate.Scenario, strategies ...simulate.Strategy) []simulate.Result {
	t.Helper()
	results, err := simulate.Run(t.Context(), s, strategies...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestArrivals(t *testing.T) {
	for name, c := range map[string]struct {
		arrival simulate.Arrival
		calls   int64
		slack   int64
		windows []int64 // calls in the first windows
	}{
		"burst":         {simulate.Arrival{}, 10, 0, []int64{10}},
		"burst of many": {simulate.Arrival{Calls: 3, Pause: 10 * time.Millisecond}, 30, 0, []int64{10, 10, 10}},
		"constant":      {simulate.Arrival{Pattern: simulate.Constant, Rate: 200, For: time.Second}, 200, 0, []int64{2, 2, 2, 2}},
		"limited":       {simulate.Arrival{Pattern: simulate.Constant, Rate: 200, Calls: 2}, 20, 0, []int64{2, 2}},
		"poisson":       {simulate.Arrival{Pattern: simulate.Poisson, Rate: 5000, For: 2 * time.Second}, 10_000, 400, nil}, // four sigma
		// At 0…1000 per second over a second, 500 calls; call n at sqrt(n/500) s.
		"rising ramp":  {simulate.Arrival{Pattern: simulate.Ramp, FinalRate: 1000, For: time.Second}, 500, 0, []int64{1, 0, 0, 0, 1}},
		"falling ramp": {simulate.Arrival{Pattern: simulate.Ramp, Rate: 1000, For: time.Second}, 500, 0, []int64{10, 10, 10}},
		"level ramp":   {simulate.Arrival{Pattern: simulate.Ramp, Rate: 200, FinalRate: 200, For: time.Second}, 200, 0, []int64{2, 2, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := plain()
			s.Arrival = c.arrival
			r := run(t, s, simulate.Fixed(time.Second))[0]
			if d := r.Calls - c.calls; d < -c.slack || d > c.slack {
				t.Errorf("%d calls, want %d", r.Calls, c.calls)
			}
			if r.Requests != r.Calls || r.Successes != r.Calls || r.Amplification() != 1 {
				t.Errorf("%d requests, %d successes of %d calls, want as many", r.Requests, r.Successes, r.Calls)
			}
			for i, want := range c.windows {
				if got := r.Windows[i].Requests; got != want {
					t.Errorf("window %d: %d requests, want %d", i, got, want)
				}
			}
		})
	}
}

// TestStrategyDelays: the time between the attempts of a single client that
// never succeeds tells the delays.
func TestStrategyDelays(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		strategy simulate.Strategy
		least    []time.Duration
		most     []time.Duration
	}{
		"fixed":        {simulate.Fixed(50 * ms), []time.Duration{50 * ms, 50 * ms}, []time.Duration{50 * ms, 50 * ms}},
		"exponential":  {simulate.Exponential(20*ms, 100*ms), []time.Duration{20 * ms, 40 * ms, 80 * ms, 100 * ms, 100 * ms}, []time.Duration{20 * ms, 40 * ms, 80 * ms, 100 * ms, 100 * ms}},
		"full":         {simulate.Full(20*ms, 100*ms), []time.Duration{0, 0, 0, 0, 0}, []time.Duration{20 * ms, 40 * ms, 80 * ms, 100 * ms, 100 * ms}},
		"equal":        {simulate.Equal(20*ms, 100*ms), []time.Duration{10 * ms, 20 * ms, 40 * ms, 50 * ms, 50 * ms}, []time.Duration{20 * ms, 40 * ms, 80 * ms, 100 * ms, 100 * ms}},
		"decorrelated": {simulate.Decorrelated(20*ms, 100*ms), []time.Duration{20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms}, []time.Duration{60 * ms, 100 * ms, 100 * ms, 100 * ms, 100 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen [8]struct{ least, most time.Duration }
			for seed := range uint64(200) {
				for i, d := range delays(t, c.strategy, len(c.least), seed) {
					if d < c.least[i]-ms || d > c.most[i]+ms {
						t.Fatalf("seed %d, retry %d: %s, want %s…%s", seed, i+1, d, c.least[i], c.most[i])
					}
					if seed == 0 || d < seen[i].least {
						seen[i].least = d
					}
					seen[i].most = max(seen[i].most, d)
				}
			}
			for i := range c.least { // the draws reach both ends
				if width := c.most[i] - c.least[i]; seen[i].most-seen[i].least < width*8/10 {
					t.Errorf("retry %d: %s…%s, want nearly %s…%s", i+1, seen[i].least, seen[i].most, c.least[i], c.most[i])
				}
			}
		})
	}
}

// delays reads the waits of one client off a histogram of milliseconds.
func delays(t *testing.T, strategy simulate.Strategy, n int, seed uint64) []time.Duration {
	t.Helper()
	strategy.Options = append(strategy.Options[:len(strategy.Options):len(strategy.Options)], retry.WithMaxAttempts(n+1))
	r := run(t, simulate.Scenario{
		Clients: 1, Window: 100 * time.Microsecond, End: time.Minute, Seed: seed,
		Service: simulate.Service{Outages: []simulate.Outage{{To: time.Minute}}},
	}, strategy)[0]
	var out []time.Duration
	last := -1
	for i, w := range r.Windows {
		for range w.Requests {
			if last >= 0 {
				out = append(out, time.Duration(i-last)*100*time.Microsecond)
			}
			last = i
		}
	}
	if len(out) != n {
		t.Fatalf("%d delays, want %d", len(out), n)
	}
	return out
}

// TestDecorrelatedFollowsTheLastDelay: a delay is at most three times the one
// before, of the same call.
func TestDecorrelatedFollowsTheLastDelay(t *testing.T) {
	strategy := simulate.Decorrelated(20*time.Millisecond, 10*time.Second)
	for seed := range uint64(100) {
		d := delays(t, strategy, 6, seed)
		for i := 1; i < len(d); i++ {
			if d[i] > 3*d[i-1]+time.Millisecond {
				t.Errorf("seed %d: %s after %s", seed, d[i], d[i-1])
			}
		}
	}
}

// TestSameSeed: the same seed gives the same result, another one another.
func TestSameSeed(t *testing.T) {
	s := plain()
	s.Clients = 1000
	s.Arrival = simulate.Arrival{Pattern: simulate.Poisson, Rate: 3000, For: 2 * time.Second}
	s.Service = simulate.Service{
		Capacity: 20, Per: 10 * time.Millisecond, Latency: simulate.Latency{Shape: simulate.Exponentially, A: 20 * time.Millisecond},
		Outages: []simulate.Outage{{From: time.Second, To: 1500 * time.Millisecond}},
	}
	s.Timeout = 50 * time.Millisecond
	strategies := []simulate.Strategy{
		{Name: "standard"}, {Name: "adaptive", Options: []retry.Option{retry.WithMode(retry.Adaptive)}, Budget: simulate.Shared}, simulate.Decorrelated(time.Millisecond, time.Second),
	}
	first, second := run(t, s, strategies...), run(t, s, strategies...)
	if !reflect.DeepEqual(first, second) {
		t.Error("two runs with the same seed differ")
	}
	alone := run(t, s, strategies[2])
	if !reflect.DeepEqual(first[2], alone[0]) {
		t.Error("a strategy does not get the same result alone")
	}
	s.Seed++
	if reflect.DeepEqual(first, run(t, s, strategies...)) {
		t.Error("another seed makes no difference")
	}
	for _, r := range first {
		if r.Calls != first[0].Calls {
			t.Errorf("%s: %d calls, others have %d", r.Strategy, r.Calls, first[0].Calls)
		}
	}
}

// TestQuotaBounds: during an outage each quota pays for floor(500/14) = 35
// retries.
func TestQuotaBounds(t *testing.T) {
	s := plain()
	s.Clients, s.Arrival.Calls, s.Arrival.Pause = 20, 100, time.Millisecond
	s.Service.Outages = []simulate.Outage{{To: time.Minute}}
	for budget, retries := range map[simulate.Budget]int64{simulate.Own: 20 * 35, simulate.Shared: 35, simulate.NoQuota: 20 * 100 * 2} {
		r := run(t, s, simulate.Strategy{Budget: budget})[0]
		if got := r.Requests - r.Calls; got != retries {
			t.Errorf("quota %s: %d retries, want %d", budget, got, retries)
		}
		if r.Successes != 0 || r.Failures() != 2000 || r.SuccessRate() != 0 || r.Unfinished() != 0 {
			t.Errorf("quota %s: %d successes, %d failures, want none, 2000", budget, r.Successes, r.Failures())
		}
	}
}

// TestModes: off makes one attempt, adaptive sends fewer requests to a service
// that throttles, and nobody more than standard.
func TestModes(t *testing.T) {
	s := plain()
	s.Clients = 5
	s.Arrival = simulate.Arrival{Pattern: simulate.Constant, Rate: 400, For: 20 * time.Second}
	s.Service = simulate.Service{Capacity: 10, Per: 100 * time.Millisecond}
	s.Deadline = 2 * time.Second
	mode := func(m retry.Mode) simulate.Strategy {
		return simulate.Strategy{Name: m.String(), Options: []retry.Option{retry.WithMode(m)}}
	}
	results := run(t, s, mode(retry.Off), mode(retry.Standard), mode(retry.Adaptive), mode(retry.Legacy))
	off, standard, adaptive, legacy := results[0], results[1], results[2], results[3]
	if off.Requests != off.Calls {
		t.Errorf("off: %d requests for %d calls", off.Requests, off.Calls)
	}
	if standard.Requests <= off.Requests || legacy.Requests <= off.Requests {
		t.Errorf("standard %d, legacy %d requests, want more than %d", standard.Requests, legacy.Requests, off.Requests)
	}
	if adaptive.Limited > standard.Limited/2 || adaptive.Requests > adaptive.Calls/2 {
		t.Errorf("adaptive: %d requests, %d limited, want less than half of the %d calls and of %d", adaptive.Requests, adaptive.Limited, adaptive.Calls, standard.Limited)
	}
}

// TestDeadline: no call lasts longer than its deadline, and an attempt that
// the deadline cuts off is final.
func TestDeadline(t *testing.T) {
	s := plain()
	s.Deadline, s.End = 100*time.Millisecond, time.Hour
	s.Service = simulate.Service{Latency: simulate.Latency{Shape: simulate.Uniform, A: 50 * time.Millisecond, B: 150 * time.Millisecond}}
	s.Arrival = simulate.Arrival{Calls: 1000}
	r := run(t, s, simulate.Fixed(time.Millisecond))[0]
	if r.Successes+r.Failed[retry.StopDeadline] != r.Calls || r.Requests != r.Calls {
		t.Errorf("%d successes, %v, %d requests of %d calls", r.Successes, r.Failed, r.Requests, r.Calls)
	}
	if share := r.SuccessRate(); math.Abs(share-0.5) > 0.02 || r.P99 >= s.Deadline {
		t.Errorf("success rate %v, p99 %s; want a half, less than %s", share, r.P99, s.Deadline)
	}
	if r.TimedOut != r.Failures() || r.Wasted != r.TimedOut {
		t.Errorf("%d timed out, %d wasted, want %d", r.TimedOut, r.Wasted, r.Failures())
	}
	// A wait that does not fit is not begun.
	s.Service = simulate.Service{Outages: []simulate.Outage{{To: 2 * time.Hour}}}
	s.Arrival = simulate.Arrival{}
	r = run(t, s, simulate.Fixed(30*time.Millisecond))[0]
	if r.Requests != 4*10 || r.Failed[retry.StopDeadline] != 10 {
		t.Errorf("%d requests, %v; want attempts at 0, 30, 60, 90 ms of ten calls", r.Requests, r.Failed)
	}
}

// TestRetryAfter: a refusal's delay bounds the backoff from below.
func TestRetryAfter(t *testing.T) {
	s := plain()
	s.Service = simulate.Service{Capacity: 5, Per: time.Second, RetryAfter: 3 * time.Second}
	strategy := simulate.Strategy{Options: []retry.Option{retry.WithServerDelay(retry.Honour)}}
	r := run(t, s, strategy)[0]
	if r.Limited != 5 || r.Successes != 10 || r.Last < 3*time.Second || r.Last > 4*time.Second {
		t.Errorf("%d limited, %d successes, last at %s; want 5, 10, 3 s…4 s", r.Limited, r.Successes, r.Last)
	}
}

// TestFrozenWithoutQueue: requests of a frozen service are answered at its end.
func TestFrozenWithoutQueue(t *testing.T) {
	s := plain()
	s.Service = simulate.Service{Outages: []simulate.Outage{{To: time.Second, Frozen: true}}, Latency: simulate.Latency{A: 7 * time.Millisecond}}
	r := run(t, s, simulate.Fixed(time.Second))[0]
	if r.Requests != 10 || r.InOutage != 10 || r.Last != 1007*time.Millisecond {
		t.Errorf("%d requests, %d in the outage, last at %s; want 10, 10, 1.007 s", r.Requests, r.InOutage, r.Last)
	}
}

// TestQueueLimit: what does not fit into the queue is refused at once.
func TestQueueLimit(t *testing.T) {
	s := plain()
	s.Service = simulate.Service{Capacity: 1, Per: 10 * time.Millisecond, Overload: simulate.Queue, QueueLimit: 4}
	r := run(t, s, simulate.Strategy{Options: []retry.Option{retry.WithMode(retry.Off)}})[0]
	if r.Successes != 4 || r.Limited != 6 || r.Last != 40*time.Millisecond {
		t.Errorf("%d successes, %d limited, last at %s; want 4, 6, 40 ms", r.Successes, r.Limited, r.Last)
	}
}

// TestRecovery: from the end of the outage to the end of the last bad window.
func TestRecovery(t *testing.T) {
	s := plain()
	s.Arrival = simulate.Arrival{Pattern: simulate.Constant, Rate: 1000, For: time.Second}
	s.Service.Outages = []simulate.Outage{{From: 100 * time.Millisecond, To: 200 * time.Millisecond}}
	off := simulate.Strategy{Options: []retry.Option{retry.WithMode(retry.Off)}}
	for name, c := range map[string]struct {
		change func()
		want   simulate.Recovery
	}{
		"at once":   {func() {}, simulate.Recovery{Outage: true}},
		"no outage": {func() { s.Service.Outages = nil }, simulate.Recovery{}},
		"never":     {func() { s.Service.Capacity, s.Service.Per = 5, 10*time.Millisecond }, simulate.Recovery{Outage: true, Never: true, Time: 800 * time.Millisecond}},
		"down until after the calls": {
			func() { s.Service.Outages = []simulate.Outage{{To: 2 * time.Second}} },
			simulate.Recovery{Outage: true, Never: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			saved := s
			defer func() { s = saved }()
			c.change()
			if got := run(t, s, off)[0].Recovery; got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestEnd: calls that are under way at the end are unfinished.
func TestEnd(t *testing.T) {
	s := plain()
	s.End = 105 * time.Millisecond
	s.Service.Outages = []simulate.Outage{{To: time.Hour}}
	r := run(t, s, simulate.Fixed(50*time.Millisecond))[0]
	if r.Requests != 30 || r.Unfinished() != 10 || r.Failures() != 0 {
		t.Errorf("%d requests, %d unfinished, %d failed; want 30, 10, 0", r.Requests, r.Unfinished(), r.Failures())
	}
}

// TestUncappedBackoff: delays beyond the end of time do not come back as past.
func TestUncappedBackoff(t *testing.T) {
	s := plain()
	s.Service.Outages = []simulate.Outage{{To: 1000 * time.Hour}}
	s.End, s.Window = math.MaxInt64-1, 100*time.Hour
	r := run(t, s, simulate.Exponential(time.Hour, math.MaxInt64))[0]
	if r.Successes != 10 {
		t.Errorf("%d successes, want 10", r.Successes)
	}
}

func TestMillionClients(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates a million clients")
	}
	s := plain()
	s.Clients = simulate.MaxClients
	s.Service = simulate.Service{Outages: []simulate.Outage{{To: time.Second}}}
	r := run(t, s, simulate.Strategy{Options: []retry.Option{retry.WithBaseDelay(retry.BaseDelay{Transient: time.Second})}})[0]
	if r.Calls != simulate.MaxClients || r.Requests < 2*r.Calls || r.Successes < r.Calls/2 || r.Unfinished() != 0 {
		t.Errorf("%d calls, %d requests, %d successes; want %d, more than twice, more than half", r.Calls, r.Requests, r.Successes, simulate.MaxClients)
	}
}

func TestBadScenarios(t *testing.T) {
	for want, change := range map[string]func(*simulate.Scenario){
		"Clients: got 0, want 1…1000000":  func(s *simulate.Scenario) { s.Clients = 0 },
		"Clients: got 1000001":            func(s *simulate.Scenario) { s.Clients = 1_000_001 },
		"Timeout: got -1s":                func(s *simulate.Scenario) { s.Timeout = -time.Second },
		"Deadline: got -1s":               func(s *simulate.Scenario) { s.Deadline = -time.Second },
		"Window: got 0s":                  func(s *simulate.Scenario) { s.Window = 0 },
		"at most 10000000 windows":        func(s *simulate.Scenario) { s.Window = 1 },
		"End: got 0s":                     func(s *simulate.Scenario) { s.End = 0 },
		"Arrival.Pattern: got Pattern(9)": func(s *simulate.Scenario) { s.Arrival.Pattern = 9 },
		"Arrival.Calls: got -1":           func(s *simulate.Scenario) { s.Arrival.Calls = -1 },
		"Arrival.Pause: got -1ns":         func(s *simulate.Scenario) { s.Arrival.Pause = -1 },
		"Arrival.Rate: got 1, want none":  func(s *simulate.Scenario) { s.Arrival.Rate = 1 },
		"Arrival.For: got 1s, want none":  func(s *simulate.Scenario) { s.Arrival.For = time.Second },
		"Arrival.Rate: got 0":             func(s *simulate.Scenario) { s.Arrival = simulate.Arrival{Pattern: simulate.Poisson, For: 1} },
		"Arrival.Rate: got NaN": func(s *simulate.Scenario) {
			s.Arrival = simulate.Arrival{Pattern: simulate.Poisson, Rate: math.NaN(), For: 1}
		},
		"Arrival.For: got 0s": func(s *simulate.Scenario) { s.Arrival = simulate.Arrival{Pattern: simulate.Constant, Rate: 1} },
		"want more than 0s for a ramp": func(s *simulate.Scenario) {
			s.Arrival = simulate.Arrival{Pattern: simulate.Ramp, Rate: 1, FinalRate: 2, Calls: 1}
		},
		"Arrival.FinalRate: got -1": func(s *simulate.Scenario) {
			s.Arrival = simulate.Arrival{Pattern: simulate.Ramp, Rate: 1, FinalRate: -1, For: 1}
		},
		"Service.Capacity: got -1": func(s *simulate.Scenario) { s.Service.Capacity = -1 },
		"Service.Per: got 0s":      func(s *simulate.Scenario) { s.Service.Capacity = 1 },
		"at most one request per nanosecond": func(s *simulate.Scenario) {
			s.Service = simulate.Service{Capacity: 2, Per: 1, Overload: simulate.Queue}
		},
		"Service.Overload: got queue":             func(s *simulate.Scenario) { s.Service.Overload = simulate.Queue },
		"Service.Overload: got Overload(7)":       func(s *simulate.Scenario) { s.Service.Overload = 7 },
		"Service.QueueLimit: got 5, want a queue": func(s *simulate.Scenario) { s.Service.QueueLimit = 5 },
		"Service.RetryAfter: got -1ns":            func(s *simulate.Scenario) { s.Service.RetryAfter = -1 },
		"Service.Latency: got -1ns":               func(s *simulate.Scenario) { s.Service.Latency.A = -1 },
		"Service.Outages: got 2s..1s": func(s *simulate.Scenario) {
			s.Service.Outages = []simulate.Outage{{From: 2 * time.Second, To: time.Second}}
		},
		"Service.Outages: got 1s..3s frozen, want to follow": func(s *simulate.Scenario) {
			s.Service.Outages = []simulate.Outage{{To: 2 * time.Second}, {From: time.Second, To: 3 * time.Second, Frozen: true}}
		},
	} {
		s := plain()
		change(&s)
		_, err := simulate.Run(t.Context(), s, simulate.Fixed(time.Second))
		if _, ok := errors.AsType[*simulate.FieldError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a FieldError with %q", err, want)
		}
	}
}

func TestBadStrategies(t *testing.T) {
	if _, err := simulate.Run(t.Context(), plain()); err == nil {
		t.Error("no strategy: no error")
	}
	bad := simulate.Strategy{Name: "bad", Options: []retry.Option{retry.WithMaxAttempts(-1)}}
	if _, err := simulate.Run(t.Context(), plain(), bad); err == nil || !strings.Contains(err.Error(), `"bad"`) || !strings.Contains(err.Error(), "MaxAttempts") {
		t.Errorf("got %v, want the strategy and the setting", err)
	}
	cause := errors.New("no fleet")
	broken := simulate.Strategy{Fleet: func(simulate.FleetConfig) (simulate.Fleet, error) { return nil, cause }}
	if _, err := simulate.Run(t.Context(), plain(), broken); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := simulate.Run(ctx, plain(), simulate.Fixed(time.Second)); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestLatency(t *testing.T) {
	for _, text := range []string{"10ms", "0s", "uniform:5ms..15ms", "exp:10ms", "lognormal:10ms..80ms"} {
		l, err := simulate.ParseLatency(text)
		if err != nil || l.String() != text {
			t.Errorf("ParseLatency(%q) = %v, %v", text, l, err)
		}
	}
	for _, text := range []string{"", "x", "-1s", "uniform:5ms", "uniform:15ms..5ms", "exp:1s..2s", "lognormal:0s..1s", "lognormal:2s..1s", "normal:1s", "constant:1s..2s"} {
		if l, err := simulate.ParseLatency(text); err == nil {
			t.Errorf("ParseLatency(%q) = %v, want an error", text, l)
		}
	}
}

// TestLatencyQuantiles reads the distributions off the times of calls.
func TestLatencyQuantiles(t *testing.T) {
	for text, want := range map[string][2]float64{ // p50 and p99 in milliseconds
		"30ms":                 {30, 30},
		"uniform:10ms..20ms":   {15, 19.9},
		"exp:10ms":             {10 * math.Ln2, 10 * math.Log(100)},
		"lognormal:10ms..80ms": {10, 80},
	} {
		s := plain()
		s.Arrival.Calls = 20_000
		s.Service.Latency, _ = simulate.ParseLatency(text)
		s.End = 1000 * time.Hour
		s.Window = time.Hour
		r := run(t, s, simulate.Fixed(time.Second))[0]
		for i, got := range []time.Duration{r.P50, r.P99} {
			if ms := got.Seconds() * 1000; math.Abs(ms-want[i]) > 0.03*want[i] {
				t.Errorf("%s: quantile %d is %v ms, want %v", text, i, ms, want[i])
			}
		}
	}
}

func ExampleRun() {
	scenario := simulate.Scenario{
		Clients: 100,
		Service: simulate.Service{Outages: []simulate.Outage{{To: 300 * time.Millisecond}}, Capacity: 15, Per: 20 * time.Millisecond},
		Window:  50 * time.Millisecond,
		End:     time.Minute,
	}
	results, err := simulate.Run(context.Background(), scenario, simulate.Fixed(50*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := results[0]
	fmt.Printf("%d requests for %d calls, the last at %s\n", r.Requests, r.Calls, r.Last)
	// Output: 985 requests for 100 calls, the last at 600ms
}
