package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// TestHTTP1Statuses says what each kind of status means under http-1.
func TestHTTP1Statuses(t *testing.T) {
	const none, transient, throttling = retry.Terminal, retry.Transient, retry.Throttling
	for _, c := range []struct {
		status   int
		header   [2]string
		class    retry.Class
		rule     string
		notActed bool
		delay    time.Duration // negative: none
	}{
		{429, [2]string{}, throttling, "status 429", true, -1},
		{429, [2]string{"Retry-After", "7"}, throttling, "status 429", true, 7 * time.Second},
		{503, [2]string{}, transient, "status 503", false, -1},
		{503, [2]string{"Retry-After", "7"}, throttling, "status 503 with Retry-After", true, 7 * time.Second},
		{503, [2]string{"Retry-After", "0"}, throttling, "status 503 with Retry-After", true, 0},
		{503, [2]string{"Retry-After-Ms", "70"}, throttling, "status 503 with Retry-After-Ms", true, 70 * time.Millisecond},
		{503, [2]string{"X-Ms-Retry-After-Ms", "70"}, throttling, "status 503 with X-Ms-Retry-After-Ms", true, 70 * time.Millisecond},
		{503, [2]string{"Retry-After", "-7"}, transient, "status 503", false, -1},
		{503, [2]string{"Retry-After", "86401"}, transient, "status 503", false, -1},
		{503, [2]string{"RateLimit", `"default";r=0;t=5`}, transient, "status 503", false, 5 * time.Second},
		{503, [2]string{"Ratelimit-Reset", "5"}, transient, "status 503", false, 5 * time.Second},
		{503, [2]string{"X-Ratelimit-Reset", "5"}, transient, "status 503", false, -1}, // only where it is declared
		{500, [2]string{"Retry-After", "7"}, transient, "status 500", false, 7 * time.Second},
		{408, [2]string{}, transient, "status 408", false, -1},
		{425, [2]string{}, transient, "status 425", false, -1},
		{502, [2]string{}, transient, "status 502", false, -1},
		{504, [2]string{}, transient, "status 504", false, -1},
		{501, [2]string{"Retry-After", "7"}, none, "status 501", false, 7 * time.Second},
		{505, [2]string{}, none, "status 505", false, -1},
		{413, [2]string{"Retry-After", "7"}, none, "status 413", false, 7 * time.Second},
		{507, [2]string{}, none, "no rule for status 507", false, -1},
		{400, [2]string{}, none, "no rule for status 400", false, -1},
		{409, [2]string{}, none, "no rule for status 409", false, -1},
		{400, [2]string{"X-Should-Retry", "true"}, transient, "X-Should-Retry: true", false, -1},
		{501, [2]string{"X-Should-Retry", "TRUE"}, transient, "X-Should-Retry: true", false, -1},
		{429, [2]string{"X-Should-Retry", "true"}, throttling, "X-Should-Retry: true", true, -1},
		{503, [2]string{"X-Should-Retry", "false"}, none, "X-Should-Retry: false", false, -1},
		{429, [2]string{"X-Should-Retry", "false"}, none, "X-Should-Retry: false", false, -1},
		{503, [2]string{"X-Should-Retry", "maybe"}, transient, "status 503", false, -1},
	} {
		h := http.Header{}
		if c.header[0] != "" {
			h.Set(c.header[0], c.header[1])
		}
		f := HTTP1.Classify(&http.Response{StatusCode: c.status, Header: h}, nil, nil)
		if f.Class != c.class || f.Rule != c.rule || f.NotActed != c.notActed {
			t.Errorf("%d %v: got %s (%s), not acted %t; want %s (%s), %t", c.status, c.header, f.Class, f.Rule, f.NotActed, c.class, c.rule, c.notActed)
		}
		if f.HasServerDelay != (c.delay >= 0) || f.HasServerDelay && f.ServerDelay != c.delay {
			t.Errorf("%d %v: delay %s, %t, want %s", c.status, c.header, f.ServerDelay, f.HasServerDelay, c.delay)
		}
	}
}

// TestNeverListBeatsRanges declares all of 5XX and of 4XX throttling.
func TestNeverListBeatsRanges(t *testing.T) {
	p := Profile{Throttling: Match{Statuses: []StatusRange{{400, 499}, {500, 599}}}}.Over(HTTP1)
	for status, want := range map[int]retry.Class{
		501: retry.Terminal, 505: retry.Terminal, 413: retry.Terminal, 511: retry.Terminal,
		500: retry.Throttling, 503: retry.Throttling, 507: retry.Throttling, 404: retry.Throttling, 429: retry.Throttling,
	} {
		if f := p.Classify(&http.Response{StatusCode: status}, nil, nil); f.Class != want {
			t.Errorf("%d: got %s (%s), want %s", status, f.Class, f.Rule, want)
		}
	}
	named := Profile{Transient: Match{Statuses: []StatusRange{Status(501)}}}.Over(HTTP1)
	if f := named.Classify(&http.Response{StatusCode: 501}, nil, nil); f.Class != retry.Transient {
		t.Errorf("501, declared itself: got %s (%s)", f.Class, f.Rule)
	}
}

