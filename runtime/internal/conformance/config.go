package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// configGiven is where settings come from.
type configGiven struct {
	Code struct {
		Mode        string `json:"mode"`
		MaxAttempts int    `json:"max_attempts"`
	} `json:"code"`
	Env     map[string]string `json:"env"`
	File    *string           `json:"file"` // nil: there is none
	Service string            `json:"service"`
}

// configExpect is what the settings amount to.
type configExpect struct {
	Mode        string `json:"mode"`
	MaxAttempts *int   `json:"max_attempts"`
	Error       bool   `json:"error"`
}

// runConfig makes a client and looks at what its calls do.
func runConfig(t *testing.T, v Vector) error {
	var given configGiven
	var expect configExpect
	if err := errors.Join(decode(v.Given, &given), decode(v.Expect, &expect)); err != nil {
		return err
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS", "AWS_PROFILE", "AWS_CONFIG_FILE"} {
		t.Setenv(name, given.Env[name])
	}
	if given.File != nil {
		dir := filepath.Join(home, ".aws")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "config"), []byte(*given.File), 0o600)); err != nil {
			return err
		}
	}
	var err error
	synctest.Test(t, func(t *testing.T) { err = given.check(t, expect) })
	return err
}

func (g configGiven) check(t *testing.T, expect configExpect) error {
	mode, ok := modes[g.Code.Mode]
	if !ok {
		return fmt.Errorf("mode %q is not known", g.Code.Mode)
	}
	profile, ok := awsprofile.ByName(g.Service)
	if !ok {
		profile = awsprofile.AWS2026
	}
	limiter := retry.NewLimiter(time.Now())
	down := retrytest.Respond(503, nil, "")
	var sent []time.Time
	wire := roundTripper(func(req *http.Request) (*http.Response, error) {
		sent = append(sent, time.Now())
		return down.RoundTrip(req)
	})
	client, err := httpapi.NewClient(&httpapi.Service{Name: "vectors", Profile: profile}, endpoint,
		httpapi.WithHTTPClient(&http.Client{Transport: wire}),
		httpapi.WithRetry(
			retry.WithSettings(retry.Settings{Mode: mode, MaxAttempts: g.Code.MaxAttempts}),
			retry.WithLimiter(limiter), retry.WithQuota(retry.NewQuota(1<<20)),
			retry.WithJitter(func() float64 { return 1 }),
		))
	if (err != nil) != expect.Error {
		return fmt.Errorf("error: got %v, want %v", err, expect.Error)
	}
	if expect.Error {
		return nil
	}
	time.Sleep(time.Second) // of which the limiter measures the rate
	if _, err := httpapi.Call(t.Context(), client, operation(false, nil), nil); !errors.Is(err, retry.ErrMaxAttempts) {
		return fmt.Errorf("call: got error %v, want all attempts used", err)
	}
	if want := expect.MaxAttempts; want != nil && len(sent) != *want {
		return fmt.Errorf("max_attempts: got %d, want %d", len(sent), *want)
	}
	got := retry.Standard
	switch {
	case limiter.State(time.Now()).MeasuredRate > 0:
		got = retry.Adaptive
	case len(sent) > 1 && sent[1].Sub(sent[0]) == retry.LegacyBaseDelay:
		got = retry.Legacy
	}
	if got.String() != expect.Mode {
		return fmt.Errorf("mode: got %v, want %s", got, expect.Mode)
	}
	return told(client.RetrySettings(), expect.Mode, len(sent))
}

// told compares the settings that a client tells of with what it does.
func told(settings []httpapi.Setting, mode string, attempts int) error {
	want := map[string]string{"mode": mode, "maxAttempts": strconv.Itoa(attempts)}
	for _, s := range settings {
		if w, ok := want[s.Name]; ok && s.Value != w {
			return fmt.Errorf("told %v, want %s", s, w)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		return fmt.Errorf("told nothing of %v", want)
	}
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
