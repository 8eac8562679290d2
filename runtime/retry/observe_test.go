package retry_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// recorder writes down what it is told, one line an event.
type recorder struct{ lines []string }

func (r *recorder) Observe(_ context.Context, e retry.Event) context.Context {
	switch e := e.(type) {
	case retry.CallBegun:
		r.addf("begin %s.%s max %d nested %t", e.Service, e.Operation, e.MaxAttempts, e.Nested)
	case retry.AttemptBegun:
		r.addf("attempt %d of %d after %s", e.Attempt.Number, e.Attempt.Max, e.Attempt.SendWait)
	case retry.AttemptEnded:
		r.addf("ended ok %t panicked %t in %s: %d %s %s quota %d", e.OK, e.Panicked, e.Duration, e.Decision.Attempt, e.Decision.Delay, e.Decision.Class, e.Decision.Quota)
	case retry.CallEnded:
		r.addf("end %d err %t attempts %d in %s waited %s quota %d of %d panicked %t", e.Stop, e.Err != nil, e.Attempts, e.Duration, e.Wait, e.Quota, e.Capacity, e.Panicked)
	}
	return nil
}

func (r *recorder) addf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) check(t *testing.T, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(r.lines, want) {
		t.Errorf("observed\n\t%s\nwant\n\t%s", strings.Join(r.lines, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func TestObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen, second recorder
		p := newPolicy(t, pinned(1), retry.WithObserver(&seen))
		p, err := p.With(retry.WithObserver(&second))
		if err != nil {
			t.Fatal(err)
		}
		fail := true
		opts := retry.CallOptions{Service: "items", Operation: "Get"}
		retry.Run(t.Context(), p, opts, func(context.Context, retry.Attempt) *retry.Failure {
			time.Sleep(time.Second)
			if fail {
				fail = false
				return new(transient())
			}
			return nil
		})
		want := []string{
			"begin items.Get max 3 nested false",
			"attempt 1 of 3 after 0s",
			"ended ok false panicked false in 1s: 1 50ms transient quota 486",
			"attempt 2 of 3 after 0s",
			"ended ok true panicked false in 1s: 2 0s terminal quota 500",
			"end 0 err false attempts 2 in 2.05s waited 50ms quota 500 of 500 panicked false",
		}
		seen.check(t, want...)
		second.check(t, want...)
	})
}

func TestObserverOfGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		p := newPolicy(t, retry.WithObserver(&seen))
		_, err := retry.Do(retry.ContextWithOuter(t.Context()), p, failing(new(int), retry.MarkThrottling(errBusy)))
		if !errors.Is(err, retry.ErrOuterRetry) {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = retry.Do(ended, p, failing(new(int)))
		seen.check(t,
			"begin . max 1 nested true",
			"attempt 1 of 1 after 0s",
			"ended ok false panicked false in 0s: 1 0s throttling quota 500",
			fmt.Sprintf("end %d err true attempts 1 in 0s waited 0s quota 500 of 500 panicked false", retry.StopOuter),
			"begin . max 3 nested false",
			fmt.Sprintf("end %d err true attempts 0 in 0s waited 0s quota 500 of 500 panicked false", retry.StopCanceled),
		)
	})
}

// TestPanickingObserver: the call goes on, the quota adds up, and the other
// observers are told.
func TestPanickingObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		bad := retry.ObserverFunc(func(context.Context, retry.Event) context.Context { panic("observer") })
		p := newPolicy(t, retry.WithObserver(bad, &seen, bad))
		value, err := retry.Do(t.Context(), p, failing(new(int), retry.MarkTransient(errBusy)))
		if value != 7 || err != nil || p.Quota().Level() != 500 {
			t.Errorf("got %d, %v, quota %d", value, err, p.Quota().Level())
		}
		if len(seen.lines) != 6 {
			t.Errorf("observed %d events, want 6", len(seen.lines))
		}
	})
}

// TestObserverOfPanic: a panic of the attempt passes, and the observers see
// the end of what had begun.
func TestObserverOfPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		p := newPolicy(t, retry.WithObserver(&seen))
		defer func() {
			if recover() != "attempt" {
				t.Error("the panic did not pass")
			}
			seen.check(t,
				"begin . max 3 nested false",
				"attempt 1 of 3 after 0s",
				"ended ok false panicked true in 0s: 1 0s terminal quota 0",
				"end 0 err false attempts 1 in 0s waited 0s quota 500 of 500 panicked true",
			)
		}()
		_, _ = retry.Do(t.Context(), p, func(context.Context) (int, error) { panic("attempt") })
	})
}

type spanKey struct{}

// TestObserverContext: values that observers put into the context reach the
// attempt; their cancellations and deadlines do not.
func TestObserverContext(t *testing.T) {
	add := retry.ObserverFunc(func(ctx context.Context, e retry.Event) context.Context {
		before, _ := ctx.Value(spanKey{}).(string)
		ctx, cancel := context.WithCancel(context.WithValue(ctx, spanKey{}, fmt.Sprintf("%s %T", before, e)))
		cancel()
		return ctx
	})
	for _, timeout := range []time.Duration{0, time.Hour} {
		p := newPolicy(t, retry.WithObserver(add, add), retry.WithAttemptTimeout(timeout))
		_, err := retry.Do(t.Context(), p, func(ctx context.Context) (int, error) {
			want := " retry.CallBegun retry.CallBegun retry.AttemptBegun retry.AttemptBegun"
			if got := ctx.Value(spanKey{}); got != want {
				t.Errorf("the attempt sees %q, want %q", got, want)
			}
			if !retry.HasOuter(ctx) {
				t.Error("the mark of the outer retry is lost")
			}
			return 0, ctx.Err()
		})
		if err != nil {
			t.Errorf("an observer's cancellation reached the attempt: %v", err)
		}
	}
}

