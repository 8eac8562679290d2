package httpapi

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/retrygen/retrygen/runtime/retry"
)

// environment reads the settings that a profile's environment variables hold:
//
//	PREFIX_RETRY_MODE    standard, adaptive or off
//	PREFIX_MAX_ATTEMPTS  attempts, the first included; 0 counts as unset
//
// An empty variable counts as unset. A bad value is an error even where an
// option of the client overrides it, so that it is found before it matters.
func environment(prefix string) ([]retry.Option, error) {
	if prefix == "" {
		return nil, nil
	}
	var opts []retry.Option
	var errs []error
	for _, v := range []struct {
		name  string
		parse func(string) (retry.Option, error)
	}{
		{prefix + "_RETRY_MODE", parseMode},
		{prefix + "_MAX_ATTEMPTS", parseMaxAttempts},
	} {
		text := os.Getenv(v.name)
		if text == "" {
			continue
		}
		opt, err := v.parse(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("httpapi: environment variable %s: got %q, want %w", v.name, text, err))
			continue
		}
		if opt != nil {
			opts = append(opts, opt)
		}
	}
	return opts, errors.Join(errs...)
}

// parseMode compares with the case, as the AWS SDK for Go does.
func parseMode(text string) (retry.Option, error) {
	for _, mode := range []retry.Mode{retry.Standard, retry.Adaptive, retry.Off} {
		if text == mode.String() {
			return retry.WithMode(mode), nil
		}
	}
	return nil, errors.New("standard, adaptive or off")
}

func parseMaxAttempts(text string) (retry.Option, error) {
	n, err := strconv.ParseInt(text, 10, strconv.IntSize)
	switch {
	case err != nil || n < 0:
		return nil, errors.New("a number of attempts")
	case n == 0:
		return nil, nil
	}
	return retry.WithMaxAttempts(int(n)), nil
}
