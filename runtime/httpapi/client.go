package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Client holds what the calls of one client share: endpoint, transport,
// credentials, retry policy with its quota, and the observed clock skew. It is
// safe for concurrent use.
type Client struct {
	service       *Service
	base          *url.URL // of the endpoint or the first server
	explicit      bool     // the endpoint was given
	http          HTTPClient
	signer        Signer
	credentials   map[string]Credential
	variables     map[string]string
	agent         []string // the User-Agent header
	profile       Profile
	profileSource string  // of its name
	environment   []layer // under the options, over the profile, highest first
	defaults      callConfig
	quota         *retry.Quota   // shared by the policies of all operations
	limiter       *retry.Limiter // likewise
	partitions    partitions
	quotas        quotas // of narrower scopes
	skew          skew
	operations    sync.Map // *Operation[In, Out] → *prepared
}

// Signer signs the request of one attempt. at is the time to sign with,
// corrected for the observed clock skew. The body, if any, can be read from
// req.GetBody.
type Signer interface {
	Sign(ctx context.Context, req *http.Request, at time.Time) error
}

// NewClient returns a client of service at endpoint, a base URL; "" means the
// service's first declared server. An endpoint that is given replaces the
// servers of single operations as well. Errors name every bad option.
func NewClient(service *Service, endpoint string, opts ...Option) (*Client, error) {
	if service == nil {
		return nil, errors.New("httpapi: nil service")
	}
	var cfg config
	for _, opt := range opts {
		if opt == nil {
			cfg.errs = append(cfg.errs, errors.New("httpapi: nil option"))
			continue
		}
		opt.applyClient(&cfg)
	}
	c := &Client{
		service:     service,
		http:        cfg.httpClient,
		signer:      cfg.signer,
		credentials: cfg.credentials,
		variables:   cfg.variables,
		agent:       []string{cfg.userAgent},
		defaults:    cfg.call,
		quotas:      quotas{scope: cfg.quotaScope},
	}
	errs := append(cfg.errs, cfg.check(service)...)
	errs = append(errs, c.setEndpoint(endpoint), c.setPolicy(cfg.profile))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if c.http == nil {
		c.http = new(http.Client)
	}
	c.http = countHops(c.guardRedirects(sendOnce(c.http)))
	if cfg.userAgent == "" {
		c.agent[0] = fmt.Sprintf("retrygen/1 %s/%s", service.Name, service.Version)
	}
	return c, nil
}

// check reports the options that do not fit the service or a client.
func (c *config) check(service *Service) []error {
	errs := slices.Clone(c.call.errs)
	if c.call.key != "" {
		errs = append(errs, errors.New("httpapi: WithIdempotencyKey: got a client option, want an option of one call"))
	}
	if c.call.result != nil {
		errs = append(errs, errors.New("httpapi: WithResult: got a client option, want an option of one call"))
	}
	for _, name := range sortedKeys(c.credentials) {
		if _, ok := service.Schemes[name]; !ok {
			errs = append(errs, fmt.Errorf("httpapi: WithCredential: the service has no scheme %q", name))
		}
	}
	return append(errs, checkVariables(service.Servers, c.variables)...)
}

func (c *Client) setEndpoint(endpoint string) (err error) {
	if endpoint == "" {
		c.base, err = firstServer(c.service.Servers, c.variables)
		return err
	}
	c.explicit = true
	c.base, err = parseEndpoint(endpoint)
	return err
}

// setPolicy lays the profiles over each other, reads the environment, and
// checks the client's retry options on them.
func (c *Client) setPolicy(overlay Profile) (err error) {
	c.profile, c.profileSource = c.service.Profile.from(fromDefinition), fromDefinition
	if c.profile.Name == "" {
		c.profile, c.profileSource = c.profile.Over(HTTP1), fromDefault
	}
	if overlay.Name != "" {
		c.profileSource = fromProfile
	}
	c.profile = overlay.from(fromProfile).Over(c.profile)
	if c.environment, err = environment(&c.profile); err != nil {
		return err
	}
	own := retry.NewLimiter(time.Now())
	c.limiter = own
	policy, err := c.policy(&c.profile)
	if err != nil {
		return err
	}
	c.quota, c.limiter = policy.Quota(), policy.Limiter()
	c.partitions.off = c.limiter != own // an option brought one for all calls
	return nil
}

// policy is the client's policy under a profile. All of them share one quota
// and one rate limiter.
func (c *Client) policy(p *Profile) (*retry.Policy, error) {
	if err := errors.Join(p.check(), c.checkHeaders(p)); err != nil {
		return nil, err
	}
	opts := append(p.RetryOptions(), retry.WithQuota(c.quota), retry.WithLimiter(c.limiter))
	for _, l := range slices.Backward(c.environment) {
		opts = append(opts, retry.WithSettings(l.settings))
	}
	return retry.New(append(opts, c.defaults.retry...)...)
}
