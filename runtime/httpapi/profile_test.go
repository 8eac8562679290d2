package httpapi

import (
	"reflect"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestProfileOver(t *testing.T) {
	base := Profile{
		Name:              "base",
		Settings:          retry.Settings{MaxAttempts: 3, MaxBackoff: time.Second},
		Transient:         Match{Codes: []string{"A", "B"}, Statuses: []StatusRange{Status(500), Status(503), {520, 529}}},
		Throttling:        Match{Codes: []string{"C"}, Statuses: []StatusRange{Status(429)}},
		DelayedThrottling: []StatusRange{Status(503)},
		ErrorCode:         []CodeSource{{Header: "H"}},
		AttemptHeader:     "Attempt",
	}
	got := Profile{
		Settings:      retry.Settings{MaxAttempts: 5},
		Terminal:      Match{Codes: []string{"A"}, Statuses: []StatusRange{{500, 502}}},
		Throttling:    Match{Codes: []string{"C", "D"}, Statuses: []StatusRange{Status(521)}},
		ErrorCode:     []CodeSource{{Pointer: "/code"}},
		AttemptHeader: "Try",
	}.Over(base)
	want := Profile{
		Name:              "base",
		Settings:          retry.Settings{MaxAttempts: 5, MaxBackoff: time.Second},
		Transient:         Match{Codes: []string{"B"}, Statuses: []StatusRange{Status(503), {520, 529}}},
		Throttling:        Match{Codes: []string{"C", "D"}, Statuses: []StatusRange{Status(521), Status(429)}},
		Terminal:          Match{Codes: []string{"A"}, Statuses: []StatusRange{{500, 502}}},
		DelayedThrottling: []StatusRange{Status(503)},
		ErrorCode:         []CodeSource{{Pointer: "/code"}},
		AttemptHeader:     "Try",
	}
	got.layers = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestProfileOverChangesNothingItself(t *testing.T) {
	got := Profile{}.Over(HTTP1)
	if got.layers = nil; !reflect.DeepEqual(got, HTTP1) {
		t.Errorf("got %+v, want HTTP1", got)
	}
	before := len(HTTP1.Throttling.Codes)
	_ = Profile{Throttling: Match{Codes: []string{"X"}}}.Over(HTTP1)
	if len(HTTP1.Throttling.Codes) != before {
		t.Error("the base was changed")
	}
}
