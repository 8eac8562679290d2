package retry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// deadlineCase is a case of a published test of retrying under a budget:
// attempts that each take a while and fail, all draws the same.
type deadlineCase struct {
	budget   time.Duration // zero: none
	base     time.Duration
	limit    time.Duration // of the backoff
	attempts int
	took     time.Duration // by each attempt
	draw     float64
	timeouts []time.Duration // left to each attempt; nil: not looked at
	ends     time.Duration
	stop     StopReason
}

// TestDeadlineLiterature holds waits and attempts against numbers that were
// worked out by hand.
func TestDeadlineLiterature(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for name, c := range map[string]deadlineCase{
		// Half of 1 s and half of 2 s are waited: 0.25 + 0.5 + 0.25 + 1 + 0.25.
		"attempts get what is left": {
			budget: 5 * s, base: s, limit: 20 * s, attempts: 3, took: 250 * ms, draw: 0.5,
			timeouts: []time.Duration{5 * s, 4250 * ms, 3 * s}, ends: 2250 * ms, stop: StopAttempts,
		},
		// 1 + 2 + 4 + 8 + 8 + 8 are waited, and seven times 0.25.
		"seven attempts capped at 8 s": {
			base: s, limit: 8 * s, attempts: 7, took: 250 * ms, draw: 1, ends: 32750 * ms, stop: StopAttempts,
		},
		"half of a series twice as long": {
			base: 2 * s, limit: 16 * s, attempts: 7, took: 250 * ms, draw: 0.5, ends: 32750 * ms, stop: StopAttempts,
		},
		"a wait that does not fit": {
			budget: s, base: 2 * s, limit: 20 * s, attempts: 3, took: 100 * ms, draw: 0.5,
			timeouts: []time.Duration{s}, ends: 100 * ms, stop: StopDeadline,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.run(t) })
		})
	}
}

func (c deadlineCase) run(t *testing.T) {
	p, err := New(WithMaxAttempts(c.attempts), WithBaseDelay(BaseDelay{Transient: c.base}), WithMaxBackoff(c.limit),
		WithTotalTimeout(c.budget), WithJitter(func() float64 { return c.draw }))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	var timeouts []time.Duration
	_, err = Do(t.Context(), p, func(ctx context.Context) (int, error) {
		if end, ok := ctx.Deadline(); ok {
			timeouts = append(timeouts, time.Until(end))
		}
		time.Sleep(c.took)
		return 0, MarkTransient(errors.New("no"))
	})
	if ends := time.Since(begin); ends != c.ends {
		t.Errorf("ended after %v, want %v", ends, c.ends)
	}
	if c.timeouts != nil && !slices.Equal(timeouts, c.timeouts) {
		t.Errorf("attempt timeouts %v, want %v", timeouts, c.timeouts)
	}
	stop, ok := errors.AsType[*StopError](err)
	if !ok || stop.Stop != c.stop {
		t.Fatalf("got %v, want stop %v", err, c.stop)
	}
	if paid := len(stop.Attempts) - 1; p.Quota().Level() != DefaultQuotaCapacity-paid*DefaultTransientCost {
		t.Errorf("quota %d after %d retries", p.Quota().Level(), paid)
	}
}

// TestMinAttemptTime refuses a retry that would begin 1 ns too late.
func TestMinAttemptTime(t *testing.T) {
	for least, want := range map[time.Duration]StopReason{
		2 * time.Second: StopAttempts, 2*time.Second + 1: StopDeadline,
	} {
		synctest.Test(t, func(t *testing.T) {
			p, err := New(WithMaxAttempts(2), WithBaseDelay(BaseDelay{Transient: time.Second}),
				WithTotalTimeout(3*time.Second), WithMinAttemptTime(least), WithJitter(func() float64 { return 1 }))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Do(t.Context(), p, func(context.Context) (int, error) { return 0, MarkTransient(errors.New("no")) })
			stop, ok := errors.AsType[*StopError](err)
			if !ok || stop.Stop != want {
				t.Errorf("at least %v: got %v, want stop %v", least, err, want)
			}
			if spent := DefaultQuotaCapacity - p.Quota().Level(); want == StopDeadline && spent != 0 {
				t.Errorf("%d tokens were taken for a retry that was not made", spent)
			}
		})
	}
}

