package httpapi

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Bounds of the correction of a wrong clock, as in aws-sdk-go-v2 v1.48.0.
const (
	// skewTolerance is how far the server's time may be off before it
	// explains a refused signature.
	skewTolerance = 4 * time.Minute
	// maxTrustedLatency is how long an answer may take for its Date to be
	// compared with the clock.
	maxTrustedLatency = 15 * time.Minute
)

// skew is how far the server's clock was ahead of the client's when it was
// last seen.
type skew struct{ offset atomic.Int64 }

func (s *skew) load() time.Duration { return time.Duration(s.offset.Load()) }

// observe takes the offset from an answer that can be trusted: it has a Date,
// does not come from a cache, and did not take long. Of other answers it
// returns otherwise.
func (s *skew) observe(h http.Header, sent, received time.Time, otherwise time.Duration) time.Duration {
	if h.Get("Age") != "" || received.Sub(sent) > maxTrustedLatency {
		return otherwise
	}
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return otherwise
	}
	offset := date.Sub(received)
	s.offset.Store(int64(offset))
	return offset
}

// correctSkew makes a terminal failure transient if a wrong clock explains
// it: its code is of that kind, and the server's time is not the one that the
// attempt was signed with. The next attempt is signed with the right one.
func (p *Profile) correctSkew(f *retry.Failure, used, seen time.Duration) {
	if f.Class != retry.Terminal || !slices.Contains(p.ClockSkew, f.Code) {
		return
	}
	if (seen - used).Abs() > skewTolerance {
		f.Class, f.Rule, f.NotActed = retry.Transient, "clock skew", true
	}
}
