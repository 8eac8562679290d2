package httpapi

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// TestBadProfiles wants each contradiction to be an error of NewClient and of
// an operation that names the field.
func TestBadProfiles(t *testing.T) {
	for want, p := range map[string]Profile{
		`Throttling.Codes: "busy" is in Transient.Codes too`: {
			Transient: Match{Codes: []string{"busy"}}, Throttling: Match{Codes: []string{"slow", "busy"}}},
		`Terminal.Codes: "busy" is in Throttling.Codes too`: {
			Throttling: Match{Codes: []string{"busy"}}, Terminal: Match{Codes: []string{"busy"}}},
		`Terminal.Statuses: 520 is in Transient.Statuses too`: {
			Transient: Match{Statuses: []StatusRange{Status(520)}}, Terminal: Match{Statuses: []StatusRange{Status(520)}}},
		`Throttling.Statuses: 500–599 is in Transient.Statuses too`: {
			Transient: Match{Statuses: []StatusRange{{500, 599}}}, Throttling: Match{Statuses: []StatusRange{{500, 599}}}},
		`Transient: got statuses 599–500`:                   {Transient: Match{Statuses: []StatusRange{{599, 500}}}},
		`DelayedThrottling: got statuses 0`:                 {DelayedThrottling: []StatusRange{Status(0)}},
		`ErrorCode[0]: got {Header:X Pointer:/x`:            {ErrorCode: []CodeSource{{Header: "X", Pointer: "/x"}}},
		`ErrorCode[0]: got {Header: Pointer: XML:`:          {ErrorCode: []CodeSource{{}}},
		`ErrorCode[0]: got pointer "code"`:                  {ErrorCode: []CodeSource{{Pointer: "code"}}},
		`ServerDelayHeaders[1]: got {Name:`:                 {ServerDelayHeaders: []DelayHeader{{Name: "A"}, {}}},
		`ServerDelayHeaders[0]: got unit 6`:                 {ServerDelayHeaders: []DelayHeader{{Name: "A", Unit: DelayRateLimit + 1}}},
		`ServerDelayHeaders[0]: got pointer "wait"`:         {ServerDelayHeaders: []DelayHeader{{Pointer: "wait"}}},
		`ErrorWhen: got Equals without Pointer`:             {ErrorWhen: BodyCondition{Equals: "x"}},
		`ErrorWhen: got pointer "ok"`:                       {ErrorWhen: BodyCondition{Pointer: "ok"}},
		`AttemptHeader: got "a b"`:                          {AttemptHeader: "a b"},
		`InvocationHeader: got "a:"`:                        {InvocationHeader: "a:"},
		`DeadlineHeader: got "é"`:                           {DeadlineHeader: "é"},
		`ShouldRetryHeader: got "\n"`:                       {ShouldRetryHeader: "\n"},
		`CertificateFailures: got Class(7)`:                 {CertificateFailures: 7},
		`MaxBackoff: got 1ms, want at least BaseDelay.Tran`: {Settings: retry.Settings{MaxBackoff: time.Millisecond}},
		`MaxAttempts: got -1`:                               {Settings: retry.Settings{MaxAttempts: -1}},
		`MinAttemptTime: got -1s`:                           {Settings: retry.Settings{MinAttemptTime: -time.Second}},
	} {
		_, err := NewClient(&Service{Name: "items", Profile: p}, "https://items.example")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("client: got %v, want %q", err, want)
		}
		client, _ := script(t, items(), nil)
		op := getItem()
		op.Retry = &p
		if _, err := Call(t.Context(), client, op, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("operation: got %v, want %q", err, want)
		}
	}
}

// TestProfilesMayOverlap allows what has an order of precedence.
func TestProfilesMayOverlap(t *testing.T) {
	p := Profile{
		Name:      "overlap",
		Transient: Match{Statuses: []StatusRange{{500, 599}, Status(521)}},
		Terminal:  Match{Statuses: []StatusRange{Status(501), {520, 529}}},
	}
	if err := p.check(); err != nil {
		t.Error(err)
	}
	if err := HTTP1.check(); err != nil {
		t.Error(err)
	}
}

// TestNilContext fails without an attempt.
func TestNilContext(t *testing.T) {
	client, _ := script(t, items(), nil)
	var none context.Context
	if _, err := Call(none, client, getItem(), nil); err == nil || !strings.Contains(err.Error(), "nil context") {
		t.Errorf("got %v", err)
	}
}
