package httpapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// parseEndpoint checks a base URL.
func parseEndpoint(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return nil, fmt.Errorf("httpapi: endpoint: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("httpapi: endpoint %q: want a URL that begins with http:// or https://", endpoint)
	case u.Host == "":
		return nil, fmt.Errorf("httpapi: endpoint %q: want a URL with a host", endpoint)
	case u.Fragment != "":
		return nil, fmt.Errorf("httpapi: endpoint %q: want a URL without a fragment", endpoint)
	}
	return u, nil
}

// firstServer is the URL of the default server, its places filled.
func firstServer(servers []Server, variables map[string]string) (*url.URL, error) {
	if len(servers) == 0 {
		return nil, errors.New("httpapi: the definition declares no server: want an endpoint")
	}
	expanded, err := servers[0].expand(variables)
	if err != nil {
		return nil, err
	}
	return parseEndpoint(expanded)
}

// expand fills the places of the URL, from variables or from the defaults.
func (s Server) expand(variables map[string]string) (string, error) {
	expanded := s.URL
	for _, v := range s.Variables {
		value, given := variables[v.Name]
		if !given {
			value = v.Default
		}
		if given && len(v.Enum) > 0 && !slices.Contains(v.Enum, value) {
			return "", fmt.Errorf("httpapi: server variable %s: got %q, want one of %s", v.Name, value, strings.Join(v.Enum, ", "))
		}
		expanded = strings.ReplaceAll(expanded, "{"+v.Name+"}", value)
	}
	return expanded, nil
}

// checkVariables reports the variables that no server has.
func checkVariables(servers []Server, variables map[string]string) []error {
	var errs []error
	for _, name := range sortedKeys(variables) {
		has := func(v ServerVariable) bool { return v.Name == name }
		if !slices.ContainsFunc(servers, func(s Server) bool { return slices.ContainsFunc(s.Variables, has) }) {
			errs = append(errs, fmt.Errorf("httpapi: WithServerVariable: the server has no variable %q", name))
		}
	}
	return errs
}

// resolve is the URL of a request under base: path and query are escaped.
func resolve(base *url.URL, path, query string) (*url.URL, error) {
	u := *base
	escaped := strings.TrimSuffix(base.EscapedPath(), "/") + path
	unescaped, err := url.PathUnescape(escaped)
	if err != nil {
		return nil, fmt.Errorf("httpapi: path %q: %w", escaped, err)
	}
	u.Path, u.RawPath = unescaped, ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
	switch {
	case base.RawQuery == "":
		u.RawQuery = query
	case query != "":
		u.RawQuery = base.RawQuery + "&" + query
	}
	return &u, nil
}
