package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// running is a call that is under way.
type running struct {
	cancel context.CancelFunc
	// ready is when the next attempt may begin to wait: the start of the
	// call, or the last answer.
	ready time.Time
	// backoff is what must be waited after ready.
	backoff time.Duration
	arrived chan time.Time // an attempt reached the wire
	answers chan func(*http.Request) (*http.Response, error)
	done    chan time.Time // the call returned

	expected []step // what was played so far
	result   httpapi.Metadata
	err      error
}

// runningKey is where a call finds itself in the context of its requests.
type runningKey struct{}

// wire is the transport of vectors: an attempt says that it has arrived, and
// waits for its answer.
type wire struct{}

func (wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	call := req.Context().Value(runningKey{}).(*running)
	call.arrived <- time.Now()
	select {
	case answer := <-call.answers:
		return answer(req)
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
}

// sent waits for the attempt to reach the wire and compares how long it
// waited.
func (c *running) sent(step step) error {
	want := c.backoff + milliseconds(step.Expect.SendWaitMS)
	select {
	case at := <-c.arrived:
		if got := at.Sub(c.ready); (got - want).Abs() > time.Microsecond {
			return fmt.Errorf("the attempt was sent after %v, want %v", got, want)
		}
		return nil
	case <-c.done:
		c.done <- time.Now()
		return fmt.Errorf("got no attempt but the outcome %s (%v)", c.outcome(), c.err)
	}
}

// goesOn notes that another attempt must follow.
func (c *running) goesOn(step step) error {
	c.backoff = milliseconds(step.Expect.DelayMS)
	c.expected = append(c.expected, step)
	if len(c.done) > 0 {
		return fmt.Errorf("outcome: got %s (%v), want a retry", c.outcome(), c.err)
	}
	return nil
}

var outcomes = map[retry.StopReason]string{
	retry.StopTerminal: "not_retryable",
	retry.StopAttempts: "max_attempts",
	retry.StopQuota:    "quota_exceeded",
	retry.StopCanceled: "canceled",
}

// outcome names how the call ended.
func (c *running) outcome() string {
	if c.err == nil {
		return "success"
	}
	stop, ok := errors.AsType[*retry.StopError](c.err)
	if !ok {
		return "an error before the first attempt"
	}
	if name, ok := outcomes[stop.Stop]; ok {
		return name
	}
	return stop.Stop.String()
}

// checkHistory compares the decisions that the call tells with what was
// expected of each step.
func (c *running) checkHistory() error {
	history := c.result.Attempts
	for i, step := range c.expected {
		if step.Expect.Outcome == "success" || step.Cancel == inSendWait {
			return nil
		}
		if i >= len(history) {
			return fmt.Errorf("the history has %d decisions, want more", len(history))
		}
		d := history[i]
		want := step.Expect.DelayMS
		if err := near(fmt.Sprintf("decision %d: delay_ms", i+1), inMilliseconds(d.Delay), &want, delayTolerance); err != nil {
			return err
		}
		if d.Retry() != (step.Expect.Outcome == "retry") {
			return fmt.Errorf("decision %d: %v, want %s", i+1, d, step.Expect.Outcome)
		}
		if q := step.Expect.Quota; q != nil && d.Quota != *q {
			return fmt.Errorf("decision %d: quota: got %d, want %d", i+1, d.Quota, *q)
		}
	}
	return nil
}
