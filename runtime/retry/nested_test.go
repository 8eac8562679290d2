package retry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// layered calls leaf under n layers of retries.
func layered(ctx context.Context, p *retry.Policy, n int, leaf func(context.Context) (int, error)) (int, error) {
	if n == 0 {
		return leaf(ctx)
	}
	return retry.Do(ctx, p, func(ctx context.Context) (int, error) { return layered(ctx, p, n-1, leaf) })
}

// TestLayersDoNotMultiply: three layers of three attempts call the leaf three
// times; without the guard it is 27.
func TestLayersDoNotMultiply(t *testing.T) {
	for _, tt := range []struct {
		name   string
		nested bool
		want   int
	}{{"guarded", false, 3}, {"unguarded", true, 27}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				p := newPolicy(t, retry.WithNested(tt.nested))
				_, err := layered(t.Context(), p, 3, func(context.Context) (int, error) {
					calls++
					return 0, retry.MarkTransient(errBusy)
				})
				if calls != tt.want {
					t.Errorf("the leaf was called %d times, want %d", calls, tt.want)
				}
				if !errors.Is(err, errBusy) || !errors.Is(err, retry.ErrMaxAttempts) || errors.Is(err, retry.ErrOuterRetry) != !tt.nested {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// TestOuterRetryRepeats: what an inner layer leaves to the outer one keeps
// its class, code and server delay, and the outer layer succeeds.
func TestOuterRetryRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newPolicy(t, pinned(1), retry.WithClassifier(func(err error) retry.Failure {
			return retry.Failure{Class: retry.Throttling, Rule: "a rule", Code: "Slow", ServerDelay: 3 * time.Second, HasServerDelay: true}
		}))
		outer := newPolicy(t, pinned(1), retry.WithServerDelay(retry.Honour))
		start, calls := time.Now(), 0
		var history []retry.Decision
		_, err := retry.Do(t.Context(), outer, func(ctx context.Context) (int, error) {
			v, err := retry.Do(ctx, inner, failing(&calls, errBusy))
			if stop, ok := errors.AsType[*retry.StopError](err); ok {
				history = append(history, stop.Attempts...)
			}
			return v, err
		})
		if err != nil || calls != 2 || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %d calls and %s", err, calls, time.Since(start))
		}
		if len(history) != 1 || history[0].Stop != retry.StopOuter || history[0].Cost != 0 {
			t.Errorf("inner history %v", history)
		}
		if got := outer.Quota().Level(); got != 500 {
			t.Errorf("outer quota %d", got)
		}
		if got := inner.Quota().Level(); got != 500 {
			t.Errorf("inner quota %d, want it untouched", got)
		}
	})
}

// TestStopErrorFailure: what an outer retry makes of each way to give up.
func TestStopErrorFailure(t *testing.T) {
	busy := retry.Decision{Class: retry.Transient, Rule: "busy", NotActed: true}
	cut := retry.Decision{Class: retry.Terminal}
	lost := retry.Decision{Class: retry.Transient, Rule: "lost"}
	for _, tt := range []struct {
		stop     retry.StopReason
		attempts []retry.Decision
		want     retry.Class
	}{
		{retry.StopAttempts, []retry.Decision{lost, busy}, retry.Transient},
		{retry.StopAttempts, []retry.Decision{busy, lost}, retry.Transient},
		{retry.StopAttempts, []retry.Decision{busy, busy}, retry.Transient},
		{retry.StopTerminal, []retry.Decision{cut}, retry.Terminal},
		{retry.StopAttempts, []retry.Decision{cut, busy}, retry.Transient},
		{retry.StopQuota, []retry.Decision{busy}, retry.Transient},
		{retry.StopOuter, []retry.Decision{busy}, retry.Transient},
		{retry.StopDeadline, []retry.Decision{busy}, retry.Transient},
		{retry.StopDeadline, []retry.Decision{cut}, retry.Transient},
		{retry.StopDeadline, nil, retry.Transient},
		{retry.StopNotIdempotent, []retry.Decision{busy}, retry.Terminal},
		{retry.StopBody, []retry.Decision{busy}, retry.Terminal},
		{retry.StopCanceled, []retry.Decision{busy}, retry.Terminal},
		{retry.StopCanceled, nil, retry.Terminal},
	} {
		err := fmt.Errorf("wrapped: %w", &retry.StopError{Stop: tt.stop, Attempts: tt.attempts, Err: errBusy})
		f := retry.Classify(err)
		if f.Class != tt.want || f.Err != err || f.Rule == "" {
			t.Errorf("%s after %v: got %+v, want %s", tt.stop, tt.attempts, f, tt.want)
		}
		notActed := tt.want == retry.Transient && len(tt.attempts) > 0
		for _, d := range tt.attempts {
			notActed = notActed && d.NotActed
		}
		if f.NotActed != notActed {
			t.Errorf("%s after %v: NotActed is %t", tt.stop, tt.attempts, f.NotActed)
		}
	}
}

