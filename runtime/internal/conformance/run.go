package conformance

import (
	"fmt"
	"math"
	"testing"
)

// Tolerances of vectors: of delays in milliseconds, and of rates.
const (
	delayTolerance = 0.001
	rateTolerance  = 1e-6
)

// Run holds the runtime against v.
func Run(t *testing.T, v Vector) {
	t.Helper()
	run, ok := map[string]func(*testing.T, Vector) error{
		"steps":     runSteps,
		"backoff":   runBackoff,
		"classify":  runClassify,
		"quota":     runQuota,
		"rate":      runRate,
		"cubic":     runCubic,
		"config":    runConfig,
		"constants": runConstants,
	}[v.Kind]
	if !ok {
		t.Fatalf("vector %s: kind %q is not known", v.ID, v.Kind)
	}
	if err := run(t, v); err != nil {
		t.Errorf("vector %s: %v", v.ID, err)
	}
}

// near reports a number that is not the wanted one. A nil want is not
// checked.
func near(what string, got float64, want *float64, tolerance float64) error {
	if want == nil || math.Abs(got-*want) <= tolerance {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, *want)
}
