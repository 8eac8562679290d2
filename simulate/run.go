package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// epoch is the time at which simulations begin.
var epoch = time.Unix(0, 0).UTC()

// checkEvery is the number of events between two looks at the context.
const checkEvery = 1 << 16

// Run simulates one strategy after the other under the same scenario: the same
// calls, and the same draws of the service for as long as the requests are the
// same. It returns the results in the order of the strategies. An error says
// what is wrong with the scenario or a strategy, or that ctx has ended.
func Run(ctx context.Context, s Scenario, strategies ...Strategy) ([]Result, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	if len(strategies) == 0 {
		return nil, errors.New("no strategy")
	}
	results := make([]Result, 0, len(strategies))
	for _, strategy := range strategies {
		r, err := newRun(s, strategy)
		if err != nil {
			return nil, err
		}
		if err := r.all(ctx); err != nil {
			return nil, err
		}
		results = append(results, r.tally.result(strategy.Name, s))
	}
	return results, nil
}

// run is the state of one simulation.
type run struct {
	Scenario
	timeout  time.Duration
	fleet    Fleet
	server   *server
	arrivals *arrivals
	events   events
	calls    []call
	free     []int32 // numbers of calls that have ended
	left     []int32 // calls that each client of a burst has yet to begin
	tally    tally
	failures [cutOff + 1]retry.Failure
}

// call is a call under way.
type call struct {
	began    time.Duration
	deadline time.Duration // zero: none
	client   int32
	outcome  outcome // of the attempt under way
}

// Streams of random numbers, so that a strategy that draws more does not
// change what happens to it.
const (
	arrivalStream = iota + 1
	serviceStream
	jitterStream
)

func newRun(s Scenario, strategy Strategy) (*run, error) {
	policy, err := retry.New(strategy.Options...)
	if err != nil {
		return nil, fmt.Errorf("strategy %q: %w", strategy.Name, err)
	}
	settings := policy.Settings()
	random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, stream)) }
	build := strategy.Fleet
	if build == nil {
		build = newCoreFleet
	}
	fleet, err := build(FleetConfig{Clients: s.Clients, Strategy: strategy, Settings: settings, Start: epoch, Random: random(jitterStream)})
	if err != nil {
		return nil, err
	}
	r := &run{
		Scenario: s,
		timeout:  s.Timeout,
		fleet:    fleet,
		server:   newServer(s.Service, random(serviceStream)),
		arrivals: newArrivals(s.Arrival, s.Clients, random(arrivalStream)),
		tally:    newTally(s),
		failures: [...]retry.Failure{
			down:     {Class: retry.Transient, Rule: "outage", NotActed: true},
			limited:  {Class: retry.Throttling, Rule: "capacity", NotActed: true, ServerDelay: s.Service.RetryAfter, HasServerDelay: s.Service.RetryAfter > 0},
			timedOut: {Class: retry.Transient, Rule: "attempt timeout", Err: context.DeadlineExceeded},
			cutOff:   {},
		},
	}
	if limit := settings.AttemptTimeout; limit > 0 {
		r.timeout = limit
	}
	if limit := settings.TotalTimeout; limit > 0 && (r.Deadline == 0 || limit < r.Deadline) {
		r.Deadline = limit
	}
	r.start()
	return r, nil
}

// start schedules the first calls.
func (r *run) start() {
	if r.Arrival.Pattern != Burst {
		r.scheduleArrival()
		return
	}
	r.left = make([]int32, r.Clients)
	for client := range r.left {
		r.left[client] = int32(max(r.Arrival.Calls, 1))
		r.events.push(0, begin, int32(client))
	}
}

func (r *run) scheduleArrival() {
	if at, ok := r.arrivals.next(); ok {
		r.events.push(at, arrive, 0)
	}
}

// all runs until nothing is left to happen or the end is reached.
func (r *run) all(ctx context.Context) error {
	for n := 0; r.step(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// step makes the next event happen and reports whether there was one.
func (r *run) step() bool {
	e, ok := r.events.pop()
	if !ok || e.at >= r.End {
		return false
	}
	switch e.kind {
	case arrive:
		client := int32(r.tally.calls % int64(r.Clients))
		r.scheduleArrival()
		r.begin(e.at, client)
	case begin:
		r.left[e.call]--
		r.begin(e.at, e.call)
	case retryNow:
		r.ready(e.at, e.call)
	case send:
		r.send(e.at, e.call)
	case answered:
		r.answer(e.at, e.call)
	}
	return true
}

// begin starts a call of client.
func (r *run) begin(now time.Duration, client int32) {
	n := r.number()
	r.calls[n] = call{began: now, client: client}
	var deadline time.Time
	if r.Deadline > 0 {
		r.calls[n].deadline = now + r.Deadline
		deadline = epoch.Add(now + r.Deadline)
	}
	r.tally.calls++
	r.fleet.Begin(int(n), int(client), epoch.Add(now), deadline)
	r.ready(now, n)
}

// number returns the number of no call under way.
func (r *run) number() int32 {
	if last := len(r.free) - 1; last >= 0 {
		n := r.free[last]
		r.free = r.free[:last]
		return n
	}
	r.calls = append(r.calls, call{})
	return int32(len(r.calls) - 1)
}

// ready asks the rate limiter for the next attempt of call n.
func (r *run) ready(now time.Duration, n int32) {
	wait, ok := r.fleet.Send(int(n), epoch.Add(now))
	switch {
	case !ok:
		r.fail(now, n, retry.StopDeadline)
	case wait > 0:
		r.events.push(after(now, wait), send, n)
	default:
		r.send(now, n)
	}
}

// send sends an attempt of call n.
func (r *run) send(now time.Duration, n int32) {
	c := &r.calls[n]
	outage, isDown := r.server.down(now)
	at, outcome := r.server.take(now, outage, isDown)
	r.tally.request(now, isDown, outcome)
	wasServed := outcome == served
	if r.timeout > 0 && at-now > r.timeout {
		at, outcome = now+r.timeout, timedOut
	}
	if c.deadline > 0 && at >= c.deadline {
		at, outcome = c.deadline, cutOff
	}
	if wasServed && outcome != served {
		r.tally.wasted++
	}
	c.outcome = outcome
	if at == now {
		r.answer(now, n)
		return
	}
	r.events.push(at, answered, n)
}

// answer ends an attempt of call n.
func (r *run) answer(now time.Duration, n int32) {
	c := &r.calls[n]
	r.tally.answer(now, c.outcome)
	switch c.outcome {
	case served:
		r.fleet.Succeed(int(n), epoch.Add(now))
		r.tally.succeed(now, now-c.began)
		r.end(now, n)
	case cutOff: // final, whatever the strategy: see retry.Run
		r.fail(now, n, retry.StopDeadline)
	default:
		delay, stop := r.fleet.Fail(int(n), r.failures[c.outcome], epoch.Add(now))
		if stop != 0 {
			r.fail(now, n, stop)
			return
		}
		r.events.push(after(now, delay), retryNow, n)
	}
}

// fail ends call n without success.
func (r *run) fail(now time.Duration, n int32, stop retry.StopReason) {
	r.tally.fail(stop)
	r.end(now, n)
}

// end frees the number of call n and schedules the next call of its client.
func (r *run) end(now time.Duration, n int32) {
	r.free = append(r.free, n)
	if r.left == nil {
		return
	}
	if client := r.calls[n].client; r.left[client] > 0 {
		r.events.push(after(now, r.Arrival.Pause), begin, client)
	}
}

// after is now + wait, or the end of time if there is no such time.
func after(now, wait time.Duration) time.Duration {
	if wait > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + wait
}
