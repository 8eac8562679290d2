package httpapi

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestServerDelayUnits(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT" // 1792567680
	tests := []struct {
		unit  DelayUnit
		value string
		want  time.Duration // negative: none
	}{
		{DelayMilliseconds, "1500", 1500 * time.Millisecond},
		{DelayMilliseconds, "0", 0},
		{DelayMilliseconds, "+1500", 1500 * time.Millisecond},
		{DelayMilliseconds, "0001500", 1500 * time.Millisecond},
		{DelayMilliseconds, "", -1},
		{DelayMilliseconds, "-100", -1},
		{DelayMilliseconds, "1500.5", -1},
		{DelayMilliseconds, "1e3", -1},
		{DelayMilliseconds, "0x5dc", -1},
		{DelayMilliseconds, "2s", -1},
		{DelayMilliseconds, "1_000", -1},
		{DelayMilliseconds, date, -1},
		{DelayMilliseconds, "99999999999999999999", -1},
		{DelayMilliseconds, "9223372036854", 9223372036854 * time.Millisecond},
		{DelayMilliseconds, "9223372036855", math.MaxInt64},
		{DelayMilliseconds, "9223372036854775807", math.MaxInt64},
		{DelaySeconds, "1.5", 1500 * time.Millisecond},
		{DelaySeconds, ".5", 500 * time.Millisecond},
		{DelaySeconds, "2", 2 * time.Second},
		{DelaySeconds, "99999999999999999999", -1},
		{DelaySeconds, strings.Repeat("9", 400), -1},
		{DelaySeconds, "1.5.2", -1},
		{DelaySeconds, ".", -1},
		{DelaySeconds, "-1", -1},
		{DelaySeconds, "Inf", -1},
		{DelaySeconds, "NaN", -1},
		{DelaySeconds, "1e3", -1},
		{DelayHTTP, "120", 2 * time.Minute},
		{DelayHTTP, " 120 ", 2 * time.Minute},
		{DelayHTTP, "86400", 24 * time.Hour},
		{DelayHTTP, "9223372036", 9223372036 * time.Second},
		{DelayHTTP, "9223372037", -1},
		{DelayHTTP, "+120", -1},
		{DelayHTTP, "1.5", -1},
		{DelayHTTP, "-1", -1},
		{DelayHTTP, "120, 60", -1},
		{DelayHTTP, "Wed, 21 Oct 2026 07:28:30 GMT", 30 * time.Second},
		{DelayHTTP, "Wednesday, 21-Oct-26 07:28:30 GMT", 30 * time.Second},
		{DelayHTTP, "Wed Oct 21 07:28:30 2026", 30 * time.Second},
		{DelayHTTP, "Sun Nov  1 07:28:00 2026", 11 * 24 * time.Hour},
		{DelayHTTP, date, 0},
		{DelayHTTP, "Wed, 21 Oct 2026 07:27:59 GMT", -1},
		{DelayHTTP, "Wed, 21 Oct 2026 07:28:30 CET", -1},
		{DelayHTTP, "Wednesday, 21-Oct-26 07:28:30 EST", -1},
		{DelayHTTP, "Wed, 31 Feb 2026 07:28:30 GMT", -1},
		{DelayHTTP, "Fri, 31 Dec 9999 23:59:59 GMT", -1},
		{DelayHTTP, "tomorrow", -1},
		{DelayEpoch, "1792567690", 10 * time.Second},
		{DelayEpoch, "1792567680.25", 250 * time.Millisecond},
		{DelayEpoch, "1792567679", -1},
		{DelayEpoch, "10", -1},
		{DelayEpoch, "1792567690000", -1},
		{DelayEpochMilliseconds, "1792567680250", 250 * time.Millisecond},
		{DelayEpochMilliseconds, "1792567680", -1},
		{DelayEpochMilliseconds, "-1", -1},
	}
	for _, tt := range tests {
		p := Profile{
			Settings:           retry.Settings{ServerDelay: retry.Clamp},
			ServerDelayHeaders: []DelayHeader{{Name: "Retry-In", Unit: tt.unit}},
		}
		h := http.Header{"Retry-In": {tt.value}, "Date": {date}}
		got := p.serverDelay(h, nil)
		if none := got.source == ""; none != (tt.want < 0) || !none && got.delay != tt.want {
			t.Errorf("unit %d, %q: got %s (%q), want %s", tt.unit, tt.value, got.delay, got.source, tt.want)
		}
	}
}

