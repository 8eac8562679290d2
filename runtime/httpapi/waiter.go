package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// WaiterError says that a wait ended without success.
type WaiterError struct {
	// Waiter is the waiter's name.
	Waiter string
	// State is [WaitFailure] if an acceptor said that the condition will never
	// hold, [WaitRetry] if there was no time for another poll, and zero if a
	// poll failed in a way that no acceptor expects.
	State AcceptorState
	// Polls is how many polls were made.
	Polls int
	// Last is the error of the last poll, nil if that succeeded.
	Last error
	// Cause is why there was no time: the cause of the context's end, or
	// [retry.ErrDeadline] when the next wait would not have fitted. Else nil.
	Cause error
}

// Error says which waiter ended and why.
func (e *WaiterError) Error() string {
	text := fmt.Sprintf("wait for %s: %d polls: ", e.Waiter, e.Polls)
	switch {
	case e.Cause != nil && e.Last != nil:
		return text + fmt.Sprintf("%v; last poll: %v", e.Cause, e.Last)
	case e.Cause != nil:
		return text + e.Cause.Error()
	case e.State == WaitFailure && e.Last == nil:
		return text + "the condition will not hold"
	case e.State == WaitFailure:
		return text + "the condition will not hold: " + e.Last.Error()
	}
	return text + e.Last.Error()
}

// Unwrap returns the last poll's error and the cause, as far as there are any.
func (e *WaiterError) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Last, e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// Wait polls op until an acceptor of w says success or failure, or until ctx
// ends. It returns the output of the last poll; nil if that failed, even
// where the failure is the success waited for. An error is a [*WaiterError], or
// a [*CallError] if an argument is nil.
//
// The waits between polls are drawn evenly between w.Delay and a term that
// doubles from there to w.MaxDelay; [WithPollDelay] replaces both. A wait that does not fit before the
// deadline of ctx is not begun.
func Wait[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], w *Waiter, in *In, opts ...CallOption) (*Out, error) {
	err := checkCall(ctx, c, op)
	if err == nil && w == nil {
		err = &CallError{Operation: c.service.Name + " " + op.Name, Err: errors.New("httpapi: nil waiter")}
	}
	if err != nil {
		return nil, err
	}
	polls := newPolls(w, c.defaults.with(opts).poll)
	for {
		out, err := Call(ctx, c, op, in, opts...)
		polls.made++
		state, known := w.judge(observation{reflect.ValueOf(out), op.Document, err})
		switch {
		case state == WaitSuccess:
			return out, nil
		case state == WaitFailure:
			return out, polls.failed(WaitFailure, err, nil)
		case !known && err != nil:
			return out, polls.failed(0, err, nil)
		}
		if cause := polls.pause(ctx); cause != nil {
			return out, polls.failed(WaitRetry, err, cause)
		}
	}
}

// polls is the state of one wait.
type polls struct {
	waiter *Waiter
	delay  pollDelay
	made   int
	term   time.Duration
}

func newPolls(w *Waiter, delay pollDelay) *polls {
	if delay == (pollDelay{}) {
		delay = pollDelay{w.Delay, w.MaxDelay}
	}
	return &polls{waiter: w, delay: delay, term: delay.first}
}

func (p *polls) failed(state AcceptorState, last, cause error) error {
	return &WaiterError{Waiter: p.waiter.Name, State: state, Polls: p.made, Last: last, Cause: cause}
}

// pause waits before the next poll. It returns why there is none.
func (p *polls) pause(ctx context.Context) error {
	delay := p.next(rand.Float64())
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
		return retry.ErrDeadline
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// next is the next wait. draw is from [0, 1).
func (p *polls) next(draw float64) time.Duration {
	first := max(p.delay.first, minPollDelay)
	last := max(p.delay.most, first)
	term := min(max(p.term, first), last)
	p.term = last
	if term <= last/2 {
		p.term = 2 * term
	}
	return first + time.Duration(draw*float64(term-first))
}

// minPollDelay keeps a waiter without delays from polling as fast as it can.
const minPollDelay = 10 * time.Millisecond

// observation is what one poll showed.
type observation struct {
	out      reflect.Value // a pointer to an output
	document string
	err      error
}

// judge returns the state of the first acceptor that matches, or false.
func (w *Waiter) judge(o observation) (AcceptorState, bool) {
	for i := range w.Acceptors {
		if a := &w.Acceptors[i]; a.matches(o) {
			return a.State, true
		}
	}
	return WaitRetry, false
}

func (a *Acceptor) matches(o observation) bool {
	switch {
	case a.Pointer != "":
		text, ok := o.textAt(a.Pointer)
		return ok && text == a.Equals
	case a.ErrorCode != "":
		answer := answerOf(o.err)
		return answer != nil && answer.Code == a.ErrorCode
	}
	return o.status() == a.Status
}

// answerOf returns the answer that made a call fail, nil if none did.
func answerOf(err error) *ResponseError {
	answer, _ := errors.AsType[*ResponseError](err)
	return answer
}

// status returns the HTTP status of the poll, zero if it got no answer.
func (o observation) status() int {
	if answer := answerOf(o.err); answer != nil {
		return answer.Status
	}
	if holder, ok := o.out.Interface().(interface{ metadata() *Metadata }); ok && o.err == nil {
		return holder.metadata().Status
	}
	return 0
}

// textAt returns the text of the scalar at a JSON pointer into the body, or
// false if there is none.
func (o observation) textAt(pointer string) (string, bool) {
	if o.err != nil {
		return "", false
	}
	body, err := bodyOf(o.out.Elem(), o.document)
	if err != nil {
		return "", false
	}
	v := follow(body, pointer)
	if !v.IsValid() {
		return "", false
	}
	n, err := nodeOf(v)
	return n.text, err == nil && n.kind == scalarNode
}
