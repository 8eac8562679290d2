package retry

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Failure describes how one attempt failed. The zero value is a terminal
// failure without an error.
type Failure struct {
	// Err is what the attempt returned.
	Err error
	// Class decides between retrying and stopping.
	Class Class
	// Rule names what decided the class, for people: `error code
	// "Throttling"`, "status 503", "connection reset".
	Rule string
	// Code is the service's error code, "" when there is none.
	Code string
	// ServerDelay is the delay that the server asked for; see HasServerDelay.
	ServerDelay time.Duration
	// HasServerDelay tells a server delay of zero from none.
	HasServerDelay bool
	// NotActed is set when the failure proves that the server did not act on
	// the request: the connection was never made, or the answer was an
	// explicit throttling refusal. Only then is an unsafe operation repeated.
	NotActed bool
	// OutcomeUnknown is set when the failure shows that an earlier attempt of
	// the call may have acted, and that it cannot be told whether it did. The
	// call ends with [ErrOutcomeUnknown] whatever the class.
	OutcomeUnknown bool
	// BodySpent is set when the request cannot be sent again because its body
	// was consumed and cannot be rewound.
	BodySpent bool
	// NotSent is set when the attempt failed before anything was sent, for
	// want of a credential, say. If such a failure ends the call, because it
	// is terminal or the caller's time is over, it was no attempt: [Run] gives
	// back what the retry cost, leaves it out of the history and joins its
	// error to that of the attempt before. Otherwise it is retried like any
	// other, and counts.
	NotSent bool
}

// A Classifier describes the failure behind err, which is never nil.
type Classifier func(err error) Failure

// describe asks the policy's classifier about err.
func (p *Policy) describe(err error) Failure {
	classify := p.classify
	if classify == nil {
		classify = Classify
	}
	f := classify(err)
	f.Err = err
	return f
}

// Reclassify lets the classifier of [WithClassifier] judge a failure that was
// classified already, by package httpapi for example; without one it returns
// f. The error that the classifier gets wraps f.Err and describes itself as
// f, so that [Classify] of it is the judgement so far. What f proves (NotActed,
// OutcomeUnknown, BodySpent, NotSent) stays, and so do its code and its server delay
// unless the classifier names others.
func (p *Policy) Reclassify(f Failure) Failure {
	if p.classify == nil {
		return f
	}
	judged := p.classify(&described{f})
	judged.Err = f.Err
	judged.NotActed = judged.NotActed || f.NotActed
	judged.OutcomeUnknown = judged.OutcomeUnknown || f.OutcomeUnknown
	judged.BodySpent = judged.BodySpent || f.BodySpent
	judged.NotSent = judged.NotSent || f.NotSent
	judged.Code = or(judged.Code, f.Code)
	if !judged.HasServerDelay {
		judged.ServerDelay, judged.HasServerDelay = f.ServerDelay, f.HasServerDelay
	}
	return judged
}

// described is an error with the failure that it stands for.
type described struct{ failure Failure }

func (d *described) Error() string    { return fmt.Sprint(d.failure.Err) }
func (d *described) Unwrap() error    { return d.failure.Err }
func (d *described) Failure() Failure { return d.failure }

// MarkTransient returns err marked as a transient failure for [Classify].
// It returns nil if err is nil.
func MarkTransient(err error) error { return mark(err, Transient) }

// MarkThrottling returns err marked as a throttling failure for [Classify].
// It returns nil if err is nil.
func MarkThrottling(err error) error { return mark(err, Throttling) }

// MarkTerminal returns err marked as a terminal failure for [Classify],
// whatever it wraps. It returns nil if err is nil.
func MarkTerminal(err error) error { return mark(err, Terminal) }

func mark(err error, class Class) error {
	if err == nil {
		return nil
	}
	return &marked{err: err, class: class}
}

type marked struct {
	err   error
	class Class
}

func (m *marked) Error() string { return m.err.Error() }
func (m *marked) Unwrap() error { return m.err }
func (m *marked) Failure() Failure {
	return Failure{Err: m, Class: m.class, Rule: "marked " + m.class.String()}
}

// Classify is the default [Classifier] of [Do]. Errors that describe
// themselves, by a method Failure() Failure found with [errors.As], are
// believed; [MarkTransient] and its kin make such errors. An attempt that ran
// into its own timeout, or any error that says Timeout() bool, is transient.
// Everything else is terminal.
func Classify(err error) Failure {
	if d, ok := errors.AsType[interface {
		error
		Failure() Failure
	}](err); ok {
		f := d.Failure()
		f.Err = err
		return f
	}
	if errors.Is(err, context.Canceled) {
		return Failure{Err: err, Rule: "cancelled"}
	}
	if t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && t.Timeout() {
		return Failure{Err: err, Class: Transient, Rule: "timeout"}
	}
	return Failure{Err: err, Rule: "no rule matched"}
}
