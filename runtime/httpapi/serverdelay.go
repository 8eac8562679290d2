package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// askedDelay is a delay that an answer asks for. Its zero value is none.
type askedDelay struct {
	delay  time.Duration
	source string // header or pointer where it stood, "" if there is none
	// refusal is set when to ask for it is to refuse the request; the end of
	// a rate limit's window is told of requests that were served, too.
	refusal bool
}

// serverDelay returns the delay that the answer asks for: the first usable
// value of the profile's sources. What is malformed, negative, beyond a
// Duration or, unless the policy clamps it, beyond [retry.MaxServerDelay] is
// passed over.
func (p *Profile) serverDelay(h http.Header, body []byte) askedDelay {
	for _, source := range p.ServerDelayHeaders {
		d, ok := source.find(h, body)
		if ok && (d <= retry.MaxServerDelay || p.ServerDelay == retry.Clamp) {
			return askedDelay{d, source.place(), !source.tellsWindow()}
		}
	}
	return askedDelay{}
}

// place says where the delay stands, for people.
func (s DelayHeader) place() string {
	if s.Pointer != "" {
		return s.Pointer
	}
	return s.Name
}

// tellsWindow reports whether the source tells when a window of a rate limit
// ends, rather than when to retry.
func (s DelayHeader) tellsWindow() bool {
	return s.Unit == DelayRateLimit || s.remaining() != ""
}

// remaining is the header beside a header that is called …-Reset which says
// what is left of the quota, "" for other headers.
func (s DelayHeader) remaining() string {
	const reset = "-reset"
	if n := len(s.Name) - len(reset); n > 0 && strings.EqualFold(s.Name[n:], reset) {
		return s.Name[:n] + "-Remaining"
	}
	return ""
}

// find reads the delay of one source.
func (s DelayHeader) find(h http.Header, body []byte) (time.Duration, bool) {
	var value string
	if s.Pointer != "" {
		value = jsonText(body, s.Pointer, true)
	} else {
		value = strings.Join(h.Values(s.Name), ", ")
	}
	if value = strings.TrimSpace(value); value == "" {
		return 0, false
	}
	if name := s.remaining(); name != "" && quotaIsLeft(h.Get(name)) {
		return 0, false
	}
	return s.Unit.parse(value, h.Get("Date"))
}

// quotaIsLeft reports whether the header of a rate limit says that requests
// are left: it is there, and no zero.
func quotaIsLeft(remaining string) bool {
	remaining = strings.TrimSpace(remaining)
	return remaining != "" && strings.Trim(remaining, "0") != ""
}

// parse reads one value. date is the answer's Date header, to which points in
// time are relative; without one they are relative to now.
func (u DelayUnit) parse(value, date string) (time.Duration, bool) {
	switch u {
	case DelayMilliseconds:
		return parseWhole(value, time.Millisecond)
	case DelaySeconds:
		return parseDecimal(value, time.Second)
	case DelayEpoch:
		return parseEpoch(value, time.Second, date)
	case DelayEpochMilliseconds:
		return parseEpoch(value, time.Millisecond, date)
	case DelayRateLimit:
		return parseRateLimit(value)
	}
	return parseRetryAfter(value, date)
}

// parseRetryAfter reads Retry-After of RFC 9110, 10.2.3: digits, or a date.
func parseRetryAfter(value, date string) (time.Duration, bool) {
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > math.MaxInt64/int64(time.Second) {
			return 0, false
		}
		return time.Duration(seconds) * time.Second, true
	}
	from := dateOf(date)
	until, ok := parseDate(value, from)
	if !ok {
		return 0, false
	}
	return between(from, until)
}

// dateOf is the time of an answer: its Date, else now.
func dateOf(date string) time.Time {
	now := time.Now()
	if from, ok := parseDate(date, now); ok {
		return from
	}
	return now
}

// between is the time from one moment to another, which must not be negative
// nor beyond a Duration.
func between(from, until time.Time) (time.Duration, bool) {
	d := until.Sub(from)
	return d, d >= 0 && d < math.MaxInt64
}

// yearsAhead is how far ahead of its time a date with a two-digit year may
// seem to be; beyond, it is of the past (RFC 9110, 5.6.7).
const yearsAhead = 50

// parseDate reads a date in the three forms of RFC 9110, 5.6.7. now is what
// the century of a two-digit year is worked out from.
func parseDate(value string, now time.Time) (time.Time, bool) {
	value = strings.TrimSpace(value)
	if t, err := time.Parse(http.TimeFormat, value); err == nil {
		return t, true
	}
	if t, err := time.Parse(time.ANSIC, value); err == nil {
		return t, true
	}
	t, err := time.Parse(time.RFC850, value)
	if err != nil || !strings.HasSuffix(value, " GMT") {
		return time.Time{}, false
	}
	now = now.UTC()
	year := now.Year() - now.Year()%100 + 100 + t.Year()%100
	latest := now.AddDate(yearsAhead, 0, 0)
	for t = inYear(t, year); t.After(latest); t = inYear(t, year) {
		year -= 100
	}
	return t, true
}

// inYear is t in another year.
func inYear(t time.Time, year int) time.Time {
	return time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// parseWhole reads a whole, non-negative number of units. One that is too
// large for a Duration saturates.
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

// parseDecimal reads a number such as "1.5": digits and at most one point.
func parseDecimal(value string, unit time.Duration) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(value, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt("0"+whole, 10, 64)
	part, _ := strconv.ParseFloat("0."+fraction, 64)
	if err != nil || n >= math.MaxInt64/int64(unit) {
		return 0, false
	}
	return time.Duration(n)*unit + time.Duration(math.Round(part*float64(unit))), true
}

// parseEpoch reads a point in time, counted in units since 1970.
func parseEpoch(value string, unit time.Duration, date string) (time.Duration, bool) {
	since, ok := parseDecimal(value, unit)
	if !ok {
		return 0, false
	}
	return between(dateOf(date), time.Unix(0, int64(since)))
}
