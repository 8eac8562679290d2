package retry_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// failing returns an attempt function that fails with errs, one after the
// other, and succeeds with 7 after them. *calls counts its calls.
func failing(calls *int, errs ...error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		*calls++
		if *calls <= len(errs) {
			return *calls, errs[*calls-1]
		}
		return 7, nil
	}
}

func TestDo(t *testing.T) {
	busy, slow := retry.MarkTransient(errBusy), retry.MarkThrottling(errBusy)
	tests := []struct {
		name  string
		opts  []retry.Option
		errs  []error
		value int
		stop  error // nil: success
		calls int
		took  time.Duration
		quota int
	}{
		{name: "first attempt", value: 7, calls: 1, quota: 500},
		{name: "second attempt", errs: []error{busy}, value: 7, calls: 2, took: 50 * time.Millisecond, quota: 500},
		{name: "throttled", errs: []error{slow}, value: 7, calls: 2, took: time.Second, quota: 500},
		{name: "attempts", errs: []error{busy, busy, busy}, value: 3, stop: retry.ErrMaxAttempts, calls: 3, took: 150 * time.Millisecond, quota: 472},
		{name: "unmarked", errs: []error{errBusy}, value: 1, stop: retry.ErrTerminal, calls: 1, quota: 500},
		{name: "marked terminal", errs: []error{retry.MarkTerminal(context.DeadlineExceeded)}, value: 1, stop: retry.ErrTerminal, calls: 1, quota: 500},
		{name: "quota", opts: []retry.Option{retry.WithQuota(retry.NewQuota(20))}, errs: []error{busy, busy}, value: 2, stop: retry.ErrQuotaExceeded, calls: 2, took: 50 * time.Millisecond, quota: 6},
		{name: "off", opts: []retry.Option{retry.WithMode(retry.Off)}, errs: []error{busy}, value: 1, stop: retry.ErrMaxAttempts, calls: 1, quota: 500},
		{name: "total timeout", opts: []retry.Option{retry.WithTotalTimeout(100 * time.Millisecond)}, errs: []error{busy, busy}, value: 2, stop: retry.ErrDeadline, calls: 2, took: 50 * time.Millisecond, quota: 486},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPolicy(t, append(tt.opts, pinned(1))...)
				start, calls := time.Now(), 0
				value, err := retry.Do(t.Context(), p, failing(&calls, tt.errs...))
				if value != tt.value || calls != tt.calls {
					t.Errorf("value %d after %d calls, want %d after %d", value, calls, tt.value, tt.calls)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if level := p.Quota().Level(); level != tt.quota {
					t.Errorf("quota %d, want %d", level, tt.quota)
				}
				checkStop(t, err, tt.stop, tt.errs, tt.calls)
			})
		})
	}
}

// checkStop compares err with the sentinel stop and the last of errs.
func checkStop(t *testing.T, err, stop error, errs []error, attempts int) {
	t.Helper()
	if stop == nil {
		if err != nil {
			t.Errorf("error %v, want none", err)
		}
		return
	}
	var stopped *retry.StopError
	if !errors.As(err, &stopped) {
		t.Fatalf("error %v (%T), want a *StopError", err, err)
	}
	if !errors.Is(err, stop) || !errors.Is(err, errs[len(errs)-1]) {
		t.Errorf("error %v does not match both %v and the last failure", err, stop)
	}
	if len(stopped.Attempts) != attempts {
		t.Errorf("%d attempts in the history, want %d", len(stopped.Attempts), attempts)
	}
}

func TestDoWithoutPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		value, err := retry.Do(t.Context(), nil, failing(&calls, retry.MarkTransient(errBusy)))
		if value != 7 || err != nil || calls != 2 {
			t.Errorf("value %d, error %v after %d calls, want 7, nil after 2", value, err, calls)
		}
	})
}

