package simulate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/retrygen/retrygen/simulate"
)

// preset runs a preset, changed by change.
func preset(t *testing.T, name string, change func(*simulate.Scenario)) []simulate.Result {
	t.Helper()
	p, ok := simulate.PresetNamed(name)
	if !ok {
		t.Fatalf("no preset %q", name)
	}
	if change != nil {
		change(&p.Scenario)
	}
	results, err := simulate.Run(t.Context(), p.Scenario, p.Strategies...)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestOutagePreset holds the experiment against what can be worked out by
// hand. Without jitter all clients move together: what was refused comes back
// at once, and 15 of a hundred succeed each time, in ceil(100/15) = 7 rounds
// with 100 + 85 + … + 10 = 385 requests, of which all but 100 are limited.
func TestOutagePreset(t *testing.T) {
	results := preset(t, "outage", nil)
	fixed, exponential, jitter := results[0], results[1], results[2]

	// Fixed: 0, 50 … 250 ms are six rounds in the outage; 300 … 600 ms the seven.
	check(t, fixed, 6*100+385, 6*100, 285, 600*time.Millisecond)
	for i, w := range fixed.Windows {
		if want := int64(min(100, 100-15*(i-6))); w.Requests != want {
			t.Errorf("fixed, window %d: %d requests, want %d", i, w.Requests, want)
		}
	}
	// Exponential: 0, 20, 60, 140 ms are four in the outage; the seven come
	// at 300 ms and then each 320 ms.
	check(t, exponential, 4*100+385, 4*100, 285, 300*time.Millisecond+6*320*time.Millisecond)

	// Full jitter: 100 clients at first, and more than without jitter in the
	// outage, because the waits are half as long; then the load is spread, so
	// that few are limited and all is over within the longest wait.
	if jitter.Successes != 100 || jitter.InOutage <= exponential.InOutage || jitter.InOutage >= fixed.InOutage {
		t.Errorf("full jitter: %d succeeded, %d in the outage; want 100, and 400 to 600", jitter.Successes, jitter.InOutage)
	}
	if jitter.Limited > 10 || jitter.Last > 300*time.Millisecond+2*320*time.Millisecond {
		t.Errorf("full jitter: %d limited, last after %s; want next to none, and two waits at most", jitter.Limited, jitter.Last)
	}
	if jitter.PeakAfter > fixed.PeakAfter/2 || jitter.Requests >= exponential.Requests || exponential.Requests >= fixed.Requests {
		t.Errorf("full jitter: peak after the outage %d, %d requests; want less than half of %d, and less than %d", jitter.PeakAfter, jitter.Requests, fixed.PeakAfter, exponential.Requests)
	}
}

func check(t *testing.T, r simulate.Result, requests, inOutage, limited int64, last time.Duration) {
	t.Helper()
	if r.Requests != requests || r.InOutage != inOutage || r.Limited != limited || r.Last != last {
		t.Errorf("%s: %d requests, %d in the outage, %d limited, last after %s; want %d, %d, %d, %s",
			r.Strategy, r.Requests, r.InOutage, r.Limited, r.Last, requests, inOutage, limited, last)
	}
	if r.Calls != 100 || r.Successes != 100 || r.Failures() != 0 || r.Unfinished() != 0 || r.SuccessRate() != 1 {
		t.Errorf("%s: %d of %d calls succeeded, %d failed", r.Strategy, r.Successes, r.Calls, r.Failures())
	}
	if want := float64(requests) / 100; r.Amplification() != want {
		t.Errorf("%s: amplification %v, want %v", r.Strategy, r.Amplification(), want)
	}
}

// TestMetastablePreset: at every load of more than a third, three attempts
// keep the queue growing; with the quota the queue that the freeze left, load
// × 10 s, is worked off at the rate that is not needed, 1 - load.
func TestMetastablePreset(t *testing.T) {
	for _, load := range []float64{0.5, 0.6, 0.7, 0.8, 0.9} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("load %v, seed %d", load, seed), func(t *testing.T) {
				results := preset(t, "metastable", func(s *simulate.Scenario) {
					s.Arrival.Rate = 1000 * load
					s.Arrival.For, s.End = 4*time.Minute, 4*time.Minute
					s.Seed = seed
				})
				metastable(t, load, results[0], results[1])
			})
		}
	}
}

func metastable(t *testing.T, load float64, without, with simulate.Result) {
	t.Helper()
	if !without.Recovery.Never {
		t.Errorf("without quota: back after %s, want never", without.Recovery.Time)
	}
	if late := without.Windows[60:]; succeeded(late) > 0 {
		t.Errorf("without quota: %d successes later than 40 s after the freeze, want none", succeeded(late))
	}
	if a := without.Amplification(); a < 2.5 || a > 3 {
		t.Errorf("without quota: amplification %v, want nearly 3", a)
	}
	// The queue is good again when it is shorter than the timeout, 1 s.
	drained := time.Duration((load*10 - 1) / (1 - load) * float64(time.Second))
	if r := with.Recovery; r.Never || r.Time < drained/2 || r.Time > 2*drained+5*time.Second {
		t.Errorf("with quota: back after %s (never: %v), want about %s", r.Time, r.Never, drained)
	}
	if a := with.Amplification(); a > 1.1 {
		t.Errorf("with quota: amplification %v, want next to 1", a)
	}
	if last := with.Windows[len(with.Windows)-10:]; succeeded(last) < int64(0.95*load*10_000) {
		t.Errorf("with quota: %d successes in the last 10 s", succeeded(last))
	}
}

func succeeded(windows []simulate.Window) int64 {
	var n int64
	for _, w := range windows {
		n += w.Succeeded
	}
	return n
}
