package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// TestNumbers pins every exported constant: changing one changes what users
// have compiled or written down.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		name      string
		got, want int64
	}{
		{"Terminal", int64(retry.Terminal), 0},
		{"Throttling", int64(retry.Throttling), 2},
		{"Standard", int64(retry.Standard), 1},
		{"Legacy", int64(retry.Legacy), 4},
		{"FullJitter", int64(retry.FullJitter), 1},
		{"FullJitterBelowCap", int64(retry.FullJitterBelowCap), 4},
		{"Clamp", int64(retry.Clamp), 1},
		{"Ignore", int64(retry.Ignore), 3},
		{"ReplaySafe", int64(retry.ReplaySafe), 1},
		{"ReplayAny", int64(retry.ReplayAny), 2},
		{"StopTerminal", int64(retry.StopTerminal), 1},
		{"StopOuter", int64(retry.StopOuter), 8},
		{"Free", retry.Free, -2147483648},
		{"NoMaxBackoff", int64(retry.NoMaxBackoff), 9223372036854775807},
		{"MaxServerDelay", int64(retry.MaxServerDelay), 86400e9},
		{"DefaultClampMargin", int64(retry.DefaultClampMargin), 5e9},
		{"LegacyMaxAttempts", retry.LegacyMaxAttempts, 3},
		{"LegacyBaseDelay", int64(retry.LegacyBaseDelay), 2e9},
		{"LegacyMaxBackoff", int64(retry.LegacyMaxBackoff), 20e9},
		{"LegacyRetryCost", retry.LegacyRetryCost, 5},
		{"LegacyTimeoutCost", retry.LegacyTimeoutCost, 10},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %d, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// TestFirstNumberWithoutName: one beyond the last is not a name's.
func TestFirstNumberWithoutName(t *testing.T) {
	got := fmt.Sprint(retry.Class(3), retry.Mode(5), retry.Jitter(5), retry.ServerDelayPolicy(4), retry.ReplayRule(3), retry.StopReason(9))
	if want := "Class(3) Mode(5) Jitter(5) ServerDelayPolicy(4) ReplayRule(3) StopReason(9)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if errs := (&retry.StopError{Stop: 9, Err: errBusy}).Unwrap(); len(errs) != 1 || errs[0] != errBusy {
		t.Errorf("a reason without a name: %v", errs)
	}
	if got := (retry.Decision{Attempt: 1, Stop: retry.StopQuota, Delay: 1}).String(); !strings.Contains(got, " after 1ns") {
		t.Errorf("the shortest delay: %s", got)
	}
}

// TestBackoffBoundaries: around the draws and terms where the series changes
// its course.
func TestBackoffBoundaries(t *testing.T) {
	for _, tt := range []struct {
		base, cap time.Duration
		retry     int
		jitter    float64
		want      time.Duration
	}{
		{time.Second, time.Minute, 0, -0.5, 0},
		{1<<62 - 1, math.MaxInt64, 1, 1, 1<<63 - 2}, // the last term that can double
		{0, time.Minute, math.MaxInt - 1, 1, 0},
		{16, 32, 1, 1, 32},
	} {
		if got := retry.Backoff(tt.base, tt.cap, tt.retry, tt.jitter); got != tt.want {
			t.Errorf("%v, cap %v, retry %d, draw %v: %v, want %v", tt.base, tt.cap, tt.retry, tt.jitter, got, tt.want)
		}
	}
	below := retry.Settings{BaseDelay: retry.BaseDelay{Transient: 2 * time.Second}, Jitter: retry.JitterSettings{Transient: retry.FullJitterBelowCap}}
	below.MaxBackoff = 16 * time.Second
	if got := below.Backoff(retry.Transient, 3, 0.5); got != 8*time.Second {
		t.Errorf("a term of exactly the cap: %v, want it jittered to 8s", got)
	}
	below.MaxBackoff = math.MaxInt64 - 1
	if got := below.Backoff(retry.Transient, 100, 0); got != math.MaxInt64-1 {
		t.Errorf("the largest cap but one: %v, want it", got)
	}
}

// TestLeastSettings: the least that is valid is valid, what is below is not.
func TestLeastSettings(t *testing.T) {
	least := retry.Settings{
		MaxAttempts: 1, BaseDelay: retry.BaseDelay{Transient: 1, Throttling: 1}, MaxBackoff: 1,
		AttemptTimeout: 1, TotalTimeout: 1, MinAttemptTime: 1,
		Quota: retry.QuotaSettings{Capacity: 1, TransientCost: 1, TimeoutCost: 1, ThrottlingCost: 1, FirstAttemptRefund: 1},
	}
	if got, want := newPolicy(t, retry.WithSettings(least)).Settings(), least.Over(retry.Defaults()); got != want {
		t.Errorf("settings %+v, want %+v", got, want)
	}
	newPolicy(t, retry.WithSettings(least), retry.WithMaxBackoff(1), retry.WithMaxAttempts(1))
	for _, opt := range []retry.Option{retry.WithMinAttemptTime(-1), retry.WithMaxBackoff(1)} {
		if _, err := retry.New(opt); err == nil {
			t.Error("a minimum attempt time of -1ns or a cap of 1ns under a base delay of 50ms is taken")
		}
	}
}

