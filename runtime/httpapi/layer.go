package httpapi

import (
	"reflect"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/runtime/retry"
)

// layer is a part of the retry settings with its source.
type layer struct {
	source   string
	named    bool // of a profile with a name
	settings retry.Settings
}

// chain returns what p was laid together from by [Profile.Over], lowest
// first.
func (p *Profile) chain() []layer {
	switch {
	case p.layers != nil:
		return p.layers
	case p.Name != "":
		return []layer{{source: p.source(), named: true, settings: p.Settings}}
	}
	return []layer{{settings: p.Settings}}
}

func (p *Profile) source() string { return "profile " + p.Name }

// from returns p with source as the source of what has no name.
func (p Profile) from(source string) Profile {
	p.layers = slices.Clone(p.chain())
	for i := range p.layers {
		if l := &p.layers[i]; l.source == "" {
			l.source = source
		}
	}
	return p
}

// split divides the settings of p into its own and those that come from
// profiles with a name. A profile whose Settings were changed after
// [Profile.Over] is one with a name.
func (p *Profile) split() (own, named retry.Settings) {
	for _, l := range p.chain() {
		if l.named {
			own, named = without(own, l.settings), l.settings.Over(named)
		} else {
			own = l.settings.Over(own)
		}
	}
	if own.Over(named) != p.Settings {
		return retry.Settings{}, p.Settings
	}
	return own, named
}

// RetryOptions returns the options that make a [retry.Policy] with the
// settings of p. What comes from a profile with a name gives way to
// [retry.LegacyDefaults] in mode legacy, because it is about today's modes;
// what a profile without a name lays over it, as a definition does, does not.
func (p Profile) RetryOptions() []retry.Option {
	own, named := p.split()
	return []retry.Option{retry.WithDefaults(named), retry.WithSettings(own)}
}

// leaf is one of the fields of [retry.Settings], or of a field that is a
// struct.
type leaf struct {
	name string // as in x-retry: "baseDelay.transient"
	reflect.Value
}

// renamed are the leaves that x-retry calls otherwise.
var renamed = map[string]string{"serverDelay": "serverDelay.policy"}

// leaves returns the leaves of s, in order.
func leaves(s *retry.Settings) []leaf { return appendLeaves(nil, "", reflect.ValueOf(s).Elem()) }

func appendLeaves(all []leaf, prefix string, v reflect.Value) []leaf {
	for field, value := range v.Fields() {
		name := prefix + strings.ToLower(field.Name[:1]) + field.Name[1:]
		if value.Kind() == reflect.Struct {
			all = appendLeaves(all, name+".", value)
			continue
		}
		if other, ok := renamed[name]; ok {
			name = other
		}
		all = append(all, leaf{name, value})
	}
	return all
}

// within returns the fields of s that are set in other too.
func within(s, other retry.Settings) retry.Settings {
	return filter(s, other, func(theirs leaf) bool { return !theirs.IsZero() })
}

// without returns the fields of s that are not set in other.
func without(s, other retry.Settings) retry.Settings {
	return filter(s, other, func(theirs leaf) bool { return theirs.IsZero() })
}

// filter keeps the fields of s for whose counterpart in other keep holds.
func filter(s, other retry.Settings, keep func(leaf) bool) retry.Settings {
	theirs := leaves(&other)
	for i, leaf := range leaves(&s) {
		if !keep(theirs[i]) {
			leaf.SetZero()
		}
	}
	return s
}
