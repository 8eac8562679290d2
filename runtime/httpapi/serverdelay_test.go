package httpapi

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestServerDelay(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT"
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
		{DelaySeconds, "99999999999999999999", math.MaxInt64},
		{DelaySeconds, "1.5.2", -1},
		{DelaySeconds, ".", -1},
		{DelaySeconds, "-1", -1},
		{DelaySeconds, "Inf", -1},
		{DelaySeconds, "NaN", -1},
		{DelaySeconds, "1e3", -1},
		{DelayHTTP, "120", 2 * time.Minute},
		{DelayHTTP, " 120 ", 2 * time.Minute},
		{DelayHTTP, "1.5", -1},
		{DelayHTTP, "-1", -1},
		{DelayHTTP, "Wed, 21 Oct 2026 07:28:30 GMT", 30 * time.Second},
		{DelayHTTP, "Wednesday, 21-Oct-26 07:28:30 GMT", 30 * time.Second},
		{DelayHTTP, date, 0},
		{DelayHTTP, "Wed, 21 Oct 2026 07:27:59 GMT", -1},
		{DelayHTTP, "tomorrow", -1},
	}
	for _, tt := range tests {
		p := Profile{ServerDelayHeaders: []DelayHeader{{Name: "Retry-In", Unit: tt.unit}}}
		h := http.Header{"Retry-In": {tt.value}, "Date": {date}}
		got := p.serverDelay(h)
		if none := got.header == ""; none != (tt.want < 0) || !none && got.delay != tt.want {
			t.Errorf("unit %d, %q: got %s (%q), want %s", tt.unit, tt.value, got.delay, got.header, tt.want)
		}
	}
}

func TestServerDelayFirstUsable(t *testing.T) {
	p := Profile{ServerDelayHeaders: []DelayHeader{{"Retry-After-Ms", DelayMilliseconds}, {"Retry-After", DelayHTTP}}}
	h := http.Header{"Retry-After-Ms": {"soon"}, "Retry-After": {"3"}}
	if got := p.serverDelay(h); got != (askedDelay{3 * time.Second, "Retry-After"}) {
		t.Errorf("got %+v", got)
	}
}

func TestServerDelayWithoutDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble's clock stands at midnight UTC 2000-01-01
		got, ok := DelayHTTP.parse("Sat, 01 Jan 2000 00:01:00 GMT", "")
		if got != time.Minute || !ok {
			t.Errorf("got %s, %t", got, ok)
		}
	})
}
