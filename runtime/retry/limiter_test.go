package retry_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// throttled returns a limiter that was throttled one second after its start:
// one answer in that second was measured as 0.8/s, of which 0.56/s are left.
func throttled(start time.Time) *retry.Limiter {
	l := retry.NewLimiter(start)
	l.Answered(start.Add(time.Second), true)
	return l
}

func TestLimiterTake(t *testing.T) {
	start := time.Unix(0, 0)
	now := start.Add(time.Second)
	const token = 1785714286 * time.Nanosecond // 1/0.56 s, rounded up
	l := retry.NewLimiter(start)
	if wait, ok := l.Take(now, 0); wait != 0 || !ok {
		t.Errorf("before any throttle: wait %v, %v", wait, ok)
	}
	l = throttled(start)
	for n := range 3 {
		wait, ok := l.Take(now, time.Hour)
		if want := token * time.Duration(n+1); !ok || (wait-want).Abs() > 3 {
			t.Errorf("take %d: wait %v, %v, want about %v: one token after the other", n+1, wait, ok, want)
		}
	}
	for _, limit := range []time.Duration{-1, 0, 4*token - time.Second} {
		if _, ok := l.Take(now, limit); ok {
			t.Errorf("a wait beyond the limit of %v was granted", limit)
		}
	}
	wait, _ := l.Take(now, 0)
	if _, ok := l.Take(now, wait); ok {
		t.Error("a wait that ends at the limit was granted")
	}
	l.Return()
	if wait, ok := l.Take(now, wait+1); !ok || (wait-3*token).Abs() > 3 {
		t.Errorf("after a refusal and a return: wait %v, %v, want about %v", wait, ok, 3*token)
	}
	if state := l.State(now.Add(-time.Hour)); math.Abs(state.Tokens+3) > 1e-9 {
		t.Errorf("a clock that goes back changes the tokens to %v, want -3", state.Tokens)
	}
	if state := l.State(now.Add(time.Hour)); state.Tokens != state.Capacity {
		t.Errorf("%v tokens after an hour, want the capacity %v", state.Tokens, state.Capacity)
	}
}

// TestLimiterRateHasAFloor throttles over and over.
func TestLimiterRateHasAFloor(t *testing.T) {
	start := time.Unix(0, 0)
	l := retry.NewLimiter(start)
	for n := range 1000 {
		l.Answered(start.Add(time.Duration(n)*time.Millisecond), true)
	}
	state := l.State(start.Add(time.Second))
	if state.FillRate != 0.5 || state.Capacity != 1 || !state.Enabled {
		t.Errorf("state %+v, want a fill rate of 0.5/s and a capacity of 1", state)
	}
}

// TestCallSettlesTheLimiter: an attempt that was answered has used its token
// and is measured, one that was not sent gives it back.
func TestCallSettlesTheLimiter(t *testing.T) {
	start := time.Unix(0, 0)
	// The answer comes after 2.79 s: one in the 1.5 s since the last period.
	tests := []struct {
		name   string
		finish func(c *retry.Call, now time.Time)
		tokens float64 // of the 1 that was there
		rate   float64 // of answers; 0.8 were measured before
	}{
		{"not sent", func(c *retry.Call, now time.Time) { c.Abandon() }, 1, 0.8},
		{"not sent, told twice", func(c *retry.Call, now time.Time) { c.Abandon(); c.Abandon() }, 1, 0.8},
		{"succeeded", func(c *retry.Call, now time.Time) { c.Succeed(now) }, 0, 0.8/1.5 + 0.2*0.8},
		{"failed", func(c *retry.Call, now time.Time) { c.Next(transient(), now) }, 0, 0.8/1.5 + 0.2*0.8},
		{"failed, the retry not sent", func(c *retry.Call, now time.Time) { c.Next(transient(), now); c.Abandon() }, 0, 0.8/1.5 + 0.2*0.8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := throttled(start)
			p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
			now := start.Add(2 * time.Second) // 0.56 tokens
			call := p.Begin(now, retry.CallOptions{})
			wait, ok := call.Send(now)
			if want := 785714286 * time.Nanosecond; !ok || wait != want {
				t.Fatalf("wait %v, %v, want %v", wait, ok, want)
			}
			now = now.Add(wait)
			tt.finish(&call, now)
			state := l.State(now)
			if math.Abs(state.Tokens-tt.tokens) > 1e-6 || math.Abs(state.MeasuredRate-tt.rate) > 1e-9 {
				t.Errorf("%v tokens, %v answers per second, want %v and %v", state.Tokens, state.MeasuredRate, tt.tokens, tt.rate)
			}
		})
	}
}

