package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
)

// column is one figure of a result.
type column struct {
	title string // in tables
	key   string // in CSV, with the unit
	text  func(simulate.Result) string
	plain func(simulate.Result) string // for machines
}

// columns are the figures, in the order in which they are shown.
var columns = []column{
	count("calls", func(r simulate.Result) int64 { return r.Calls }),
	count("succeeded", func(r simulate.Result) int64 { return r.Successes }),
	count("failed", simulate.Result.Failures),
	{"failed because of", "failedBecause", reasons, reasons},
	count("unfinished", simulate.Result.Unfinished),
	{
		"success rate", "successRate",
		func(r simulate.Result) string { return fmt.Sprintf("%.1f %%", 100*r.SuccessRate()) },
		func(r simulate.Result) string { return decimal(r.SuccessRate()) },
	},
	count("requests", func(r simulate.Result) int64 { return r.Requests }),
	{
		"amplification", "amplification",
		func(r simulate.Result) string { return fmt.Sprintf("%.2f", r.Amplification()) },
		func(r simulate.Result) string { return decimal(r.Amplification()) },
	},
	count("in outage", func(r simulate.Result) int64 { return r.InOutage }),
	count("limited", func(r simulate.Result) int64 { return r.Limited }),
	count("timed out", func(r simulate.Result) int64 { return r.TimedOut }),
	count("wasted", func(r simulate.Result) int64 { return r.Wasted }),
	duration("p50", func(r simulate.Result) time.Duration { return r.P50 }),
	duration("p99", func(r simulate.Result) time.Duration { return r.P99 }),
	duration("last success", func(r simulate.Result) time.Duration { return r.Last }),
	count("peak", func(r simulate.Result) int64 { return r.Peak }),
	{
		"peak at", "peakAtMs",
		func(r simulate.Result) string { return short(r.PeakAt) },
		func(r simulate.Result) string { return milliseconds(r.PeakAt) },
	},
	count("peak after outage", func(r simulate.Result) int64 { return r.PeakAfter }),
	{"recovery", "recoveryMs", recovery, plainRecovery},
}

func count(title string, of func(simulate.Result) int64) column {
	text := func(r simulate.Result) string { return strconv.FormatInt(of(r), 10) }
	return column{title, key(title), text, text}
}

// duration is a figure that only successes give.
func duration(title string, of func(simulate.Result) time.Duration) column {
	return column{
		title, key(title) + "Ms",
		func(r simulate.Result) string {
			if r.Successes == 0 {
				return "-"
			}
			return short(of(r))
		},
		func(r simulate.Result) string {
			if r.Successes == 0 {
				return ""
			}
			return milliseconds(of(r))
		},
	}
}

// key turns "in outage" into "inOutage".
func key(title string) string {
	words := strings.Fields(title)
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// reasons lists why calls failed.
func reasons(r simulate.Result) string {
	var out []string
	for _, reason := range stopReasons(r) {
		out = append(out, fmt.Sprintf("%s: %d", reason, r.Failed[reason]))
	}
	if out == nil {
		return "-"
	}
	return strings.Join(out, ", ")
}

func stopReasons(r simulate.Result) []retry.StopReason {
	var out []retry.StopReason
	for reason := range r.Failed {
		out = append(out, reason)
	}
	slices.Sort(out)
	return out
}

func recovery(r simulate.Result) string {
	switch {
	case !r.Recovery.Outage:
		return "-"
	case r.Recovery.Never:
		return "never"
	}
	return short(r.Recovery.Time)
}

func plainRecovery(r simulate.Result) string {
	if !r.Recovery.Outage || r.Recovery.Never {
		return ""
	}
	return milliseconds(r.Recovery.Time)
}

// short rounds to three digits, as nobody reads more.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
