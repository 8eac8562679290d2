package retry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestStopError(t *testing.T) {
	attempts := make([]retry.Decision, 2)
	tests := []struct {
		err  *retry.StopError
		is   error
		text string
	}{
		{&retry.StopError{Stop: retry.StopTerminal, Attempts: attempts[:1], Err: errBusy}, retry.ErrTerminal, "busy"},
		{&retry.StopError{Stop: retry.StopTerminal, Attempts: attempts, Err: errBusy}, retry.ErrTerminal, "busy (2 attempts: terminal)"},
		{&retry.StopError{Stop: retry.StopAttempts, Attempts: attempts[:1], Err: errBusy}, retry.ErrMaxAttempts, "busy (1 attempt: attempts used up)"},
		{&retry.StopError{Stop: retry.StopQuota, Attempts: attempts, Err: errBusy}, retry.ErrQuotaExceeded, "busy (2 attempts: retry quota exceeded)"},
		{&retry.StopError{Stop: retry.StopDeadline, Attempts: attempts, Err: errBusy}, retry.ErrDeadline, "busy (2 attempts: deadline)"},
		{&retry.StopError{Stop: retry.StopNotIdempotent, Attempts: attempts, Err: errBusy}, retry.ErrOutcomeUnknown, "busy (2 attempts: not idempotent, outcome unknown)"},
		{&retry.StopError{Stop: retry.StopBody, Attempts: attempts, Err: errBusy}, retry.ErrBodyNotReplayable, "busy (2 attempts: body not replayable)"},
		{&retry.StopError{Stop: retry.StopCanceled, Cause: context.Canceled}, retry.ErrCanceled, "cancelled: context canceled"},
		{&retry.StopError{Stop: retry.StopDeadline}, retry.ErrDeadline, "retry: deadline"},
		{&retry.StopError{}, nil, "retry: StopReason(0)"},
		{&retry.StopError{Stop: 99, Err: errBusy}, nil, "busy (0 attempts: StopReason(99))"},
	}
	sentinels := []error{retry.ErrTerminal, retry.ErrMaxAttempts, retry.ErrQuotaExceeded, retry.ErrDeadline,
		retry.ErrOutcomeUnknown, retry.ErrBodyNotReplayable, retry.ErrCanceled}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
			for _, sentinel := range sentinels {
				if errors.Is(tt.err, sentinel) != (sentinel == tt.is) {
					t.Errorf("errors.Is(%v) = %v", sentinel, sentinel != tt.is)
				}
			}
			for _, inner := range []error{tt.err.Err, tt.err.Cause} {
				if inner != nil && !errors.Is(tt.err, inner) {
					t.Errorf("%v is not found", inner)
				}
			}
		})
	}
}

func TestDecisionString(t *testing.T) {
	tests := []struct {
		d    retry.Decision
		want string
	}{
		{retry.Decision{Attempt: 1, Class: retry.Transient, Rule: "status 503", Delay: 50 * time.Millisecond, Quota: 486},
			"attempt 1: transient (status 503), retry after 50ms, quota 486"},
		{retry.Decision{Attempt: 3, Class: retry.Transient, Stop: retry.StopAttempts, Quota: 472},
			"attempt 3: transient, stop: attempts used up, quota 472"},
		{retry.Decision{Attempt: 1, Class: retry.Throttling, Stop: retry.StopQuota, Delay: time.Second},
			"attempt 1: throttling, stop: retry quota exceeded after 1s, quota 0"},
	}
	for _, tt := range tests {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
