package httpapi

import (
	"net/http"
	"strings"
)

// maxRedirects is how many redirects are followed where the HTTP client does
// not say it, as [http.Client] does.
const maxRedirects = 10

// redirects decides which redirects are followed, and with which headers.
// What it does not follow is an answer like others.
type redirects struct {
	signed    bool     // requests are signed
	secrets   []string // headers that stay with the origin
	queryKeys bool     // a URL may hold a secret
	// own is the CheckRedirect of the HTTP client, nil if it has none.
	own func(req *http.Request, via []*http.Request) error
}

// secretHeaders are the headers that carry credentials whatever the service
// declares.
var secretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie"}

// guardRedirects returns hc with the redirects of the client, if it follows
// any itself.
func (c *Client) guardRedirects(hc HTTPClient) HTTPClient {
	client, ok := hc.(*http.Client)
	if !ok {
		return hc
	}
	r := redirects{signed: c.signer != nil, secrets: secretHeaders, own: client.CheckRedirect}
	r.secrets = r.secrets[:len(r.secrets):len(r.secrets)]
	for _, scheme := range c.service.Schemes {
		switch scheme.Kind {
		case APIKeyHeader:
			r.secrets = append(r.secrets, scheme.Name)
		case APIKeyQuery:
			r.queryKeys = true
		}
	}
	guarded := *client
	guarded.CheckRedirect = r.check
	return &guarded
}

// check is the CheckRedirect of the HTTP client.
func (r redirects) check(req *http.Request, via []*http.Request) error {
	if r.signed {
		return http.ErrUseLastResponse // the signature is for the first URL
	}
	follow := followSame
	if r.own != nil {
		follow = r.own
	}
	if err := follow(req, via); err != nil {
		return err
	}
	r.strip(req, via)
	return nil
}

// followSame follows redirects, except those that turn a request into another
// one: 301 and 302 make a POST a GET.
func followSame(req *http.Request, via []*http.Request) error {
	sameMethod := req.Method == via[0].Method || req.Response.StatusCode == http.StatusSeeOther
	if len(via) >= maxRedirects || !sameMethod {
		return http.ErrUseLastResponse
	}
	return nil
}

// strip removes the credentials from a request that has left the origin
// (scheme, host and port) of the call, if only on the way, and from the
// Referer, which net/http makes of the last URL. net/http itself removes less:
// it knows no API keys, and takes subdomains and other ports for the same.
func (r redirects) strip(req *http.Request, via []*http.Request) {
	away := false
	for _, passed := range append(via[1:len(via):len(via)], req) {
		away = away || !sameOrigin(passed.URL, via[0].URL)
	}
	if away || r.queryKeys && strings.Contains(req.Header.Get("Referer"), "?") {
		req.Header.Del("Referer")
	}
	if !away {
		return
	}
	for _, name := range r.secrets {
		req.Header.Del(name)
	}
}
