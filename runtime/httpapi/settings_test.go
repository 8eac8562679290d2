package httpapi

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// shop is a service whose definition lays something over a profile that lies
// over another one.
var shop = &Service{Name: "shop", Profile: Profile{
	Settings:   retry.Settings{MaxBackoff: 5 * time.Second, TotalTimeout: time.Minute},
	Throttling: Match{Codes: []string{"busy"}},
}.Over(Profile{
	Name:       "orders",
	Settings:   retry.Settings{MaxAttempts: 6, MaxBackoff: 9 * time.Second},
	EnvPrefix:  "SHOP",
	ConfigFile: "~/.shop/config",
}.Over(HTTP1))}

// settingsOf returns the settings of a client by their names, and checks that
// they are those that calls get.
func settingsOf(t *testing.T, service *Service, opts ...Option) map[string]string {
	t.Helper()
	c, err := NewClient(service, "http://localhost", opts...)
	if err != nil {
		t.Fatal(err)
	}
	all := c.RetrySettings()
	if again := c.RetrySettings(); !slices.Equal(all, again) {
		t.Errorf("in another order: %v, then %v", all, again)
	}
	byName := make(map[string]string)
	for _, s := range all {
		if _, twice := byName[s.Name]; twice {
			t.Errorf("%s is there twice", s.Name)
		}
		byName[s.Name] = strings.TrimPrefix(s.String(), s.Name+": ")
	}
	policy, err := c.policy(&c.profile)
	if err != nil {
		t.Fatal(err)
	}
	effective := policy.Settings()
	for _, l := range leaves(&effective) {
		if value, _, _ := strings.Cut(byName[l.name], " ("); l.name != "quota.timeoutCost" && l.name != "quota.capacity" && value != settingText(l.Value) {
			t.Errorf("%s: told %s, is %s", l.name, value, settingText(l.Value))
		}
	}
	return byName
}

// inFile puts a config file where the service looks for it.
func inFile(t *testing.T, text string) (path string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	path = filepath.Join(home, ".shop", "config")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRetrySettings goes through the sources, from the lowest to the highest.
func TestRetrySettings(t *testing.T) {
	check := func(t *testing.T, got map[string]string, want map[string]string) {
		t.Helper()
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s: got %s, want %s", name, got[name], text)
			}
		}
	}
	check(t, settingsOf(t, &Service{Name: "plain"}), map[string]string{
		"profile":           "http-1 (default)",
		"mode":              "standard (profile http-1)",
		"attemptTimeout":    "none (default)",
		"quota.timeoutCost": "14 (default)",
	})
	lowest := map[string]string{
		"profile":              "orders (definition)",
		"mode":                 "standard (profile http-1)",
		"maxAttempts":          "6 (profile orders)",
		"baseDelay.transient":  "50ms (profile http-1)",
		"maxBackoff":           "5s (definition)",
		"totalTimeout":         "1m0s (definition)",
		"quota.capacity":       "500 (profile http-1)",
		"serverDelay.policy":   "honour (profile http-1)",
		"replay":               "safe (profile http-1)",
		"jitter.transient":     "full (profile http-1)",
		"baseDelay.throttling": "1s (profile http-1)",
		"quota.transientCost":  "14 (profile http-1)",
		"quota.throttlingCost": "5 (profile http-1)",
		"attemptTimeout":       "none (default)",
		"quota.timeoutCost":    "14 (default)",
		"jitter.throttling":    "full (profile http-1)",
	}
	check(t, settingsOf(t, shop), lowest)
	path := inFile(t, "[default]\nretry_mode = adaptive\nmax_attempts = 7\n[profile odd]\nmax_attempts = 8\n")
	check(t, settingsOf(t, shop), map[string]string{
		"mode":        "adaptive (" + path + ":2: retry_mode)",
		"maxAttempts": "7 (" + path + ":3: max_attempts)",
		"maxBackoff":  "5s (definition)",
	})
	t.Setenv("SHOP_PROFILE", "odd")
	check(t, settingsOf(t, shop), map[string]string{
		"mode":        "standard (profile http-1)",
		"maxAttempts": "8 (" + path + ":5: max_attempts)",
	})
	t.Setenv("SHOP_MAX_ATTEMPTS", "9")
	check(t, settingsOf(t, shop), map[string]string{"maxAttempts": "9 (environment variable SHOP_MAX_ATTEMPTS)"})
	check(t, settingsOf(t, shop,
		WithProfile(Profile{Name: "mine", Settings: retry.Settings{MaxAttempts: 2, MaxBackoff: time.Second}}),
		WithProfile(Profile{Settings: retry.Settings{TotalTimeout: time.Hour}}),
		WithRetry(retry.WithBaseDelay(retry.BaseDelay{Throttling: 800 * time.Millisecond})),
		WithRetry(retry.WithQuota(retry.NewQuota(7))),
	), map[string]string{
		"profile":              "mine (client option WithProfile)",
		"maxAttempts":          "9 (environment variable SHOP_MAX_ATTEMPTS)",
		"maxBackoff":           "1s (profile mine)",
		"totalTimeout":         "1h0m0s (client option WithProfile)",
		"baseDelay.throttling": "800ms (client option)",
		"quota.capacity":       "7 (client option WithQuota)",
	})
}

