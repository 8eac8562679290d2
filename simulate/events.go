package simulate

import (
	"math/bits"
	"time"
)

// eventKind says what happens at an event.
type eventKind uint8

const (
	// arrive begins the next call of an open pattern.
	arrive eventKind = iota
	// begin begins a call of the client whose number the event has.
	begin
	// retryNow asks to send the next attempt of a call.
	retryNow
	// send sends an attempt that the rate limiter has held back.
	send
	// answered ends an attempt.
	answered
)

// event is something that will happen.
type event struct {
	at   time.Duration
	call int32
	kind eventKind
}

// events is the queue of what will happen, by time and, at one time, in the
// order of scheduling. Time only goes forward, so a radix queue does: an event
// lies in the bucket of the highest digit in which its time differs from the
// present, and moves to lower ones as the present comes near; a few moves in
// all, however many events there are.
type events struct {
	now     time.Duration
	present []event // those of now, of which next have happened
	next    int
	buckets [levels][1 << digit][]event
	filled  [levels]uint64 // which buckets of a level are not empty
}

const (
	digit  = 6                        // bits of a digit
	levels = (63 + digit - 1) / digit // digits of a time
)

func (q *events) push(at time.Duration, kind eventKind, call int32) {
	q.place(event{at: at, call: call, kind: kind})
}

func (q *events) place(e event) {
	if e.at == q.now {
		q.present = append(q.present, e)
		return
	}
	level := (bits.Len64(uint64(e.at^q.now)) - 1) / digit
	d := e.at >> (level * digit) & (1<<digit - 1)
	q.buckets[level][d] = append(q.buckets[level][d], e)
	q.filled[level] |= 1 << d
}

// pop removes the next event, if there is one.
func (q *events) pop() (event, bool) {
	if q.next == len(q.present) && !q.advance() {
		return event{}, false
	}
	e := q.present[q.next]
	q.next++
	return e, true
}

// advance goes to the time of the next event: the earliest one of the first
// bucket that is not empty.
func (q *events) advance() bool {
	q.present, q.next = q.present[:0], 0
	for level, filled := range q.filled {
		if filled == 0 {
			continue
		}
		d := bits.TrailingZeros64(filled)
		bucket := q.buckets[level][d]
		q.buckets[level][d] = bucket[:0]
		q.filled[level] &^= 1 << d
		q.now = bucket[0].at
		for i := range bucket {
			q.now = min(q.now, bucket[i].at)
		}
		for i := range bucket { // into lower levels: not into bucket itself
			q.place(bucket[i])
		}
		return true
	}
	return false
}
