package bench_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
)

// awsFleet puts the standard retryer of aws-sdk-go-v2 under a simulation. It
// asks what the SDK's middleware asks, in its order, and does not sleep.
type awsFleet struct {
	retryers []*awsretry.Standard // of one client each, or one for all
	calls    []awsCall
}

type awsCall struct {
	retryer *awsretry.Standard
	attempt int
	release func(error) error // of the last retry's tokens
}

// awsStrategy is the SDK's standard mode, with these options.
func awsStrategy(budget simulate.Budget, opts ...func(*awsretry.StandardOptions)) simulate.Strategy {
	return simulate.Strategy{
		Name:   "aws-sdk-go-v2",
		Budget: budget,
		Fleet: func(c simulate.FleetConfig) (simulate.Fleet, error) {
			n := c.Clients
			if budget == simulate.Shared {
				n = 1
			}
			f := &awsFleet{}
			for range n {
				f.retryers = append(f.retryers, awsretry.NewStandard(opts...))
			}
			return f, nil
		},
	}
}

func (f *awsFleet) Begin(call, client int, _, _ time.Time) {
	for call >= len(f.calls) {
		f.calls = append(f.calls, awsCall{})
	}
	f.calls[call] = awsCall{retryer: f.retryers[client%len(f.retryers)], attempt: 1}
}

func (f *awsFleet) Send(int, time.Time) (time.Duration, bool) { return 0, true }

func (f *awsFleet) Succeed(call int, _ time.Time) {
	c := &f.calls[call]
	release := c.release
	if c.attempt == 1 {
		release = c.retryer.GetInitialToken()
	}
	if err := release(nil); err != nil {
		panic(err)
	}
}

func (f *awsFleet) Fail(call int, failure retry.Failure, _ time.Time) (time.Duration, retry.StopReason) {
	c, err := &f.calls[call], awsError(failure)
	if c.release != nil {
		c.release(err)
	}
	if !c.retryer.IsErrorRetryable(err) {
		return 0, retry.StopTerminal
	}
	if c.attempt >= c.retryer.MaxAttempts() {
		return 0, retry.StopAttempts
	}
	release, quota := c.retryer.GetRetryToken(context.Background(), err)
	if quota != nil {
		return 0, retry.StopQuota
	}
	delay, delayErr := c.retryer.RetryDelay(c.attempt, err)
	if delayErr != nil {
		panic(delayErr)
	}
	c.release, c.attempt = release, c.attempt+1
	return delay, 0
}

// awsErrors are what the SDK's own transport and decoders make of the
// failures of a simulation, by rule.
var awsErrors = map[string]error{
	"outage": &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusServiceUnavailable}},
		Err:      fmt.Errorf("unavailable"),
	}},
	"capacity":        &smithy.GenericAPIError{Code: "ThrottlingException"},
	"attempt timeout": timeoutError{},
}

func awsError(f retry.Failure) error {
	err, ok := awsErrors[f.Rule]
	if !ok {
		panic("no error for " + f.Rule)
	}
	return err
}

// timeoutError is a network timeout.
type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
