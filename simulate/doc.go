// Package simulate runs a fleet of clients against a service in virtual time,
// to show what a way of retrying does to a service that is down, slow or
// short of capacity.
//
// The clients decide on the core that real clients run: [retry.Policy] and
// [retry.Call], with their quota and their rate limiter. Nothing waits; a heap
// of events carries the clock forward, so that a million clients need one
// goroutine. A [Scenario] says who calls what and when, a [Strategy] how the
// clients retry, and [Run] returns a [Result] of counts, times and a
// histogram. The same scenario, strategy and seed give the same result.
//
// # The model
//
// A call makes attempts until one succeeds or its strategy gives up. The
// service sees an attempt at the moment when it is sent:
//
//   - during an outage it is refused (a transient failure) or, if the service
//     is frozen, waits for the outage's end;
//   - beyond the capacity it is refused (a throttling failure) or queued, first
//     in first out, by a server that works off one request after another;
//   - the answer comes after the service's latency.
//
// A client that times out leaves, but the service does not know: the request
// stays in the queue and is served for nobody. That waste is what keeps an
// overloaded service down after the cause has gone.
//
// Not in the model: requests of different cost, connections and their reuse,
// clients that come and go, and the time that a client needs by itself.
package simulate
