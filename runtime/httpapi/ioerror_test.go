package httpapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// unretried is what HTTP/2 says of a request whose body was written.
func unretried(text string) error {
	return fmt.Errorf(cannotRetry+"%s] after Request.Body was written; define Request.GetBody to avoid this error", text)
}

func TestClassifyError(t *testing.T) {
	const none, transient, throttling = retry.Terminal, retry.Transient, retry.Throttling
	proxy := &net.OpError{Op: "proxyconnect", Net: "tcp", Err: errors.New("Bad Gateway")}
	tests := []struct {
		err      error
		class    retry.Class
		rule     string
		notActed bool
	}{
		{retrytest.ConnectionReset(), transient, "connection reset", false},
		{retrytest.ConnectionRefused(), transient, "connection refused", true},
		{retrytest.BrokenPipe(), transient, "broken pipe", false},
		{retrytest.HostUnreachable(), transient, "host unreachable", true},
		{retrytest.ClosedConnection(), transient, "connection closed", false},
		{retrytest.ServerClosedIdle(), transient, "connection closed", false},
		{retrytest.DNSTemporary(), transient, "name resolution", true},
		{retrytest.DNSTimeout(), transient, "name resolution", true},
		{retrytest.DNSNotFound(), transient, "name resolution", true},
		{retrytest.ConnectTimeout(), transient, "connect timeout", true},
		{proxy, transient, "connect", true},
		{retrytest.ReadTimeout(), transient, "timeout", false},
		{retrytest.TLSHandshakeTimeout(), transient, "TLS handshake timeout", true},
		{retrytest.ResponseHeaderTimeout(), transient, "response header timeout", false},
		{retrytest.AttemptTimeout(), transient, "timeout", false},
		{errAttemptTimeout, transient, "attempt timeout", false},
		{retrytest.EOF(), transient, "EOF", false},
		{retrytest.UnexpectedEOF(), transient, "unexpected EOF", false},
		{retrytest.GoAway(), transient, "HTTP/2 GOAWAY", false},
		{http2StreamError{StreamID: 3, Code: http2RefusedStream}, transient, "HTTP/2 stream refused", true},
		{http2StreamError{StreamID: 3, Code: 2}, transient, "HTTP/2 stream error", false},
		{errors.New("net/http: HTTP/1.x transport connection broken: malformed"), transient, "connection closed", false},
		{&net.OpError{Op: "read", Net: "tcp", Err: errors.New("odd")}, transient, "network", false},
		{retrytest.UnknownAuthority(), none, "certificate", true},
		{retrytest.HostnameMismatch(), none, "certificate", true},
		{retrytest.Canceled(), none, "cancelled", false},
		{&bodyError{retrytest.UnexpectedEOF()}, none, "request body", false},
		{errors.New("unsupported protocol scheme"), none, "unusable URL", true},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, none, "not TLS", true},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(42)}, none, "certificate", true},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(116)}, none, "certificate", true},
		{&net.OpError{Op: "remote error", Err: tls.AlertError(80)}, transient, "network", false},
		{x509.ConstraintViolationError{}, none, "certificate", true},
		{unretried("http2: Transport received Server's graceful shutdown GOAWAY"), transient, "HTTP/2 shutdown", true},
		{unretried("stream error: stream ID 3; REFUSED_STREAM; received from peer"), transient, "HTTP/2 stream refused", true},
		{unretried("stream error: stream ID 3; PROTOCOL_ERROR; received from peer"), transient, "HTTP/2 stream error", false},
		{errors.New("http2: client conn not usable"), transient, "HTTP/2 connection unusable", true},
		{errors.New("http2: Transport received GOAWAY from server ErrCode:ENHANCE_YOUR_CALM"), transient, "HTTP/2 GOAWAY", false},
		{errHiddenResend, transient, "hidden resend", true},
		{errUnanswered, transient, "connection lost", false},
		{errors.New("odd"), none, "no rule for this error", false},
		{retry.MarkThrottling(errors.New("busy")), throttling, "marked throttling", false},
	}
	for _, tt := range tests {
		err := &url.Error{Op: "Get", URL: "https://items.example", Err: fmt.Errorf("wrapped: %w", tt.err)}
		f := HTTP1.ClassifyError(err)
		if f.Class != tt.class || f.Rule != tt.rule || f.NotActed != tt.notActed || f.Err != error(err) {
			t.Errorf("%v: got %s (%s), not acted %t; want %s (%s), %t",
				tt.err, f.Class, f.Rule, f.NotActed, tt.class, tt.rule, tt.notActed)
		}
	}
}