// TestOwnExpiryIsFinal ends a call with its context although the failure
// itself is one to retry.
func TestOwnExpiryIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		attempts := 0
		_, err := Do(ctx, nil, func(ctx context.Context) (int, error) {
			attempts++
			<-ctx.Done()
			return 0, MarkTransient(errors.New("looks transient"))
		})
		if attempts != 1 || !errors.Is(err, ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d attempts, %v", attempts, err)
		}
	})
}

func TestCapBelowBase(t *testing.T) {
	for _, c := range []struct {
		opts []Option
		want string // in the error; "": none
	}{
		{[]Option{WithMaxBackoff(49 * time.Millisecond)}, "MaxBackoff: got 49ms, want at least BaseDelay.Transient, 50ms"},
		{[]Option{WithMaxBackoff(50 * time.Millisecond)}, ""},
		{[]Option{WithMaxBackoff(200 * time.Millisecond)}, ""}, // cuts the default for throttling
		{[]Option{WithBaseDelay(BaseDelay{Throttling: 21 * time.Second})}, "MaxBackoff: got 20s, want at least BaseDelay.Throttling, 21s"},
		{[]Option{WithBaseDelay(BaseDelay{Throttling: 20 * time.Second})}, ""},
	} {
		_, err := New(c.opts...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestNilArguments(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	var none context.Context
	work := func(context.Context) (int, error) { t.Error("called"); return 0, nil }
	for name, call := range map[string]func() error{
		"nil context":  func() error { _, err := Do(none, p, work); return err },
		"nil function": func() error { _, err := Do[int](t.Context(), p, nil); return err },
		"Run": func() error {
			_, stop := Run(t.Context(), p, CallOptions{}, nil)
			return stop
		},
	} {
		if err := call(); !errors.Is(err, ErrTerminal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if p.Quota().Level() != p.Quota().Capacity() {
		t.Errorf("quota %d", p.Quota().Level())
	}
}

// TestPanickingClassifier lets a classifier panic at the first failure and at
// a retry: the quota keeps what is granted and nothing else.
func TestPanickingClassifier(t *testing.T) {
	for failures := range 2 {
		synctest.Test(t, func(t *testing.T) {
			seen := 0
			p, err := New(WithClassifier(func(err error) Failure {
				if seen == failures {
					panic("classifier")
				}
				seen++
				return Failure{Class: Transient}
			}))
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Error("the panic was swallowed")
					}
				}()
				_, _ = Do(t.Context(), p, func(context.Context) (int, error) { return 0, errors.New("no") })
			}()
			if want := DefaultQuotaCapacity - failures*DefaultTransientCost; p.Quota().Level() != want {
				t.Errorf("quota %d after %d retries, want %d", p.Quota().Level(), failures, want)
			}
			if out, err := Do(t.Context(), p, func(context.Context) (int, error) { return 1, nil }); out != 1 || err != nil {
				t.Errorf("the next call: %d, %v", out, err)
			}
		})
	}
}

func TestReclassify(t *testing.T) {
	service := errors.New("service")
	before := Failure{
		Err: service, Class: Terminal, Rule: "status 404", Code: "Gone", NotActed: true, BodySpent: true,
		ServerDelay: time.Second, HasServerDelay: true,
	}
	p, err := New(WithClassifier(func(err error) Failure {
		if !errors.Is(err, service) || err.Error() != "service" {
			t.Errorf("the classifier sees %v", err)
		}
		f := Classify(err)
		if f.Class != Terminal || f.Code != "Gone" || f.Rule != "status 404" {
			t.Errorf("the judgement so far: %+v", f)
		}
		return Failure{Class: Transient, Rule: "mine"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.Class, want.Rule = Transient, "mine"
	if got := p.Reclassify(before); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	plain, _ := New()
	if got := plain.Reclassify(before); got != before {
		t.Errorf("without a classifier: got %+v", got)
	}
}

// TestOutcomeUnknown ends the call although the operation may be repeated.
func TestOutcomeUnknown(t *testing.T) {
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	call := p.Begin(time.Now(), CallOptions{})
	if d := call.Next(Failure{Class: Transient, OutcomeUnknown: true}, time.Now()); d.Stop != StopNotIdempotent {
		t.Errorf("got %v", d)
	}
}

func TestHonourDisbelieves(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		MaxServerDelay: MaxServerDelay, MaxServerDelay + 1: time.Second,
	} {
		if got := Honour.delay(time.Second, asked); got != want {
			t.Errorf("asked %v: got %v, want %v", asked, got, want)
		}
	}
}
