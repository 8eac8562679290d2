package httpapi

import (
	"net/http"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
)

func TestClassify(t *testing.T) {
	profile := Profile{
		ErrorCode:          []CodeSource{{Header: "Code"}},
		ServerDelayHeaders: []DelayHeader{{Name: "Retry-After"}},
		Terminal:           Match{Codes: []string{"Both", "Never"}, Statuses: []StatusRange{{520, 529}, Status(501)}},
		Throttling:         Match{Codes: []string{"Both", "Slow"}, Statuses: []StatusRange{Status(429), Status(509)}},
		Transient:          Match{Codes: []string{"Both", "Again"}, Statuses: []StatusRange{{500, 599}, Status(521)}},
		DelayedThrottling:  []StatusRange{Status(503)},
	}
	declared := []ErrorCase{
		{Code: "Known"},
		{Code: "KnownSlow", Class: ClassOf(retry.Throttling)},
		{Code: "Slow", Class: ClassOf(retry.Terminal)},
		{Statuses: Status(404), Class: ClassOf(retry.Transient)},
		{Statuses: Status(500), Class: ClassOf(retry.Terminal)},
		{Statuses: Status(504), Class: ClassOf(retry.Throttling)},
		{Statuses: Status(409)},
	}
	byDefault := []ErrorCase{{Class: ClassOf(retry.Transient)}}
	const none, transient, throttling = retry.Terminal, retry.Transient, retry.Throttling
	tests := []struct {
		status   int
		code     string
		after    string
		errors   []ErrorCase
		class    retry.Class
		rule     string
		notActed bool
	}{
		{400, "Slow", "", nil, throttling, `error code "Slow"`, true},
		{500, "Slow", "", nil, throttling, `error code "Slow"`, true},
		{500, "Never", "", nil, none, `error code "Never"`, false},
		{400, "Again", "", nil, transient, `error code "Again"`, false},
		{429, "Again", "", nil, transient, `error code "Again"`, false},
		{400, "Both", "", nil, none, `error code "Both"`, false},
		{400, "Slow", "", declared, none, `declared error "Slow"`, false},
		{400, "KnownSlow", "", declared, throttling, `declared error "KnownSlow"`, true},
		{429, "Known", "", declared, none, "no rule for status 429", false},
		{503, "Known", "1", declared, transient, "status 503", false},
		{500, "Known", "", declared, none, "declared status 500", false},
		{404, "", "", declared, transient, "declared status 404", false},
		{504, "", "", declared, throttling, "declared status 504", true},
		{504, "Again", "", declared, transient, `error code "Again"`, false}, // the tables' code before a declared status
		{409, "", "", declared, none, "no rule for status 409", false},
		{429, "", "", nil, throttling, "status 429", true},
		{509, "", "", nil, throttling, "status 509", false},
		{503, "", "", nil, transient, "status 503", false},
		{503, "", "30", nil, throttling, "status 503 with Retry-After", true},
		{503, "", "soon", nil, transient, "status 503", false},
		{501, "", "", nil, none, "status 501", false},
		{521, "", "", nil, transient, "status 521", false}, // an exact status before a range
		{522, "", "", nil, none, "status 522", false},      // terminal ranges before transient ones
		{400, "Odd", "", byDefault, transient, "declared default error", false},
		{429, "Odd", "", byDefault, throttling, "status 429", true},
		{302, "", "", nil, none, "no rule for status 302", false},
	}
	for _, tt := range tests {
		h := http.Header{}
		h.Set("Code", tt.code)
		h.Set("Retry-After", tt.after)
		f := profile.Classify(&http.Response{StatusCode: tt.status, Header: h}, nil, tt.errors)
		if f.Class != tt.class || f.Rule != tt.rule || f.NotActed != tt.notActed || f.Code != tt.code {
			t.Errorf("%d %q Retry-After %q: got %s (%s), not acted %t; want %s (%s), %t",
				tt.status, tt.code, tt.after, f.Class, f.Rule, f.NotActed, tt.class, tt.rule, tt.notActed)
		}
	}
}

func TestClassifyErrorInSuccess(t *testing.T) {
	p := Profile{
		ErrorInSuccess: true, ErrorCode: []CodeSource{{Header: "Code"}, {XML: "Error/Code"}},
		Throttling: Match{Codes: []string{"SlowDown"}},
	}.Over(HTTP1)
	resp := &http.Response{StatusCode: 200, Header: http.Header{}}
	if f := p.Classify(resp, []byte("<Error><Code>SlowDown</Code></Error>"), nil); f.Class != retry.Throttling || f.Code != "SlowDown" {
		t.Errorf("got %+v", f)
	}
	if f := p.Classify(resp, []byte("<Error><Code>Other</Code></Error>"), nil); f.Class != retry.Transient || f.Rule != "status 500" {
		t.Errorf("got %+v", f)
	}
}

func TestMatchCase(t *testing.T) {
	cases := []ErrorCase{{Code: "A"}, {Statuses: Status(404)}, {Statuses: StatusRange{400, 499}}, {}}
	tests := []struct {
		code   string
		status int
		want   int
	}{{"A", 404, 0}, {"B", 404, 1}, {"", 404, 1}, {"", 410, 2}, {"", 500, 3}}
	for _, tt := range tests {
		if got := matchCase(cases, tt.code, tt.status); got != &cases[tt.want] {
			t.Errorf("%q %d: got %+v, want case %d", tt.code, tt.status, got, tt.want)
		}
	}
	if got := matchCase(cases[:2], "", 500); got != nil {
		t.Errorf("got %+v, want none", got)
	}
}