// TestLostInnerAttemptIsTerminalOutside: an operation that is not idempotent
// is not repeated by an outer retry because the last of the inner attempts did
// nothing; an earlier one may have acted.
func TestLostInnerAttemptIsTerminalOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := newPolicy(t, retry.WithMaxAttempts(2), retry.WithNested(true))
		outer := newPolicy(t, retry.WithReplay(retry.ReplaySafe))
		acted := 0
		_, stop := retry.Run(t.Context(), outer, retry.CallOptions{Unsafe: true}, func(ctx context.Context, _ retry.Attempt) *retry.Failure {
			_, err := retry.Run(ctx, inner, retry.CallOptions{}, func(_ context.Context, a retry.Attempt) *retry.Failure {
				if a.Number == 1 {
					acted++
				}
				return &retry.Failure{Err: errBusy, Class: retry.Transient, NotActed: a.Number > 1}
			})
			f := retry.Classify(err)
			return &f
		})
		if acted != 1 || !errors.Is(stop, retry.ErrOutcomeUnknown) {
			t.Errorf("acted %d times, %v; want once and an unknown outcome", acted, stop)
		}
	})
}

// TestUnsafeDeadlineIsTerminalOutside: an operation that is not idempotent and
// was cut off by its own total timeout is not repeated by an outer retry,
// unless its policy repeats any operation.
func TestUnsafeDeadlineIsTerminalOutside(t *testing.T) {
	for _, tt := range []struct {
		unsafe bool
		replay retry.ReplayRule
		want   retry.Class
	}{
		{true, retry.ReplaySafe, retry.Terminal},
		{true, retry.ReplayAny, retry.Transient},
		{false, retry.ReplaySafe, retry.Transient},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, retry.WithTotalTimeout(time.Second), retry.WithReplay(tt.replay))
			_, stop := retry.Run(t.Context(), p, retry.CallOptions{Unsafe: tt.unsafe}, func(context.Context, retry.Attempt) *retry.Failure {
				time.Sleep(2 * time.Second)
				return new(transient())
			})
			if got := retry.Classify(stop).Class; stop.Stop != retry.StopDeadline || got != tt.want {
				t.Errorf("unsafe %t, replay %v: stopped by %v, %v, want %v", tt.unsafe, tt.replay, stop.Stop, got, tt.want)
			}
		})
	}
}

// TestStopErrorTimeout: users of net.Error ask Timeout.
func TestStopErrorTimeout(t *testing.T) {
	for _, tt := range []struct {
		err  retry.StopError
		want bool
	}{
		{retry.StopError{Stop: retry.StopDeadline, Err: errBusy}, true},
		{retry.StopError{Stop: retry.StopAttempts, Err: context.DeadlineExceeded}, true},
		{retry.StopError{Stop: retry.StopAttempts, Err: errBusy}, false},
		{retry.StopError{Stop: retry.StopCanceled}, false},
	} {
		if got := tt.err.Timeout(); got != tt.want {
			t.Errorf("%v, %v: got %t", tt.err.Stop, tt.err.Err, got)
		}
	}
}

