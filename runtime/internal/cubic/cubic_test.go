package cubic_test

import (
	"math"
	"testing"

	"github.com/retrygen/retrygen/runtime/internal/cubic"
)

// TestCurve checks what makes the curve what it is: it starts at the cut rate,
// is back at the old one after the window, and never falls.
func TestCurve(t *testing.T) {
	var c cubic.Curve
	const at, rate = 3.0, 10.0
	if got := c.Cut(at, rate); got != 7 || c.Rate != got {
		t.Errorf("cut of %v: %v, want 7", rate, got)
	}
	if got := c.Grow(at); math.Abs(got-7) > 1e-12 {
		t.Errorf("right after the cut: %v, want 7", got)
	}
	if got := c.Grow(at + c.Window()); math.Abs(got-rate) > 1e-12 {
		t.Errorf("after the window: %v, want %v", got, rate)
	}
	last := 0.0
	for t0 := at; t0 < at+10; t0 += 0.1 {
		got := c.Grow(t0)
		if got < last {
			t.Fatalf("at %v: %v, below %v", t0, got, last)
		}
		last = got
	}
}
