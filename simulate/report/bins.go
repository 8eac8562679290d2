package report

import (
	"time"

	"github.com/retrygen/retrygen/simulate"
)

// bins are histograms of the same windows, few enough to be shown.
type bins struct {
	width time.Duration
	count int
	of    []histogram // of each result
}

type histogram []simulate.Window

// at returns window i, an empty one beyond the end.
func (h histogram) at(i int) simulate.Window {
	if i < len(h) {
		return h[i]
	}
	return simulate.Window{}
}

// newBins adds windows up so that there are at most limit.
func newBins(s simulate.Scenario, results []simulate.Result, limit int) bins {
	longest := 0
	for _, r := range results {
		longest = max(longest, len(r.Windows))
	}
	merge := 1
	for limit > 0 && (longest+merge-1)/merge > limit {
		merge = nextRound(merge)
	}
	b := bins{width: time.Duration(merge) * s.Window, count: (longest + merge - 1) / merge}
	for _, r := range results {
		h := make(histogram, (len(r.Windows)+merge-1)/merge)
		for i, w := range r.Windows {
			h[i/merge].Requests += w.Requests
			h[i/merge].Succeeded += w.Succeeded
			h[i/merge].Failed += w.Failed
		}
		b.of = append(b.of, h)
	}
	return b
}

// nextRound is the number after n of 1, 2, 5, 10, 20, 50 …
func nextRound(n int) int {
	for n%10 == 0 {
		return 10 * nextRound(n/10)
	}
	return map[int]int{1: 2, 2: 5, 5: 10}[n]
}

func (b bins) begin(i int) time.Duration { return time.Duration(i) * b.width }

// most is the most requests of a window.
func (b bins) most() int64 {
	var most int64
	for _, h := range b.of {
		for _, w := range h {
			most = max(most, w.Requests)
		}
	}
	return most
}
