package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// stepsGiven is what holds before the first step.
type stepsGiven struct {
	Mode           string  `json:"mode"`
	Service        string  `json:"service"`
	LongPolling    bool    `json:"long_polling"`
	MaxAttempts    int     `json:"max_attempts"`
	MaxBackoffMS   float64 `json:"max_backoff_ms"`
	BaseMS         float64 `json:"base_ms"`
	RetryCost      int     `json:"retry_cost"`
	ThrottlingCost int     `json:"throttling_cost"`
	Quota          bucket  `json:"quota"`
	Jitter         jitter  `json:"jitter"`
	ClockStartS    float64 `json:"clock_start_s"`
}

// step is one attempt: what it meets, and what must come out.
type step struct {
	Call     string   `json:"call"`
	AtS      float64  `json:"at_s"`
	Cancel   string   `json:"cancel"`
	Response response `json:"response"`
	Expect   struct {
		Outcome    string  `json:"outcome"`
		DelayMS    float64 `json:"delay_ms"`
		SendWaitMS float64 `json:"send_wait_ms"`
		Quota      *int    `json:"quota"`
	} `json:"expect"`
}

// Moments at which a caller gives up.
const (
	inFlight   = "in_flight"
	inBackoff  = "in_backoff"
	inSendWait = "in_send_wait"
)

// runSteps plays the attempts of calls that share a client, in virtual time.
func runSteps(t *testing.T, v Vector) error {
	var given stepsGiven
	steps, err := decodeAll[step](v.Steps)
	if err = errors.Join(err, decode(v.Given, &given)); err != nil {
		return err
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel() // of calls that a failed vector left running
		var s *stage
		if s, err = newStage(ctx, given, steps); err != nil {
			return
		}
		for i, step := range steps {
			if err = s.play(step); err != nil {
				err = fmt.Errorf("step %d: %w", i+1, err)
				return
			}
		}
	})
	return err
}

// stage is the client of a vector, its running calls, and its clock.
type stage struct {
	ctx       context.Context
	client    *httpapi.Client
	operation *httpapi.Operation[input, output]
	quota     *retry.Quota
	limiter   *retry.Limiter
	start     time.Time
	calls     map[string]*running
}

// modes are the retry modes by their names; "" is that of the profile.
var modes = map[string]retry.Mode{"": 0, "standard": retry.Standard, "adaptive": retry.Adaptive, "legacy": retry.Legacy}

func newStage(ctx context.Context, given stepsGiven, steps []step) (*stage, error) {
	// A bubble's clock starts in the year 2000 and can only go on.
	time.Sleep(max(0, time.Until(time.Unix(0, 0).Add(seconds(given.ClockStartS)))))
	responses := make([]response, len(steps))
	for i, step := range steps {
		responses[i] = step.Response
	}
	s := &stage{
		ctx: ctx, start: time.Now(), calls: make(map[string]*running),
		operation: operation(given.LongPolling, responses),
		quota:     given.Quota.quota(),
		limiter:   retry.NewLimiter(time.Now()),
	}
	profile, err := serviceProfile(given.Service, responses)
	if err != nil {
		return nil, err
	}
	mode, ok := modes[given.Mode]
	if !ok {
		return nil, fmt.Errorf("mode %q is not known", given.Mode)
	}
	s.client, err = httpapi.NewClient(&httpapi.Service{Name: "vectors", Profile: profile}, endpoint,
		httpapi.WithHTTPClient(&http.Client{Transport: wire{}}),
		httpapi.WithRetry(
			retry.WithSettings(given.settings(mode)),
			retry.WithQuota(s.quota),
			retry.WithLimiter(s.limiter),
			retry.WithJitter(given.Jitter.source()),
		))
	return s, err
}

// settings are those that the vector changes.
func (g stepsGiven) settings(mode retry.Mode) retry.Settings {
	return retry.Settings{
		Mode:        mode,
		MaxAttempts: g.MaxAttempts,
		MaxBackoff:  milliseconds(g.MaxBackoffMS),
		BaseDelay:   retry.BaseDelay{Transient: milliseconds(g.BaseMS)},
		Quota:       retry.QuotaSettings{TransientCost: g.RetryCost, ThrottlingCost: g.ThrottlingCost},
	}
}

