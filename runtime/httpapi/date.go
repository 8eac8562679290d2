package httpapi

import (
	"fmt"
	"time"
)

// Date is a calendar date without a time of day or a zone: full-date of RFC
// 3339, as in 2026-02-28. The zero value is no date.
type Date struct {
	Year  int // 0 to 9999
	Month time.Month
	Day   int
}

// DateOf returns the date of t in t's zone.
func DateOf(t time.Time) Date {
	var d Date
	d.Year, d.Month, d.Day = t.Date()
	return d
}

// ParseDate reads a full-date.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, fmt.Errorf("date %q: want YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// In returns the beginning of the date in a zone.
func (d Date) In(loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, loc)
}

// IsZero reports whether d is no date.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the full-date.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// MarshalText returns the full-date. Dates that no calendar has are errors.
func (d Date) MarshalText() ([]byte, error) {
	if d.Year < 0 || d.Year > 9999 || DateOf(d.In(time.UTC)) != d {
		return nil, fmt.Errorf("date %s does not exist", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads a full-date.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}
