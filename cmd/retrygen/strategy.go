package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
)

// textbook are the strategies of simulate that are no profile.
var textbook = map[string]func(base, limit time.Duration) simulate.Strategy{
	"fixed":        func(d, _ time.Duration) simulate.Strategy { return simulate.Fixed(d) },
	"exponential":  simulate.Exponential,
	"full":         simulate.Full,
	"equal":        simulate.Equal,
	"decorrelated": simulate.Decorrelated,
}

// strategiesOver returns the strategies of the flags, or else those given.
func (f *simulateFlags) strategiesOver(strategies []simulate.Strategy) ([]simulate.Strategy, error) {
	specs := f.strategies
	if len(specs) == 0 && len(strategies) == 0 {
		specs = []string{httpapi.HTTP1.Name}
	}
	defaults := f.common()
	if len(specs) == 0 {
		for i := range strategies {
			if err := applyOptions(&strategies[i], defaults); err != nil {
				return nil, err
			}
		}
		return strategies, nil
	}
	var out []simulate.Strategy
	var errs []error
	for _, spec := range specs {
		s, err := parseStrategy(spec, defaults)
		if err != nil {
			errs = append(errs, fmt.Errorf("-strategy %s: %w", spec, err))
		}
		if err == nil && slices.ContainsFunc(out, func(o simulate.Strategy) bool { return o.Name == s.Name }) {
			errs = append(errs, fmt.Errorf("-strategy %s: got the name %q twice, want one for each, as in %s,name=TEXT", spec, s.Name, spec))
		}
		out = append(out, s)
	}
	return out, errors.Join(errs...)
}

// common are the options that flags set for all strategies.
func (f *simulateFlags) common() []string {
	var out []string
	if f.attempts != 0 {
		out = append(out, "attempts="+strconv.Itoa(f.attempts))
	}
	if f.quota != "" {
		out = append(out, "quota="+f.quota)
	}
	return out
}

// parseStrategy reads a strategy. Its own options win over the defaults.
func parseStrategy(spec string, defaults []string) (simulate.Strategy, error) {
	parts := strings.Split(spec, ",")
	s, err := strategyKind(parts[0])
	if err != nil {
		return s, err
	}
	s.Name = spec
	if err := errors.Join(applyOptions(&s, defaults), applyOptions(&s, parts[1:])); err != nil {
		return s, err
	}
	policy, err := retry.New(s.Options...)
	if err != nil {
		return s, err
	}
	kind, _, _ := strings.Cut(parts[0], ":")
	if textbook[kind] != nil && policy.Settings().Mode == retry.Legacy {
		return s, fmt.Errorf("mode: got legacy, want another one: %s says all that this one changes", kind)
	}
	return s, nil
}

// strategyKind reads "full:20ms..320ms", or the name of a profile or scheme.
func strategyKind(kind string) (simulate.Strategy, error) {
	name, delays, _ := strings.Cut(kind, ":")
	if make, ok := textbook[name]; ok {
		base, limit, err := parseDelays(name, delays)
		if err != nil {
			return simulate.Strategy{}, err
		}
		return make(base, limit), nil
	}
	for _, p := range profiles() {
		if p.Name == kind {
			return simulate.Strategy{Options: []retry.Option{retry.WithDefaults(p.Settings)}}, nil
		}
	}
	for _, scheme := range awsprofile.Schemes() {
		if scheme.Name == kind {
			return simulate.Strategy{Options: []retry.Option{
				retry.WithDefaults(awsprofile.AWS2026.Settings), retry.WithMode(retry.Legacy), retry.WithLegacy(scheme.Settings),
			}}, nil
		}
	}
	return simulate.Strategy{}, fmt.Errorf("got %q, want fixed, exponential, full, equal, decorrelated, %s or %s",
		kind, strings.Join(profileNames(), ", "), strings.Join(schemeNames(), ", "))
}

