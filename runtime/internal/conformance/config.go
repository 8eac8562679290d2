package conformance

import (
	"errors"
	"fmt"
	"net/http"
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
	switch {
	case given.File != nil:
		t.Skip("the shared config file is not read by this runtime yet")
	case expect.Mode == "legacy":
		t.Skip("the mode legacy is not in this runtime yet")
	}
	for _, name := range []string{"AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS"} {
		t.Setenv(name, given.Env[name])
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
	attempts := 0
	wire := roundTripper(func(req *http.Request) (*http.Response, error) {
		attempts++
		return down.RoundTrip(req)
	})
	client, err := httpapi.NewClient(&httpapi.Service{Name: "vectors", Profile: profile}, endpoint,
		httpapi.WithHTTPClient(&http.Client{Transport: wire}),
		httpapi.WithRetry(
			retry.WithSettings(retry.Settings{Mode: mode, MaxAttempts: g.Code.MaxAttempts}),
			retry.WithLimiter(limiter), retry.WithQuota(retry.NewQuota(1<<20)),
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
	if want := expect.MaxAttempts; want != nil && attempts != *want {
		return fmt.Errorf("max_attempts: got %d, want %d", attempts, *want)
	}
	got := retry.Standard
	if limiter.State(time.Now()).MeasuredRate > 0 {
		got = retry.Adaptive
	}
	if got.String() != expect.Mode {
		return fmt.Errorf("mode: got %v, want %s", got, expect.Mode)
	}
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
