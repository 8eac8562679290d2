package httpapi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// UnixTime is a time that travels as a number of seconds since 1970-01-01
// UTC, with a fraction down to nanoseconds.
type UnixTime struct{ time.Time }

// Unix returns t as a UnixTime.
func Unix(t time.Time) UnixTime { return UnixTime{t} }

// String returns the number of seconds, without an exponent.
func (u UnixTime) String() string {
	seconds, nanos := u.Time.Unix(), int64(u.Nanosecond())
	sign := ""
	if seconds < 0 {
		sign, seconds = "-", -seconds
		if nanos > 0 {
			seconds, nanos = seconds-1, 1e9-nanos
		}
	}
	text := sign + strconv.FormatInt(seconds, 10)
	if nanos == 0 {
		return text
	}
	return text + "." + strings.TrimRight(fmt.Sprintf("%09d", nanos), "0")
}

// MarshalJSONTo writes the number.
func (u UnixTime) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(u.String()))
}

// UnmarshalJSONFrom reads a number or, as some services answer, a string with
// a number or a time of RFC 3339.
func (u *UnixTime) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	token, err := dec.ReadToken()
	switch {
	case err != nil:
		return err
	case token.Kind() == jsontext.KindNull:
		*u = UnixTime{}
		return nil
	}
	return u.parse(token.String())
}

// MarshalJSON writes the number.
func (u UnixTime) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON reads what UnmarshalJSONFrom reads.
func (u *UnixTime) UnmarshalJSON(data []byte) error { return unmarshalJSON(data, u) }

// MarshalText writes the number.
func (u UnixTime) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// AppendText appends the number.
func (u UnixTime) AppendText(dst []byte) ([]byte, error) { return append(dst, u.String()...), nil }

// UnmarshalText reads a number or a time of RFC 3339.
func (u *UnixTime) UnmarshalText(text []byte) error { return u.parse(string(text)) }

// unixLimit bounds the seconds that are accepted, so that the time has a year
// of four digits at most.
const unixLimit = 253402300800 // 10000-01-01T00:00:00Z

func (u *UnixTime) parse(s string) error {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		u.Time = t
		return nil
	}
	seconds, nanos, err := parseSeconds(s)
	if err != nil || seconds >= unixLimit || seconds <= -unixLimit {
		return fmt.Errorf("time %q: want a number of seconds", s)
	}
	u.Time = time.Unix(seconds, nanos).UTC()
	return nil
}

// parseSeconds reads a decimal number exactly; digits after the ninth of the
// fraction are dropped.
func parseSeconds(s string) (seconds, nanos int64, err error) {
	s = decimal(s)
	whole, fraction, _ := strings.Cut(s, ".")
	if seconds, err = strconv.ParseInt(whole, 10, 64); err != nil {
		return 0, 0, err
	}
	if fraction != "" {
		digits := (fraction + "000000000")[:9]
		unsigned, err := strconv.ParseUint(digits, 10, 32)
		if err != nil {
			return 0, 0, err
		}
		nanos = int64(unsigned)
	}
	if strings.HasPrefix(whole, "-") {
		nanos = -nanos
	}
	return seconds, nanos, nil
}
