package explain

import (
	"math"
	"time"
)

// Duration is a time.Duration that marshals as text: "1.5s".
type Duration time.Duration

// String returns the text, "unlimited" for the longest duration.
func (d Duration) String() string {
	if d == math.MaxInt64 {
		return "unlimited"
	}
	return time.Duration(d).String()
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// times returns n × d, saturating.
func (d Duration) times(n int) Duration {
	if d <= 0 || n <= 0 {
		return 0
	}
	if int64(n) > math.MaxInt64/int64(d) {
		return math.MaxInt64
	}
	return d * Duration(n)
}

// plus returns d + e, saturating. Neither is negative.
func (d Duration) plus(e Duration) Duration {
	if d > math.MaxInt64-e {
		return math.MaxInt64
	}
	return d + e
}
