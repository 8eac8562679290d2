package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// reservedHeaders are the request headers that have a meaning of their own or
// that something else sets: a value that the runtime puts there would be lost,
// or would break the request.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Cookie", "Expect", "Host", "If-Match", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "User-Agent",
}

func isReserved(name string) bool {
	return slices.Contains(reservedHeaders, http.CanonicalHeaderKey(name))
}

// ownHeaders are the request headers that a profile has set on each attempt.
func (p *Profile) ownHeaders() []namedHeader {
	return []namedHeader{
		{"AttemptHeader", p.AttemptHeader}, {"InvocationHeader", p.InvocationHeader}, {"DeadlineHeader", p.DeadlineHeader},
	}
}

type namedHeader struct{ field, name string }

// ownHeaders reports names that are taken.
func (c *profileCheck) ownHeaders(p *Profile) {
	headers := p.ownHeaders()
	for i, h := range headers {
		if h.name == "" {
			continue
		}
		c.header(h.field, h.name)
		if isReserved(h.name) || slices.Contains(keyHeaders[:], http.CanonicalHeaderKey(h.name)) {
			c.errorf("%s: got %s, which has a meaning of its own", h.field, h.name)
		}
		for _, other := range headers[:i] {
			if strings.EqualFold(other.name, h.name) {
				c.errorf("%s: got %s, which is the %s too", h.field, h.name, other.field)
			}
		}
	}
}

// checkHeaders reports headers of a profile that carry API keys.
func (c *Client) checkHeaders(p *Profile) error {
	var errs []error
	for _, h := range p.ownHeaders() {
		if scheme := c.service.keyScheme(h.name); scheme != "" {
			errs = append(errs, fmt.Errorf("httpapi: profile %q: %s: got %s, which carries the API key of the scheme %q", p.Name, h.field, h.name, scheme))
		}
	}
	return errors.Join(errs...)
}

// keyScheme returns the security scheme whose API key travels in a header.
func (s *Service) keyScheme(header string) string {
	for _, name := range sortedKeys(s.Schemes) {
		if scheme := s.Schemes[name]; header != "" && scheme.Kind == APIKeyHeader && strings.EqualFold(scheme.Name, header) {
			return name
		}
	}
	return ""
}

// checkKeyHeader reports an idempotency key whose header something else sets:
// it would not arrive, and the operation would be repeated all the same.
func checkKeyHeader(key *IdempotencyKey, s *Service, p *Profile, constant map[string]string) error {
	if key == nil || key.Header == "" {
		return nil
	}
	taken := ""
	switch scheme := s.keyScheme(key.Header); {
	case !isToken(key.Header):
		return fmt.Errorf("idempotency key: got %q, want the name of a header", key.Header)
	case isReserved(key.Header):
		taken = "has a meaning of its own"
	case scheme != "":
		taken = fmt.Sprintf("carries the API key of the scheme %q", scheme)
	}
	for _, h := range p.ownHeaders() {
		if strings.EqualFold(h.name, key.Header) {
			taken = "is the " + h.field + " of the profile"
		}
	}
	for name := range constant {
		if strings.EqualFold(name, key.Header) {
			taken = "is the same on every request"
		}
	}
	if taken != "" {
		return fmt.Errorf("idempotency key: the header %s %s", key.Header, taken)
	}
	return nil
}

// takeKey takes the idempotency key from the options of a call. A header of
// its name is the key, too.
func (c *callConfig) takeKey(key *IdempotencyKey) error {
	if key == nil {
		if c.key != "" {
			return errors.New("httpapi: WithIdempotencyKey: the operation has no idempotency key")
		}
		return nil
	}
	if key.Header == "" {
		return nil
	}
	value, set := c.header[http.CanonicalHeaderKey(key.Header)]
	switch {
	case !set:
	case isBlank(value):
		return fmt.Errorf("httpapi: WithHeader: %s: got an empty idempotency key", key.Header)
	case c.key != "" && c.key != value:
		return fmt.Errorf("httpapi: WithHeader: %s: got another idempotency key than WithIdempotencyKey", key.Header)
	default:
		c.key = value
	}
	return nil
}
