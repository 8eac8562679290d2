package gen

import (
	"fmt"
	"go/token"

	"github.com/retrygen/retrygen/gen/internal/load"
)

// Config says what to generate from what.
type Config struct {
	// Specs are the paths of the definitions, at least one.
	Specs []string
	// Output is the directory of the client; of several clients, the
	// directory that gets one for each. "" means a directory named for the
	// package, in the working directory.
	Output string
	// Package is the name of the Go package; "" means one made from the
	// definition. It must be "" for several definitions.
	Package string
	// Strict makes warnings and skipped constructs errors.
	Strict bool
	// AllowNetwork permits definitions and references that are http and https
	// URLs.
	AllowNetwork bool
	// AllowOutside permits references to files outside of a definition's
	// directory.
	AllowOutside bool
}

// ConfigError says what makes a [Config] invalid, whatever the definitions
// say.
type ConfigError struct{ text string }

// Error names the setting, what it is and what is wanted.
func (e *ConfigError) Error() string { return e.text }

// check reports what makes the configuration invalid, as a [ConfigError].
func (c Config) check() error {
	switch {
	case len(c.Specs) == 0:
		return &ConfigError{"no definition is given"}
	case c.Package == "":
		return nil
	case len(c.Specs) > 1:
		return &ConfigError{"-package is for one definition, and there are several"}
	case !token.IsIdentifier(c.Package) || c.Package == "_" || c.Package == "main":
		return &ConfigError{fmt.Sprintf("-package: got %q, want the name of a Go package, such as orders", c.Package)}
	}
	return nil
}

func (c Config) loading() load.Options {
	return load.Options{AllowNetwork: c.AllowNetwork, AllowOutside: c.AllowOutside}
}