// TestCallQuota: a call can draw on another bucket than its policy's.
func TestCallQuota(t *testing.T) {
	p, own := newPolicy(t), retry.NewQuota(20)
	call := p.Begin(time.Time{}, retry.CallOptions{Quota: own})
	if d := call.Next(transient(), time.Time{}); d.Quota != 6 || own.Level() != 6 || p.Quota().Level() != 500 {
		t.Errorf("levels %d, %d, %d", d.Quota, own.Level(), p.Quota().Level())
	}
	if call.Succeed(time.Time{}) != 20 || p.Quota().Level() != 500 {
		t.Errorf("levels after a success: %d, %d", own.Level(), p.Quota().Level())
	}
}

func TestContextMarks(t *testing.T) {
	ctx := t.Context()
	marked := retry.ContextWithOuter(ctx)
	if retry.HasOuter(ctx) || !retry.HasOuter(marked) || retry.ContextWithOuter(marked) != marked {
		t.Error("ContextWithOuter")
	}
	if free := retry.ContextWithoutOuter(marked); retry.HasOuter(free) || !retry.HasOuter(retry.ContextWithOuter(free)) {
		t.Error("ContextWithoutOuter")
	}
	if retry.ContextWithoutOuter(ctx) != ctx {
		t.Error("ContextWithoutOuter of an unmarked context")
	}
	for _, opts := range [][]retry.Option{{retry.WithMaxAttempts(1)}, {retry.WithMode(retry.Off)}} {
		_, _ = retry.Do(ctx, newPolicy(t, opts...), func(ctx context.Context) (int, error) {
			if retry.HasOuter(ctx) {
				t.Error("a call of one attempt marks its context")
			}
			return 0, nil
		})
	}
}

// TestOneAttemptByChoice: where the policy allows one attempt anyway, the
// outer retry is not blamed.
func TestOneAttemptByChoice(t *testing.T) {
	ctx := retry.ContextWithOuter(t.Context())
	for _, one := range []retry.Option{retry.WithMaxAttempts(1), retry.WithMode(retry.Off)} {
		_, err := retry.Do(ctx, newPolicy(t, one), failing(new(int), retry.MarkTransient(errBusy)))
		if !errors.Is(err, retry.ErrMaxAttempts) || errors.Is(err, retry.ErrOuterRetry) {
			t.Errorf("got %v", err)
		}
	}
}

func ExampleWithNested() {
	attempts := func(nested bool) int {
		policy, _ := retry.New(still, retry.WithNested(nested))
		n := 0
		_, _ = retry.Do(context.Background(), policy, func(ctx context.Context) (int, error) {
			return retry.Do(ctx, policy, func(ctx context.Context) (int, error) {
				n++
				return 0, retry.MarkTransient(errors.New("connection lost"))
			})
		})
		return n
	}
	fmt.Println("two layers of three attempts:", attempts(false))
	fmt.Println("that retry under each other:", attempts(true))
	// Output:
	// two layers of three attempts: 3
	// that retry under each other: 9
}

// TestPolicyMaxAttempts: an outer retry leaves a call one attempt.
func TestPolicyMaxAttempts(t *testing.T) {
	outer := retry.ContextWithOuter(t.Context())
	for _, tt := range []struct {
		opts         []retry.Option
		alone, owned int
	}{
		{nil, 3, 1},
		{[]retry.Option{retry.WithMaxAttempts(5), retry.WithNested(true)}, 5, 5},
		{[]retry.Option{retry.WithMaxAttempts(1)}, 1, 1},
		{[]retry.Option{retry.WithMode(retry.Off), retry.WithNested(true)}, 1, 1},
	} {
		p, err := retry.New(tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if alone, owned := p.MaxAttempts(t.Context()), p.MaxAttempts(outer); alone != tt.alone || owned != tt.owned {
			t.Errorf("got %d alone, %d owned, want %d, %d", alone, owned, tt.alone, tt.owned)
		}
	}
}

// TestMarkOfNil: a nil context stays one, for the call to report.
func TestMarkOfNil(t *testing.T) {
	var none context.Context
	if retry.ContextWithOuter(none) != nil || retry.ContextWithoutOuter(none) != nil || retry.HasOuter(none) {
		t.Error("a nil context has a mark")
	}
	_, err := retry.Do(retry.ContextWithOuter(none), newPolicy(t), failing(new(int)))
	if err == nil || !strings.Contains(err.Error(), "nil context") {
		t.Errorf("got %v", err)
	}
}