// parseDelays reads "50ms" for a fixed delay and "20ms..320ms" for others.
func parseDelays(kind, text string) (base, limit time.Duration, err error) {
	first, second, isRange := strings.Cut(text, "..")
	wrong := fmt.Errorf("got %q, want %s:BASE..LIMIT, as in %s:20ms..320ms", text, kind, kind)
	if kind == "fixed" {
		wrong = fmt.Errorf("got %q, want fixed:DELAY, as in fixed:50ms", text)
	}
	if isRange == (kind == "fixed") {
		return 0, 0, wrong
	}
	base, err = time.ParseDuration(first)
	limit = base
	if err == nil && isRange {
		limit, err = time.ParseDuration(second)
	}
	if err != nil || base <= 0 || limit < base {
		return 0, 0, wrong
	}
	return base, limit, nil
}

// applyOptions lays "key=value" options over s.
func applyOptions(s *simulate.Strategy, options []string) error {
	var errs []error
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		if err := applyOption(s, key, value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

func applyOption(s *simulate.Strategy, key, value string) (err error) {
	switch key {
	case "name":
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("got %q, want a name", value)
		}
		s.Name = value
	case "quota":
		s.Budget, err = simulate.ParseBudget(value)
	case "mode":
		var mode retry.Mode
		mode, err = retry.ParseMode(value)
		s.Options = append(s.Options, retry.WithMode(mode))
	case "attempts":
		var n int
		if n, err = strconv.Atoi(value); err != nil || n < 1 {
			return fmt.Errorf("got %q, want a number of at least 1", value)
		}
		s.Options = append(s.Options, retry.WithMaxAttempts(n))
	case "timeout", "total":
		var d time.Duration
		if d, err = time.ParseDuration(value); err != nil || d <= 0 {
			return fmt.Errorf("got %q, want a duration of more than 0s", value)
		}
		with := map[string]func(time.Duration) retry.Option{"timeout": retry.WithAttemptTimeout, "total": retry.WithTotalTimeout}
		s.Options = append(s.Options, with[key](d))
	default:
		return errors.New("want mode, attempts, quota, timeout, total or name")
	}
	return err
}

// profiles are those of all packages.
func profiles() []httpapi.Profile {
	return append([]httpapi.Profile{httpapi.HTTP1}, awsprofile.All()...)
}

func profileNames() []string {
	var out []string
	for _, p := range profiles() {
		out = append(out, p.Name)
	}
	return out
}

func schemeNames() []string {
	var out []string
	for _, s := range awsprofile.Schemes() {
		out = append(out, s.Name)
	}
	return out
}

// parseRate reads "700", or "100..900" for a ramp.
func parseRate(text string, a *simulate.Arrival) error {
	first, second, isRange := strings.Cut(text, "..")
	if isRange != (a.Pattern == simulate.Ramp) {
		return fmt.Errorf("-rate: got %q, want FROM..TO for a ramp and a number otherwise", text)
	}
	rate, err := strconv.ParseFloat(first, 64)
	final := 0.0
	if err == nil && isRange {
		final, err = strconv.ParseFloat(second, 64)
	}
	if err != nil {
		return fmt.Errorf("-rate: got %q, want calls per second", text)
	}
	a.Rate, a.FinalRate = rate, final
	return nil
}

// parseCapacity reads "15/20ms" or "none".
func parseCapacity(text string, s *simulate.Service) error {
	if text == "none" {
		s.Capacity, s.Per = 0, 0
		return nil
	}
	count, per, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	d, perErr := time.ParseDuration(per)
	if err != nil || perErr != nil || n < 1 || d <= 0 {
		return fmt.Errorf(`-capacity: got %q, want REQUESTS/DURATION, as in 15/20ms, or "none"`, text)
	}
	s.Capacity, s.Per = n, d
	return nil
}

// parseOutages reads "0s..300ms", "10s..20s,frozen" or "none".
func parseOutages(texts []string, s *simulate.Service) error {
	s.Outages = nil
	for _, text := range texts {
		if text == "none" && len(texts) == 1 {
			return nil
		}
		times, how, isHow := strings.Cut(text, ",")
		first, second, _ := strings.Cut(times, "..")
		from, err := time.ParseDuration(first)
		to, toErr := time.ParseDuration(second)
		if err != nil || toErr != nil || isHow && how != "frozen" {
			return fmt.Errorf(`-outage: got %q, want FROM..TO, FROM..TO,frozen or "none"`, text)
		}
		s.Outages = append(s.Outages, simulate.Outage{From: from, To: to, Frozen: isHow})
	}
	return nil
}