// TestServerDelayAbsurd disbelieves what is beyond a day, unless it is
// clamped.
func TestServerDelayAbsurd(t *testing.T) {
	for _, c := range []struct {
		policy retry.ServerDelayPolicy
		value  string
		found  bool
	}{
		{retry.Honour, "86400", true},
		{retry.Honour, "86401", false},
		{retry.Clamp, "86401", true},
		{0, "86401", false},
	} {
		p := Profile{Settings: retry.Settings{ServerDelay: c.policy}, ServerDelayHeaders: []DelayHeader{{Name: "Retry-After"}}}
		if got := p.serverDelay(http.Header{"Retry-After": {c.value}}, nil); (got.source != "") != c.found {
			t.Errorf("%v, %s: got %+v", c.policy, c.value, got)
		}
	}
}

func TestServerDelayFirstUsable(t *testing.T) {
	p := Profile{ServerDelayHeaders: []DelayHeader{
		{Name: "Retry-After-Ms", Unit: DelayMilliseconds}, {Name: "Retry-After"}, {Pointer: "/error/wait", Unit: DelaySeconds},
	}}
	for _, c := range []struct {
		header http.Header
		body   string
		want   askedDelay
	}{
		{http.Header{"Retry-After-Ms": {"soon"}, "Retry-After": {"3"}}, "", askedDelay{3 * time.Second, "Retry-After", true}},
		{http.Header{"Retry-After-Ms": {"1"}, "Retry-After": {"3"}}, "", askedDelay{time.Millisecond, "Retry-After-Ms", true}},
		{nil, `{"error":{"wait":1.5}}`, askedDelay{1500 * time.Millisecond, "/error/wait", true}},
		{nil, `{"error":{"wait":"2"}, "cut off`, askedDelay{2 * time.Second, "/error/wait", true}},
		{nil, `{"error":{"wait":-2}}`, askedDelay{}},
		{nil, `{"error":{"wait":[1]}}`, askedDelay{}},
		{nil, `<wait>1</wait>`, askedDelay{}},
		{nil, ``, askedDelay{}},
	} {
		if got := p.serverDelay(c.header, []byte(c.body)); got != c.want {
			t.Errorf("%v %s: got %+v, want %+v", c.header, c.body, got, c.want)
		}
	}
}

// TestServerDelayOfWindows reads the end of a rate limit's window only when
// nothing is left of it, and does not take it for a refusal.
func TestServerDelayOfWindows(t *testing.T) {
	p := Profile{ServerDelayHeaders: []DelayHeader{
		{Name: "RateLimit", Unit: DelayRateLimit}, {Name: "X-RateLimit-Reset", Unit: DelaySeconds},
	}}
	for _, c := range []struct {
		header map[string]string
		want   askedDelay
	}{
		{map[string]string{"RateLimit": `"default";r=0;t=5`}, askedDelay{5 * time.Second, "RateLimit", false}},
		{map[string]string{"RateLimit": `"default";r=1;t=5`}, askedDelay{}},
		{map[string]string{"X-RateLimit-Reset": "7"}, askedDelay{7 * time.Second, "X-RateLimit-Reset", false}},
		{map[string]string{"X-RateLimit-Reset": "7", "X-RateLimit-Remaining": "0"}, askedDelay{7 * time.Second, "X-RateLimit-Reset", false}},
		{map[string]string{"X-RateLimit-Reset": "7", "X-RateLimit-Remaining": "10"}, askedDelay{}},
		{map[string]string{"X-RateLimit-Reset": "7", "X-RateLimit-Remaining": "none"}, askedDelay{}},
	} {
		h := http.Header{}
		for name, value := range c.header {
			h.Set(name, value)
		}
		if got := p.serverDelay(h, nil); got != c.want {
			t.Errorf("%v: got %+v, want %+v", c.header, got, c.want)
		}
	}
}

func TestParseRateLimit(t *testing.T) {
	for value, want := range map[string]time.Duration{ // negative: none
		`"default";r=0;t=5`:                        5 * time.Second,
		`"default";r=0;t=0`:                        0,
		`"a";r=0;t=5, "b";r=0;t=50, "c";r=9;t=500`: 50 * time.Second,
		`"a,b;r=1";r=0;t=5`:                        5 * time.Second,
		`"say \"hi\"";t=5;r=0;pk=:cGs=:`:           5 * time.Second,
		`default;r=0;t=5`:                          5 * time.Second,
		`limit=100, remaining=0, reset=5`:          5 * time.Second,
		`limit=100,remaining=0,reset=5;w=60`:       5 * time.Second,
		`limit=100, remaining=1, reset=5`:          -1,
		`"default";r=5;t=5`:                        -1,
		`"default";r=0`:                            -1,
		`"default";t=5`:                            -1,
		`"default";r=0;t=-5`:                       -1,
		`"default";r=-1;t=5`:                       -1,
		`"default";r=0;t=1.5`:                      -1,
		`"default";r=0;t=99999999999999999999`:     -1,
		`"default;r=0;t=5`:                         -1,
		`"default";r=0;t=5,`:                       -1,
		`"default";r=0;t=5, "broken`:               -1,
		`5`:                                        -1,
		``:                                         -1,
		`;r=0;t=5`:                                 -1,
		"\"caf\u00e9\";r=0;t=5":                    -1,
		`"a\b";r=0;t=5`:                            -1,
		`"default";R=0;t=5`:                        -1,
		`"default";r=0;t=5;r=1`:                    -1, // the last one counts
		`"default"; r=0; t=5`:                      5 * time.Second,
	} {
		got, ok := parseRateLimit(value)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: got %s, %t, want %s", value, got, ok, want)
		}
	}
}

