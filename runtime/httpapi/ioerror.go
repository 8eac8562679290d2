package httpapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/retrygen/retrygen/runtime/retry"
)

// ClassifyError describes an exchange that failed without an answer, or whose
// answer broke off. Failures of the network are transient, and NotActed where
// no connection came about; failures of a certificate are what
// [Profile.CertificateFailures] says; the caller's cancellation, unusable URLs
// and everything unknown are terminal. Errors that describe themselves (see
// [retry.Classify]) are believed.
func (p Profile) ClassifyError(err error) retry.Failure {
	f := retry.Failure{Err: err, Rule: "no rule for this error"}
	for _, r := range ioRules {
		if !r.match(err) {
			continue
		}
		f.Class, f.Rule, f.NotActed = r.class, r.name, r.notActed || isDial(err)
		switch {
		case r.certificate:
			f.Class = p.CertificateFailures
		case r.described:
			f = retry.Classify(err)
		}
		return f
	}
	return f
}

// ioRule recognises one kind of failure.
type ioRule struct {
	name        string
	class       retry.Class
	match       func(error) bool
	notActed    bool // the failure proves that the request was not sent
	certificate bool // the profile gives the class
	described   bool // the error gives the class itself
}

// ioRules are asked in this order; the first that matches decides.
var ioRules = []ioRule{
	{name: "described by the error", match: describesItself, described: true},
	{name: "cancelled", match: is(context.Canceled)},
	{name: "request body", match: has[*bodyError]},
	{name: "certificate", match: isCertificate, certificate: true, notActed: true},
	{name: "not TLS", match: has[tls.RecordHeaderError], notActed: true},
	{name: "unusable URL", match: says("unsupported protocol scheme", "http: no Host in request URL"), notActed: true},
	{name: "name resolution", class: retry.Transient, match: has[*net.DNSError], notActed: true},
	{name: "connection refused", class: retry.Transient, match: is(syscall.ECONNREFUSED)},
	{name: "host unreachable", class: retry.Transient, match: is(syscall.EHOSTUNREACH)},
	{name: "network unreachable", class: retry.Transient, match: is(syscall.ENETUNREACH)},
	{name: "connect timeout", class: retry.Transient, match: all(isDial, isTimeout)},
	{name: "connect", class: retry.Transient, match: isDial},
	{name: "TLS handshake timeout", class: retry.Transient, match: says("net/http: TLS handshake timeout"), notActed: true},
	{name: "response header timeout", class: retry.Transient, match: says("net/http: timeout awaiting response headers", "http2: timeout awaiting response headers")},
	{name: "attempt timeout", class: retry.Transient, match: is(errAttemptTimeout)},
	{name: "timeout", class: retry.Transient, match: isTimeout},
	{name: "connection reset", class: retry.Transient, match: is(syscall.ECONNRESET)},
	{name: "connection aborted", class: retry.Transient, match: is(syscall.ECONNABORTED)},
	{name: "broken pipe", class: retry.Transient, match: is(syscall.EPIPE)},
	{name: "unexpected EOF", class: retry.Transient, match: is(io.ErrUnexpectedEOF)},
	{name: "EOF", class: retry.Transient, match: is(io.EOF)},
	{name: "malformed answer", class: retry.Transient, match: says("malformed HTTP response")},
	{name: "connection closed", class: retry.Transient, match: anyOf(
		is(net.ErrClosed), is(io.ErrClosedPipe), is(http.ErrServerClosed),
		says("http: server closed idle connection", "http2: client connection lost",
			"http2: client connection force closed", "net/http: HTTP/1.x transport connection broken"),
	)},
	{name: "hidden resend", class: retry.Transient, match: is(errHiddenResend), notActed: true},
	{name: "connection lost", class: retry.Transient, match: is(errUnanswered)},
	{name: "HTTP/2 stream refused", class: retry.Transient, match: isRefusedStream, notActed: true},
	{name: "HTTP/2 shutdown", class: retry.Transient, match: says("http2: Transport received Server's graceful shutdown GOAWAY"), notActed: true},
	{name: "HTTP/2 connection unusable", class: retry.Transient, notActed: true, match: says(
		"http2: client conn not usable", "http2: client conn is closed", "http2: client conn could not be established")},
	{name: "HTTP/2 GOAWAY", class: retry.Transient, match: says("http2: server sent GOAWAY", "http2: Transport received GOAWAY")},
	{name: "HTTP/2 stream error", class: retry.Transient, match: anyOf(has[http2StreamError], says(streamError))},
	{name: "network", class: retry.Transient, match: has[*net.OpError]},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func has[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func all(matches ...func(error) bool) func(error) bool {
	return func(err error) bool {
		for _, match := range matches {
			if !match(err) {
				return false
			}
		}
		return true
	}
}

func anyOf(matches ...func(error) bool) func(error) bool {
	return func(err error) bool {
		for _, match := range matches {
			if match(err) {
				return true
			}
		}
		return false
	}
}

// says matches errors of package net/http that have no type of their own, by
// how their text begins. What follows may quote the request or the server, and
// what stands before, in the text of an error around them, names the URL.
func says(texts ...string) func(error) bool {
	return func(err error) bool { return speaks(err, beginsWith(texts)) }
}

func beginsWith(texts []string) func(string) bool {
	return func(message string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(message, text) })
	}
}

