package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Credential gives the secret of a security scheme. It is asked on every
// attempt, so that a token which expires between attempts is renewed, and
// must be safe for concurrent use.
//
// The secret of a basic scheme is "user:password".
type Credential interface {
	Credential(ctx context.Context) (string, error)
}

// Token is a fixed secret: a bearer token or an API key.
func Token(secret string) Credential {
	return TokenFunc(func(context.Context) (string, error) { return secret, nil })
}

// TokenFunc asks f for the secret on every attempt. An error that marks itself
// as transient ([retry.MarkTransient]) is retried.
func TokenFunc(f func(context.Context) (string, error)) Credential { return tokenFunc(f) }

type tokenFunc func(context.Context) (string, error)

func (f tokenFunc) Credential(ctx context.Context) (string, error) { return f(ctx) }

// UserPassword is the secret of a basic scheme (RFC 7617).
func UserPassword(user, password string) Credential { return Token(user + ":" + password) }

// authorize applies the first of op's security alternatives whose schemes all
// have credentials. An alternative without schemes is the last resort: a
// credential that the caller configured is used where it can be. If none is
// satisfied the request goes out as it is.
func (c *Client) authorize(ctx context.Context, req *http.Request, alternatives [][]string) error {
	for _, schemes := range alternatives {
		if len(schemes) > 0 && c.hasCredentials(schemes) {
			return c.applyAll(ctx, req, schemes)
		}
	}
	return nil
}

func (c *Client) hasCredentials(schemes []string) bool {
	for _, name := range schemes {
		if c.credentials[name] == nil {
			return false
		}
	}
	return true
}

func (c *Client) applyAll(ctx context.Context, req *http.Request, schemes []string) error {
	for _, name := range schemes {
		secret, err := c.credentials[name].Credential(ctx)
		if err == nil {
			err = c.service.Schemes[name].apply(req, secret)
		}
		if err != nil {
			return fmt.Errorf("credential %s: %w", name, err)
		}
	}
	return nil
}

// apply puts the secret where the scheme wants it.
func (s Scheme) apply(req *http.Request, secret string) error {
	if strings.ContainsAny(secret, "\r\n\x00") {
		return errors.New("the secret contains a line break")
	}
	switch s.Kind {
	case Bearer:
		req.Header.Set("Authorization", "Bearer "+secret)
	case Basic:
		req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(secret)))
	case APIKeyHeader:
		req.Header.Set(s.Name, secret)
	case APIKeyQuery:
		if req.URL.RawQuery != "" {
			req.URL.RawQuery += "&"
		}
		req.URL.RawQuery += url.QueryEscape(s.Name) + "=" + url.QueryEscape(secret)
	case APIKeyCookie:
		if err := checkCookie(secret); err != nil {
			return err
		}
		req.AddCookie(&http.Cookie{Name: s.Name, Value: secret})
	default:
		return fmt.Errorf("scheme kind %d is unknown", s.Kind)
	}
	return nil
}
