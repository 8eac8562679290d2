package retry

import (
	"context"
	"time"
)

// An Observer is told what calls do, as they do it: it logs, counts or
// traces. It changes nothing of a call.
//
// Observe is called on the call's own goroutine: the call waits until it
// returns, and one that blocks blocks the call, whatever its deadline. What
// takes long belongs into another goroutine. Calls run concurrently, and so
// does Observe. A panic of Observe is swallowed; the call, its quota and the
// other observers go on.
//
// Calls that Observe itself makes with ctx, or with a context derived from
// it, are not observed, by nobody: an observer may use a policy that it
// watches. With another context they are, and an observer that watches its
// own calls does not end.
//
// For [CallBegun] and [AttemptBegun], the context that Observe returns is the
// one that the call or the attempt runs with: a tracer puts its span there.
// It must be derived from ctx; another one is ignored. Only its values count;
// deadline and cancellation stay those of ctx. Nil means ctx. For other
// events the result means nothing.
type Observer interface {
	Observe(ctx context.Context, e Event) context.Context
}

// ObserverFunc is a function as an [Observer].
type ObserverFunc func(ctx context.Context, e Event) context.Context

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, e Event) context.Context { return f(ctx, e) }

// Event is one of [CallBegun], [AttemptBegun], [AttemptEnded] and
// [CallEnded]. Each call tells them in this order:
//
//	CallBegun (AttemptBegun AttemptEnded)* CallEnded
//
// More kinds of events may come; an observer passes over those it does not
// know.
type Event interface{ event() }

// CallInfo says which call an event is about.
type CallInfo struct {
	// Service and Operation name what is called; "" under [Do].
	Service, Operation string
	// MaxAttempts is the most attempts that the call makes.
	MaxAttempts int
	// Nested is set when an outer retry owns the call, so that it makes one
	// attempt.
	Nested bool
	// LongPolling is that of [CallOptions].
	LongPolling bool
}

// CallBegun tells that a call begins.
type CallBegun struct{ CallInfo }

// AttemptBegun tells that an attempt begins, after all waits.
type AttemptBegun struct {
	CallInfo
	Attempt Attempt
}

// AttemptEnded tells how an attempt ended and what follows.
type AttemptEnded struct {
	CallInfo
	// OK is set for a success. Decision then holds Attempt and Quota only.
	OK       bool
	Decision Decision
	// Duration is how long the attempt took, without waits.
	Duration time.Duration
	// Panicked is set when the attempt function did not return. Decision then
	// holds Attempt only.
	Panicked bool
}

// CallEnded tells how a call ended.
type CallEnded struct {
	CallInfo
	// Stop is why the call was given up, zero for a success.
	Stop StopReason
	// Err is the error of the call, a [*StopError]; nil for a success.
	Err error
	// Attempts counts the attempts that were made.
	Attempts int
	// Duration is how long the call took, Wait the part of it outside of
	// attempts: backoff, server delays and the rate limiter.
	Duration, Wait time.Duration
	// Quota is the level of the retry quota, in tokens, Capacity the most
	// that it holds.
	Quota, Capacity int
	// Limiter is the state of the rate limiter; zero but in mode [Adaptive].
	Limiter LimiterState
	// Panicked is set when an attempt function did not return.
	Panicked bool
}

func (CallBegun) event()    {}
func (AttemptBegun) event() {}
func (AttemptEnded) event() {}
func (CallEnded) event()    {}

// WithObserver adds observers to those that the policy has already. They are
// told in the order of their adding.
func WithObserver(observers ...Observer) Option {
	return option(func(c *config) {
		c.observers = c.observers[:len(c.observers):len(c.observers)]
		for _, o := range observers {
			if f, ok := o.(ObserverFunc); o == nil || ok && f == nil {
				c.refuseZero("WithObserver", true, "a nil observer")
				continue
			}
			c.observers = append(c.observers, o)
		}
	})
}

