package simulate

import (
	"math/rand/v2"
	"time"
)

// outcome is how an attempt ends.
type outcome uint8

const (
	served   outcome = iota
	down             // refused during an outage
	limited          // refused for lack of capacity
	timedOut         // the attempt's timeout
	cutOff           // the call's deadline
)

// server is the state of the service. Requests come in the order of time.
type server struct {
	Service
	random  *rand.Rand
	latency sampler
	outage  int // first outage that has not ended

	window time.Duration // number of the window of capacity
	taken  int           // requests taken in it

	busy   time.Duration // when the queue is worked off
	frozen int           // first outage that ends after busy
	queue  ring          // when requests leave, if the queue has a limit
}

func newServer(s Service, random *rand.Rand) *server {
	return &server{Service: s, random: random, latency: newSampler(s.Latency), window: -1, queue: ring{limit: s.QueueLimit}}
}

// down returns the outage at time now, if any.
func (s *server) down(now time.Duration) (Outage, bool) {
	for s.outage < len(s.Outages) && s.Outages[s.outage].To <= now {
		s.outage++
	}
	if s.outage == len(s.Outages) || s.Outages[s.outage].From > now {
		return Outage{}, false
	}
	return s.Outages[s.outage], true
}

// take takes a request at time now and returns when and how it is answered.
func (s *server) take(now time.Duration, o Outage, isDown bool) (time.Duration, outcome) {
	latency := s.latency.draw(s.random)
	switch {
	case isDown && !o.Frozen:
		return now + latency, down
	case s.Capacity > 0 && s.Overload == Queue:
		if !s.queue.admit(now) {
			return now + latency, limited
		}
		now = s.serve(now)
		s.queue.add(now)
		return now + latency, served
	}
	answer := now + latency
	if isDown {
		answer = o.To + latency
	}
	if s.Capacity > 0 && !s.admit(now) {
		return answer, limited
	}
	return answer, served
}

// admit counts the requests of the window of capacity.
func (s *server) admit(now time.Duration) bool {
	if w := now / s.Per; w != s.window {
		s.window, s.taken = w, 0
	}
	s.taken++
	return s.taken <= s.Capacity
}

// serve puts a request at the end of the queue and returns when it is done.
// A frozen server stops in the middle of its work.
func (s *server) serve(now time.Duration) time.Duration {
	begin, work := max(now, s.busy), s.Per/time.Duration(s.Capacity)
	for {
		for s.frozen < len(s.Outages) && (!s.Outages[s.frozen].Frozen || s.Outages[s.frozen].To <= begin) {
			s.frozen++
		}
		if s.frozen == len(s.Outages) || s.Outages[s.frozen].From >= begin+work {
			break
		}
		pause := s.Outages[s.frozen]
		work -= max(pause.From-begin, 0)
		begin = pause.To
	}
	s.busy = begin + work
	return s.busy
}

// ring holds the times at which queued requests leave, up to a limit. Without
// a limit it holds nothing and admits everything.
type ring struct {
	limit       int
	times       []time.Duration
	first, size int
}

// admit forgets the requests that have left and reports whether there is room.
func (r *ring) admit(now time.Duration) bool {
	if r.limit == 0 {
		return true
	}
	for r.size > 0 && r.times[r.first] <= now {
		r.first = (r.first + 1) % len(r.times)
		r.size--
	}
	return r.size < r.limit
}

func (r *ring) add(leaves time.Duration) {
	if r.limit == 0 {
		return
	}
	if r.size == len(r.times) {
		r.grow()
	}
	r.times[(r.first+r.size)%len(r.times)] = leaves
	r.size++
}

// grow doubles the room, so that a high limit costs nothing until it is used.
func (r *ring) grow() {
	grown := make([]time.Duration, max(16, min(2*len(r.times), r.limit)))
	n := copy(grown, r.times[r.first:])
	copy(grown[n:], r.times[:r.first])
	r.times, r.first = grown, 0
}
