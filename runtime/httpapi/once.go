package httpapi

import (
	"io"
	"net/http"
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
	once := *client
	base := client.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	once.Transport = onceTransport{base}
	return &once
}

// onceTransport makes each request look unrepeatable to the transport below.
// Redirects are followed above it and still find the GetBody.
type onceTransport struct{ base http.RoundTripper }

func (t onceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	once := *req
	once.GetBody = nil
	if req.Body == nil || req.Body == http.NoBody {
		t.disguise(&once)
	}
	return t.base.RoundTrip(&once)
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] through.
func (t onceTransport) CloseIdleConnections() {
	if closer, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// disguise hides that a request without a body could be repeated. A method
// that usually has no body gets an empty one, which the transport finds empty
// and leaves out; another method would be sent in chunks then, so that its
// key is written in lower case instead, where the transport does not look.
func (t onceTransport) disguise(req *http.Request) {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "":
		req.Body = emptyBody{}
		return
	}
	if _, ok := t.base.(*http.Transport); !ok {
		return
	}
	if keys, ok := req.Header["Idempotency-Key"]; ok {
		req.Header = req.Header.Clone()
		delete(req.Header, "Idempotency-Key")
		req.Header["idempotency-key"] = keys
	}
}

type emptyBody struct{}

func (emptyBody) Read([]byte) (int, error) { return 0, io.EOF }
func (emptyBody) Close() error             { return nil }
