package simulate

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// tally counts while a simulation runs.
type tally struct {
	window                                        time.Duration
	calls, successes                              int64
	requests, inOutage, limited, timedOut, wasted int64
	last                                          time.Duration
	failed                                        [256]int64 // by stop reason
	windows                                       []Window
	latencies                                     quantiles
}

func newTally(s Scenario) tally {
	return tally{window: s.Window, latencies: newQuantiles()}
}

// at returns the window of time now.
func (t *tally) at(now time.Duration) *Window {
	i := int(now / t.window)
	for i >= len(t.windows) {
		t.windows = append(t.windows, Window{})
	}
	return &t.windows[i]
}

func (t *tally) request(now time.Duration, inOutage bool, o outcome) {
	t.requests++
	t.at(now).Requests++
	if inOutage {
		t.inOutage++
	}
	if o == limited {
		t.limited++
	}
}

func (t *tally) answer(now time.Duration, o outcome) {
	w := t.at(now)
	if o == served {
		w.Succeeded++
		return
	}
	w.Failed++
	if o == timedOut || o == cutOff {
		t.timedOut++
	}
}

func (t *tally) succeed(now, took time.Duration) {
	t.successes++
	t.last = now
	t.latencies.add(took)
}

func (t *tally) fail(stop retry.StopReason) { t.failed[stop]++ }

// result sums up.
func (t *tally) result(strategy string, s Scenario) Result {
	r := Result{
		Strategy: strategy,
		Calls:    t.calls, Successes: t.successes, Failed: map[retry.StopReason]int64{},
		Requests: t.requests, InOutage: t.inOutage, Limited: t.limited, TimedOut: t.timedOut, Wasted: t.wasted,
		P50: t.latencies.quantile(0.50), P99: t.latencies.quantile(0.99), Last: t.last,
		Windows:  t.windows,
		Recovery: recovery(s, t.windows),
	}
	maps.Copy(r.Failed, t.failures())
	var back time.Duration
	if n := len(s.Service.Outages); n > 0 {
		back = s.Service.Outages[n-1].To
	}
	for i, w := range t.windows {
		begin := time.Duration(i) * s.Window
		if w.Requests > r.Peak {
			r.Peak, r.PeakAt = w.Requests, begin
		}
		if begin >= back {
			r.PeakAfter = max(r.PeakAfter, w.Requests)
		}
	}
	return r
}

func (t *tally) failures() map[retry.StopReason]int64 {
	out := map[retry.StopReason]int64{}
	for reason, n := range t.failed {
		if n > 0 {
			out[retry.StopReason(reason)] = n
		}
	}
	return out
}

// quantiles is a histogram of durations whose buckets are at most 1/1024 wide,
// relative to what they hold.
type quantiles struct {
	buckets []int64
	total   int64
	longest time.Duration
}

const (
	exactBits = 10 // durations below 2^(exactBits+1) have a bucket each
	perOctave = 1 << exactBits
)

func newQuantiles() quantiles {
	return quantiles{buckets: make([]int64, (64-exactBits)*perOctave)}
}

func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	shift := max(bits.Len64(v)-1-exactBits, 0)
	return shift*perOctave + int(v>>shift)
}

// upper is the greatest duration of a bucket.
func upper(bucket int) time.Duration {
	if bucket < 2*perOctave {
		return time.Duration(bucket)
	}
	shift := bucket/perOctave - 1
	top := uint64(bucket%perOctave + perOctave)
	return time.Duration((top+1)<<shift - 1)
}

func (q *quantiles) add(d time.Duration) {
	q.buckets[bucketOf(d)]++
	q.total++
	q.longest = max(q.longest, d)
}

// quantile is the least duration that is not exceeded by the given share.
func (q *quantiles) quantile(share float64) time.Duration {
	if q.total == 0 {
		return 0
	}
	rank := int64(share*float64(q.total) + 0.999999)
	var seen int64
	bucket := slices.IndexFunc(q.buckets, func(n int64) bool {
		seen += n
		return seen >= max(rank, 1)
	})
	return min(upper(bucket), q.longest)
}
