package httpapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Polling says how [Poll] receives.
type Polling struct {
	// Concurrency is how many polls are under way at once, at most
	// [MaxPolls]. Zero: one.
	Concurrency int
	// Drain is how long polls that are under way may go on when the context
	// has ended, so that what the server handed out already is not lost.
	// Zero: they are cut off. The wait asked for by the operation, plus a
	// little, loses nothing.
	Drain time.Duration
}

// MaxPolls is the most polls of one loop that are under way at once.
const MaxPolls = 1024

// Poll calls op over and over, as receivers of a queue do, and yields each
// output as it comes; p.Concurrency calls are under way at once, each with in
// and opts. A call that fails, after its retries, is yielded as an error with
// a nil output; polling goes on if the loop does, after a backoff that grows
// with each failure in a row, from the throttling base delay of its policy to
// the MaxBackoff.
//
// The loop ends with ctx: no new poll begins, those under way have p.Drain to
// end, and their outputs are still yielded. The end is no error. To stop
// without losing an output, end ctx and go on ranging; breaking out of the
// loop cuts off the polls under way and drops their outputs. Either way no
// goroutine is left when the loop is over. An output that has been received
// waits for the loop, and no further poll of its worker begins meanwhile.
func Poll[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], in *In, p Polling, opts ...CallOption) iter.Seq2[*Out, error] {
	return func(yield func(*Out, error) bool) {
		if err := checkCall(ctx, c, op); err != nil {
			yield(nil, err)
			return
		}
		settings, err := pollSettings(c, op, p, c.defaults.with(opts))
		if err != nil {
			yield(nil, &CallError{Operation: c.service.Name + " " + op.Name, Err: err})
			return
		}
		l := newReceiver[Out](ctx, settings, p.Drain)
		defer l.close()
		for range max(p.Concurrency, 1) {
			l.workers.Go(func() {
				l.work(func(ctx context.Context) (*Out, error) { return Call(ctx, c, op, in, opts...) })
			})
		}
		go func() {
			l.workers.Wait()
			close(l.answers)
		}()
		for a := range l.answers {
			if !yield(a.out, a.err) {
				return
			}
		}
	}
}

// pollSettings are the settings of the polls' policy. The error names what is
// wrong with p or with the options.
func pollSettings[In, Out any](c *Client, op *Operation[In, Out], p Polling, cfg callConfig) (retry.Settings, error) {
	ready, err := prepare(c, op)
	if err != nil {
		return retry.Settings{}, err
	}
	policy, err := ready.policy.With(cfg.retry...)
	if err = errors.Join(err, p.check(cfg)); err != nil {
		return retry.Settings{}, err
	}
	return policy.Settings(), nil
}

func (p Polling) check(c callConfig) error {
	var errs []error
	if p.Concurrency < 0 || p.Concurrency > MaxPolls {
		errs = append(errs, fmt.Errorf("httpapi: Polling.Concurrency: got %d, want 0 to %d", p.Concurrency, MaxPolls))
	}
	if p.Drain < 0 {
		errs = append(errs, fmt.Errorf("httpapi: Polling.Drain: got %s, want at least 0s", p.Drain))
	}
	if c.result != nil && p.Concurrency > 1 {
		errs = append(errs, errors.New("httpapi: WithResult: it is for one call at a time, not for concurrent polls"))
	}
	return errors.Join(errs...)
}

// answered is what one poll came to.
type answered[Out any] struct {
	out *Out
	err error
}

// receiver is the state of one loop of polls.
type receiver[Out any] struct {
	ctx      context.Context // no poll begins after its end
	calls    context.Context // of the polls, ends when they are cut off
	cut      context.CancelFunc
	quit     chan struct{} // closed when nobody wants answers any more
	answers  chan answered[Out]
	settings retry.Settings
	workers  sync.WaitGroup
	drainer  sync.WaitGroup
}

func newReceiver[Out any](ctx context.Context, s retry.Settings, drain time.Duration) *receiver[Out] {
	r := &receiver[Out]{ctx: ctx, settings: s, quit: make(chan struct{}), answers: make(chan answered[Out])}
	r.calls, r.cut = context.WithCancel(context.WithoutCancel(ctx))
	r.drainer.Go(func() {
		defer r.cut()
		if r.sleep(ctx, nil) {
			r.sleep(context.Background(), time.After(drain))
		}
	})
	return r
}

// sleep waits for the end of ctx or for a time, and reports false if the loop
// was left meanwhile.
func (r *receiver[Out]) sleep(ctx context.Context, until <-chan time.Time) bool {
	select {
	case <-ctx.Done():
	case <-until:
	case <-r.quit:
		return false
	}
	return true
}

// work polls until the context ends or the loop is left.
func (r *receiver[Out]) work(poll func(context.Context) (*Out, error)) {
	failures := 0
	for r.ctx.Err() == nil {
		out, err := poll(r.calls)
		if err != nil && r.calls.Err() != nil {
			return // cut off
		}
		select {
		case r.answers <- answered[Out]{out, err}:
		case <-r.quit:
			return
		}
		if err == nil {
			failures = 0
			continue
		}
		pause := retry.Backoff(r.settings.BaseDelay.Throttling, r.settings.MaxBackoff, failures, 0.5+rand.Float64()/2)
		failures++
		if !r.sleep(r.ctx, time.After(pause)) {
			return
		}
	}
}

// close ends what is under way and waits for it.
func (r *receiver[Out]) close() {
	close(r.quit)
	r.cut()
	r.workers.Wait()
	r.drainer.Wait()
}
