package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

type describeOut struct {
	Metadata `json:"-"`
	Table    struct {
		Status  level          `json:"TableStatus"`
		Ready   *bool          `json:"Ready,omitzero"`
		Count   Nullable[int]  `json:"Count,omitzero"`
		Regions map[string]any `json:"Regions,omitzero"`
	} `json:"Table"`
}

var describe = &Operation[getIn, describeOut]{
	Name: "Describe", Method: http.MethodPost, Path: "/", Document: "application/json", Idempotency: Idempotent,
}

// fixed polls every 20 s, without jitter.
func fixed(acceptors ...Acceptor) *Waiter {
	return &Waiter{Name: "TableExists", Delay: 20 * time.Second, MaxDelay: 20 * time.Second, Acceptors: acceptors}
}

var (
	active   = Acceptor{State: WaitSuccess, Pointer: "/Table/TableStatus", Equals: "ACTIVE"}
	deleting = Acceptor{State: WaitFailure, Pointer: "/Table/TableStatus", Equals: "DELETING"}
	missing  = Acceptor{State: WaitRetry, ErrorCode: "NotFound"}
)

func table(status string) retrytest.Step {
	return retrytest.JSON(200, `{"Table":{"TableStatus":"`+status+`"}}`)
}

func TestWait(t *testing.T) {
	notThere := retrytest.JSON(400, `{"code":"NotFound"}`)
	denied := retrytest.JSON(403, `{"code":"Denied"}`)
	tests := []struct {
		name   string
		waiter *Waiter
		polls  []retrytest.Step
		took   time.Duration
		status level
		state  AcceptorState // of the error; 99: success
	}{
		{"success", fixed(active, deleting, missing), steps(notThere, table("CREATING"), table("ACTIVE")), 40 * time.Second, "ACTIVE", 99},
		{"at once", fixed(active), steps(table("ACTIVE")), 0, "ACTIVE", 99},
		{"failure", fixed(active, deleting), steps(table("CREATING"), table("DELETING")), 20 * time.Second, "DELETING", WaitFailure},
		{"unexpected error", fixed(active, missing), steps(notThere, denied), 20 * time.Second, "", 0},
		{"error is success", fixed(Acceptor{State: WaitSuccess, ErrorCode: "NotFound"}), steps(table("DELETING"), notThere), 20 * time.Second, "", 99},
		{"error is failure", fixed(Acceptor{State: WaitFailure, ErrorCode: "Denied"}), steps(denied), 0, "", WaitFailure},
		{"status of an error", fixed(Acceptor{State: WaitSuccess, Status: 403}), steps(table("X"), denied), 20 * time.Second, "", 99},
		{"status of a success", fixed(Acceptor{State: WaitSuccess, Status: 201}), steps(table("X"), retrytest.JSON(201, `{}`)), 20 * time.Second, "", 99},
		{"first acceptor wins", fixed(Acceptor{State: WaitFailure, Status: 200}, active), steps(table("ACTIVE")), 0, "ACTIVE", WaitFailure},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := script(t, items(), test.polls)
				start := time.Now()
				out, err := Wait(t.Context(), c, describe, test.waiter, nil)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %s, want %s", took, test.took)
				}
				if (out == nil) != (test.status == "") && test.state != 99 || out != nil && out.Table.Status != test.status {
					t.Errorf("got output %+v, want status %q", out, test.status)
				}
				failed, ok := errors.AsType[*WaiterError](err)
				switch {
				case test.state == 99 && err != nil, test.state != 99 && !ok:
					t.Fatalf("got error %v", err)
				case ok && (failed.State != test.state || failed.Waiter != "TableExists" || failed.Polls != len(test.polls)):
					t.Errorf("got %+v, want state %d", failed, test.state)
				case ok && test.status == "":
					if answer, ok := errors.AsType[*ResponseError](err); !ok || answer.Code != "Denied" {
						t.Errorf("got %v, want it to unwrap to the answer", err)
					}
				}
			})
		})
	}
}

func TestWaitText(t *testing.T) {
	for _, a := range []Acceptor{
		{Pointer: "/Table/Ready", Equals: "true"},
		{Pointer: "/Table/Count", Equals: "3"},
		{Pointer: "/Table/Regions/eu~1west/0/State", Equals: "UP"},
	} {
		a.State = WaitSuccess
		c, _ := script(t, items(), steps(retrytest.JSON(200,
			`{"Table":{"TableStatus":"","Ready":true,"Count":3,"Regions":{"eu/west":[{"State":"UP"}]}}}`)))
		if _, err := Wait(t.Context(), c, describe, fixed(a), nil); err != nil {
			t.Errorf("%s: %v", a.Pointer, err)
		}
	}
}

