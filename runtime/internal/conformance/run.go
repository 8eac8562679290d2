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

// skipped are the kinds that this runtime has nothing to hold against.
var skipped = map[string]string{
	"constants": "the schemes from before 2026 are not in this runtime yet",
}

// Run holds the runtime against v. It skips t, with the reason, when v asks
// for something that the runtime does not have.
func Run(t *testing.T, v Vector) {
	t.Helper()
	if reason, ok := skipped[v.Kind]; ok {
		t.Skip(reason)
	}
	run, ok := map[string]func(*testing.T, Vector) error{
		"steps":    runSteps,
		"backoff":  runBackoff,
		"classify": runClassify,
		"quota":    runQuota,
		"rate":     runRate,
		"cubic":    runCubic,
		"config":   runConfig,
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