// TestObserverOfForeignContext: a context that is not derived from the one
// given would take the caller's values and the guard against nesting away.
func TestObserverOfForeignContext(t *testing.T) {
	foreign := retry.ObserverFunc(func(context.Context, retry.Event) context.Context {
		return context.WithValue(context.Background(), spanKey{}, "foreign")
	})
	p := newPolicy(t, retry.WithObserver(foreign))
	_, err := retry.Do(context.WithValue(t.Context(), spanKey{}, "caller"), p, func(ctx context.Context) (int, error) {
		if ctx.Value(spanKey{}) != "caller" || !retry.HasOuter(ctx) {
			t.Errorf("span %v, outer %t", ctx.Value(spanKey{}), retry.HasOuter(ctx))
		}
		return 0, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestObserverThatCalls: calls that an observer makes are not observed, those
// of the attempts are, also with the context that the observer returned.
func TestObserverThatCalls(t *testing.T) {
	var p *retry.Policy
	events, calls := 0, 0
	p = newPolicy(t, retry.WithObserver(retry.ObserverFunc(func(ctx context.Context, _ retry.Event) context.Context {
		events++
		ctx = context.WithValue(ctx, spanKey{}, "span")
		_, _ = retry.Do(ctx, p, func(context.Context) (int, error) { calls++; return 0, nil })
		return ctx
	})))
	_, err := retry.Do(t.Context(), p, func(ctx context.Context) (int, error) {
		return retry.Do(ctx, p, failing(new(int)))
	})
	if err != nil || events != 8 || calls != 8 {
		t.Errorf("%d events, %d calls, %v; want 8 each", events, calls, err)
	}
}

// TestObserverOfLimiterOfCall: the state is that of the limiter in use.
func TestObserverOfLimiterOfCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var end retry.CallEnded
		p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithMaxAttempts(1), retry.WithObserver(
			retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
				end, _ = e.(retry.CallEnded)
				return nil
			})))
		own := retry.NewLimiter(time.Now())
		retry.Run(t.Context(), p, retry.CallOptions{Limiter: own}, func(context.Context, retry.Attempt) *retry.Failure {
			return &retry.Failure{Class: retry.Throttling, Err: errBusy}
		})
		if !end.Limiter.Enabled || end.Limiter != own.State(time.Now()) {
			t.Errorf("got %+v", end.Limiter)
		}
	})
}

// TestObserversBranch: policies that add observers to the same one keep them
// apart.
func TestObserversBranch(t *testing.T) {
	var common, left, right recorder
	p := newPolicy(t, retry.WithObserver(&common), retry.WithObserver(&common), retry.WithObserver(&common))
	var branches []*retry.Policy
	for _, o := range []retry.Observer{&left, &right} {
		branch, err := p.With(retry.WithObserver(o))
		if err != nil {
			t.Fatal(err)
		}
		branches = append(branches, branch)
	}
	for _, branch := range branches {
		_, _ = retry.Do(t.Context(), branch, failing(new(int)))
	}
	if len(left.lines) != 4 || len(right.lines) != 4 || len(common.lines) != 3*2*4 {
		t.Errorf("%d, %d and %d events", len(left.lines), len(right.lines), len(common.lines))
	}
}

// TestObserverOfLimiter: in mode adaptive, the end of a call tells the state
// of the rate limiter.
func TestObserverOfLimiter(t *testing.T) {
	for mode, want := range map[retry.Mode]bool{retry.Adaptive: true, retry.Standard: false} {
		synctest.Test(t, func(t *testing.T) {
			var end retry.CallEnded
			p := newPolicy(t, retry.WithMode(mode), retry.WithMaxAttempts(1), retry.WithObserver(
				retry.ObserverFunc(func(_ context.Context, e retry.Event) context.Context {
					end, _ = e.(retry.CallEnded)
					return nil
				})))
			_, _ = retry.Do(t.Context(), p, failing(new(int), retry.MarkThrottling(errBusy)))
			if end.Attempts != 1 || end.Limiter.Enabled != want || (end.Limiter.FillRate > 0) != want {
				t.Errorf("mode %v: %+v", mode, end)
			}
		})
	}
}

func TestNilObserver(t *testing.T) {
	for _, o := range []retry.Observer{nil, retry.ObserverFunc(nil)} {
		if _, err := retry.New(retry.WithObserver(o)); err == nil || !strings.Contains(err.Error(), "WithObserver: got a nil observer") {
			t.Errorf("got %v", err)
		}
	}
}

func ExampleWithObserver() {
	observer := retry.ObserverFunc(func(ctx context.Context, e retry.Event) context.Context {
		switch e := e.(type) {
		case retry.AttemptEnded:
			if !e.OK {
				fmt.Println(e.Decision)
			}
		case retry.CallEnded:
			fmt.Println("attempts:", e.Attempts)
		}
		return nil
	})
	policy, _ := retry.New(still, retry.WithObserver(observer))
	attempt := 0
	_, _ = retry.Do(context.Background(), policy, func(ctx context.Context) (int, error) {
		if attempt++; attempt == 1 {
			return 0, retry.MarkTransient(errors.New("connection lost"))
		}
		return 1, nil
	})
	// Output:
	// attempt 1: transient (marked transient), retry after 0s, quota 486
	// attempts: 2
}
