package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/retrygen/retrygen/runtime/retry"
)

// hops watches what else an HTTP client sends for the request of one attempt,
// where it follows redirects. Only the fate of that request itself can prove
// that the server did not act: a POST that was answered with 303 has acted,
// however the GET ends that follows.
type hops struct {
	answers atomic.Int32 // of the transport, to the request and what followed it
	traced  atomic.Int32 // the same, as package net/http saw them on the wire
	left    bool         // the outcome is that of another request
}

type hopsKey struct{}

// watchHops returns the context of an attempt and what watches it.
func watchHops(ctx context.Context) (context.Context, *hops) {
	h := new(hops)
	return context.WithValue(ctx, hopsKey{}, h), h
}

func hopsOf(req *http.Request) *hops {
	if h, ok := req.Context().Value(hopsKey{}).(*hops); ok {
		return h
	}
	return new(hops)
}

// settle takes from f the proof that the server did not act, if it is of
// another request.
func (h *hops) settle(f *retry.Failure) {
	if f != nil && h.left {
		f.NotActed = false
	}
}

// judge looks at the outcome of what was sent.
func (h *hops) judge(sent *http.Request, resp *http.Response, err error) {
	answers := max(h.answers.Load(), h.traced.Load())
	if err != nil {
		h.left = answers > 0 || failedElsewhere(sent, err)
		return
	}
	h.left = answers > 1 || resp != nil && answersOther(sent, resp)
}

// answersOther reports whether resp says itself that it is the answer to
// another request than the one sent.
func answersOther(sent *http.Request, resp *http.Response) bool {
	r := resp.Request
	return r != nil && (r.Response != sent.Response || methodOf(r) != methodOf(sent))
}

// failedElsewhere reports whether err says itself that it is about another
// request than the one sent.
func failedElsewhere(sent *http.Request, err error) bool {
	for {
		e, ok := errors.AsType[*url.Error](err)
		if !ok {
			return false
		}
		u, bad := url.Parse(e.URL)
		if bad != nil || !strings.EqualFold(e.Op, methodOf(sent)) ||
			!sameOrigin(u, sent.URL) || u.EscapedPath() != sent.URL.EscapedPath() || u.RawQuery != sent.URL.RawQuery {
			return true
		}
		err = e.Err
	}
}

// methodOf is the method of req, which may be left empty.
func methodOf(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

// hopClient tells the hops of a request how it ended.
type hopClient struct{ HTTPClient }

// countHops has hc tell about its hops. The answers of an [http.Client] are
// counted at its transport. A client or a transport of another kind may have
// an HTTP client inside: there, they are counted where package net/http reads
// them.
func countHops(hc HTTPClient) HTTPClient {
	client, ok := hc.(*http.Client)
	if !ok {
		return hopClient{tracedClient{hc}}
	}
	counted := *client
	counted.Transport = hopTransport{client.Transport}
	if once, ok := client.Transport.(onceTransport); ok && !once.isPlain() {
		return hopClient{tracedClient{&counted}}
	}
	return hopClient{&counted}
}

func (c hopClient) Do(req *http.Request) (*http.Response, error) {
	resp, err := c.HTTPClient.Do(req)
	hopsOf(req).judge(req, resp, err)
	return resp, err
}

type tracedClient struct{ HTTPClient }

func (c tracedClient) Do(req *http.Request) (*http.Response, error) {
	return c.HTTPClient.Do(traceHops(req))
}

// traceHops has package net/http count the answers.
func traceHops(req *http.Request) *http.Request {
	h := hopsOf(req)
	return req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotFirstResponseByte: func() { h.traced.Add(1) },
	}))
}

// hopTransport counts the answers of the transport below.
type hopTransport struct{ base http.RoundTripper }

func (t hopTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	if err == nil {
		hopsOf(req).answers.Add(1)
	}
	return resp, err
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] through.
func (t hopTransport) CloseIdleConnections() { closeIdle(t.base) }

// hopTripper tells the hops of a request how it ended, under a [Transport]: a
// transport that is an HTTP client inside follows redirects.
type hopTripper struct{ base http.RoundTripper }

func (t hopTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	sent := req
	if once, ok := t.base.(onceTransport); !ok || !once.isPlain() {
		sent = traceHops(req)
	}
	resp, err := t.base.RoundTrip(sent)
	hopsOf(req).judge(req, resp, err)
	return resp, err
}

// CloseIdleConnections lets [Transport.CloseIdleConnections] through.
func (t hopTripper) CloseIdleConnections() { closeIdle(t.base) }

func closeIdle(base http.RoundTripper) {
	if closer, ok := base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// ofHop returns the end of a request that itself follows a redirect, as it is
// for the one that was redirected: nothing is proved of that.
func ofHop(req *http.Request, stop *retry.StopError) *retry.StopError {
	if req.Response == nil {
		return stop
	}
	out := *stop
	out.Attempts = make([]retry.Decision, len(stop.Attempts))
	for i, d := range stop.Attempts {
		d.NotActed = false
		out.Attempts[i] = d
	}
	return &out
}
