package simulate

import (
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Preset is a scenario with the strategies that it was made to compare.
type Preset struct {
	Name       string
	Scenario   Scenario
	Strategies []Strategy
}

// Presets returns the presets by name, sorted.
func Presets() []Preset { return []Preset{metastable(), outage()} }

// PresetNamed returns the preset of that name.
func PresetNamed(name string) (Preset, bool) {
	presets := Presets()
	i := slices.IndexFunc(presets, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return presets[i], true
}

// outage is the experiment that shows what jitter is for: 100 clients find a
// service down for 300 ms that then takes 15 requests in 20 ms, and retry
// until they succeed.
func outage() Preset {
	const base, limit = 20 * time.Millisecond, 320 * time.Millisecond
	return Preset{
		Name: "outage",
		Scenario: Scenario{
			Name:    "outage",
			Clients: 100,
			Service: Service{
				Outages:  []Outage{{To: 300 * time.Millisecond}},
				Capacity: 15, Per: 20 * time.Millisecond,
			},
			Window: 50 * time.Millisecond,
			End:    time.Minute,
			Seed:   1,
		},
		Strategies: []Strategy{Fixed(50 * time.Millisecond), Exponential(base, limit), Full(base, limit)},
	}
}

// metastable is the state that outlives its cause: ten clients load a server
// to 70 %; it freezes for 10 s, and then its queue is longer than anybody
// waits, so that all that it serves has been left. With three attempts for
// each call the load is 210 %, and stays.
func metastable() Preset {
	return Preset{
		Name: "metastable",
		Scenario: Scenario{
			Name:    "metastable",
			Clients: 10,
			Arrival: Arrival{Pattern: Poisson, Rate: 700, For: 2 * time.Minute},
			Service: Service{
				Outages:  []Outage{{From: 10 * time.Second, To: 20 * time.Second, Frozen: true}},
				Capacity: 1000, Per: time.Second, Overload: Queue,
			},
			Timeout: time.Second,
			Window:  time.Second,
			End:     2 * time.Minute,
			Seed:    1,
		},
		Strategies: []Strategy{
			{Name: "3 attempts, no quota", Budget: NoQuota},
			{Name: "3 attempts, quota"},
			{Name: "no retries", Options: []retry.Option{retry.WithMode(retry.Off)}},
		},
	}
}