// TestRetrySettingsOfOperation: an operation's own settings stand over those
// of the service and under the environment.
func TestRetrySettingsOfOperation(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SHOP_MAX_ATTEMPTS", "9")
	c, err := NewClient(shop, "http://localhost")
	if err != nil {
		t.Fatal(err)
	}
	op := &Operation[struct{}, struct{}]{
		Name: "Find", Method: http.MethodGet, Path: "/",
		Retry: &Profile{Settings: retry.Settings{MaxAttempts: 2, MaxBackoff: 2 * time.Second}},
	}
	all, err := RetrySettings(c, op)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"profile: orders (definition)",
		"maxAttempts: 9 (environment variable SHOP_MAX_ATTEMPTS)",
		"maxBackoff: 2s (operation Find)",
		"totalTimeout: 1m0s (definition)",
	} {
		if !slices.ContainsFunc(all, func(s Setting) bool { return s.String() == want }) {
			t.Errorf("got %v, want %s among them", all, want)
		}
	}
	bad := &Operation[struct{}, struct{}]{Name: "Bad", Method: http.MethodGet, Path: "/", Retry: &Profile{Partition: "x"}}
	if _, err := RetrySettings(c, bad); err == nil {
		t.Error("an operation that cannot be called has settings")
	}
}

func TestRetrySettingsOfTransport(t *testing.T) {
	transport, err := NewTransport(nil, WithRetry(retry.WithMaxAttempts(8)))
	if err != nil {
		t.Fatal(err)
	}
	if all := transport.RetrySettings(); !slices.Contains(all, Setting{"maxAttempts", "8", "client option"}) {
		t.Errorf("got %v, want 8 attempts by option", all)
	}
}

// TestRetrySettingsOfLegacy: the numbers of before 2026 take the place of
// those of named profiles.
func TestRetrySettingsOfLegacy(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SHOP_RETRY_MODE", "legacy")
	want := map[string]string{
		"mode":                 "legacy (environment variable SHOP_RETRY_MODE)",
		"maxAttempts":          "3 (mode legacy)",
		"baseDelay.transient":  "2s (mode legacy)",
		"maxBackoff":           "5s (definition)",
		"quota.timeoutCost":    "10 (mode legacy)",
		"quota.throttlingCost": "none (mode legacy)",
		"replay":               "safe (profile http-1)",
	}
	scheme := retry.LegacyDefaults()
	scheme.Quota.ThrottlingCost = retry.Free
	got := settingsOf(t, shop, WithRetry(retry.WithLegacy(scheme)))
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %s, want %s", name, got[name], text)
		}
	}
	if got := settingsOf(t, shop, WithProfile(Profile{Settings: retry.Settings{MaxAttempts: 5}}))["maxAttempts"]; got != "5 (client option WithProfile)" {
		t.Errorf("a profile without a name: %s", got)
	}
}

// TestChangedProfile: what is changed in a profile that was laid over another
// counts.
func TestChangedProfile(t *testing.T) {
	changed := shop.Profile
	changed.MaxAttempts = 11
	if got := settingsOf(t, &Service{Name: "shop", Profile: changed})["maxAttempts"]; got != "11 (profile orders)" {
		t.Errorf("maxAttempts: %s", got)
	}
	if got := settingsOf(t, shop)["maxAttempts"]; got != "6 (profile orders)" {
		t.Errorf("the original: %s", got)
	}
}