func TestClassifyCertificateByProfile(t *testing.T) {
	p := Profile{CertificateFailures: retry.Transient}
	if f := p.ClassifyError(retrytest.UnknownAuthority()); f.Class != retry.Transient || f.Rule != "certificate" {
		t.Errorf("got %+v", f)
	}
}

// TestClassifyErrorIgnoresQuotations: texts that a caller's URL or the server
// put into an error decide nothing.
func TestClassifyErrorIgnoresQuotations(t *testing.T) {
	odd := errors.New("odd")
	for _, tt := range []struct {
		err      error
		rule     string
		notActed bool
	}{
		{errors.New(`http2: server sent GOAWAY and closed the connection; LastStreamID=3, ErrCode=NO_ERROR, debug="REFUSED_STREAM"`), "HTTP/2 GOAWAY", false},
		{unretried(`http2: server sent GOAWAY and closed the connection; LastStreamID=3, ErrCode=NO_ERROR, debug="graceful shutdown GOAWAY"`), "HTTP/2 GOAWAY", false},
		{errors.New(`stream error: stream ID 3; INTERNAL_ERROR; REFUSED_STREAM`), "HTTP/2 stream error", false},
		{errors.New(`malformed HTTP response "net/http: TLS handshake timeout"`), "malformed answer", false},
		{fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", errors.New(`malformed MIME header line: REFUSED_STREAM`)), "connection closed", false},
		{errors.New(`failed to parse Location header "http2: client conn is closed REFUSED_STREAM": odd`), "no rule for this error", false},
		{fmt.Errorf("POST https://items.example/unsupported protocol scheme: %w", odd), "no rule for this error", false},
		{errors.Join(odd, errors.New("http2: client conn not usable")), "HTTP/2 connection unusable", true},
		{errors.New("unsupported protocol scheme \"gopher\""), "unusable URL", true},
		{odd, "no rule for this error", false},
	} {
		for _, path := range []string{
			"", "REFUSED_STREAM", "stream error: stream ID 3; REFUSED_STREAM", "http2: client conn is closed", "GOAWAY",
			"graceful shutdown GOAWAY", "TLS handshake timeout", "unsupported protocol scheme",
		} {
			f := HTTP1.ClassifyError(&url.Error{Op: "Post", URL: "https://items.example/" + path, Err: tt.err})
			if f.Rule != tt.rule || f.NotActed != tt.notActed {
				t.Errorf("%s: %v: got rule %q, not acted %t; want %q, %t", path, tt.err, f.Rule, f.NotActed, tt.rule, tt.notActed)
			}
		}
	}
}

// TestRealTransport checks the rules against errors that net/http makes.
func TestRealTransport(t *testing.T) {
	tests := []struct {
		endpoint, rule string
		class          retry.Class
		dial           func(context.Context, string, string) (net.Conn, error)
	}{
		{"http://items.example", "name resolution", retry.Transient, refuse(retrytest.DNSNotFound())},
		{"http://items.example", "connection refused", retry.Transient, refuse(retrytest.ConnectionRefused())},
		{"http://items.example", "EOF", retry.Transient, peer(nil)},
		{"http://items.example", "malformed answer", retry.Transient, peer([]byte("SSH-2.0\r\n\r\n"))},
		{"gopher://items.example", "unusable URL", retry.Terminal, nil},
	}
	for _, tt := range tests {
		hc := &http.Client{Transport: &http.Transport{DialContext: tt.dial}}
		resp, err := hc.Get(tt.endpoint)
		if err == nil {
			resp.Body.Close()
			t.Fatalf("%s: no error", tt.rule)
		}
		if f := HTTP1.ClassifyError(err); f.Rule != tt.rule || f.Class != tt.class {
			t.Errorf("%v: got %s (%s), want %s (%s)", err, f.Class, f.Rule, tt.class, tt.rule)
		}
	}
}

func refuse(err error) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return nil, err }
}

// peer is a server that reads a request, says something and hangs up.
func peer(says []byte) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			_, _ = server.Read(make([]byte, 4096))
			_, _ = server.Write(says)
		}()
		return client, nil
	}
}

// TestRealHTTP2 checks that stream errors of net/http are recognised.
func TestRealHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err == nil {
		resp.Body.Close()
		t.Fatal("no error")
	}
	if f := HTTP1.ClassifyError(err); f.Rule != "HTTP/2 stream error" || f.Class != retry.Transient || f.NotActed {
		t.Errorf("%v: got %+v", err, f)
	}
}
