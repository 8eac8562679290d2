package httpapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// DefaultMaxResponseBytes is how large an answer may be that is not streamed,
// unless [WithMaxResponseBytes] says otherwise: 64 MiB.
const DefaultMaxResponseBytes = 64 << 20

// HTTPClient sends requests. An [http.Client] is one; the repeats that its
// transport would make by itself are switched off. Any other is expected not
// to retry by itself.
type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}

// Option configures a client.
type Option interface{ applyClient(*config) }

// CallOption configures one call or, given to [NewClient], every call of the
// client. A call's options win.
type CallOption interface {
	Option
	applyCall(*callConfig)
}

// config collects the options of a client.
type config struct {
	call        callConfig
	httpClient  HTTPClient
	signer      Signer
	credentials map[string]Credential
	variables   map[string]string
	userAgent   string
	profile     Profile
	quotaScope  QuotaScope
	errs        []error
}

// callConfig collects what can be said of one call.
type callConfig struct {
	retry    []retry.Option
	header   map[string]string // canonical names
	key      string
	quotaKey string
	result   *Metadata
	maxBytes int64
	spool    *spoolLimits // nil: bodies are not kept
	poll     pollDelay
	page     *pageURL // where a page is, nil if the call is not one of Pages
	errs     []error
}

// with returns c with opts on top. The receiver is not changed.
func (c callConfig) with(opts []CallOption) callConfig {
	if len(opts) == 0 {
		return c
	}
	return c.apply(opts)
}

func (c callConfig) apply(opts []CallOption) callConfig {
	c.header = maps.Clone(c.header)
	c.retry = c.retry[:len(c.retry):len(c.retry)]
	for _, opt := range opts {
		if opt == nil {
			c.errs = append(c.errs, errors.New("httpapi: nil option"))
			continue
		}
		opt.applyCall(&c)
	}
	return c
}

type option func(*config)

func (o option) applyClient(c *config) { o(c) }

type callOption func(*callConfig)

func (o callOption) applyClient(c *config)   { o(&c.call) }
func (o callOption) applyCall(c *callConfig) { o(c) }

// WithHTTPClient sends the requests through hc. The default is a client on
// [http.DefaultTransport].
//
// An [http.Client] without a CheckRedirect follows up to ten redirects, except
// those that would make a POST a GET; one with a CheckRedirect decides itself.
// Either way signed requests are not redirected, and Authorization, cookies
// and the API keys that the definition declares do not leave the origin
// (scheme, host and port) of the call. Any other HTTPClient sees to that
// itself.
func WithHTTPClient(hc HTTPClient) Option {
	return option(func(c *config) {
		if hc == nil {
			c.errs = append(c.errs, errors.New("httpapi: WithHTTPClient: got nil"))
		}
		c.httpClient = hc
	})
}

// WithRetry changes the retry policy. Later options win, and those of a call
// win over those of its client. All calls of a client share one quota, unless
// [retry.WithQuota] names another.
func WithRetry(opts ...retry.Option) CallOption {
	return callOption(func(c *callConfig) { c.retry = append(c.retry, opts...) })
}

// WithHeader sends a header. A client's header gives way to a header
// parameter of the input and to an idempotency key, a call's header replaces
// it: one of the name of the operation's idempotency key is the key, and must
// not be empty.
func WithHeader(name, value string) CallOption {
	return callOption(func(c *callConfig) {
		if err := checkHeader(name, value); err != nil {
			c.errs = append(c.errs, err)
			return
		}
		if c.header == nil {
			c.header = make(map[string]string)
		}
		c.header[http.CanonicalHeaderKey(name)] = value
	})
}

// WithIdempotencyKey sends key as the idempotency key, instead of a new one
// or of the one in the input. It repeats an earlier call whose outcome is
// unknown; see [CallError.IdempotencyKey].
func WithIdempotencyKey(key string) CallOption {
	return callOption(func(c *callConfig) {
		if isBlank(key) {
			c.errs = append(c.errs, errors.New("httpapi: WithIdempotencyKey: got an empty key"))
		}
		c.key = key
	})
}

// WithResult has m filled at the end of the call, on success and on failure.
// It is meant for one call at a time.
func WithResult(m *Metadata) CallOption {
	return callOption(func(c *callConfig) { c.result = m })
}

// WithSigner signs the request of each attempt, after its credentials.
func WithSigner(s Signer) Option {
	return option(func(c *config) { c.signer = s })
}

// WithCredential sets the credential of a declared security scheme.
func WithCredential(scheme string, credential Credential) Option {
	return option(func(c *config) {
		if credential == nil {
			c.errs = append(c.errs, fmt.Errorf("httpapi: WithCredential: scheme %q: got nil", scheme))
		}
		if c.credentials == nil {
			c.credentials = make(map[string]Credential)
		}
		c.credentials[scheme] = credential
	})
}

// WithServerVariable fills a place of the declared server's URL.
func WithServerVariable(name, value string) Option {
	return option(func(c *config) {
		if c.variables == nil {
			c.variables = make(map[string]string)
		}
		c.variables[name] = value
	})
}

// WithUserAgent replaces the User-Agent, "retrygen/1 service/version".
func WithUserAgent(agent string) Option {
	return option(func(c *config) {
		if err := checkHeader("User-Agent", agent); err != nil {
			c.errs = append(c.errs, err)
		}
		c.userAgent = agent
	})
}

// WithMaxResponseBytes limits the size of an answer that is not streamed. The
// default is [DefaultMaxResponseBytes].
func WithMaxResponseBytes(n int64) CallOption {
	return callOption(func(c *callConfig) {
		if n <= 0 {
			c.errs = append(c.errs, fmt.Errorf("httpapi: WithMaxResponseBytes: got %d, want more than 0", n))
		}
		c.maxBytes = n
	})
}

// WithPollDelay replaces the waits of a waiter between polls: first is the
// shortest and the first, most the longest. It says nothing of other calls.
func WithPollDelay(first, most time.Duration) CallOption {
	return callOption(func(c *callConfig) {
		if first <= 0 || most < first {
			c.errs = append(c.errs, fmt.Errorf("httpapi: WithPollDelay: got %s and %s, want 0 < first <= most", first, most))
		}
		c.poll = pollDelay{first, most}
	})
}

// pollDelay bounds the waits between polls. Zero: as the waiter says.
type pollDelay struct{ first, most time.Duration }

// WithProfile lays p over the service's profile; see [Profile.Over]. Its mode
// and attempts give way to the environment; what [WithRetry] says does not.
func WithProfile(p Profile) Option {
	return option(func(c *config) { c.profile = p.Over(c.profile) })
}

// checkHeader reports a header that must not be sent.
func checkHeader(name, value string) error {
	switch {
	case !isToken(name):
		return fmt.Errorf("httpapi: header name %q: want a token", name)
	case strings.ContainsAny(value, "\r\n\x00"):
		return fmt.Errorf("httpapi: header %s: got a value with a line break", name)
	}
	return nil
}

// isToken reports whether s is a token of RFC 9110, 5.6.2.
func isToken(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}
