package httpapi

import (
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name           string
		mode, attempts string
		opts           []Option
		wantMode       retry.Mode
		wantAttempts   int
		wantError      string // part of it
	}{
		{name: "unset", wantMode: retry.Standard, wantAttempts: 6},
		{name: "mode", mode: "off", wantMode: retry.Off, wantAttempts: 6},
		{name: "attempts over the definition", attempts: "2", wantMode: retry.Standard, wantAttempts: 2},
		{name: "legacy mode", mode: "legacy", wantMode: retry.Legacy, wantAttempts: 6},
		{name: "plus sign", attempts: "+5", wantMode: retry.Standard, wantAttempts: 5},
		{name: "zero is unset", attempts: "0", wantMode: retry.Standard, wantAttempts: 6},
		{name: "client option over both", mode: "adaptive", attempts: "9",
			opts: []Option{WithRetry(retry.WithMaxAttempts(3))}, wantMode: retry.Adaptive, wantAttempts: 3},
		{name: "unknown mode", mode: "aggressive", wantError: `SHOP_RETRY_MODE: got "aggressive"`},
		{name: "mode in capitals", mode: "Standard", wantError: "SHOP_RETRY_MODE"},
		{name: "no number", attempts: "3.5", wantError: `SHOP_MAX_ATTEMPTS: got "3.5"`},
		{name: "trailing space", attempts: "5 ", wantError: "SHOP_MAX_ATTEMPTS"},
		{name: "too large", attempts: "99999999999999999999", wantError: "SHOP_MAX_ATTEMPTS"},
		{name: "negative", attempts: "-1", wantError: "SHOP_MAX_ATTEMPTS"},
		{name: "bad though overridden", attempts: "x",
			opts: []Option{WithRetry(retry.WithMaxAttempts(3))}, wantError: "SHOP_MAX_ATTEMPTS"},
	}
	service := &Service{Name: "shop", Profile: Profile{Settings: retry.Settings{MaxAttempts: 6}, EnvPrefix: "SHOP"}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("SHOP_RETRY_MODE", test.mode)
			t.Setenv("SHOP_MAX_ATTEMPTS", test.attempts)
			c, err := NewClient(service, "http://localhost", test.opts...)
			if test.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantError) {
					t.Errorf("got error %v, want one with %q", err, test.wantError)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			policy, err := c.policy(&c.profile)
			if err != nil {
				t.Fatal(err)
			}
			if s := policy.Settings(); s.Mode != test.wantMode || s.MaxAttempts != test.wantAttempts {
				t.Errorf("got %s, %d attempts, want %s, %d", s.Mode, s.MaxAttempts, test.wantMode, test.wantAttempts)
			}
		})
	}
	t.Setenv("SHOP_MAX_ATTEMPTS", "x")
	if _, err := NewClient(&Service{Name: "other"}, "http://localhost"); err != nil {
		t.Errorf("a client without a prefix: %v", err)
	}
}