// TestShortestTimes: one nanosecond is a limit and a wait like any other.
func TestShortestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPolicy(t, pinned(1), retry.WithBaseDelay(retry.BaseDelay{Transient: 1}), retry.WithMaxAttempts(2))
		if _, err := retry.Do(t.Context(), p, failing(new(int), retry.MarkTransient(errBusy))); err != nil || time.Since(start) != 1 {
			t.Errorf("error %v after %v, want none after 1ns", err, time.Since(start))
		}
		start = time.Now()
		for _, opt := range []retry.Option{retry.WithTotalTimeout(1), retry.WithAttemptTimeout(1)} {
			p := newPolicy(t, opt)
			call := p.Begin(start, retry.CallOptions{})
			end, ok := call.Deadline()
			if ok != (p.Settings().TotalTimeout == 1) || ok && !end.Equal(start.Add(1)) {
				t.Errorf("deadline after %v, %v", end.Sub(start), ok)
			}
			_, _ = retry.Run(t.Context(), p, retry.CallOptions{PollWait: -time.Second}, func(_ context.Context, a retry.Attempt) *retry.Failure {
				if !a.Deadline.Equal(start.Add(1)) {
					t.Errorf("attempt ends after %v, want 1ns", a.Deadline.Sub(start))
				}
				return nil
			})
		}
	})
}

// TestTimeoutCostOfOne is the least cost of its own.
func TestTimeoutCostOfOne(t *testing.T) {
	p := newPolicy(t, retry.WithSettings(retry.Settings{Quota: retry.QuotaSettings{TimeoutCost: 1}}))
	call := p.Begin(time.Time{}, retry.CallOptions{})
	if d := call.Next(retry.Failure{Class: retry.Transient, Err: context.DeadlineExceeded}, time.Time{}); d.Cost != 1 {
		t.Errorf("cost %d, want 1", d.Cost)
	}
}

// TestTwoAttemptsAreARetry: two attempts mark the context, and under an outer
// retry they are one.
func TestTwoAttemptsAreARetry(t *testing.T) {
	p := newPolicy(t, retry.WithMaxAttempts(2))
	_, _ = retry.Do(t.Context(), p, func(ctx context.Context) (int, error) {
		if !retry.HasOuter(ctx) {
			t.Error("a call of two attempts does not mark its context")
		}
		return 0, nil
	})
	calls := 0
	_, stop := retry.Run(t.Context(), p, retry.CallOptions{Outer: true}, func(context.Context, retry.Attempt) *retry.Failure {
		calls++
		return new(transient())
	})
	if calls != 1 || stop.Stop != retry.StopOuter {
		t.Errorf("%d calls, stop %v, want 1 and %v", calls, stop.Stop, retry.StopOuter)
	}
}

// TestUnsentIsSafe: an operation that is not idempotent and was not sent
// before its deadline may be repeated by an outer retry.
func TestUnsentIsSafe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, stop := retry.Run(ctx, newPolicy(t), retry.CallOptions{Unsafe: true}, func(context.Context, retry.Attempt) *retry.Failure {
		t.Error("an attempt was made")
		return nil
	})
	if f := stop.Failure(); f.Class != retry.Transient || !errors.Is(stop, context.DeadlineExceeded) {
		t.Errorf("%+v, want it transient", f)
	}
}

// TestReclassifyJoins: what either judgement proves is proved.
func TestReclassifyJoins(t *testing.T) {
	none, all := retry.Failure{}, retry.Failure{NotActed: true, OutcomeUnknown: true, BodySpent: true}
	delayed := retry.Failure{ServerDelay: time.Second, HasServerDelay: true}
	for _, tt := range []struct{ before, mine, want retry.Failure }{
		{none, none, none}, {all, none, all}, {none, all, all}, {all, all, all},
		{delayed, none, delayed}, {none, delayed, delayed},
		{retry.Failure{ServerDelay: time.Hour, HasServerDelay: true}, delayed, delayed},
	} {
		p := newPolicy(t, retry.WithClassifier(func(error) retry.Failure { return tt.mine }))
		if got := p.Reclassify(tt.before); got != tt.want {
			t.Errorf("%+v and %+v: got %+v, want %+v", tt.before, tt.mine, got, tt.want)
		}
	}
}

// TestObserverOfLatePanic: the time of the attempt that panicked is its own.
func TestObserverOfLatePanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen recorder
		p := newPolicy(t, pinned(1), retry.WithObserver(&seen))
		calls := 0
		defer func() {
			_ = recover()
			if got := seen.lines[len(seen.lines)-1]; got != "end 0 err false attempts 2 in 2.05s waited 50ms quota 486 of 500 panicked true" {
				t.Errorf("observed %s", got)
			}
		}()
		_, _ = retry.Do(t.Context(), p, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			if calls++; calls == 2 {
				panic("attempt")
			}
			return 0, retry.MarkTransient(errBusy)
		})
	})
}

