package httpapi

import (
	"errors"
	"strings"
)

// errCookie says that a text cannot be sent in a cookie as it is. net/http
// would leave out what does not fit, or put it in quotes. The text may be a
// secret and stays unsaid.
var errCookie = errors.New(`got a character that a cookie cannot carry (RFC 6265, 4.1.1): want visible ASCII without ", comma, ; and \`)

// checkCookie reports a value that is not made of cookie-octets (RFC 6265,
// 4.1.1).
func checkCookie(value string) error {
	for i := range len(value) {
		if c := value[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`",;\`, c) >= 0 {
			return errCookie
		}
	}
	return nil
}

// checkCookies reports names and values in n that the style cookie, which
// escapes nothing, cannot send.
func (n node) checkCookies() error {
	if n.kind == scalarNode {
		return checkCookie(n.text)
	}
	for i, item := range n.items {
		if n.kind == objectNode && !isToken(n.names[i]) {
			return errCookie
		}
		if err := item.checkCookies(); err != nil {
			return err
		}
	}
	return nil
}