// play plays one step: the attempt is sent, or given up before; it is
// answered; and what comes of it is compared.
func (s *stage) play(step step) error {
	call := s.call(step)
	if step.Cancel == inSendWait {
		return s.giveUpWaiting(call, step)
	}
	if err := call.sent(step); err != nil {
		return err
	}
	if err := s.answer(call, step); err != nil {
		return err
	}
	synctest.Wait() // the call has returned, or waits
	if step.Cancel == inBackoff {
		call.cancel()
		synctest.Wait()
	}
	if step.Expect.Outcome == "retry" {
		return errors.Join(call.goesOn(step), s.checkQuota(step))
	}
	return s.finish(call, step)
}

// call returns the running call of the step, or starts it.
func (s *stage) call(step step) *running {
	if call := s.calls[step.Call]; call != nil {
		return call
	}
	time.Sleep(max(0, time.Until(s.start.Add(seconds(step.AtS)))))
	ctx, cancel := context.WithCancel(s.ctx)
	call := &running{
		cancel:  cancel,
		ready:   time.Now(),
		arrived: make(chan time.Time, 1),
		answers: make(chan func(*http.Request) (*http.Response, error)),
		done:    make(chan time.Time, 1),
	}
	s.calls[step.Call] = call
	go func() {
		_, call.err = httpapi.Call(context.WithValue(ctx, runningKey{}, call), s.client, s.operation, nil,
			httpapi.WithResult(&call.result))
		call.done <- time.Now()
	}()
	return call
}

// answer hands the attempt its response, or cancels it in flight.
func (s *stage) answer(call *running, step step) error {
	if step.Cancel == inFlight {
		call.cancel()
		call.ready = time.Now()
		return nil
	}
	time.Sleep(milliseconds(step.Response.LatencyMS))
	played, err := step.Response.play(time.Now())
	if err != nil {
		return err
	}
	call.answers <- played.RoundTrip
	call.ready = time.Now()
	return nil
}

// giveUpWaiting cancels a call while it waits for the rate limiter.
func (s *stage) giveUpWaiting(call *running, step step) error {
	synctest.Wait()
	select {
	case <-call.arrived:
		return errors.New("the attempt was sent at once, want a wait for the rate limiter")
	default:
	}
	state := s.limiter.State(time.Now())
	waiting := -state.Tokens / state.FillRate * 1000
	if err := near("send_wait_ms", waiting, &step.Expect.SendWaitMS, delayTolerance); err != nil {
		return err
	}
	call.cancel()
	synctest.Wait()
	if len(call.arrived) > 0 {
		return errors.New("the attempt was sent though it was given up")
	}
	return s.finish(call, step)
}

// finish compares how the call ended.
func (s *stage) finish(call *running, step step) error {
	delete(s.calls, step.Call)
	want := milliseconds(step.Expect.DelayMS)
	select {
	case at := <-call.done:
		if got := at.Sub(call.ready); step.Cancel == "" && (got-want).Abs() > time.Microsecond {
			return fmt.Errorf("the call returned after %v, want %v", got, want)
		}
	case <-call.arrived:
		return fmt.Errorf("outcome: got another attempt, want %s", step.Expect.Outcome)
	}
	if got := call.outcome(); got != step.Expect.Outcome {
		return fmt.Errorf("outcome: got %s (%v), want %s", got, call.err, step.Expect.Outcome)
	}
	call.expected = append(call.expected, step)
	return errors.Join(call.checkHistory(), s.checkQuota(step))
}

func (s *stage) checkQuota(step step) error {
	if want := step.Expect.Quota; want != nil && s.quota.Level() != *want {
		return fmt.Errorf("quota: got %d, want %d", s.quota.Level(), *want)
	}
	return nil
}
