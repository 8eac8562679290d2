package retry

import (
	"context"
	"errors"
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
	// BodySpent is set when the request cannot be sent again because its body
	// was consumed and cannot be rewound.
	BodySpent bool
}

// A Classifier describes the failure behind err, which is never nil.
type Classifier func(err error) Failure

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