// TestShouldRetryYieldsToCodes wants an error code to come before the header.
func TestShouldRetryYieldsToCodes(t *testing.T) {
	p := Profile{
		ErrorCode: []CodeSource{{Header: "Code"}}, Terminal: Match{Codes: []string{"Never"}},
		Throttling: Match{Codes: []string{"Slow"}},
	}.Over(HTTP1)
	for code, c := range map[string]struct {
		said string
		want retry.Class
	}{"Never": {"true", retry.Terminal}, "Slow": {"false", retry.Throttling}, "Other": {"false", retry.Terminal}} {
		h := http.Header{"Code": {code}, "X-Should-Retry": {c.said}}
		if f := p.Classify(&http.Response{StatusCode: 500, Header: h}, nil, nil); f.Class != c.want {
			t.Errorf("%s: got %s (%s), want %s", code, f.Class, f.Rule, c.want)
		}
	}
}

// TestServerDelayIsWaited makes calls that are told when to come back.
func TestServerDelayIsWaited(t *testing.T) {
	profile := Profile{ServerDelayHeaders: []DelayHeader{
		{Pointer: "/retryIn", Unit: DelaySeconds}, {Name: "X-RateLimit-Reset", Unit: DelayEpoch}, {Name: "Retry-After"},
	}}.Over(coded)
	for name, answer := range map[string]retrytest.Step{
		"body":   retrytest.JSON(503, `{"retryIn":90}`),
		"header": retrytest.Respond(503, http.Header{"Retry-After": {"90"}}, ""),
		// The bubble's clock stands at 2000-01-01 00:00:00.
		"date":            retrytest.Respond(503, http.Header{"Retry-After": {"Saturday, 01-Jan-00 00:01:30 GMT"}}, ""),
		"date of its own": retrytest.Respond(503, http.Header{"Retry-After": {"Fri Dec 31 23:01:30 1999"}, "Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}, ""),
		"epoch":           retrytest.Respond(429, http.Header{"X-Ratelimit-Reset": {strconv.Itoa(946684800 + 90)}, "X-Ratelimit-Remaining": {"0"}}, ""),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, &Service{Name: "items", Profile: profile}, steps(answer, okay))
				begin := time.Now()
				if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took != 90*time.Second {
					t.Errorf("retried after %v, want 1m30s", took)
				}
			})
		})
	}
}

// TestServerDelayThatDoesNotFit returns at once, with the service's error and
// without paying.
func TestServerDelayThatDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(retrytest.Respond(503, http.Header{"Retry-After": {"60"}}, "later").Delay(100*time.Millisecond)),
			WithRetry(retry.WithTotalTimeout(time.Minute)))
		begin := time.Now()
		_, err := Call(t.Context(), c, getItem(), nil)
		answer, ok := errors.AsType[*ResponseError](err)
		if !ok || answer.Status != 503 || !errors.Is(err, retry.ErrDeadline) || time.Since(begin) != 100*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		if level := c.quota.Level(); level != c.quota.Capacity() {
			t.Errorf("quota %d", level)
		}
	})
}

// TestDeadlineHeader wants each attempt to tell what is left to it.
func TestDeadlineHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		profile := Profile{DeadlineHeader: "Time-Left-Ms", Settings: retry.Settings{BaseDelay: retry.BaseDelay{Transient: time.Second}}}.Over(coded)
		failed := retrytest.JSON(500, "{}").Delay(250 * time.Millisecond)
		c, transport := script(t, &Service{Name: "items", Profile: profile}, steps(failed, failed, okay, okay, okay))
		for _, opts := range [][]retry.Option{
			{retry.WithTotalTimeout(5 * time.Second)},
			{retry.WithTotalTimeout(5 * time.Second), retry.WithAttemptTimeout(1500 * time.Microsecond)},
			nil,
		} {
			if _, err := Call(t.Context(), c, getItem(), nil, WithRetry(opts...)); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, r := range transport.Requests() {
			got = append(got, r.Header.Get("Time-Left-Ms"))
		}
		// 5 s, less 250 ms and a wait of 1 s, less 250 ms and a wait of 2 s.
		if want := []string{"5000", "3750", "1500", "1", ""}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestClassifierInCalls has the user's classifier judge after the profile.
func TestClassifierInCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine := func(err error) retry.Failure {
			if answer, ok := errors.AsType[*ResponseError](err); ok && answer.Status == 404 {
				return retry.Failure{Class: retry.Transient, Rule: "not there yet"}
			}
			return retry.Classify(err)
		}
		c, _ := script(t, items(), steps(
			retrytest.JSON(404, "{}"), retrytest.Fail(retrytest.ConnectionReset()), okay,
			retrytest.JSON(400, "{}"),
		), WithRetry(retry.WithClassifier(mine)))
		out, err := Call(t.Context(), c, getItem(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, d := range out.Attempts {
			rules = append(rules, d.Rule)
		}
		if want := []string{"not there yet", "connection reset"}; !slices.Equal(rules, want) {
			t.Errorf("rules %q, want %q", rules, want)
		}
		if _, err := Call(t.Context(), c, getItem(), nil); !errors.Is(err, retry.ErrTerminal) {
			t.Errorf("400: %v", err)
		}
	})
}

// TestPanickingClassifierInCalls leaves no body open and no token taken.
func TestPanickingClassifierInCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(retrytest.JSON(500, "{}"), okay),
			WithRetry(retry.WithClassifier(func(error) retry.Failure { panic("classifier") })))
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = Call(t.Context(), c, getItem(), nil)
		}()
		if level := c.quota.Level(); level != c.quota.Capacity() {
			t.Errorf("quota %d", level)
		}
		if _, err := Call(t.Context(), c, getItem(), nil); err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}
