package retrytest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// peer is the address in the failures: 192.0.2.1 is for documentation (RFC 5737).
var peer = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}

const host = "service.example"

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: peer, Err: err}
}

// ConnectionReset is the peer's reset while the answer was read.
func ConnectionReset() error {
	return opError("read", os.NewSyscallError("read", syscall.ECONNRESET))
}

// ConnectionRefused is a connection that was never made: nothing was sent.
func ConnectionRefused() error {
	return opError("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))
}

// BrokenPipe is a connection that broke while the request was written.
func BrokenPipe() error {
	return opError("write", os.NewSyscallError("write", syscall.EPIPE))
}

// HostUnreachable is a connection that was never made for want of a route.
func HostUnreachable() error {
	return opError("dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH))
}

// ClosedConnection is the use of a connection that was closed on this side.
func ClosedConnection() error { return opError("read", net.ErrClosed) }

// ServerClosedIdle is a kept connection that the server closed before it was
// used again.
func ServerClosedIdle() error { return errors.New("http: server closed idle connection") }

// DNSTemporary is a name lookup that failed for now.
func DNSTemporary() error {
	return opError("dial", &net.DNSError{Err: "server misbehaving", Name: host, Server: "192.0.2.53:53", IsTemporary: true})
}

// DNSTimeout is a name lookup that got no answer.
func DNSTimeout() error {
	return opError("dial", &net.DNSError{Err: "i/o timeout", Name: host, Server: "192.0.2.53:53", IsTimeout: true, IsTemporary: true})
}

// DNSNotFound is a name that does not exist.
func DNSNotFound() error {
	return opError("dial", &net.DNSError{Err: "no such host", Name: host, Server: "192.0.2.53:53", IsNotFound: true})
}

// ConnectTimeout is a connection that was not made in time.
func ConnectTimeout() error { return opError("dial", timeout("i/o timeout")) }

// ReadTimeout is an answer that stopped arriving.
func ReadTimeout() error { return opError("read", os.ErrDeadlineExceeded) }

// TLSHandshakeTimeout is a TLS handshake that took longer than the
// transport's limit.
func TLSHandshakeTimeout() error { return timeout("net/http: TLS handshake timeout") }

// ResponseHeaderTimeout is a request that was sent, and no answer began within
// the transport's limit.
func ResponseHeaderTimeout() error { return timeout("net/http: timeout awaiting response headers") }

// AttemptTimeout is an attempt that outlived its own context.
func AttemptTimeout() error { return context.DeadlineExceeded }

// Canceled is a request whose context was cancelled.
func Canceled() error { return context.Canceled }

// EOF is a connection that ended before the answer began.
func EOF() error { return io.EOF }

// UnexpectedEOF is an answer that ended in its middle.
func UnexpectedEOF() error { return io.ErrUnexpectedEOF }

// GoAway is a server of HTTP/2 that closed the connection.
func GoAway() error { return &goAway{lastStream: 1999} }

// UnknownAuthority is a certificate that nobody trusted has signed.
func UnknownAuthority() error {
	return &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{Cert: &x509.Certificate{}}}
}

// HostnameMismatch is a certificate for another host.
func HostnameMismatch() error {
	cert := &x509.Certificate{DNSNames: []string{"other.example"}}
	return &tls.CertificateVerificationError{
		UnverifiedCertificates: []*x509.Certificate{cert},
		Err:                    x509.HostnameError{Certificate: cert, Host: host},
	}
}

// timeout has the shape of the unexported timeouts of net and net/http.
type timeout string

func (t timeout) Error() string      { return string(t) }
func (timeout) Timeout() bool        { return true }
func (timeout) Temporary() bool      { return true }
func (timeout) Is(target error) bool { return target == context.DeadlineExceeded }

// goAway has the text of net/http's unexported GOAWAY error.
type goAway struct{ lastStream uint32 }

func (g *goAway) Error() string {
	return fmt.Sprintf("http2: server sent GOAWAY and closed the connection; LastStreamID=%d, ErrCode=NO_ERROR, debug=%q", g.lastStream, "")
}
