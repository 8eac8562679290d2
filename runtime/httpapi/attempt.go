package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// attempt makes one attempt and lets the policy's classifier judge its
// failure.
func (x *call) attempt(ctx context.Context, a retry.Attempt) *retry.Failure {
	ctx, hops := watchHops(ctx)
	f := x.try(ctx, a)
	if f == nil {
		return nil
	}
	hops.settle(f)
	judged := x.policy.Reclassify(*f)
	x.doubtful = x.doubtful || !judged.NotActed
	return &judged
}

// try sends the request once and reads the answer. Every answer that is not
// handed to the caller is closed when it returns, and nobody reads the body of
// the request any more; else both are so when the caller closes the answer.
func (x *call) try(ctx context.Context, a retry.Attempt) *retry.Failure {
	ctx, limit := limitAttempt(ctx, a.Deadline)
	used := x.client.skew.load()
	lent := &loan{body: x.request.body}
	req, err := x.newRequest(ctx, a, used, lent)
	if err != nil {
		limit.end()
		lent.end()
		f := x.op.profile.ClassifyError(limit.cause(err))
		f.NotActed, f.NotSent = true, true
		return &f
	}
	sent := time.Now()
	resp, err := x.client.http.Do(req)
	if err = theOne(resp, err); err != nil {
		f := x.op.profile.ClassifyError(limit.cause(x.withoutSecrets(err)))
		limit.end()
		lent.end()
		f.BodySpent = x.request.body.oneShot
		return &f
	}
	seen := used
	if x.mindsClock() {
		seen = x.client.skew.observe(resp.Header, sent, time.Now(), used)
	}
	f := x.receive(resp, limit, lent)
	if f != nil {
		f.BodySpent = x.request.body.oneShot
		x.op.profile.correctSkew(f, used, seen)
	}
	return f
}

// theOne makes an error of what is neither an answer nor an error, and closes
// an answer that came with one.
func theOne(resp *http.Response, err error) error {
	switch {
	case err == nil && resp == nil:
		return errors.New("httpapi: the HTTP client returned neither an answer nor an error")
	case err != nil && resp != nil && resp.Body != nil:
		_ = resp.Body.Close()
	}
	return err
}

// withoutSecrets keeps an API key that travels in the query out of err.
func (x *call) withoutSecrets(err error) error {
	e, ok := err.(*url.Error)
	if !ok {
		return err
	}
	return &url.Error{Op: e.Op, URL: x.url.Redacted(), Err: e.Err}
}

// mindsClock reports whether the server's time matters to the call.
func (x *call) mindsClock() bool {
	return x.client.signer != nil || len(x.op.profile.ClockSkew) > 0
}

// newRequest is the request of one attempt: a fresh body, the headers that
// tell attempts apart, credentials, and at last the signature.
func (x *call) newRequest(ctx context.Context, a retry.Attempt, skew time.Duration, lent *loan) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, x.op.method, "", nil)
	if err != nil {
		return nil, err
	}
	u := *x.url
	req.URL, req.Host = &u, u.Host
	req.Header = x.request.header.Clone()
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	if name := x.op.profile.AttemptHeader; name != "" {
		req.Header.Set(name, "attempt="+strconv.Itoa(a.Number)+"; max="+strconv.Itoa(a.Max))
	}
	if name := x.op.profile.DeadlineHeader; name != "" && !a.Deadline.IsZero() {
		req.Header.Set(name, strconv.FormatInt(max(time.Until(a.Deadline).Milliseconds(), 0), 10))
	}
	if x.invocation != "" {
		req.Header.Set(x.op.profile.InvocationHeader, x.invocation)
	}
	if err := x.client.authorize(ctx, req, x.op.security); err != nil {
		return nil, err
	}
	if err := lent.attach(req); err != nil {
		return nil, err
	}
	if x.client.signer == nil {
		return req, nil
	}
	if err := x.client.signer.Sign(ctx, req, time.Now().Add(skew)); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, fmt.Errorf("sign: %w", err)
	}
	return req, reopen(req)
}

// receive reads an answer. It returns nil if the operation succeeded.
func (x *call) receive(resp *http.Response, limit attemptLimit, lent *loan) *retry.Failure {
	switch {
	case resp.Body == nil:
		resp.Body = http.NoBody
	case resp.StatusCode == http.StatusSwitchingProtocols:
		_ = resp.Body.Close() // what follows is no HTTP
		resp.Body = http.NoBody
	}
	body := &answerBody{body: resp.Body, limit: limit, lent: lent}
	resp.Body = body
	if body.body != http.NoBody {
		uncompress(resp)
	}
	x.meta.Status, x.meta.Header, x.meta.RequestID = resp.StatusCode, resp.Header, requestID(resp.Header)
	if !isSuccess(resp.StatusCode) {
		defer body.finish()
		return x.refused(resp, body)
	}
	return x.succeeded(resp, body)
}

