package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/simulate"
	"github.com/retrygen/retrygen/simulate/report"
)

func simulateCommand() *cobra.Command {
	var f simulateFlags
	c := &cobra.Command{
		Use:   "simulate [flags]",
		Short: "Show what a fleet of retrying clients does to a service",
		Long: `Simulate runs clients against a service in virtual time, once for each strategy,
and compares: requests, successes, times, peaks, recovery. The clients decide on the
retry core of generated clients. The same flags give the same result.

A strategy is a kind with options behind commas:
  fixed:50ms  exponential:20ms..320ms  full:20ms..320ms  equal:…  decorrelated:…
  ` + strings.Join(profileNames(), "  ") + `
  ` + strings.Join(schemeNames(), "  ") + ` (before 2026)
  options: mode=standard|adaptive|legacy|off  attempts=N  quota=own|shared|off
           timeout=DURATION (of an attempt)  total=DURATION (of a call)  name=TEXT

A preset is a scenario with strategies; flags change it:
  outage      100 clients find a service down for 300 ms
  metastable  a queue that outlives the freeze that caused it`,
		Example: "  retrygen simulate -preset outage -plot outage.svg\n" +
			"  retrygen simulate -clients 1000 -outage 0s..5s -capacity 200/1s \\\n" +
			"    -strategy fixed:1s -strategy aws-2026 -strategy aws-2026,mode=adaptive",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(c)
	return c
}

// simulateFlags are the flags of simulate.
type simulateFlags struct {
	preset, format, html     string
	strategies, plots        []string
	arrival, rate, capacity  string
	overload, latency, quota string
	outages                  []string
	attempts                 int
	scenario                 simulate.Scenario
}

func (f *simulateFlags) add(c *cobra.Command) {
	s, flags := &f.scenario, c.Flags()
	flags.StringVar(&f.preset, "preset", "", "begin with this scenario: "+strings.Join(presetNames(), " or "))
	flags.StringArrayVar(&f.strategies, "strategy", nil, "how clients retry; repeat to compare (default: http-1, or the preset's)")
	flags.IntVar(&f.attempts, "attempts", 0, "most attempts of a call, for strategies that do not say")
	flags.StringVar(&f.quota, "quota", "", "retry quota for strategies that do not say: own, shared or off")

	flags.IntVar(&s.Clients, "clients", 100, "number of clients")
	flags.StringVar(&f.arrival, "arrival", "burst", "how calls arrive: burst, constant, poisson or ramp")
	flags.IntVar(&s.Arrival.Calls, "calls", 0, "calls of each client (default: 1 in a burst, otherwise what rate and time make)")
	flags.DurationVar(&s.Arrival.Pause, "pause", 0, "time between the calls of a client of a burst")
	flags.StringVar(&f.rate, "rate", "", "calls per second of all clients; for a ramp FROM..TO")
	flags.DurationVar(&s.Arrival.For, "for", 0, "how long calls arrive")

	flags.StringArrayVar(&f.outages, "outage", nil, `FROM..TO in which requests are refused, or FROM..TO,frozen in which they wait; repeat for more; "none"`)
	flags.StringVar(&f.capacity, "capacity", "", `requests that the service takes, as in 15/20ms; "none"`)
	flags.StringVar(&f.overload, "overload", "refuse", "what it does with more: refuse or queue")
	flags.IntVar(&s.Service.QueueLimit, "queue-limit", 0, "most requests in the queue (default: no limit)")
	flags.StringVar(&f.latency, "latency", "0s", "10ms, uniform:5ms..15ms, exp:10ms (mean) or lognormal:10ms..80ms (median and 99th percentile)")
	flags.DurationVar(&s.Service.RetryAfter, "retry-after", 0, "delay that refusals for lack of capacity ask for")

	flags.DurationVar(&s.Timeout, "timeout", 0, "timeout of each attempt (default: none)")
	flags.DurationVar(&s.Deadline, "deadline", 0, "deadline of each call (default: none)")
	flags.DurationVar(&s.Window, "window", 100*time.Millisecond, "width of the histogram's windows")
	flags.DurationVar(&s.End, "end", time.Hour, "virtual time at which the simulation stops")
	flags.Uint64Var(&s.Seed, "seed", 1, "seed of all random draws")

	flags.StringVar(&f.format, "format", "table", "table, csv, windows (the histograms as CSV) or json")
	flags.StringArrayVar(&f.plots, "plot", nil, "write a picture of requests per window to this .svg or .png file")
	flags.StringVar(&f.html, "html", "", "write a report that opens without a network to this file")
}

// writer shows results in one form.
type writer func(io.Writer, simulate.Scenario, []simulate.Result) error

var simulateFormats = map[string]writer{
	"table":   report.Table,
	"windows": report.WindowsCSV,
	"json":    report.JSON,
	"csv": func(w io.Writer, _ simulate.Scenario, results []simulate.Result) error {
		return report.CSV(w, results)
	},
}

var plotFormats = map[string]writer{".svg": report.SVG, ".png": report.PNG}

func (f *simulateFlags) run(cmd *cobra.Command) error {
	show, ok := simulateFormats[f.format]
	if !ok {
		return fmt.Errorf("-format: got %q, want table, csv, windows or json", f.format)
	}
	files, err := f.files()
	if err != nil {
		return err
	}
	scenario, strategies, err := f.resolve(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	for _, file := range files { // before the work
		if err := checkWritable(file.path); err != nil {
			return err
		}
	}
	results, err := simulate.Run(cmd.Context(), scenario, strategies...)
	if err != nil {
		return err
	}
	for _, file := range files {
		var b bytes.Buffer
		if err := file.write(&b, scenario, results); err != nil {
			return fmt.Errorf("%s: %w", file.path, err)
		}
		if err := os.WriteFile(file.path, b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return show(cmd.OutOrStdout(), scenario, results)
}

type outputFile struct {
	path  string
	write writer
}

// files are those to write, beside the output.
func (f *simulateFlags) files() ([]outputFile, error) {
	var out []outputFile
	for _, path := range f.plots {
		write, ok := plotFormats[strings.ToLower(filepath.Ext(path))]
		if !ok {
			return nil, fmt.Errorf("-plot: got %q, want a name that ends in .svg or .png", path)
		}
		out = append(out, outputFile{path, write})
	}
	if f.html != "" {
		out = append(out, outputFile{f.html, report.HTML})
	}
	var paths []string
	for _, file := range out {
		paths = append(paths, file.path)
	}
	return out, checkOutputs("", paths...)
}

// resolve returns the scenario and the strategies: those of the preset, as
// the flags that are set change them.
func (f *simulateFlags) resolve(set func(string) bool) (simulate.Scenario, []simulate.Strategy, error) {
	var base simulate.Preset
	if f.preset != "" {
		var ok bool
		if base, ok = simulate.PresetNamed(f.preset); !ok {
			return base.Scenario, nil, fmt.Errorf("-preset: got %q, want %s", f.preset, strings.Join(presetNames(), " or "))
		}
	}
	scenario, err := f.change(base.Scenario, func(flag string) bool { return f.preset == "" || set(flag) })
	if err != nil {
		return scenario, nil, err
	}
	if err := scenario.Check(); err != nil {
		return scenario, nil, inFlags(err)
	}
	strategies, err := f.strategiesOver(base.Strategies)
	return scenario, strategies, err
}

// change returns s with the fields of the flags that count.
func (f *simulateFlags) change(s simulate.Scenario, counts func(string) bool) (simulate.Scenario, error) {
	set(counts("clients"), &s.Clients, f.scenario.Clients)
	set(counts("calls"), &s.Arrival.Calls, f.scenario.Arrival.Calls)
	set(counts("pause"), &s.Arrival.Pause, f.scenario.Arrival.Pause)
	set(counts("for"), &s.Arrival.For, f.scenario.Arrival.For)
	set(counts("queue-limit"), &s.Service.QueueLimit, f.scenario.Service.QueueLimit)
	set(counts("retry-after"), &s.Service.RetryAfter, f.scenario.Service.RetryAfter)
	set(counts("timeout"), &s.Timeout, f.scenario.Timeout)
	set(counts("deadline"), &s.Deadline, f.scenario.Deadline)
	set(counts("window"), &s.Window, f.scenario.Window)
	set(counts("end"), &s.End, f.scenario.End)
	set(counts("seed"), &s.Seed, f.scenario.Seed)
	err := errors.Join(
		parse(counts, "arrival", f.arrival, &s.Arrival.Pattern, simulate.ParsePattern),
		parse(counts, "overload", f.overload, &s.Service.Overload, simulate.ParseOverload),
		parse(counts, "latency", f.latency, &s.Service.Latency, simulate.ParseLatency),
	)
	if s.Arrival.Pattern == simulate.Burst && counts("arrival") && !counts("for") { // instead of a preset's pattern
		s.Arrival.Rate, s.Arrival.FinalRate, s.Arrival.For = 0, 0, 0
	}
	if f.rate != "" {
		err = errors.Join(err, parseRate(f.rate, &s.Arrival))
	}
	if f.capacity != "" {
		err = errors.Join(err, parseCapacity(f.capacity, &s.Service))
	}
	if len(f.outages) > 0 {
		err = errors.Join(err, parseOutages(f.outages, &s.Service))
	}
	return s, err
}

func set[T any](counts bool, field *T, value T) {
	if counts {
		*field = value
	}
}

func parse[T any](counts func(string) bool, flag, text string, field *T, read func(string) (T, error)) error {
	if !counts(flag) {
		return nil
	}
	value, err := read(text)
	if err != nil {
		return fmt.Errorf("-%s: %w", flag, err)
	}
	*field = value
	return nil
}

// fieldFlags are the flags that set the fields of a scenario.
var fieldFlags = map[string]string{
	"Clients": "clients", "Timeout": "timeout", "Deadline": "deadline", "Window": "window", "End": "end",
	"Arrival.Calls": "calls", "Arrival.Pause": "pause", "Arrival.Rate": "rate", "Arrival.FinalRate": "rate", "Arrival.For": "for",
	"Service.Capacity": "capacity", "Service.Per": "capacity", "Service.Overload": "overload", "Service.QueueLimit": "queue-limit",
	"Service.RetryAfter": "retry-after", "Service.Outages": "outage", "Service.Latency": "latency",
}

// inFlags says what is wrong with a scenario in terms of flags.
func inFlags(err error) error {
	all, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var out []error
	for _, e := range all.Unwrap() {
		if field, ok := errors.AsType[*simulate.FieldError](e); ok && fieldFlags[field.Field] != "" {
			e = fmt.Errorf("-%s: got %v, want %s", fieldFlags[field.Field], field.Got, field.Want)
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

func presetNames() []string {
	var out []string
	for _, p := range simulate.Presets() {
		out = append(out, p.Name)
	}
	slices.Sort(out)
	return out
}