// cannotRetry begins what HTTP/2 makes of the error of a request whose body
// was written; that error follows, as text.
const cannotRetry = "http2: Transport: cannot retry err ["

// speaks reports whether the text of any error of the chain is one.
func speaks(err error, text func(string) bool) bool {
	if err == nil {
		return false
	}
	if text(strings.TrimPrefix(err.Error(), cannotRetry)) {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return speaks(e.Unwrap(), text)
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool { return speaks(err, text) })
	}
	return false
}

func describesItself(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Failure() retry.Failure
	}](err)
	return ok
}

// isTimeout reports whether any error of the chain says so. A *url.Error asks
// only the next one.
func isTimeout(err error) bool {
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return isTimeout(e.Unwrap())
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), isTimeout)
	}
	return false
}

// isDial matches failures to connect, to the server or to a proxy.
func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && (op.Op == "dial" || op.Op == "proxyconnect")
}

func isCertificate(err error) bool {
	return has[*tls.CertificateVerificationError](err) ||
		has[x509.UnknownAuthorityError](err) || has[x509.HostnameError](err) ||
		has[x509.CertificateInvalidError](err) || has[x509.SystemRootsError](err) ||
		has[x509.ConstraintViolationError](err) || has[x509.UnhandledCriticalExtension](err) || isTLSRefusal(err)
}

// tlsRefusals are the alerts (RFC 8446, 6.2) by which the other side refuses
// a handshake for good: handshake_failure, those of certificates from
// bad_certificate to unknown_ca, access_denied, protocol_version,
// insufficient_security, missing_extension, unrecognized_name,
// certificate_required and no_application_protocol.
var tlsRefusals = []tls.AlertError{40, 42, 43, 44, 45, 46, 48, 49, 70, 71, 109, 112, 116, 120}

func isTLSRefusal(err error) bool {
	alert, ok := errors.AsType[tls.AlertError](err)
	return ok && slices.Contains(tlsRefusals, alert)
}

// http2StreamError has the shape of the stream errors of package net/http's
// HTTP/2, which [errors.As] converts to any type of their shape. Those of a
// request whose body was written come as text only: "http2: Transport: cannot
// retry err [...] after Request.Body was written".
type http2StreamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e http2StreamError) Error() string { return "HTTP/2 stream error" }

// http2RefusedStream is REFUSED_STREAM of RFC 9113, 7: the stream was not
// processed.
const http2RefusedStream = 0x7

func isRefusedStream(err error) bool {
	e, ok := errors.AsType[http2StreamError](err)
	return ok && e.Code == http2RefusedStream || speaks(err, isRefusal)
}

// streamError begins the text of an HTTP/2 stream error: "stream error: stream
// ID 3; REFUSED_STREAM; received from peer".
const streamError = "stream error: stream ID "

func isRefusal(message string) bool {
	rest, ok := strings.CutPrefix(message, streamError)
	_, code, _ := strings.Cut(rest, "; ")
	code, _, _ = strings.Cut(code, ";")
	code, _, _ = strings.Cut(code, "]")
	return ok && code == "REFUSED_STREAM"
}
