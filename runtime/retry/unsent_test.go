package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// TestUnsent: an attempt before which nothing was sent is none. It costs
// nothing and does not hide the failure before it.
func TestUnsent(t *testing.T) {
	errKey := errors.New("no key")
	busy := retry.Failure{Err: errBusy, Class: retry.Transient, Rule: "busy"}
	unsent := retry.Failure{Err: errKey, Rule: "key", NotActed: true, NotSent: true}
	passing := unsent
	passing.Class = retry.Transient
	for _, tt := range []struct {
		name     string
		opts     []retry.Option
		failures []retry.Failure
		within   time.Duration // of the caller; each attempt takes 1 s
		stop     error
		attempts int
		begun    int
		message  string
	}{
		{"first", nil, []retry.Failure{unsent}, 0, retry.ErrTerminal, 0, 1, "no key"},
		{"second", nil, []retry.Failure{busy, unsent}, 0, retry.ErrTerminal, 1, 2, "busy; the retry was not sent: no key"},
		{"third", nil, []retry.Failure{busy, busy, unsent}, 0, retry.ErrTerminal, 2, 3,
			"busy; the retry was not sent: no key (2 attempts: terminal)"},
		{"adaptive", []retry.Option{retry.WithMode(retry.Adaptive)}, []retry.Failure{busy, unsent}, 0, retry.ErrTerminal, 1, 2,
			"busy; the retry was not sent: no key"},
		{"passing", nil, []retry.Failure{passing, passing, passing}, 0, retry.ErrMaxAttempts, 3, 3, "no key (3 attempts: attempts used up)"},
		{"deadline", nil, []retry.Failure{busy, passing}, 2 * time.Second, retry.ErrDeadline, 1, 2,
			"busy; the retry was not sent: no key (1 attempt: deadline)"},
		{"total timeout", []retry.Option{retry.WithTotalTimeout(2 * time.Second)}, []retry.Failure{busy, passing}, 0, retry.ErrDeadline, 1, 2,
			"busy; the retry was not sent: no key (1 attempt: deadline)"},
		{"unsent without an error", nil, []retry.Failure{busy, {NotSent: true}}, 0, retry.ErrTerminal, 1, 2, "busy"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.within > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.within)
					defer cancel()
				}
				begun, ended, summary := 0, 0, retry.CallEnded{}
				o := retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
					switch e := e.(type) {
					case retry.AttemptBegun:
						begun++
					case retry.AttemptEnded:
						ended++
					case retry.CallEnded:
						summary = e
					}
					return nil
				})
				p := newPolicy(t, append(tt.opts, pinned(1), retry.WithObserver(o))...)
				history, stop := retry.Run(ctx, p, retry.CallOptions{}, func(_ context.Context, a retry.Attempt) *retry.Failure {
					time.Sleep(time.Second)
					return &tt.failures[a.Number-1]
				})
				if !errors.Is(stop, tt.stop) || stop.Error() != tt.message {
					t.Errorf("got %v, want %s", stop, tt.message)
				}
				if len(history) != tt.attempts || len(stop.Attempts) != tt.attempts || summary.Attempts != tt.attempts {
					t.Errorf("history %v, told %d, want %d attempts", history, summary.Attempts, tt.attempts)
				}
				if begun != tt.begun || ended != begun {
					t.Errorf("%d attempts begun, %d ended, want %d", begun, ended, tt.begun)
				}
				want := 500 - 14*max(tt.attempts-1, 0)
				if level := p.Quota().Level(); level != want || summary.Quota != want {
					t.Errorf("quota %d, told %d, want %d", level, summary.Quota, want)
				}
				if n := len(history); n > 0 && (history[n-1].Err != stop.Err || history[n-1].Stop != stop.Stop || history[n-1].Cost != 0) {
					t.Errorf("last %+v", history[n-1])
				}
			})
		})
	}
}
