package httpapi

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// trip is one request on its way through a [Transport].
type trip struct {
	transport  *Transport
	req        *http.Request
	sent       request
	begun      bool // the request's own body was handed on
	invocation string
	deadline   time.Time      // of the policy's total timeout; zero: none
	resp       *http.Response // the latest answer, nil if the last attempt had none
}

// attempt sends the request once.
func (x *trip) attempt(ctx context.Context, a retry.Attempt) *retry.Failure {
	ctx, hops := watchHops(ctx)
	f := x.try(ctx, a)
	if f == nil {
		return nil
	}
	hops.settle(f)
	judged := x.transport.policy.Reclassify(*f)
	judged.BodySpent = hasBody(x.req) && x.req.GetBody == nil
	x.sent.doubtful = x.sent.doubtful || !judged.NotActed
	return &judged
}

func (x *trip) try(ctx context.Context, a retry.Attempt) *retry.Failure {
	ctx, limit := limitAttempt(ctx, a.Deadline)
	req, err := x.request(ctx, a)
	if err != nil {
		limit.end()
		return &retry.Failure{Err: err, Rule: "request body", NotActed: true, NotSent: true}
	}
	x.discard() // not before there is a request in its place
	resp, err := x.transport.base.RoundTrip(req)
	if err = theOne(resp, err); err != nil {
		f := x.transport.client.profile.ClassifyError(limit.cause(err))
		limit.end()
		return &f
	}
	resp.Request = x.req
	x.resp = resp
	return x.receive(limit, a.Deadline)
}

func hasBody(req *http.Request) bool { return req.Body != nil && req.Body != http.NoBody }

// request is the request of one attempt: a copy, with a fresh body and the
// headers that tell attempts apart.
func (x *trip) request(ctx context.Context, a retry.Attempt) (*http.Request, error) {
	req := x.req.Clone(ctx)
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	if hasBody(x.req) {
		body, err := x.req.Body, error(nil)
		if x.begun {
			body, err = x.req.GetBody()
		}
		if req.Body, err = guarded(body, err); err != nil {
			return nil, err
		}
	}
	x.begun = true
	p := &x.transport.client.profile
	if p.AttemptHeader != "" {
		req.Header.Set(p.AttemptHeader, "attempt="+strconv.Itoa(a.Number)+"; max="+strconv.Itoa(a.Max))
	}
	if x.invocation != "" && req.Header.Get(p.InvocationHeader) == "" {
		req.Header.Set(p.InvocationHeader, x.invocation)
	}
	if p.DeadlineHeader != "" && !a.Deadline.IsZero() {
		req.Header.Set(p.DeadlineHeader, strconv.FormatInt(max(time.Until(a.Deadline).Milliseconds(), 0), 10))
	}
	return req, nil
}

// receive judges the answer of the attempt that ends at deadline. It returns
// nil for a success, whose body is left unread.
func (x *trip) receive(limit attemptLimit, deadline time.Time) *retry.Failure {
	resp, p := x.resp, &x.transport.client.profile
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	if resp.StatusCode == http.StatusSwitchingProtocols || resp.StatusCode < 400 && !p.mayHideError(resp.Header) {
		x.hand(limit)
		return nil
	}
	limit.extend(x.deadline) // what was not looked at stays readable
	if limit.ctx == nil {
		deadline = time.Time{} // the caller's own, which ends the reading
	}
	data, whole, err := x.look(deadline)
	if resp.StatusCode < 400 && err == nil && !p.hidesError(resp.Header, data) {
		x.hand(limit)
		return nil
	}
	f := x.judge(data, !whole, limit.cause(err))
	if whole && err == nil {
		limit.end()
		return &f
	}
	x.hand(limit)
	return &f
}

// judge describes a failed answer, of which data is the beginning and err how
// reading it failed. If time was up, the status of a refusal decides.
func (x *trip) judge(data []byte, truncated bool, err error) retry.Failure {
	resp, p := x.resp, &x.transport.client.profile
	if err != nil && (resp.StatusCode < 400 || err != errAttemptTimeout) {
		return p.brokenOff(resp.StatusCode, err)
	}
	f := p.classify(resp, data, nil, x.sent)
	f.Err = &ResponseError{
		Operation: x.req.Method, Status: resp.StatusCode, Header: resp.Header, RequestID: requestID(resp.Header),
		Code: f.Code, Message: errorMessage(data), Body: data, Truncated: truncated || err != nil,
	}
	return f
}

// look reads the beginning of the answer and puts it back, until the attempt's
// deadline, if any, and for [maxErrorTime] at most. An answer that is read to
// its end, or that broke off, is closed: whole is true.
func (x *trip) look(deadline time.Time) (data []byte, whole bool, err error) {
	limit := maxErrorTime
	if !deadline.IsZero() {
		limit = min(limit, time.Until(deadline))
	}
	body := readAhead(x.resp.Body, maxErrorBody+1, limit)
	x.resp.Body = body
	data, err = body.seen()
	if len(data) > maxErrorBody || err == nil {
		return data[:min(len(data), maxErrorBody)], false, nil
	}
	_ = body.Close()
	x.resp.Body = io.NopCloser(body)
	if err == io.EOF {
		err = nil
	}
	return data, true, err
}

// hand leaves the answer to the caller: the attempt's timeout is over, the
// total timeout goes on until the body is closed. The body of a switched
// protocol is left as it is, because it can be written to.
func (x *trip) hand(limit attemptLimit) {
	limit.extend(x.deadline)
	if limit.ctx != nil && x.resp.StatusCode != http.StatusSwitchingProtocols {
		x.resp.Body = &answerBody{body: x.resp.Body, limit: limit}
	}
}

// discard drains and closes the answer that is being retried.
func (x *trip) discard() {
	if x.resp != nil {
		(&answerBody{body: x.resp.Body}).finish()
		x.resp = nil
	}
}

// end is what RoundTrip returns.
func (x *trip) end(history []retry.Decision, stop *retry.StopError) (*http.Response, error) {
	if !x.begun && x.req.Body != nil {
		_ = x.req.Body.Close() // no attempt did
	}
	x.tell(history)
	if stop == nil {
		return x.resp, nil
	}
	if x.resp != nil && x.req.Context().Err() == nil {
		return x.resp, nil
	}
	x.discard()
	return nil, ofHop(x.req, stop)
}

// tell fills in what [ContextWithResult] asked for.
func (x *trip) tell(history []retry.Decision) {
	m, ok := x.req.Context().Value(resultKey{}).(*Metadata)
	if !ok || m == nil {
		return
	}
	*m = Metadata{Attempts: history, IdempotencyKey: cmp.Or(x.req.Header.Get(keyHeaders[0]), x.req.Header.Get(keyHeaders[1]))}
	if x.resp != nil {
		m.Status, m.Header, m.RequestID = x.resp.StatusCode, x.resp.Header, requestID(x.resp.Header)
	}
}
