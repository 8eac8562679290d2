package httpapi

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Setting is one effective setting of a client.
type Setting struct {
	// Name is that of the definition's x-retry: "baseDelay.transient".
	Name string
	// Value is written as there, "25ms"; "none" says that there is no limit
	// or no cost.
	Value string
	// Source says where the value came from: "client option", "environment
	// variable AWS_RETRY_MODE", file, line and key of a config file,
	// "definition", "profile dynamodb", say.
	Source string
}

// String returns "baseDelay.transient: 25ms (profile dynamodb)".
func (s Setting) String() string { return s.Name + ": " + s.Value + " (" + s.Source + ")" }

// Sources of settings that need no place.
const (
	fromOption     = "client option"
	fromProfile    = "client option WithProfile"
	fromDefinition = "definition"
	fromLegacy     = "mode legacy"
	fromDefault    = "default"
)

// RetrySettings returns the retry settings of the client's calls and where
// each came from, always in the same order. What an operation's definition or
// a call's options change is not among them; see [RetrySettings].
func (c *Client) RetrySettings() []Setting {
	policy, err := c.policy(&c.profile)
	if err != nil {
		panic("httpapi: the policy of the client was valid: " + err.Error())
	}
	return c.settings(&c.profile, policy)
}

// RetrySettings returns the retry settings of the calls of one operation, as
// [Client.RetrySettings] does those of the client. The error is that of a
// descriptor that does not fit its input.
func RetrySettings[In, Out any](c *Client, op *Operation[In, Out]) ([]Setting, error) {
	ready, err := prepare(c, op)
	if err != nil {
		return nil, err
	}
	return c.settings(&ready.profile, ready.policy), nil
}

// settings lists the settings under a profile with their sources.
func (c *Client) settings(p *Profile, policy *retry.Policy) []Setting {
	effective := policy.Settings()
	layers := c.layers(p, policy)
	if effective.Quota.TimeoutCost == 0 {
		effective.Quota.TimeoutCost = effective.Quota.TransientCost
	}
	settings := []Setting{{"profile", p.Name, c.profileSource}}
	for i, l := range leaves(&effective) {
		settings = append(settings, Setting{l.name, settingText(l.Value), sourceOf(layers, i)})
	}
	return sharedQuota(settings, policy)
}

// layers lists what the settings under a profile come from, highest first.
func (c *Client) layers(p *Profile, policy *retry.Policy) []layer {
	all := append([]layer{{source: fromOption, settings: retry.SettingsOf(c.defaults.retry...)}}, c.environment...)
	own, _ := p.split()
	for _, l := range slices.Backward(p.chain()) {
		if !l.named {
			l.settings = within(l.settings, own)
			all = append(all, l)
		}
	}
	if policy.Settings().Mode == retry.Legacy {
		all = append(all, layer{source: fromLegacy, settings: policy.LegacySettings()})
	}
	for _, l := range slices.Backward(p.chain()) {
		if l.named {
			all = append(all, l)
		}
	}
	return append(all, layer{source: p.source(), settings: p.Settings}, layer{source: fromDefault, settings: retry.Defaults()})
}

// sharedQuota corrects the capacity where an option brought its own bucket.
func sharedQuota(settings []Setting, policy *retry.Policy) []Setting {
	for i, s := range settings {
		capacity := strconv.Itoa(policy.Quota().Capacity())
		if s.Name == "quota.capacity" && s.Value != capacity {
			settings[i] = Setting{s.Name, capacity, fromOption + " WithQuota"}
		}
	}
	return settings
}

// sourceOf returns the highest layer that sets leaf i.
func sourceOf(layers []layer, i int) string {
	for _, l := range layers {
		if !leaves(&l.settings)[i].IsZero() {
			return l.source
		}
	}
	return fromDefault
}

// settingText writes a value.
func settingText(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case time.Duration:
		if value != 0 && value != retry.NoMaxBackoff {
			return value.String()
		}
	case int:
		if value != 0 && value != retry.Free {
			return strconv.Itoa(value)
		}
	default:
		return fmt.Sprint(value)
	}
	return "none"
}