func TestRunAdaptive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := retry.NewLimiter(time.Now())
		p := newPolicy(t, pinned(1), retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
		time.Sleep(time.Second)
		var waits []time.Duration
		history, stop := retry.Run(t.Context(), p, retry.CallOptions{}, func(_ context.Context, a retry.Attempt) *retry.Failure {
			waits = append(waits, a.SendWait)
			if a.Number == 2 {
				return nil
			}
			f := throttling()
			return &f
		})
		// The backoff of 1 s brings 0.56 of the token, the limiter the rest.
		if stop != nil || len(history) != 1 || len(waits) != 2 {
			t.Fatalf("history %v, stop %v, waits %v", history, stop, waits)
		}
		if want := 785714286 * time.Nanosecond; waits[0] != 0 || (waits[1]-want).Abs() > 2 {
			t.Errorf("send waits %v, want 0s and about %v", waits, want)
		}
	})
}

// TestRunAdaptiveWaitDoesNotFit: a send wait beyond the deadline is not begun,
// and nothing is spent.
func TestRunAdaptiveWaitDoesNotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		l := throttled(start)
		p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin, calls := time.Now(), 0
		_, err := retry.Do(ctx, p, failing(&calls))
		if took := time.Since(begin); took != 0 || calls != 0 || !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("error %v after %v and %d calls, want ErrDeadline at once", err, took, calls)
		}
		if state := l.State(time.Now()); state.Tokens != 0 {
			t.Errorf("%v tokens, want 0", state.Tokens)
		}
	})
}

// TestRunAdaptiveRetryDoesNotFit: the retry was paid for and is not sent.
func TestRunAdaptiveRetryDoesNotFit(t *testing.T) {
	tests := []struct {
		name    string
		timeout time.Duration
		cancel  time.Duration
		stop    error
		took    time.Duration
	}{
		{"deadline", 1500 * time.Millisecond, time.Hour, retry.ErrDeadline, time.Second},
		{"cancelled", time.Hour, 1500 * time.Millisecond, retry.ErrCanceled, 1500 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := retry.NewLimiter(time.Now())
				p := newPolicy(t, pinned(1), retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
				time.Sleep(time.Second)
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				time.AfterFunc(tt.cancel, cancel)
				begin, calls := time.Now(), 0
				_, err := retry.Do(ctx, p, failing(&calls, retry.MarkThrottling(errBusy)))
				if took := time.Since(begin); took != tt.took || calls != 1 {
					t.Errorf("%d calls in %v, want 1 in %v", calls, took, tt.took)
				}
				if !errors.Is(err, tt.stop) || !errors.Is(err, errBusy) {
					t.Errorf("error %v does not match %v and the failure", err, tt.stop)
				}
				if level := p.Quota().Level(); level != 500 {
					t.Errorf("quota %d, want 500", level)
				}
				want := 0.56 * tt.took.Seconds()
				if state := l.State(time.Now()); math.Abs(state.Tokens-want) > 1e-6 {
					t.Errorf("%v tokens of the limiter, want %v", state.Tokens, want)
				}
			})
		})
	}
}

// TestRunAdaptiveInOrder lets calls queue: they are sent one token apart.
func TestRunAdaptiveInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := throttled(time.Now())
		p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(l))
		time.Sleep(time.Second)
		start := time.Now()
		sent, answer := make(chan time.Duration, 8), make(chan struct{})
		defer close(answer)
		for range cap(sent) {
			go retry.Do(t.Context(), p, func(context.Context) (int, error) {
				sent <- time.Since(start)
				<-answer // until then the rate stays as it is
				return 0, nil
			})
		}
		for n := range cap(sent) {
			want := time.Duration(float64(n+1) / 0.56 * float64(time.Second))
			if got := <-sent; (got - want).Abs() > time.Microsecond {
				t.Errorf("attempt %d sent after %v, want %v", n+1, got, want)
			}
		}
	})
}

// TestCallLimiter: the limiter of one call is used in place of the policy's.
func TestCallLimiter(t *testing.T) {
	start := time.Unix(0, 0)
	own, other := retry.NewLimiter(start), retry.NewLimiter(start)
	p := newPolicy(t, retry.WithMode(retry.Adaptive), retry.WithLimiter(other))
	call := p.Begin(start, retry.CallOptions{Limiter: own})
	now := start.Add(time.Second)
	call.Next(retry.Failure{Class: retry.Throttling}, now)
	if !own.State(now).Enabled || other.State(now).Enabled {
		t.Errorf("call's own %+v, policy's %+v", own.State(now), other.State(now))
	}
	before := own.State(now).Tokens
	if _, ok := call.Send(now); !ok || own.State(now).Tokens != before-1 {
		t.Errorf("sent %v, tokens %v, want %v", ok, own.State(now).Tokens, before-1)
	}
	call.Abandon()
	if got := own.State(now).Tokens; got != before {
		t.Errorf("after giving it back: %v tokens, want %v", got, before)
	}
}