// TestBadEnvironment: every bad value is named by its place, even where a
// higher source would win; what is not chosen is not looked at.
func TestBadEnvironment(t *testing.T) {
	path := inFile(t, "[default]\nretry_mode = odd # comment\nmax_attempts = -3\n[profile fine]\nregion = x\n")
	t.Setenv("SHOP_MAX_ATTEMPTS", "4")
	_, err := NewClient(shop, "http://localhost", WithRetry(retry.WithMode(retry.Off)))
	for _, want := range []string{
		path + `:2: retry_mode: got "odd", want standard, adaptive, legacy or off`,
		path + `:3: max_attempts: got "-3", want a number of attempts`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
	t.Setenv("SHOP_PROFILE", "fine")
	if got := settingsOf(t, shop)["maxAttempts"]; got != "4 (environment variable SHOP_MAX_ATTEMPTS)" {
		t.Errorf("another profile: %s", got)
	}
	t.Setenv("SHOP_PROFILE", "absent")
	if _, err := NewClient(shop, "http://localhost"); err == nil ||
		!strings.Contains(err.Error(), `environment variable SHOP_PROFILE: got "absent", want a profile of `+path) {
		t.Errorf("a profile that is not there: error %v", err)
	}
	t.Setenv("SHOP_PROFILE", "")
	t.Setenv("SHOP_CONFIG_FILE", t.TempDir())
	if _, err := NewClient(shop, "http://localhost"); err == nil || !strings.Contains(err.Error(), os.Getenv("SHOP_CONFIG_FILE")) {
		t.Errorf("a directory in place of the file: error %v", err)
	}
	t.Setenv("SHOP_CONFIG_FILE", filepath.Join(t.TempDir(), "missing"))
	if got := settingsOf(t, shop)["mode"]; got != "standard (profile http-1)" {
		t.Errorf("a file that is not there: %s", got)
	}
}

// TestCredentialsProfile: a profile may be in the credentials file only, which
// sets nothing.
func TestCredentialsProfile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SHOP_CONFIG_FILE", "")
	t.Setenv("SHOP_PROFILE", "keys")
	aws := &Service{Name: "shop", Profile: Profile{EnvPrefix: "SHOP", ConfigFile: "~/.shop/config"}.Over(HTTP1)}
	refused := func(want string) {
		t.Helper()
		if _, err := NewClient(aws, "http://localhost"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
	dir := filepath.Join(home, ".shop")
	refused("want a profile of " + filepath.Join(dir, "config") + " or " + filepath.Join(dir, "credentials"))
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "config"), "[default]\nmax_attempts = 9\n")
	write(filepath.Join(dir, "credentials"), "[keys]\nmax_attempts = 8\nretry_mode = off\n")
	got := settingsOf(t, aws)
	if got["maxAttempts"] != "3 (profile http-1)" || got["mode"] != "standard (profile http-1)" {
		t.Errorf("maxAttempts %s, mode %s", got["maxAttempts"], got["mode"])
	}
	other := filepath.Join(home, "other")
	t.Setenv("SHOP_SHARED_CREDENTIALS_FILE", other)
	refused(" or " + other)
	write(other, "[keys]\n")
	settingsOf(t, aws)
	t.Setenv("SHOP_SHARED_CREDENTIALS_FILE", home)
	refused(home)

	t.Setenv("HOME", "")
	t.Setenv("SHOP_SHARED_CREDENTIALS_FILE", "")
	refused(`SHOP_PROFILE: got "keys", and no file is known to have it: the home directory is unknown, and SHOP_CONFIG_FILE and SHOP_SHARED_CREDENTIALS_FILE are not set`)
	t.Setenv("SHOP_CONFIG_FILE", filepath.Join(dir, "config"))
	refused("want a profile of " + filepath.Join(dir, "config") + "; the home directory is unknown, and SHOP_SHARED_CREDENTIALS_FILE is not set")
}

// TestPrefixGoesWithFile: a definition's own prefix turns the config file of
// its profile off.
func TestPrefixGoesWithFile(t *testing.T) {
	inFile(t, "[default]\nmax_attempts = nonsense\n")
	own := &Service{Name: "own", Profile: Profile{EnvPrefix: "OWN"}.Over(shop.Profile)}
	t.Setenv("OWN_MAX_ATTEMPTS", "2")
	if got := settingsOf(t, own)["maxAttempts"]; got != "2 (environment variable OWN_MAX_ATTEMPTS)" {
		t.Errorf("maxAttempts: %s", got)
	}
}
