package retry

import (
	"errors"
	"fmt"
)

// Why a call was given up. A [StopError] matches exactly one of them with
// [errors.Is], besides the last failure and the context's cause.
var (
	ErrTerminal          = errors.New("retry: failure is terminal")
	ErrMaxAttempts       = errors.New("retry: attempts used up")
	ErrQuotaExceeded     = errors.New("retry: retry quota exceeded")
	ErrDeadline          = errors.New("retry: deadline leaves no time for a retry")
	ErrOutcomeUnknown    = errors.New("retry: outcome unknown, operation is not idempotent")
	ErrBodyNotReplayable = errors.New("retry: body cannot be sent again")
	ErrCanceled          = errors.New("retry: cancelled")
	ErrOuterRetry        = errors.New("retry: owned by an outer retry")
)

var stopErrors = [...]error{
	StopTerminal:      ErrTerminal,
	StopAttempts:      ErrMaxAttempts,
	StopQuota:         ErrQuotaExceeded,
	StopDeadline:      ErrDeadline,
	StopNotIdempotent: ErrOutcomeUnknown,
	StopBody:          ErrBodyNotReplayable,
	StopCanceled:      ErrCanceled,
	StopOuter:         ErrOuterRetry,
}

// sentinel returns the error of the reason, nil for none.
func (r StopReason) sentinel() error {
	if int(r) < len(stopErrors) {
		return stopErrors[r]
	}
	return nil
}

// StopError says how a call ended that did not succeed. It unwraps to the
// last failure, to the sentinel of its reason, and to the context's cause if
// that ended the call.
type StopError struct {
	// Stop is the reason.
	Stop StopReason
	// Attempts is the history: one decision for each failed attempt, the last
	// one carrying Stop. It is empty if the call ended before its first
	// attempt.
	Attempts []Decision
	// Cause is the context's cause when Stop is StopCanceled or StopDeadline
	// and the context had ended; nil otherwise.
	Cause error
	// Err is the last failure; nil if no attempt was made.
	Err error
	// unsafe is set when repeating the operation could make the server act
	// twice.
	unsafe bool
}

// Error puts the failure first, then why it was not retried.
func (e *StopError) Error() string {
	switch {
	case e.Err == nil && e.Cause == nil:
		return fmt.Sprintf("retry: %s", e.Stop)
	case e.Err == nil:
		return fmt.Sprintf("%s: %v", e.Stop, e.Cause)
	case e.Stop == StopTerminal && len(e.Attempts) <= 1:
		return e.Err.Error()
	case len(e.Attempts) == 1:
		return fmt.Sprintf("%v (1 attempt: %s)", e.Err, e.Stop)
	}
	return fmt.Sprintf("%v (%d attempts: %s)", e.Err, len(e.Attempts), e.Stop)
}

// Timeout reports whether time ended the call: a deadline, or the timeout of
// its last attempt.
func (e *StopError) Timeout() bool { return e.Stop == StopDeadline || isTimeout(e.Err) }

// Unwrap returns the last failure, the sentinel of the reason and the cause.
func (e *StopError) Unwrap() []error {
	errs := make([]error, 0, 3)
	for _, err := range []error{e.Err, e.Stop.sentinel(), e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
