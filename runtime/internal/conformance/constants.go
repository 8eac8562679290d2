package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/retry"
)

// legacySettings are the settings of mode legacy under a scheme.
func legacySettings(name string) (retry.Settings, error) { return schemeSettings(name, "") }

// schemeSettings are those for the service of a profile.
func schemeSettings(name, profile string) (retry.Settings, error) {
	scheme, ok := awsprofile.SchemeByName(name)
	if !ok {
		return retry.Settings{}, fmt.Errorf("scheme %q is not known", name)
	}
	policy, err := retry.New(retry.WithMode(retry.Legacy), retry.WithLegacy(scheme.For(profile)))
	if err != nil {
		return retry.Settings{}, err
	}
	return policy.Settings(), nil
}

// constants are what vectors say of a scheme, in their units; nil says that
// the scheme has none.
var constants = map[string]func(s, dynamoDB retry.Settings) any{
	"max_attempts":         func(s, _ retry.Settings) any { return float64(s.MaxAttempts) },
	"transient_base_ms":    func(s, _ retry.Settings) any { return inMilliseconds(s.BaseDelay.Transient) },
	"throttling_base_ms":   func(s, _ retry.Settings) any { return inMilliseconds(s.BaseDelay.Throttling) },
	"transient_jitter":     func(s, _ retry.Settings) any { return s.Jitter.Transient.String() },
	"throttling_jitter":    func(s, _ retry.Settings) any { return s.Jitter.Throttling.String() },
	"retry_cost":           func(s, _ retry.Settings) any { return cost(s.Quota.TransientCost) },
	"throttling_cost":      func(s, _ retry.Settings) any { return cost(s.Quota.ThrottlingCost) },
	"timeout_cost":         func(s, _ retry.Settings) any { return cost(s.Quota.TimeoutCost) },
	"first_success_refund": func(s, _ retry.Settings) any { return float64(s.Quota.FirstAttemptRefund) },
	"dynamodb_max_attempts": func(_, dynamoDB retry.Settings) any {
		return float64(dynamoDB.MaxAttempts)
	},
	"cap_ms": func(s, _ retry.Settings) any {
		if s.MaxBackoff == retry.NoMaxBackoff {
			return nil
		}
		return inMilliseconds(s.MaxBackoff)
	},
	"growth": func(s, _ retry.Settings) any {
		return float64(s.Backoff(retry.Transient, 3, 1)) / float64(s.Backoff(retry.Transient, 2, 1))
	},
	"quota_capacity": func(s, _ retry.Settings) any {
		if cost(s.Quota.TransientCost) == 0 && cost(s.Quota.TimeoutCost) == 0 && cost(s.Quota.ThrottlingCost) == 0 {
			return nil
		}
		return float64(s.Quota.Capacity)
	},
}

// cost is what is taken from the quota.
func cost(setting int) float64 { return float64(max(setting, 0)) }

// runConstants compares the settings of a scheme.
func runConstants(_ *testing.T, v Vector) error {
	var given struct {
		Scheme string `json:"scheme"`
	}
	var expect map[string]any
	if err := errors.Join(decode(v.Given, &given), decode(v.Expect, &expect)); err != nil {
		return err
	}
	settings, err := legacySettings(given.Scheme)
	dynamoDB, also := schemeSettings(given.Scheme, awsprofile.DynamoDB.Name)
	if err := errors.Join(err, also); err != nil {
		return err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(expect)) {
		constant, ok := constants[name]
		if !ok {
			errs = append(errs, fmt.Errorf("constant %q is not known", name))
			continue
		}
		if got := constant(settings, dynamoDB); got != expect[name] {
			errs = append(errs, fmt.Errorf("%s: got %v, want %v", name, got, expect[name]))
		}
	}
	return errors.Join(errs...)
}
