package conformance

import (
	"fmt"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

// faults are the failures of an exchange by the names that vectors give them.
var faults = map[string]func() error{
	"attempt_timeout":         retrytest.AttemptTimeout,
	"broken_pipe":             retrytest.BrokenPipe,
	"closed_connection":       retrytest.ClosedConnection,
	"connect_timeout":         retrytest.ConnectTimeout,
	"connection_refused":      retrytest.ConnectionRefused,
	"connection_reset":        retrytest.ConnectionReset,
	"context_canceled":        retrytest.Canceled,
	"dns_not_found":           retrytest.DNSNotFound,
	"dns_temporary":           retrytest.DNSTemporary,
	"dns_timeout":             retrytest.DNSTimeout,
	"eof":                     retrytest.EOF,
	"host_unreachable":        retrytest.HostUnreachable,
	"http2_goaway":            retrytest.GoAway,
	"read_timeout":            retrytest.ReadTimeout,
	"response_header_timeout": retrytest.ResponseHeaderTimeout,
	"tls_handshake_timeout":   retrytest.TLSHandshakeTimeout,
	"tls_hostname_mismatch":   retrytest.HostnameMismatch,
	"tls_unknown_authority":   retrytest.UnknownAuthority,
	"unexpected_eof":          retrytest.UnexpectedEOF,
}

// fault returns the failure of that name, nil for "".
func fault(name string) (error, error) {
	if name == "" {
		return nil, nil
	}
	f, ok := faults[name]
	if !ok {
		return nil, fmt.Errorf("failure %q is not known", name)
	}
	return f(), nil
}