func TestDoCanceled(t *testing.T) {
	reason := errors.New("enough")
	tests := []struct {
		name     string
		after    time.Duration // when the caller gives up
		latency  time.Duration // of each attempt
		took     time.Duration
		quota    int
		attempts int
	}{
		{"in flight, first attempt", time.Second, 3 * time.Second, time.Second, 500, 1},
		{"in flight, retry: its cost is lost", 1500 * time.Millisecond, time.Second, 1500 * time.Millisecond, 486, 2},
		{"in backoff: the cost comes back", 1020 * time.Millisecond, time.Second, 1020 * time.Millisecond, 500, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPolicy(t, pinned(1))
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(tt.after, func() { cancel(reason) })
				start := time.Now()
				_, err := retry.Do(ctx, p, slowly(tt.latency))
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if !errors.Is(err, retry.ErrCanceled) || !errors.Is(err, reason) {
					t.Errorf("error %v does not match ErrCanceled and the cause", err)
				}
				attempts := err.(*retry.StopError).Attempts
				if len(attempts) != tt.attempts {
					t.Fatalf("%d attempts, want %d", len(attempts), tt.attempts)
				}
				if last := attempts[tt.attempts-1]; last.Attempt != tt.attempts || last.Stop != retry.StopCanceled || last.Cost != 0 || last.Quota != tt.quota {
					t.Errorf("last decision %v with cost %d, want the stop at quota %d", last, last.Cost, tt.quota)
				}
				if level := p.Quota().Level(); level != tt.quota {
					t.Errorf("quota %d, want %d", level, tt.quota)
				}
			})
		})
	}
}

// slowly returns an attempt that takes d, less if its context ends, and fails
// with a transient failure or the context's error.
func slowly(d time.Duration) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		select {
		case <-time.After(d):
			return 0, retry.MarkTransient(errBusy)
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func TestDoEndedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	calls := 0
	_, err := retry.Do(ctx, newPolicy(t), failing(&calls))
	if calls != 0 || !errors.Is(err, retry.ErrCanceled) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after %d calls, want ErrCanceled after none", err, calls)
	}
}

// TestDoTimeouts: an attempt timeout is transient, the end of the caller's
// time is final.
func TestDoTimeouts(t *testing.T) {
	reason := errors.New("no more time")
	tests := []struct {
		name    string
		opts    []retry.Option
		context time.Duration // 0: no deadline
		stop    error
		calls   int
		took    time.Duration
	}{
		{"attempt timeout", []retry.Option{retry.WithAttemptTimeout(time.Second)}, 0, retry.ErrMaxAttempts, 3, 3150 * time.Millisecond},
		{"caller's deadline", nil, 2 * time.Second, retry.ErrDeadline, 1, 2 * time.Second},
		{"total timeout", []retry.Option{retry.WithTotalTimeout(2 * time.Second)}, time.Minute, retry.ErrDeadline, 1, 2 * time.Second},
		{"both", []retry.Option{retry.WithAttemptTimeout(time.Second)}, 1500 * time.Millisecond, retry.ErrDeadline, 2, 1500 * time.Millisecond},
		{"a wait that does not fit", []retry.Option{retry.WithAttemptTimeout(time.Second)}, 1050 * time.Millisecond, retry.ErrDeadline, 1, time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.context > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeoutCause(ctx, tt.context, reason)
					defer cancel()
				}
				start, calls := time.Now(), 0
				hang := slowly(time.Hour)
				_, err := retry.Do(ctx, newPolicy(t, append(tt.opts, pinned(1))...), func(ctx context.Context) (int, error) {
					calls++
					return hang(ctx)
				})
				if took := time.Since(start); took != tt.took || calls != tt.calls {
					t.Errorf("%d calls in %v, want %d in %v", calls, took, tt.calls, tt.took)
				}
				if !errors.Is(err, tt.stop) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v does not match %v and DeadlineExceeded", err, tt.stop)
				}
				if expired := tt.took == tt.context; errors.Is(err, reason) != expired {
					t.Errorf("error %v has the context's cause: %v, want %v", err, !expired, expired)
				}
			})
		})
	}
}

func TestRunTellsTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolicy(t, pinned(1), retry.WithAttemptTimeout(time.Second), retry.WithTotalTimeout(7*time.Second))
		start := time.Now()
		var got []retry.Attempt
		history, stop := retry.Run(t.Context(), p, retry.CallOptions{PollWait: 5 * time.Second}, func(_ context.Context, a retry.Attempt) *retry.Failure {
			got = append(got, a)
			time.Sleep(3 * time.Second)
			if a.Number == 2 {
				return nil
			}
			f := throttling()
			return &f
		})
		want := []retry.Attempt{
			{Number: 1, Max: 3, Deadline: start.Add(6 * time.Second)},
			{Number: 2, Max: 3, Deadline: start.Add(7 * time.Second)},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("attempts %v, want %v", got, want)
		}
		if stop != nil || len(history) != 1 || history[0].Delay != time.Second {
			t.Errorf("history %v, stop %v, want one decision with a delay of 1s", history, stop)
		}
	})
}

func TestRunWithoutPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		history, stop := retry.Run(t.Context(), nil, retry.CallOptions{}, func(context.Context, retry.Attempt) *retry.Failure {
			if n++; n == 3 {
				return nil
			}
			f := transient()
			return &f
		})
		if len(history) != 2 || stop != nil {
			t.Errorf("history %v, stop %v, want two decisions", history, stop)
		}
	})
}

// TestRunDeadlines: of the context's and the call's own deadline, the earlier
// counts.
func TestRunDeadlines(t *testing.T) {
	const early, late = 40 * time.Millisecond, time.Hour
	tests := []struct {
		name         string
		context, own time.Duration // 0: none
		stop         retry.StopReason
	}{
		{"none", 0, 0, retry.StopAttempts},
		{"context", early, 0, retry.StopDeadline},
		{"own", 0, early, retry.StopDeadline},
		{"context before own", early, late, retry.StopDeadline},
		{"own before context", late, early, retry.StopDeadline},
		{"both late", late, late, retry.StopAttempts},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, opts := t.Context(), retry.CallOptions{}
				if tt.context > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.context)
					defer cancel()
				}
				if tt.own > 0 {
					opts.Deadline = time.Now().Add(tt.own)
				}
				_, stop := retry.Run(ctx, newPolicy(t, pinned(1)), opts, func(context.Context, retry.Attempt) *retry.Failure {
					f := transient()
					return &f
				})
				if stop.Stop != tt.stop {
					t.Errorf("stop %v, want %v", stop.Stop, tt.stop)
				}
			})
		})
	}
}

func TestRunLongPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolicy(t, pinned(1), retry.WithQuota(retry.NewQuota(0)))
		fail := func(context.Context, retry.Attempt) *retry.Failure { f := throttling(); return &f }
		start := time.Now()
		_, stop := retry.Run(t.Context(), p, retry.CallOptions{LongPolling: true}, fail)
		if took := time.Since(start); stop.Stop != retry.StopQuota || took != time.Second {
			t.Errorf("stop %v after %v, want %v after 1s", stop.Stop, took, retry.StopQuota)
		}

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		start = time.Now()
		_, stop = retry.Run(ctx, p, retry.CallOptions{LongPolling: true}, fail)
		if took := time.Since(start); stop.Stop != retry.StopQuota || took != 300*time.Millisecond {
			t.Errorf("cancelled: stop %v after %v, want %v after 300ms", stop.Stop, took, retry.StopQuota)
		}
	})
}