// TestLimiterPeriods: periods of half a second begin at whole seconds.
func TestLimiterPeriods(t *testing.T) {
	start := time.Unix(0, int64(700*time.Millisecond))
	for after, want := range map[time.Duration]float64{
		200 * time.Millisecond: 0.8 / 0.5, // at 0.9 s, the period of 0.5 s has begun
		400 * time.Millisecond: 0.8 / 1,
	} {
		l := retry.NewLimiter(start)
		l.Answered(start.Add(after), false)
		if got := l.State(start.Add(after)).MeasuredRate; math.Abs(got-want) > 1e-9 {
			t.Errorf("after %v: %v answers per second, want %v", after, got, want)
		}
	}
}

// TestLimiterTakeBoundaries asks a bucket that fills at 56 tokens per second,
// from half a token, around its first one.
func TestLimiterTakeBoundaries(t *testing.T) {
	start := time.Unix(0, 0)
	now := start.Add(time.Second)
	for _, tt := range []struct {
		after, limit, wait time.Duration
		ok                 bool
	}{
		{18 * time.Millisecond, 0, 0, true},  // 1.5 tokens
		{18 * time.Millisecond, -1, 0, true}, // no wait fits any limit
		{8928571, 1, 1, false},               // 1 ns before the token
		{8928571, 2, 1, true},
	} {
		l := retry.NewLimiter(start)
		for range 99 {
			l.Answered(start, false)
		}
		l.Answered(now, true) // measured as 80/s
		if wait, ok := l.Take(now.Add(tt.after), tt.limit); wait != tt.wait || ok != tt.ok {
			t.Errorf("after %v, limit %v: wait %v, %v, want %v, %v (%+v)", tt.after, tt.limit, wait, ok, tt.wait, tt.ok, l.State(now))
		}
	}
}

// TestShortestSendWait: an attempt that the limiter holds back for one
// nanosecond is sent after it.
func TestShortestSendWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := throttled(time.Now())
		p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
		time.Sleep(time.Second + 1785714285)
		start := time.Now()
		_, _ = retry.Run(t.Context(), p, retry.CallOptions{}, func(_ context.Context, a retry.Attempt) *retry.Failure {
			if a.SendWait != 1 || time.Since(start) != 1 {
				t.Errorf("sent after %v, said to be %v, want 1ns", time.Since(start), a.SendWait)
			}
			return nil
		})
	})
}

// TestLimiterClockSetBack: tokens come from the first answer on, though it is
// before the start of the limiter.
func TestLimiterClockSetBack(t *testing.T) {
	l := retry.NewLimiter(time.Unix(10, 0))
	l.Answered(time.Unix(8, 0), true) // none measured: 0.5 tokens per second
	if got := l.State(time.Unix(9, 0)).Tokens; got != 0.5 {
		t.Errorf("%v tokens a second later, want 0.5", got)
	}
}

// TestMinAttemptTimeAndLimiter: the least time of an attempt is asked of
// retries, not of first attempts.
func TestMinAttemptTimeAndLimiter(t *testing.T) {
	start := time.Unix(0, 0)
	now := start.Add(time.Second)
	const wait = 1785714286 * time.Nanosecond // of one token, rounded up
	for _, tt := range []struct {
		left  time.Duration
		retry bool
		ok    bool
	}{
		{wait + 10, false, true},
		{wait + time.Second + 10, true, true},
		{wait + time.Second - 10, true, false},
	} {
		p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(throttled(start)), retry.WithMinAttemptTime(time.Second), pinned(0))
		call := p.Begin(now, retry.CallOptions{Deadline: now.Add(tt.left)})
		if tt.retry {
			call.Next(transient(), now) // leaves the rate as it is
		}
		if _, ok := call.Send(now); ok != tt.ok {
			t.Errorf("%+v: sent %v", tt, ok)
		}
	}
}

// TestAbandonTwice gives one token back, also to a bucket that is not full.
func TestAbandonTwice(t *testing.T) {
	start := time.Unix(0, 0)
	now := start.Add(time.Second)
	l := throttled(start)
	l.Take(now, time.Hour)
	l.Take(now, time.Hour)
	call := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(l)).Begin(now, retry.CallOptions{})
	call.Send(now)
	call.Abandon()
	call.Abandon()
	if got := l.State(now).Tokens; got != -2 {
		t.Errorf("%v tokens, want the -2 of the others", got)
	}
}

func TestParseModeOfNothing(t *testing.T) {
	if mode, err := retry.ParseMode("none"); mode != 0 || err == nil {
		t.Errorf("got %d, %v, want 0 and an error", mode, err)
	}
}
