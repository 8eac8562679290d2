package httpapi

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/runtime/retry"
)

// shared are the settings that the environment and a shared config file hold.
var shared = []struct {
	variable string // after the profile's prefix
	key      string // in a config file
	parse    func(string) (retry.Settings, error)
}{
	{"_RETRY_MODE", "retry_mode", parseMode},
	{"_MAX_ATTEMPTS", "max_attempts", parseMaxAttempts},
}

// environment reads what a profile's environment variables and its shared
// config file say, highest layer first. An empty value counts as unset. A bad
// value is an error even where another layer overrides it, so that it is
// found before it matters.
func environment(p *Profile) ([]layer, error) {
	if p.EnvPrefix == "" {
		return nil, nil
	}
	var layers []layer
	var errs []error
	add := func(source, text string, parse func(string) (retry.Settings, error)) {
		settings, err := parse(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("httpapi: %s: got %q, want %w", source, text, err))
		}
		layers = append(layers, layer{source: source, settings: settings})
	}
	for _, s := range shared {
		name := p.EnvPrefix + s.variable
		if text := os.Getenv(name); text != "" {
			add("environment variable "+name, text, s.parse)
		}
	}
	path, section, err := p.configSection()
	errs = append(errs, err)
	for _, s := range shared {
		if v := section[s.key]; v.text != "" {
			add(fmt.Sprintf("%s:%d: %s", path, v.line, s.key), v.text, s.parse)
		}
	}
	return layers, errors.Join(errs...)
}

// configSection returns the chosen section of the profile's shared config
// file, nil if there is none, and the path of the file.
func (p *Profile) configSection() (path string, section configSection, err error) {
	if p.ConfigFile == "" {
		return "", nil, nil
	}
	if path = os.Getenv(p.EnvPrefix + "_CONFIG_FILE"); path == "" {
		path = atHome(p.ConfigFile)
	}
	text := ""
	if path != "" {
		if text, err = readConfig(path); err != nil {
			return path, nil, fmt.Errorf("httpapi: shared config file: %w", err)
		}
	}
	file := parseConfig(text)
	name := os.Getenv(p.EnvPrefix + "_PROFILE")
	if name == "" {
		return path, file.profile(defaultSection), nil
	}
	if section = file.profile(name); section == nil {
		err = p.credentialsProfile(name, path)
	}
	return path, section, err
}

// credentialsProfile looks for a profile that is not in the config file at
// path in the credentials file: it may be there as [name] only. No setting is
// read from there.
func (p *Profile) credentialsProfile(name, path string) error {
	variable := p.EnvPrefix + "_SHARED_CREDENTIALS_FILE"
	credentials := os.Getenv(variable)
	if credentials == "" {
		credentials = atHome(besides(p.ConfigFile, "credentials"))
	}
	if credentials != "" {
		text, err := readConfig(credentials)
		if err != nil {
			return fmt.Errorf("httpapi: shared credentials file: %w", err)
		}
		if parseConfig(text)[name] != nil {
			return nil
		}
	}
	var places, unknown []string
	for _, file := range [...]struct{ path, variable string }{{path, p.EnvPrefix + "_CONFIG_FILE"}, {credentials, variable}} {
		if file.path == "" {
			unknown = append(unknown, file.variable)
			continue
		}
		places = append(places, file.path)
	}
	want := "want a profile of " + strings.Join(places, " or ")
	switch {
	case len(places) == 0:
		want = "and no file is known to have it: the home directory is unknown, and " + strings.Join(unknown, " and ") + " are not set"
	case len(unknown) > 0:
		want += "; the home directory is unknown, and " + unknown[0] + " is not set"
	}
	return fmt.Errorf("httpapi: environment variable %s: got %q, %s", p.EnvPrefix+"_PROFILE", name, want)
}

// parseMode compares with the case, as the AWS SDK for Go does.
func parseMode(text string) (retry.Settings, error) {
	mode, err := retry.ParseMode(text)
	if err != nil {
		return retry.Settings{}, errors.New("standard, adaptive, legacy or off")
	}
	return retry.Settings{Mode: mode}, nil
}

// parseMaxAttempts takes zero for unset.
func parseMaxAttempts(text string) (retry.Settings, error) {
	n, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil || n < 0 {
		return retry.Settings{}, errors.New("a number of attempts")
	}
	return retry.Settings{MaxAttempts: int(n)}, nil
}