// watch tells the observers of one call. Without observers it does nothing.
type watch struct {
	observers []Observer
	info      CallInfo
	ctx       context.Context // of the call, with what observers put there
	begun     time.Time
	attempts  int
	attempt   context.Context // of the attempt under way, nil between attempts
	started   time.Time       // begin of the attempt
	busy      time.Duration   // of all attempts
	ended     bool
}

// begin tells that c begins and returns the context of its attempts.
func (w *watch) begin(ctx context.Context, c *Call) context.Context {
	if len(w.observers) > 0 && isObserving(ctx) {
		w.observers = nil
	}
	if len(w.observers) == 0 {
		return ctx
	}
	w.info = CallInfo{
		Service: c.opts.Service, Operation: c.opts.Operation,
		MaxAttempts: c.MaxAttempts(), Nested: c.opts.Outer, LongPolling: c.opts.LongPolling,
	}
	w.begun = time.Now()
	w.ctx = w.tell(ctx, CallBegun{w.info})
	return w.ctx
}

// attemptBegun returns the context of the attempt.
func (w *watch) attemptBegun(ctx context.Context, a Attempt) context.Context {
	if len(w.observers) == 0 {
		return ctx
	}
	w.attempts++
	w.attempt = w.tell(ctx, AttemptBegun{w.info, a})
	w.started = time.Now()
	return w.attempt
}

func (w *watch) attemptEnded(ok bool, d Decision) {
	if len(w.observers) == 0 {
		return
	}
	took := time.Since(w.started)
	w.busy += took
	ctx := w.attempt
	w.attempt = nil
	w.tell(ctx, AttemptEnded{CallInfo: w.info, OK: ok, Decision: d, Duration: took})
}

func (w *watch) end(c *Call, stop *StopError) {
	w.ended = true
	if len(w.observers) == 0 {
		return
	}
	e := w.summary(c)
	if stop != nil {
		e.Stop, e.Err = stop.Stop, stop
	}
	w.tell(w.ctx, e)
}

// close ends what a panic of the attempt function left open.
func (w *watch) close(c *Call) {
	if w.ended || len(w.observers) == 0 {
		return
	}
	if w.attempt != nil {
		took := time.Since(w.started)
		w.busy += took
		w.tell(w.attempt, AttemptEnded{CallInfo: w.info, Decision: Decision{Attempt: w.attempts}, Duration: took, Panicked: true})
	}
	e := w.summary(c)
	e.Panicked = true
	w.tell(w.ctx, e)
}

func (w *watch) summary(c *Call) CallEnded {
	now := time.Now()
	e := CallEnded{
		CallInfo: w.info, Attempts: w.attempts, Duration: now.Sub(w.begun),
		Quota: c.quota.Level(), Capacity: c.quota.Capacity(),
	}
	e.Wait = e.Duration - w.busy
	if c.policy.settings.Mode == Adaptive {
		e.Limiter = c.limiter.State(now)
	}
	return e
}

// tell tells every observer and collects the values that they put into ctx.
func (w *watch) tell(ctx context.Context, e Event) context.Context {
	for _, o := range w.observers {
		ctx = observe(ctx, o, e)
	}
	return ctx
}

// observe contains what o does.
func observe(ctx context.Context, o Observer, e Event) (out context.Context) {
	out = ctx
	defer func() { _ = recover() }()
	given := &observing{ctx}
	seen := o.Observe(given, e)
	if seen == nil || seen == context.Context(given) || seen.Value(observingKey{}) != given {
		return ctx
	}
	return observed{Context: ctx, values: seen}
}

// observing is the context that an observer gets. It finds itself under
// observingKey, which tells what was derived from it.
type observing struct{ context.Context }

type observingKey struct{}

func (o *observing) Value(key any) any {
	if key == (observingKey{}) {
		return o
	}
	return o.Context.Value(key)
}

// isObserving reports whether ctx is that of an observer at work.
func isObserving(ctx context.Context) bool { return ctx.Value(observingKey{}) != nil }

// observed has the life of one context and the values of another.
type observed struct {
	context.Context
	values context.Context
}

func (o observed) Value(key any) any {
	if key == (observingKey{}) {
		return o.Context.Value(key) // the observer is done
	}
	return o.values.Value(key)
}
