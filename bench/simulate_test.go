package bench_test

import (
	"math"
	"testing"
	"time"

	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
)

// tolerance is how far counts may differ: the two draw their jitter from
// different sources.
const tolerance = 0.02

// fewest is the least count that is compared. Below it, chance alone may make
// a difference of the tolerance.
const fewest = 20_000

// scenarios have no deadlines, because those differ on purpose: the SDK takes
// tokens for a wait that the deadline then cuts short, the core does not begin
// such a wait and takes none.
var scenarios = map[string]simulate.Scenario{
	// All find the service down, and come back to one that is short of capacity.
	"burst": {
		Clients: 20_000, Arrival: simulate.Arrival{Calls: 4, Pause: time.Second},
		Service: simulate.Service{
			Outages:  []simulate.Outage{{To: 60 * time.Millisecond}},
			Capacity: 400, Per: 10 * time.Millisecond,
		},
	},
	// A steady load that meets a long outage: the quota runs dry.
	"outage": {
		Clients: 200, Arrival: simulate.Arrival{Pattern: simulate.Poisson, Rate: 4000, For: time.Minute},
		Service: simulate.Service{
			Outages: []simulate.Outage{{From: 10 * time.Second, To: 40 * time.Second}},
			Latency: simulate.Latency{Shape: simulate.Uniform, A: 5 * time.Millisecond, B: 20 * time.Millisecond},
		},
	},
	// More load than the service takes: throttling for ever.
	"throttling": {
		Clients: 500, Arrival: simulate.Arrival{Pattern: simulate.Poisson, Rate: 3000, For: 2 * time.Minute},
		Service: simulate.Service{Capacity: 200, Per: 100 * time.Millisecond},
	},
	// A queue, a freeze and timeouts.
	"queue": {
		Clients: 100, Arrival: simulate.Arrival{Pattern: simulate.Poisson, Rate: 1400, For: 2 * time.Minute},
		Service: simulate.Service{
			Outages:  []simulate.Outage{{From: 10 * time.Second, To: 15 * time.Second, Frozen: true}},
			Capacity: 2000, Per: time.Second, Overload: simulate.Queue,
		},
		Timeout: time.Second,
	},
}

// TestAgainstAWS runs the SDK's retryer and the core through the same service.
func TestAgainstAWS(t *testing.T) {
	dynamoDB := func(o *awsretry.StandardOptions) { o.MaxAttempts, o.BaseDelay = 4, 25*time.Millisecond }
	for name, s := range scenarios {
		s.Window, s.End, s.Seed = time.Second, time.Hour, 7
		for _, budget := range []simulate.Budget{simulate.Own, simulate.Shared} {
			t.Run(name+"/"+budget.String(), func(t *testing.T) {
				compare(t, s, awsprofile.AWS2026.Settings, budget)
			})
		}
		t.Run(name+"/dynamodb", func(t *testing.T) {
			compare(t, s, awsprofile.DynamoDB.Settings, simulate.Own, dynamoDB)
		})
	}
}

func compare(t *testing.T, s simulate.Scenario, settings retry.Settings, budget simulate.Budget, opts ...func(*awsretry.StandardOptions)) {
	t.Helper()
	ours := simulate.Strategy{Name: "retrygen", Options: []retry.Option{retry.WithSettings(settings)}, Budget: budget}
	results, err := simulate.Run(t.Context(), s, ours, awsStrategy(budget, opts...))
	if err != nil {
		t.Fatal(err)
	}
	got, want := results[0], results[1]
	counts := []struct {
		name      string
		got, want int64
	}{
		{"calls", got.Calls, want.Calls},
		{"requests", got.Requests, want.Requests},
		{"successes", got.Successes, want.Successes},
		{"in outage", got.InOutage, want.InOutage},
		{"limited", got.Limited, want.Limited},
		{"timed out", got.TimedOut, want.TimedOut},
		{"attempts used up", got.Failed[retry.StopAttempts], want.Failed[retry.StopAttempts]},
		{"quota", got.Failed[retry.StopQuota], want.Failed[retry.StopQuota]},
		{"terminal", got.Failed[retry.StopTerminal], want.Failed[retry.StopTerminal]},
	}
	for _, c := range counts {
		difference := math.Abs(float64(c.got - c.want))
		t.Logf("%-16s %9d, aws-sdk-go-v2 %9d (%+.2f %%)", c.name, c.got, c.want, 100*float64(c.got-c.want)/float64(max(c.want, 1)))
		if difference > tolerance*float64(max(c.want, fewest)) {
			t.Errorf("%s: %d, aws-sdk-go-v2 has %d", c.name, c.got, c.want)
		}
	}
}