// TestWaitNeedsValue checks that what is not there equals nothing, not even "".
func TestWaitNeedsValue(t *testing.T) {
	failed := Acceptor{State: WaitFailure, Pointer: "/Table/TableStatus", Equals: ""}
	for _, pointer := range []string{"/Table/Ready", "/Table/Count", "/Table/None/x", "/Table"} {
		c, _ := script(t, items(), steps(retrytest.JSON(200, `{"Table":{"TableStatus":""}}`)))
		_, err := Wait(t.Context(), c, describe, fixed(Acceptor{State: WaitSuccess, Pointer: pointer}, failed), nil)
		if e, ok := errors.AsType[*WaiterError](err); !ok || e.State != WaitFailure {
			t.Errorf("%s: got %v", pointer, err)
		}
	}
}

func TestWaitDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(table("CREATING"), table("CREATING")))
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		start := time.Now()
		out, err := Wait(ctx, c, describe, fixed(active), nil)
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("took %s, want 20s: the next wait does not fit into 30s", took)
		}
		failed, ok := errors.AsType[*WaiterError](err)
		if !ok || failed.State != WaitRetry || failed.Last != nil || !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("got %v", err)
		}
		if out == nil || out.Table.Status != "CREATING" {
			t.Errorf("got output %+v, want that of the last poll", out)
		}
	})
}

// TestWaitPollDelay checks the delay of a call, and that the client's gives
// way to it.
func TestWaitPollDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(table("CREATING"), table("CREATING"), table("ACTIVE")))
		start := time.Now()
		if _, err := Wait(t.Context(), c, describe, fixed(active), nil, WithPollDelay(time.Second, time.Second)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %s, want 2s", took)
		}
		_, err := Wait(t.Context(), c, describe, fixed(active), nil, WithPollDelay(2*time.Second, time.Second))
		if err == nil || !strings.Contains(err.Error(), "WithPollDelay") {
			t.Errorf("a longest delay below the first: got %v", err)
		}
	})
}

func TestWaitCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := script(t, items(), steps(retrytest.JSON(400, `{"code":"NotFound"}`)))
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("shutting down")
		time.AfterFunc(5*time.Second, func() { cancel(stop) })
		start := time.Now()
		_, err := Wait(ctx, c, describe, fixed(active, missing), nil)
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %s, want 5s", took)
		}
		answer, ok := errors.AsType[*ResponseError](err)
		if !errors.Is(err, stop) || !ok || answer.Code != "NotFound" {
			t.Errorf("got %v, want the cause and the last poll's error", err)
		}
	})
}

func TestPollDelays(t *testing.T) {
	const s = time.Second
	tests := []struct {
		first, last time.Duration
		draw        float64
		want        []time.Duration
	}{
		{2 * s, 20 * s, 1, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 20 * s, 20 * s}},
		{2 * s, 20 * s, 0, []time.Duration{2 * s, 2 * s, 2 * s, 2 * s, 2 * s}},
		{2 * s, 20 * s, 0.5, []time.Duration{2 * s, 3 * s, 5 * s, 9 * s, 11 * s}},
		{5 * s, 0, 1, []time.Duration{5 * s, 5 * s}},
		{0, 0, 1, []time.Duration{minPollDelay, minPollDelay}},
		{s, 1<<63 - 1, 0, []time.Duration{s, s}},
	}
	for _, test := range tests {
		p := newPolls(&Waiter{Delay: test.first, MaxDelay: test.last}, pollDelay{})
		for i, want := range test.want {
			if got := p.next(test.draw); got != want {
				t.Errorf("%s…%s, draw %g, wait %d: got %s, want %s", test.first, test.last, test.draw, i+1, got, want)
			}
		}
	}
	p := newPolls(&Waiter{Delay: s, MaxDelay: 1<<63 - 1}, pollDelay{})
	for range 100 {
		if got := p.next(0.999); got < s {
			t.Fatalf("the doubling overflows to %s", got)
		}
	}
}

func TestWaiterErrorText(t *testing.T) {
	boom := errors.New("boom")
	for want, e := range map[string]*WaiterError{
		"wait for W: 2 polls: the condition will not hold":                                 {Waiter: "W", Polls: 2, State: WaitFailure},
		"wait for W: 2 polls: the condition will not hold: boom":                           {Waiter: "W", Polls: 2, State: WaitFailure, Last: boom},
		"wait for W: 2 polls: boom":                                                        {Waiter: "W", Polls: 2, Last: boom},
		"wait for W: 2 polls: retry: deadline leaves no time for a retry":                  {Waiter: "W", Polls: 2, State: WaitRetry, Cause: retry.ErrDeadline},
		"wait for W: 2 polls: retry: deadline leaves no time for a retry; last poll: boom": {Waiter: "W", Polls: 2, State: WaitRetry, Last: boom, Cause: retry.ErrDeadline},
	} {
		if got := e.Error(); !strings.EqualFold(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
