package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// sendOnce returns hc without the repeats that [http.Transport] makes by
// itself. It sends a request again, and tells nobody, when a connection that
// it had kept turns out to be dead and the request looks repeatable: by its
// method if it has no body, by an Idempotency-Key header, or by a GetBody.
// Such a repeat would be no attempt: not counted, not paid for by the quota,
// not delayed, not signed anew.
func sendOnce(hc HTTPClient) HTTPClient {
	client, ok := hc.(*http.Client)
	if !ok {
		return hc
	}
	base := client.Transport
	if _, ok := base.(*Transport); ok {
		return hc // it sees to that itself, and needs the GetBody
	}
	once := *client
	if base == nil {
		base = http.DefaultTransport
	}
	once.Transport = onceTransport{base}
	return &once
}

// onceTransport makes each request look unrepeatable to the transport below.
// Redirects are followed above it and still find the GetBody.
//
// What HTTP/2 sends again are requests without a body, whatever their method,
// that the server has refused or that a connection in shutdown has not taken.
// Those that cannot be disguised are stopped before they are sent twice.
//
// A transport of another kind usually has one of net/http inside, and reads
// the headers: keys stay as they are, and requests with a key are stopped as
// well. Requests without body and key pass, except for the methods that get
// an empty body; HTTP/2 alone sends those again, if the server did not act.
//
// The price of the empty body is that a GET over HTTP/2 arrives with a body
// of unknown length that turns out empty. Which protocol it will be is not
// known before the transport has chosen a connection.
type onceTransport struct{ base http.RoundTripper }

func (t onceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	once := *req
	once.GetBody = nil
	if req.Body != nil && req.Body != http.NoBody {
		return t.base.RoundTrip(&once)
	}
	switch {
	case t.disguise(&once):
	case t.isPlain():
		return sendWatched(t.base, &once, errHiddenResend)
	case hasKey(once.Header):
		return sendWatched(t.base, &once, errUnanswered)
	}
	return t.base.RoundTrip(&once)
}

// Errors in place of a request that the transport would have sent a second
// time.
var (
	// errHiddenResend: without a body and a key, HTTP/1 sends again what it has
	// not written, and HTTP/2 a stream that was refused or not taken, or that
	// the server calls malformed (PROTOCOL_ERROR). Nothing was acted on.
	errHiddenResend = errors.New("httpapi: the connection did not take the request")
	// errUnanswered: the reason is not known.
	errUnanswered = errors.New("httpapi: the connection broke before the request was answered")
)

// wire watches what is written of a request.
type wire struct {
	cancel  context.CancelCauseFunc
	twice   error       // of a second request
	written atomic.Bool // the headers, and no answer since
	pseudo  atomic.Bool // they had fields of HTTP/2
}

func (w *wire) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: w.gotConn,
		WroteHeaderField: func(key string, _ []string) {
			if strings.HasPrefix(key, ":") {
				w.pseudo.Store(true)
			}
		},
		WroteHeaders:         func() { w.written.Store(true) },
		GotFirstResponseByte: func() { w.written.Store(false) },
	}
}

// gotConn stops a second request. HTTP/2 looks at the context before it
// writes; HTTP/1 does not, but has the connection for itself.
func (w *wire) gotConn(info httptrace.GotConnInfo) {
	if !w.written.Load() {
		return
	}
	w.cancel(w.twice)
	if info.Conn != nil && !w.isHTTP2(info.Conn) {
		_ = info.Conn.Close()
	}
}

func (w *wire) isHTTP2(conn net.Conn) bool {
	if c, ok := conn.(interface{ ConnectionState() tls.ConnectionState }); ok {
		return c.ConnectionState().NegotiatedProtocol == "h2"
	}
	return w.pseudo.Load()
}

// sendWatched lets the headers of req be written once; a second time is the
// error twice.
func sendWatched(base http.RoundTripper, req *http.Request, twice error) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &wire{cancel: cancel, twice: twice}
	resp, err := base.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, w.trace())))
	if err != nil {
		if context.Cause(ctx) == twice {
			err = twice
		}
		cancel(nil)
		return nil, err
	}
	if resp.Body == nil || resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, nil // the caller's context ends with the exchange
	}
	resp.Body = &watchedBody{resp.Body, cancel}
	return resp, nil
}

// watchedBody ends the context of its exchange when it is closed.
type watchedBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] through.
func (t onceTransport) CloseIdleConnections() { closeIdle(t.base) }

// disguise hides that a request without a body could be repeated. A method
// that usually has no body gets an empty one, which the transport finds empty
// and leaves out; another method would be sent in chunks then, so that its
// key is written in lower case instead, where HTTP/1 does not look. It reports
// whether that hides it from HTTP/2 as well.
func (t onceTransport) disguise(req *http.Request) bool {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodDelete, "":
		req.Body = emptyBody{}
		return true
	case http.MethodTrace: // has no body, and must not announce one
		req.Body, req.TransferEncoding = emptyBody{}, []string{"identity"}
		return true
	}
	if !t.isPlain() {
		return false
	}
	for _, name := range keyHeaders {
		if keys, ok := req.Header[name]; ok {
			req.Header = req.Header.Clone()
			delete(req.Header, name)
			req.Header[strings.ToLower(name)] = keys
		}
	}
	return false
}

// hasKey reports whether net/http takes a request for repeatable by its
// headers: an empty key will do.
func hasKey(h http.Header) bool {
	for _, name := range keyHeaders {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return false
}

// isPlain reports whether the transport below is that of package net/http.
func (t onceTransport) isPlain() bool {
	_, ok := t.base.(*http.Transport)
	return ok
}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }
