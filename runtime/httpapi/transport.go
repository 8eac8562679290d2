package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Transport is an [http.RoundTripper] that retries as calls of package httpapi
// do: it gives any [http.Client], also one inside another generator's client,
// the classification, backoff, quota and deadlines of a profile. Make one with
// [NewTransport]. It is safe for concurrent use.
//
// What RoundTrip returns is what users of net/http expect. An answer is
// returned with a nil error whatever its status, also the last one when
// retrying is given up; its body can be read from its beginning. Without an
// answer, or when the request's context has ended, the error is a
// [*retry.StopError], which unwraps to the last failure. The answers before
// the last are read (up to 256 KiB) and closed. [ContextWithResult] tells
// about the attempts in either case.
//
// In mode [retry.Adaptive] each host (and port) has a rate limiter of its own,
// up to 1024 of them, unless a [retry.WithLimiter] names one for all.
//
// A request is repeated after a failure that leaves its outcome open only if
// its method is idempotent (RFC 9110, 9.2.2), it has an Idempotency-Key or
// X-Idempotency-Key header, or it is a PATCH whose If-Match names one version,
// as a strong entity tag. As in net/http, a key that is set to an empty list
// declares the request idempotent and is not sent; an empty value is no key. A
// request whose body cannot be had again, because its GetBody is nil,
// is sent once: [http.NewRequest] sets GetBody for bytes and strings.
//
// Answers with a status below 400 count as successes, unless the profile finds
// an error document in them. An attempt timeout ends at the headers of a
// success, the total timeout at the end of its body. Of other answers, and of
// those in which the profile looks for errors, up to 64 KiB of the body are read
// before RoundTrip returns, for 5 seconds and within the attempt timeout at
// most. What comes later is left to the caller; the status decides.
//
// If the body cannot be had again after all, because GetBody fails, the answer
// before is returned, if there was one.
type Transport struct {
	client *Client // its profile, policy and quotas
	policy *retry.Policy
	base   http.RoundTripper
}

// NewTransport returns a transport that sends its attempts through base; nil
// means [http.DefaultTransport]. What base would repeat by itself on a dead
// connection is switched off, so that attempts are what is on the wire.
//
// Of the options, those about retrying apply: [WithProfile], [WithRetry],
// [WithQuotaScope] (not by operation), [WithQuotaKey]. The profile is [HTTP1]
// unless another is given; it is laid over it unless it has a name. Other
// options are errors.
func NewTransport(base http.RoundTripper, opts ...Option) (*Transport, error) {
	var cfg config
	for _, opt := range opts {
		if opt == nil {
			cfg.errs = append(cfg.errs, errors.New("httpapi: nil option"))
			continue
		}
		opt.applyClient(&cfg)
	}
	service := &Service{Name: "transport"}
	if cfg.profile.Name != "" {
		service.Profile, cfg.profile = cfg.profile, Profile{}
	}
	c := &Client{service: service, defaults: cfg.call, quotas: quotas{scope: cfg.quotaScope}}
	errs := append(append(cfg.errs, cfg.call.errs...), cfg.checkTransport()...)
	if err := errors.Join(append(errs, c.setPolicy(cfg.profile))...); err != nil {
		return nil, err
	}
	policy, err := c.policy(&c.profile)
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return &Transport{client: c, policy: policy, base: hopTripper{onceTransport{base}}}, nil
}

// checkTransport reports the options that say nothing about retrying.
func (c *config) checkTransport() []error {
	var errs []error
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"WithHTTPClient", c.httpClient != nil},
		{"WithSigner", c.signer != nil},
		{"WithCredential", c.credentials != nil},
		{"WithServerVariable", c.variables != nil},
		{"WithUserAgent", c.userAgent != ""},
		{"WithHeader", c.call.header != nil},
		{"WithIdempotencyKey", c.call.key != ""},
		{"WithResult", c.call.result != nil},
		{"WithMaxResponseBytes", c.call.maxBytes != 0},
		{"WithSpool", c.call.spool != nil},
		{"WithPollDelay", c.call.poll != pollDelay{}},
		{"WithQuotaScope(QuotaPerOperation)", c.quotaScope == QuotaPerOperation},
	} {
		if o.set {
			errs = append(errs, fmt.Errorf("httpapi: %s: a transport has no use for it", o.name))
		}
	}
	return errs
}

// Quota returns the retry quota that requests draw on: with "" the
// transport's own, else that of a host or key, as [WithQuotaScope] says.
func (t *Transport) Quota(key string) *retry.Quota { return t.client.Quota(key) }

// Limiter returns the rate limiter that requests to a host wait for in mode
// [retry.Adaptive], as [Client.Limiter] does for a partition.
func (t *Transport) Limiter(host string) *retry.Limiter { return t.client.Limiter(host) }

// limiter is the rate limiter of a request to host, nil for the policy's.
func (t *Transport) limiter(host string) *retry.Limiter {
	if t.policy.Settings().Mode != retry.Adaptive {
		return nil
	}
	return t.client.Limiter(host)
}

// RetrySettings returns the effective retry settings and where each came from.
func (t *Transport) RetrySettings() []Setting { return t.client.RetrySettings() }

// CloseIdleConnections closes those of the transport below, if it can.
func (t *Transport) CloseIdleConnections() { closeIdle(t.base) }

// resultKey is the context's key of a *Metadata to fill.
type resultKey struct{}

// ContextWithResult has m filled when a [Transport] ends a request with that
// context, on success and on failure: with status, headers and attempts. It
// is meant for one request at a time. Where an [http.Client] follows
// redirects, each is a request; the last one counts.
func ContextWithResult(ctx context.Context, m *Metadata) context.Context {
	return context.WithValue(ctx, resultKey{}, m)
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.check(req); err != nil {
		return nil, err
	}
	x := trip{transport: t, req: req}
	x.sent = request{keyed: isKeyed(req.Header), conditional: isConditional(req.Method, req.Header)}
	if total := t.policy.Settings().TotalTimeout; total > 0 {
		x.deadline = time.Now().Add(total)
	}
	if t.client.profile.InvocationHeader != "" {
		x.invocation = newUUID()
	}
	method := req.Method
	if method == "" {
		method = http.MethodGet
	}
	history, stop := retry.Run(req.Context(), t.policy, retry.CallOptions{
		Unsafe:  !idempotentMethods[method] && !x.sent.keyed && !isGuarded(method, req.Header),
		Service: req.URL.Host, Operation: method,
		Quota:   t.client.scopedQuota(req.Context(), req.URL.Host, method, ""),
		Limiter: t.limiter(req.URL.Host),
	}, x.attempt)
	return x.end(history, stop)
}

// check reports what keeps a request from being sent at all, and closes its
// body then.
func (t *Transport) check(req *http.Request) error {
	var missing string
	switch {
	case req == nil:
		return errors.New("httpapi: nil request")
	case t == nil || t.client == nil:
		missing = "a Transport that NewTransport did not make"
	case req.URL == nil:
		missing = "a request with a nil URL"
	default:
		return nil
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return errors.New("httpapi: got " + missing)
}

// keyHeaders are the headers that net/http takes for idempotency keys.
var keyHeaders = [...]string{"Idempotency-Key", "X-Idempotency-Key"}

// isKeyed reports whether one of them has a key, or is set to an empty list.
func isKeyed(h http.Header) bool {
	for _, name := range keyHeaders {
		if keys, ok := h[name]; ok && (len(keys) == 0 || !isBlank(keys[0])) {
			return true
		}
	}
	return false
}

// isBlank reports whether a header's value is sent as an empty one.
func isBlank(value string) bool { return strings.Trim(value, " \t") == "" }