// succeeded decodes a successful answer.
func (x *call) succeeded(resp *http.Response, body *answerBody) *retry.Failure {
	if f := x.hiddenError(resp, body); f != nil {
		body.finish()
		return f
	}
	streamed, err := x.decode(resp)
	if err == nil && streamed {
		body.limit.extend(x.deadline)
		return nil
	}
	defer body.finish()
	switch {
	case err == nil:
		return nil
	case body.failure != nil:
		return x.brokenOff(resp, body.failure)
	}
	return &retry.Failure{Rule: "answer not understood", Err: x.decodeError(resp, err)}
}

func (x *call) decodeError(resp *http.Response, err error) *DecodeError {
	e := &DecodeError{Status: resp.StatusCode, Header: resp.Header, RequestID: x.meta.RequestID, Err: err}
	if seen, ok := errors.AsType[*answerError](err); ok {
		e.Body = slices.Clone(seen.data[:min(len(seen.data), maxErrorBody)])
	}
	return e
}

// hiddenError looks for an error document in a successful answer, if the
// profile says that there may be one.
func (x *call) hiddenError(resp *http.Response, body *answerBody) *retry.Failure {
	p := &x.op.profile
	if x.op.streams || !p.mayHideError(resp.Header) {
		return nil
	}
	data, err := peek(resp, maxErrorBody)
	if err != nil {
		return x.brokenOff(resp, err)
	}
	if !p.hidesError(resp.Header, data) {
		return nil
	}
	f := p.classify(resp, data, x.op.errors, x.sent())
	f.Err = x.answerError(resp, data, false, f.Code)
	return &f
}

// mayHideError reports whether a successful answer must be looked into.
func (p *Profile) mayHideError(h http.Header) bool {
	return p.ErrorWhen.Pointer != "" && mayBeJSON(h) || p.ErrorInSuccess && isXML(h)
}

// hidesError reports whether a successful answer carries an error document.
func (p *Profile) hidesError(h http.Header, body []byte) bool {
	return p.ErrorInSuccess && isXML(h) && p.errorInSuccess(body) != "" || mayBeJSON(h) && p.ErrorWhen.holds(body)
}

// mayBeJSON reports whether an answer says that it is JSON, or says nothing.
func mayBeJSON(h http.Header) bool {
	mediaType := h.Get("Content-Type")
	return mediaType == "" || isJSON(mediaType)
}

func isXML(h http.Header) bool { return strings.Contains(h.Get("Content-Type"), "xml") }

// refused reads an answer that says that the operation failed.
func (x *call) refused(resp *http.Response, body *answerBody) *retry.Failure {
	data, truncated, err := body.beginning(resp.Body)
	if err != nil {
		return x.brokenOff(resp, err)
	}
	f := x.op.profile.classify(resp, data, x.op.errors, x.sent())
	f.Err = x.answerError(resp, data, truncated, f.Code)
	return &f
}

// sent is what classification must know of the request.
func (x *call) sent() request {
	return request{keyed: x.op.key != nil, conditional: isConditional(x.op.method, x.request.header), doubtful: x.doubtful}
}

// brokenOff is the failure of an answer that could not be read to its end.
func (x *call) brokenOff(resp *http.Response, err error) *retry.Failure {
	f := x.op.profile.brokenOff(resp.StatusCode, err)
	return &f
}

// brokenOff describes an answer that could not be read to its end. It is
// transient, whatever the status, because the rest was never seen.
func (p Profile) brokenOff(status int, err error) retry.Failure {
	f := p.ClassifyError(fmt.Errorf("read the answer (status %d): %w", status, err))
	if f.Class == retry.Terminal && !errors.Is(err, context.Canceled) {
		f.Class, f.Rule = retry.Transient, "answer broke off"
	}
	f.NotActed = false
	return f
}

// answerError is the error of the specification that an answer stands for, or
// a [*ResponseError] if none is declared or the answer is not what it
// declares, as the page of a proxy.
func (x *call) answerError(resp *http.Response, body []byte, truncated bool, code string) error {
	base := ResponseError{
		Operation: x.name, Status: resp.StatusCode, Header: resp.Header, RequestID: x.meta.RequestID,
		Code: code, Message: errorMessage(body), Body: body, Truncated: truncated,
	}
	declared := matchCase(x.op.errors, code, resp.StatusCode)
	if declared == nil || declared.New == nil {
		return &base
	}
	err := declared.New()
	holder, ok := err.(interface{ responseError() *ResponseError })
	if !ok {
		return &base
	}
	if len(body) > 0 {
		if decodeError(body, resp.Header.Get("Content-Type"), err) != nil && declared.Code == "" {
			return &base
		}
	}
	*holder.responseError() = base
	return err
}
