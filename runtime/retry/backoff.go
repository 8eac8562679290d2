package retry

import (
	"math"
	"time"
)

// Backoff returns the wait before retry number retry (0 is the first retry):
// jitter × min(maxBackoff, base × 2^retry). jitter is a draw from [0, 1],
// and is limited to that. The cap comes before the jitter, and the doubling
// saturates at the cap, so that no retry number overflows. Negative arguments
// count as zero.
func Backoff(base, maxBackoff time.Duration, retry int, jitter float64) time.Duration {
	base, maxBackoff, retry = max(base, 0), max(maxBackoff, 0), max(retry, 0)
	term := maxBackoff
	if retry < doublings(base, maxBackoff) {
		term = base << retry
	}
	switch {
	case !(jitter > 0): // not a number counts as zero
		return 0
	case jitter >= 1:
		return term
	}
	return min(term, time.Duration(math.Round(jitter*float64(term))))
}

// doublings is how many doublings bring base to limit or beyond.
func doublings(base, limit time.Duration) int {
	if base == 0 {
		return math.MaxInt
	}
	n := 0
	for term := base; term < limit; n++ {
		if term > math.MaxInt64/2 {
			return n + 1
		}
		term *= 2
	}
	return n
}
