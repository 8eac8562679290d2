package retrytest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A Step answers one request. The zero value answers 200 without a body.
type Step struct {
	name  string
	delay time.Duration
	play  func(*http.Request) (*http.Response, error)
	cut   *cut
}

// cut says where a response body breaks off, and how.
type cut struct {
	after int
	err   error
}

// Respond answers with status, header (nil for none) and body. The header is
// copied for each answer; Content-Length is that of body.
func Respond(status int, header http.Header, body string) Step {
	return Step{
		name: strconv.Itoa(status),
		play: func(req *http.Request) (*http.Response, error) {
			return response(req, status, header, body), nil
		},
	}
}

// JSON is a shorthand for [Respond] with a JSON body.
func JSON(status int, body string) Step {
	return Respond(status, http.Header{"Content-Type": {"application/json"}}, body)
}

// Fail gives no response: the exchange ends with err. The failures of this
// package, such as [ConnectionReset], have the shapes that net/http returns;
// an [net/http.Client] wraps them in a *url.Error, as always.
func Fail(err error) Step {
	return Step{
		name: fmt.Sprintf("failure %q", err),
		play: func(*http.Request) (*http.Response, error) { return nil, err },
	}
}

// Func answers with what f returns. The body of req has been read already; f
// may read it again.
func Func(f func(req *http.Request) (*http.Response, error)) Step {
	return Step{name: "function", play: f}
}

// Delay returns s with d of waiting before the answer. The wait ends early
// with the request's context; the exchange then fails with the context's cause.
func (s Step) Delay(d time.Duration) Step {
	s.delay = d
	return s
}

// CutBody returns s with a response body that fails with err after n bytes,
// or at its end if it is shorter.
func (s Step) CutBody(n int, err error) Step {
	s.cut = &cut{after: n, err: err}
	return s
}

// String names the step in reports: its status, failure or "function".
func (s Step) String() string {
	if s.name == "" {
		return "200"
	}
	return s.name
}

// RoundTrip plays the step once, without a transport's bookkeeping: for
// transports that choose their answers by the request.
func (s Step) RoundTrip(req *http.Request) (*http.Response, error) {
	sent, err := readBody(req)
	if err != nil {
		return nil, err
	}
	resp, err := s.answer(req, sent)
	if resp != nil {
		resp.Body = s.body(req.Context(), resp.Body, func() {})
	}
	return resp, err
}

// body is a response's body with its end cut off.
func (s Step) body(ctx context.Context, whole io.ReadCloser, closed func()) io.ReadCloser {
	src := io.Reader(whole)
	if s.cut != nil {
		src = io.MultiReader(io.LimitReader(whole, int64(s.cut.after)), failing{s.cut.err})
	}
	return &watchedBody{ctx: ctx, src: src, closer: whole, closed: closed}
}

// answer plays the step for req, whose body is sent already.
func (s Step) answer(req *http.Request, sent []byte) (*http.Response, error) {
	if err := pause(req.Context(), s.delay); err != nil {
		return nil, err
	}
	if s.play == nil {
		return response(req, http.StatusOK, nil, ""), nil
	}
	again := req.Clone(req.Context())
	again.Body = io.NopCloser(bytes.NewReader(sent))
	resp, err := s.play(again)
	if resp != nil && resp.Body == nil {
		resp.Body = http.NoBody
	}
	return resp, err
}

func response(req *http.Request, status int, header http.Header, body string) *http.Response {
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader([]byte(body))),
		ContentLength: int64(len(body)),
		Request:       req,
	}
}

// pause waits for d, or for the end of ctx and returns its cause.
func pause(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
