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
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// classExpect is what a vector of kind classify expects.
type classExpect struct {
	Class string  `json:"class"`
	Code  *string `json:"code"` // nil: not checked
}

func (e classExpect) check(how string, class retry.Class, code string) error {
	want := e.Class
	if want == "none" {
		want = retry.Terminal.String()
	}
	if class.String() != want {
		return fmt.Errorf("%s: class: got %s, want %s", how, class, want)
	}
	if e.Code != nil && code != *e.Code {
		return fmt.Errorf("%s: code: got %q, want %q", how, code, *e.Code)
	}
	return nil
}

// runClassify classifies one answer, alone and as the answer to a call.
func runClassify(t *testing.T, v Vector) error {
	var given response
	var expect classExpect
	if err := errors.Join(decode(v.Given, &given), decode(v.Expect, &expect)); err != nil {
		return err
	}
	profile, err := serviceProfile("", []response{given})
	if err != nil {
		return err
	}
	alone := classifyAlone(profile, given, expect)
	var called error
	synctest.Test(t, func(t *testing.T) {
		called = classifyCalled(t.Context(), profile, given, expect)
	})
	return errors.Join(alone, called)
}

// classifyAlone asks the profile.
func classifyAlone(profile httpapi.Profile, given response, expect classExpect) error {
	for _, name := range []string{given.IO, given.BodyIO} {
		failure, err := fault(name)
		if err != nil {
			return err
		}
		if failure != nil {
			f := profile.ClassifyError(failure)
			return expect.check("ClassifyError", f.Class, f.Code)
		}
	}
	h, body, err := given.parts(time.Time{})
	if err != nil {
		return err
	}
	op := operation(false, []response{given})
	f := profile.Classify(&http.Response{StatusCode: given.Status, Header: h}, []byte(body), op.Errors)
	return expect.check("Classify", f.Class, f.Code)
}

// classifyCalled makes a call of one attempt and looks at its history.
func classifyCalled(ctx context.Context, profile httpapi.Profile, given response, expect classExpect) error {
	step, err := given.play(time.Now())
	if err != nil {
		return err
	}
	transport := retrytest.NewTransport(step)
	client, err := httpapi.NewClient(&httpapi.Service{Name: "vectors", Profile: profile}, endpoint,
		httpapi.WithHTTPClient(transport.Client()), httpapi.WithRetry(retry.WithMaxAttempts(1)))
	if err != nil {
		return err
	}
	_, err = httpapi.Call(ctx, client, operation(false, []response{given}), nil)
	stop, ok := errors.AsType[*retry.StopError](err)
	if !ok {
		return fmt.Errorf("call: got error %v, want a failed attempt", err)
	}
	last := stop.Attempts[len(stop.Attempts)-1]
	return errors.Join(expect.check("Call", last.Class, last.Code), transport.Err())
}

// endpoint is where the calls of vectors go; nothing leaves the process.
const endpoint = "https://service.example"