// TestRunLongPollingRefused: what a server asks for adds at most the clamp's
// margin to the wait of a refused retry, also under honour, and nothing under
// ignore. A wait that does not fit the deadline is left out.
func TestRunLongPollingRefused(t *testing.T) {
	for _, tt := range []struct {
		policy      retry.ServerDelayPolicy
		asked, left time.Duration
		want        time.Duration
	}{
		{retry.Honour, 24 * time.Hour, 0, 6 * time.Second},
		{retry.Honour, 3 * time.Second, 0, 3 * time.Second},
		{retry.Honour, 0, 0, time.Second},
		{retry.Honour, 24 * time.Hour, time.Hour, 6 * time.Second},
		{retry.Honour, 24 * time.Hour, 6 * time.Second, 0},
		{retry.Clamp, 24 * time.Hour, 0, 6 * time.Second},
		{retry.Ignore, 24 * time.Hour, 0, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPolicy(t, pinned(1), retry.WithQuota(retry.NewQuota(0)), retry.WithServerDelay(tt.policy))
			ctx := t.Context()
			if tt.left > 0 {
				bounded, cancel := context.WithTimeout(ctx, tt.left)
				defer cancel()
				ctx = bounded
			}
			start := time.Now()
			_, stop := retry.Run(ctx, p, retry.CallOptions{LongPolling: true}, func(context.Context, retry.Attempt) *retry.Failure {
				f := throttling()
				f.ServerDelay, f.HasServerDelay = tt.asked, true
				return &f
			})
			if took := time.Since(start); stop.Stop != retry.StopQuota || took != tt.want {
				t.Errorf("%s of %s, %s left: stop %v after %s, want %s", tt.policy, tt.asked, tt.left, stop.Stop, took, tt.want)
			}
		})
	}
}

// TestDoPanics: a panic propagates, and the quota stays a quota.
func TestDoPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPolicy(t, pinned(1))
		calls := 0
		panicked := func() (v any) {
			defer func() { v = recover() }()
			_, _ = retry.Do(t.Context(), p, func(context.Context) (int, error) {
				if calls++; calls == 2 {
					panic("bug")
				}
				return 0, retry.MarkTransient(errBusy)
			})
			return nil
		}()
		if panicked != "bug" {
			t.Errorf("panic %v, want bug", panicked)
		}
		if level := p.Quota().Level(); level != 486 {
			t.Errorf("quota %d, want 486: the retry was sent", level)
		}
	})
}

type selfDescribed struct{ error }

func (selfDescribed) Failure() retry.Failure {
	return retry.Failure{Class: retry.Throttling, Rule: "own", ServerDelay: time.Second, HasServerDelay: true}
}

type temporary struct{ timeout bool }

func (temporary) Error() string   { return "temporary" }
func (t temporary) Timeout() bool { return t.timeout }

func TestClassify(t *testing.T) {
	tests := []struct {
		err   error
		class retry.Class
		rule  string
	}{
		{errBusy, retry.Terminal, "no rule matched"},
		{io.EOF, retry.Terminal, "no rule matched"},
		{retry.MarkTransient(errBusy), retry.Transient, "marked transient"},
		{retry.MarkThrottling(errBusy), retry.Throttling, "marked throttling"},
		{errors.Join(errBusy, retry.MarkTransient(io.EOF)), retry.Transient, "marked transient"},
		{retry.MarkTerminal(retry.MarkTransient(errBusy)), retry.Terminal, "marked terminal"},
		{selfDescribed{errBusy}, retry.Throttling, "own"},
		{context.Canceled, retry.Terminal, "cancelled"},
		{context.DeadlineExceeded, retry.Transient, "timeout"},
		{temporary{timeout: true}, retry.Transient, "timeout"},
		{temporary{}, retry.Terminal, "no rule matched"},
	}
	for _, tt := range tests {
		f := retry.Classify(tt.err)
		if f.Class != tt.class || f.Rule != tt.rule || f.Err != tt.err {
			t.Errorf("Classify(%v) = %+v, want class %v by rule %q", tt.err, f, tt.class, tt.rule)
		}
	}
	for _, mark := range []func(error) error{retry.MarkTransient, retry.MarkThrottling, retry.MarkTerminal} {
		if mark(nil) != nil {
			t.Error("a nil error was marked")
		}
	}
	if err := retry.MarkTransient(errBusy); err.Error() != "busy" || !errors.Is(err, errBusy) {
		t.Errorf("marking hides the error: %v", err)
	}
}

func TestWithClassifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []error
		p := newPolicy(t, pinned(0), retry.WithClassifier(func(err error) retry.Failure {
			seen = append(seen, err)
			return retry.Failure{Class: retry.Transient}
		}))
		calls := 0
		_, err := retry.Do(t.Context(), p, failing(&calls, io.EOF, errBusy))
		if err != nil || !slices.Equal(seen, []error{io.EOF, errBusy}) {
			t.Errorf("error %v, classified %v", err, seen)
		}
		_, err = retry.Do(t.Context(), p, failing(new(int), io.EOF, io.EOF, errBusy))
		if !errors.Is(err, errBusy) || errors.Is(err, io.EOF) {
			t.Errorf("error %v, want the last failure, which the classifier left out", err)
		}
	})
}

// TestSuccessAllocates: for retrying that does not happen, the state machine
// allocates nothing, and the loop one value, the mark in the context that
// keeps layers from multiplying. Where the mark is there already, and where
// there is one attempt, it is nothing too.
func TestSuccessAllocates(t *testing.T) {
	ctx := t.Context()
	attempt := func(context.Context, retry.Attempt) *retry.Failure { return nil }
	plain := newPolicy(t)
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"state machine", 0, func() {
			call := plain.Begin(time.Time{}, retry.CallOptions{})
			call.Send(time.Time{})
			call.Succeed(time.Time{})
		}},
		{"under an outer retry", 0, runUnder(retry.ContextWithOuter(ctx), plain)},
		{"one attempt", 0, runUnder(ctx, newPolicy(t, retry.WithMaxAttempts(1)))},
		{"three attempts", 1, runUnder(ctx, plain)},
	} {
		if n := testing.AllocsPerRun(100, tt.f); n != tt.want {
			t.Errorf("%s: %v allocations, want %v", tt.name, n, tt.want)
		}
	}
	for _, mode := range []retry.Mode{retry.Standard, retry.Adaptive} {
		p := newPolicy(t, retry.WithMode(mode))
		succeed := func(context.Context) (int, error) { return 7, nil }
		if n := testing.AllocsPerRun(100, func() { _, _ = retry.Do(ctx, p, succeed) }); n > 1 {
			t.Errorf("Do in mode %v: %v allocations, want at most 1", mode, n)
		}
		if n := testing.AllocsPerRun(100, func() { _, _ = retry.Run(ctx, p, retry.CallOptions{}, attempt) }); n > 1 {
			t.Errorf("Run in mode %v: %v allocations, want at most 1", mode, n)
		}
	}
}

// runUnder returns a call that succeeds at once.
func runUnder(ctx context.Context, p *retry.Policy) func() {
	attempt := func(context.Context, retry.Attempt) *retry.Failure { return nil }
	return func() { _, _ = retry.Run(ctx, p, retry.CallOptions{}, attempt) }
}

// BenchmarkSuccess measures what the core adds to a call that succeeds at its
// first attempt: begin, send, settle.
func BenchmarkSuccess(b *testing.B) {
	p := newPolicy(b)
	b.ReportAllocs()
	for b.Loop() {
		call := p.Begin(time.Time{}, retry.CallOptions{})
		call.Send(time.Time{})
		call.Succeed(time.Time{})
	}
}

// BenchmarkDoSuccess has one allocation on top of that: the mark in the
// context by which calls within the call know that they are retried already.
func BenchmarkDoSuccess(b *testing.B) {
	ctx, p := b.Context(), newPolicy(b)
	succeed := func(context.Context) (int, error) { return 7, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = retry.Do(ctx, p, succeed)
	}
}

func BenchmarkDoSuccessParallel(b *testing.B) {
	p := newPolicy(b)
	succeed := func(context.Context) (int, error) { return 7, nil }
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := b.Context()
		for pb.Next() {
			_, _ = retry.Do(ctx, p, succeed)
		}
	})
}

// BenchmarkNext measures one decision: classified failure in, delay out.
func BenchmarkNext(b *testing.B) {
	p := newPolicy(b)
	failure := transient()
	b.ReportAllocs()
	for b.Loop() {
		call := p.Begin(time.Time{}, retry.CallOptions{})
		call.Next(failure, time.Time{})
		call.Abandon()
	}
}