// TestParseDateCentury wants a two-digit year to be within fifty years.
func TestParseDateCentury(t *testing.T) {
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	for text, year := range map[string]int{
		"Wednesday, 21-Oct-26 07:28:00 GMT": 2026,
		"Wednesday, 21-Oct-69 07:28:00 GMT": 2069,
		"Wednesday, 21-Oct-76 07:28:00 GMT": 2076,
		"Wednesday, 21-Oct-76 07:28:01 GMT": 1976,
		"Wednesday, 21-Oct-99 07:28:00 GMT": 1999,
		"Wednesday, 21-Oct-00 07:28:00 GMT": 2000,
	} {
		if got, ok := parseDate(text, now); !ok || got.Year() != year || got.Month() != time.October || got.Hour() != 7 {
			t.Errorf("%s: got %v, %t, want the year %d", text, got, ok, year)
		}
	}
	late := time.Date(2096, 1, 1, 0, 0, 0, 0, time.UTC)
	if got, ok := parseDate("Thursday, 21-Oct-04 07:28:00 GMT", late); !ok || got.Year() != 2104 {
		t.Errorf("late in a century: got %v, %t", got, ok)
	}
}

// TestServerDelayDate compares a date with the answer's own, else with now:
// the bubble's clock stands at midnight UTC 2000-01-01.
func TestServerDelayDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for date, want := range map[string]time.Duration{
			"":                                 time.Minute,
			"today":                            time.Minute,
			"Fri, 31 Dec 1999 23:59:30 GMT":    90 * time.Second, // a clock that is late
			"Sat Jan  1 00:00:10 2000":         50 * time.Second,
			"Saturday, 01-Jan-00 00:00:20 GMT": 40 * time.Second,
		} {
			if got, ok := DelayHTTP.parse("Sat, 01 Jan 2000 00:01:00 GMT", date); got != want || !ok {
				t.Errorf("Date %q: got %s, %t, want %s", date, got, ok, want)
			}
		}
	})
}

// FuzzServerDelay wants no reading of a header to panic, to be negative, or
// to be believed beyond a day under Honour.
func FuzzServerDelay(f *testing.F) {
	for _, seed := range []string{
		"120", "1.5", "-1", "99999999999999999999", "1792567690", `"default";r=0;t=5`, "limit=1, remaining=0, reset=5",
		"Wed, 21 Oct 2026 07:28:30 GMT", "Wednesday, 21-Oct-26 07:28:30 GMT", "Wed Oct 21 07:28:30 2026", `"a\`,
	} {
		f.Add(seed, "Wed, 21 Oct 2026 07:28:00 GMT")
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		for unit := DelayHTTP; unit <= DelayRateLimit; unit++ {
			if d, ok := unit.parse(value, date); ok && d < 0 {
				t.Errorf("unit %d: got %s", unit, d)
			}
			p := Profile{Settings: retry.Settings{ServerDelay: retry.Honour}, ServerDelayHeaders: []DelayHeader{
				{Name: "Wait", Unit: unit}, {Pointer: "/wait", Unit: unit},
			}}
			got := p.serverDelay(http.Header{"Wait": {value}, "Date": {date}}, []byte(value))
			if got.delay < 0 || got.delay > retry.MaxServerDelay {
				t.Errorf("unit %d: got %+v", unit, got)
			}
		}
	})
}

// FuzzParseDate wants a date of any of the three forms to be what was
// formatted.
func FuzzParseDate(f *testing.F) {
	f.Add(int64(1792567680))
	f.Add(int64(0))
	f.Add(int64(253402300799)) // the end of 9999
	f.Fuzz(func(t *testing.T, seconds int64) {
		at := time.Unix(seconds, 0).UTC()
		if at.Year() < 1 || at.Year() > 9999 {
			return
		}
		for _, form := range []string{http.TimeFormat, time.RFC850, time.ANSIC} {
			text := strings.Replace(at.Format(form), "UTC", "GMT", 1)
			if got, ok := parseDate(text, at); !ok || !got.Equal(at) {
				t.Errorf("%s: got %v, %t", text, got, ok)
			}
		}
	})
}
