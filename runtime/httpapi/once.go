package httpapi

import (
	"context"
	"errors"
	"io"
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
type onceTransport struct{ base http.RoundTripper }

func (t onceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	once := *req
	once.GetBody = nil
	if req.Body != nil && req.Body != http.NoBody {
		return t.base.RoundTrip(&once)
	}
	if t.disguise(&once) {
		return t.base.RoundTrip(&once)
	}
	return sendWatched(t.base, &once)
}

// errHiddenResend is in place of a request that the transport would have sent
// a second time. HTTP/2 does so when the stream was refused or not taken, and
// when the server calls it malformed (PROTOCOL_ERROR): nothing was acted on.
var errHiddenResend = errors.New("httpapi: the connection did not take the request")

// sendWatched lets the headers of req be written once.
func sendWatched(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var written atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) {
			if written.Load() {
				cancel(errHiddenResend)
			}
		},
		WroteHeaders: func() { written.Store(true) },
	})
	resp, err := base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		if context.Cause(ctx) == errHiddenResend {
			err = errHiddenResend
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
		return true
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

// isPlain reports whether the transport below is that of package net/http.
func (t onceTransport) isPlain() bool {
	_, ok := t.base.(*http.Transport)
	return ok
}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }
