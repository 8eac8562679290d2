package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/retrygen/retrygen/simulate"
)

// document is the JSON form. Times are milliseconds.
type document struct {
	Scenario   scenario `json:"scenario"`
	Strategies []result `json:"strategies"`
}

type scenario struct {
	Name       string   `json:"name,omitempty"`
	Seed       uint64   `json:"seed"`
	Clients    int      `json:"clients"`
	Pattern    string   `json:"pattern"`
	Calls      int      `json:"calls,omitempty"`
	PauseMs    float64  `json:"pauseMs,omitempty"`
	Rate       float64  `json:"rate,omitempty"`
	FinalRate  float64  `json:"finalRate,omitempty"`
	ForMs      float64  `json:"forMs,omitempty"`
	Outages    []outage `json:"outages"`
	Capacity   int      `json:"capacity,omitempty"`
	PerMs      float64  `json:"perMs,omitempty"`
	Overload   string   `json:"overload"`
	QueueLimit int      `json:"queueLimit,omitempty"`
	Latency    string   `json:"latency"`
	RetryAfter float64  `json:"retryAfterMs,omitempty"`
	TimeoutMs  float64  `json:"timeoutMs,omitempty"`
	DeadlineMs float64  `json:"deadlineMs,omitempty"`
	WindowMs   float64  `json:"windowMs"`
	EndMs      float64  `json:"endMs"`
}

type outage struct {
	FromMs float64 `json:"fromMs"`
	ToMs   float64 `json:"toMs"`
	Frozen bool    `json:"frozen,omitempty"`
}

type result struct {
	Strategy      string           `json:"strategy"`
	Calls         int64            `json:"calls"`
	Succeeded     int64            `json:"succeeded"`
	Failed        int64            `json:"failed"`
	FailedBecause map[string]int64 `json:"failedBecause"`
	Unfinished    int64            `json:"unfinished"`
	SuccessRate   float64          `json:"successRate"`
	Requests      int64            `json:"requests"`
	Amplification float64          `json:"amplification"`
	InOutage      int64            `json:"inOutage"`
	Limited       int64            `json:"limited"`
	TimedOut      int64            `json:"timedOut"`
	Wasted        int64            `json:"wasted"`
	P50Ms         *float64         `json:"p50Ms"`
	P99Ms         *float64         `json:"p99Ms"`
	LastSuccessMs *float64         `json:"lastSuccessMs"`
	Peak          int64            `json:"peak"`
	PeakAtMs      float64          `json:"peakAtMs"`
	PeakAfter     int64            `json:"peakAfterOutage"`
	Recovered     *bool            `json:"recovered"`
	RecoveryMs    *float64         `json:"recoveryMs"`
	Windows       []window         `json:"windows"`
}

type window struct {
	Requests  int64 `json:"requests"`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
}

// JSON writes scenario, figures and histograms. What does not exist is null:
// the quantiles of no success, the recovery without an outage, its time if it
// never came.
func JSON(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	d := document{Scenario: jsonScenario(s), Strategies: []result{}}
	for _, r := range results {
		d.Strategies = append(d.Strategies, jsonResult(r))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(d)
}

func jsonScenario(s simulate.Scenario) scenario {
	out := scenario{
		Name: s.Name, Seed: s.Seed, Clients: s.Clients,
		Pattern: s.Arrival.Pattern.String(), Calls: s.Arrival.Calls, PauseMs: ms(s.Arrival.Pause),
		Rate: s.Arrival.Rate, FinalRate: s.Arrival.FinalRate, ForMs: ms(s.Arrival.For),
		Outages: []outage{}, Capacity: s.Service.Capacity, PerMs: ms(s.Service.Per),
		Overload: s.Service.Overload.String(), QueueLimit: s.Service.QueueLimit,
		Latency: s.Service.Latency.String(), RetryAfter: ms(s.Service.RetryAfter),
		TimeoutMs: ms(s.Timeout), DeadlineMs: ms(s.Deadline), WindowMs: ms(s.Window), EndMs: ms(s.End),
	}
	for _, o := range s.Service.Outages {
		out.Outages = append(out.Outages, outage{ms(o.From), ms(o.To), o.Frozen})
	}
	return out
}

func jsonResult(r simulate.Result) result {
	out := result{
		Strategy: r.Strategy, Calls: r.Calls, Succeeded: r.Successes,
		Failed: r.Failures(), FailedBecause: map[string]int64{}, Unfinished: r.Unfinished(), SuccessRate: r.SuccessRate(),
		Requests: r.Requests, Amplification: r.Amplification(),
		InOutage: r.InOutage, Limited: r.Limited, TimedOut: r.TimedOut, Wasted: r.Wasted,
		Peak: r.Peak, PeakAtMs: ms(r.PeakAt), PeakAfter: r.PeakAfter, Windows: []window{},
	}
	for reason, n := range r.Failed {
		out.FailedBecause[reason.String()] = n
	}
	if r.Successes > 0 {
		out.P50Ms, out.P99Ms, out.LastSuccessMs = new(ms(r.P50)), new(ms(r.P99)), new(ms(r.Last))
	}
	if r.Recovery.Outage {
		out.Recovered = new(!r.Recovery.Never)
	}
	if r.Recovery.Outage && !r.Recovery.Never {
		out.RecoveryMs = new(ms(r.Recovery.Time))
	}
	for _, w := range r.Windows {
		out.Windows = append(out.Windows, window(w))
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
