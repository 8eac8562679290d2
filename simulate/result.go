package simulate

import (
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Result is what one strategy made of a scenario. Requests are attempts that
// were sent.
type Result struct {
	Strategy string
	// Calls begun. Those that neither succeeded nor failed were under way at
	// the end.
	Calls, Successes int64
	// Failed calls, by the reason for giving up.
	Failed map[retry.StopReason]int64
	// Requests of all calls, and those of them that were sent during an
	// outage, refused for lack of capacity, left by a client that timed out
	// or met its deadline, and served although the client had left.
	Requests, InOutage, Limited, TimedOut, Wasted int64
	// P50 and P99 are quantiles of the time from the begin of a call to its
	// success, at most 0.1 % too high. Last is when the last success came.
	// They are zero without a success.
	P50, P99, Last time.Duration
	// Peak is the most requests of any window, PeakAt when it began;
	// PeakAfter is the most of a window that begins at or after the end of
	// the last outage.
	Peak, PeakAfter int64
	PeakAt          time.Duration
	// Recovery tells how the service came back after the last outage.
	Recovery Recovery
	// Windows is the histogram, from time zero to the last request or answer.
	Windows []Window
}

// Recovery is the time from the end of the last outage to the end of the last
// window in which more than 5 % of the attempts that ended had failed. Of an
// open pattern only the windows count in which calls begin: a service that
// comes back when nobody calls has not recovered.
type Recovery struct {
	// Outage is set if there was an outage, and the simulation went on after
	// it. Otherwise the rest says nothing.
	Outage bool
	// Never is set if there was no good window after the last bad one.
	Never bool
	Time  time.Duration
}

// Window is one window of the histogram.
type Window struct {
	// Requests that were sent in it.
	Requests int64
	// Succeeded and Failed are the attempts that ended in it.
	Succeeded, Failed int64
}

// SuccessRate is the share of calls that succeeded, 0…1.
func (r Result) SuccessRate() float64 { return ratio(r.Successes, r.Calls) }

// Amplification is the requests of a call, on average: 1 is a load without
// retries.
func (r Result) Amplification() float64 { return ratio(r.Requests, r.Calls) }

// Failures is the number of calls that failed, whatever the reason.
func (r Result) Failures() int64 {
	var n int64
	for _, count := range r.Failed {
		n += count
	}
	return n
}

// Unfinished is the number of calls that were under way at the end.
func (r Result) Unfinished() int64 { return r.Calls - r.Successes - r.Failures() }

func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// badShare is the share of failed attempts from which on a window is bad.
const badShare = 0.05

func (w Window) bad() bool { return float64(w.Failed) > badShare*float64(w.Failed+w.Succeeded) }

func (w Window) idle() bool { return w.Failed+w.Succeeded == 0 }

// recovery reads the histogram after the last outage.
func recovery(s Scenario, windows []Window) Recovery {
	if len(s.Service.Outages) == 0 {
		return Recovery{}
	}
	back := s.Service.Outages[len(s.Service.Outages)-1].To
	first := int(back / s.Window)
	if s.Arrival.Pattern != Burst && s.Arrival.For > 0 {
		windows = windows[:min(len(windows), int(s.Arrival.For/s.Window))]
	}
	if first >= len(windows) {
		return Recovery{Outage: back < s.End, Never: true}
	}
	r := Recovery{Outage: true, Never: true}
	for i, w := range windows[first:] {
		switch {
		case w.idle():
		case w.bad():
			r.Never, r.Time = true, time.Duration(first+i+1)*s.Window-back
		default:
			r.Never = false
		}
	}
	return r
}
