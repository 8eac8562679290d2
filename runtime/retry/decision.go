package retry

import (
	"fmt"
	"strings"
	"time"
)

// Decision is what the core made of one failed attempt: an entry of a call's
// history.
type Decision struct {
	// Attempt is the number of the attempt that failed; the first is 1.
	Attempt int
	// Class, Rule and Code are those of the [Failure].
	Class Class
	Rule  string
	Code  string
	// Delay is the wait before the next attempt or, when the retry quota
	// refused a long-polling operation, before the error is returned.
	Delay time.Duration
	// ServerDelay is what the server asked for; see HasServerDelay.
	ServerDelay    time.Duration
	HasServerDelay bool
	// Cost is what the granted retry took from the quota, in tokens.
	Cost int
	// Quota is the level after the decision, in tokens.
	Quota int
	// Stop says why there is no retry. Zero: there is one.
	Stop StopReason
	// NotActed is that of the [Failure].
	NotActed bool
	// Err is the failure itself.
	Err error
}

// Retry reports whether another attempt follows.
func (d Decision) Retry() bool { return d.Stop == 0 }

// String says it in one line for people.
func (d Decision) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "attempt %d: %s", d.Attempt, d.Class)
	if d.Rule != "" {
		fmt.Fprintf(&b, " (%s)", d.Rule)
	}
	if d.Retry() {
		fmt.Fprintf(&b, ", retry after %s", d.Delay)
	} else {
		fmt.Fprintf(&b, ", stop: %s", d.Stop)
		if d.Delay > 0 {
			fmt.Fprintf(&b, " after %s", d.Delay)
		}
	}
	fmt.Fprintf(&b, ", quota %d", d.Quota)
	return b.String()
}

// StopReason says why a call was given up. Each has a sentinel error that
// [errors.Is] finds in the returned [StopError].
type StopReason uint8

const (
	// StopTerminal: the failure is terminal. [ErrTerminal].
	StopTerminal StopReason = iota + 1
	// StopAttempts: all attempts were used. [ErrMaxAttempts].
	StopAttempts
	// StopQuota: the retry quota could not pay. [ErrQuotaExceeded].
	StopQuota
	// StopDeadline: the wait would not fit before the deadline, or the
	// deadline has passed. [ErrDeadline].
	StopDeadline
	// StopNotIdempotent: the operation may have acted and repeating it could
	// make it act twice. [ErrOutcomeUnknown].
	StopNotIdempotent
	// StopBody: the request body cannot be sent again. [ErrBodyNotReplayable].
	StopBody
	// StopCanceled: the caller gave up. [ErrCanceled].
	StopCanceled
	// StopOuter: an outer retry owns the call, which made its one attempt.
	// [ErrOuterRetry].
	StopOuter
)

var stopNames = [...]string{
	StopTerminal:      "terminal",
	StopAttempts:      "attempts used up",
	StopQuota:         "retry quota exceeded",
	StopDeadline:      "deadline",
	StopNotIdempotent: "not idempotent, outcome unknown",
	StopBody:          "body not replayable",
	StopCanceled:      "cancelled",
	StopOuter:         "owned by an outer retry",
}

// String names the reason.
func (r StopReason) String() string {
	if r > 0 && int(r) < len(stopNames) {
		return stopNames[r]
	}
	return fmt.Sprintf("StopReason(%d)", uint8(r))
}
