package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// askedDelay is a delay that an answer asks for. Its zero value is none.
type askedDelay struct {
	delay  time.Duration
	header string // where it stood, "" if there is none
}

// serverDelay returns the delay that the answer asks for: the first usable
// value of the profile's headers. A value that is malformed or negative is
// passed over, one that is too long for a Duration saturates.
func (p *Profile) serverDelay(h http.Header) askedDelay {
	for _, source := range p.ServerDelayHeaders {
		value := strings.TrimSpace(h.Get(source.Name))
		if value == "" {
			continue
		}
		if d, ok := source.Unit.parse(value, h.Get("Date")); ok {
			return askedDelay{d, source.Name}
		}
	}
	return askedDelay{}
}

// parse reads one value. date is the answer's Date header, to which an HTTP
// date is relative; without one it is relative to now.
func (u DelayUnit) parse(value, date string) (time.Duration, bool) {
	switch u {
	case DelayMilliseconds:
		return parseWhole(value, time.Millisecond)
	case DelaySeconds:
		return parseDecimal(value)
	}
	if d, ok := parseWhole(value, time.Second); ok {
		return d, true
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	from, err := http.ParseTime(date)
	if err != nil {
		from = time.Now()
	}
	d := until.Sub(from)
	return d, d >= 0
}

// parseWhole reads a whole, non-negative number of units.
func parseWhole(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, false
	}
	if n > math.MaxInt64/int64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * unit, true
}

// parseDecimal reads seconds such as "1.5": digits and at most one point.
func parseDecimal(value string) (time.Duration, bool) {
	if strings.Trim(value, "0123456789.") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil && !math.IsInf(seconds, 1) {
		return 0, false
	}
	if nanoseconds := seconds * float64(time.Second); nanoseconds < math.MaxInt64 {
		return time.Duration(math.Round(nanoseconds)), true
	}
	return math.MaxInt64, true
}
