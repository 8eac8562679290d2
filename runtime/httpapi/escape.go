package httpapi

import "strings"

// escaper appends s to dst in a form that its place in the request allows.
type escaper func(dst []byte, s string) []byte

const (
	unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" // RFC 3986, 2.3
	hexDigits  = "0123456789ABCDEF"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func newByteSet(s string) *byteSet {
	set := new(byteSet)
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

// What stays as it is with allowReserved. Of the reserved characters of RFC
// 3986, 2.2, these are percent-encoded all the same, because they would end
// the parameter: in a query "#[]", which it may not contain, "&" and ";",
// which separate parameters, and "+", which means a space; in a path "?#[]".
var (
	unreservedSet    = newByteSet(unreserved)
	reservedQuerySet = newByteSet(unreserved + ":/?@!$'()*,=")
	reservedPathSet  = newByteSet(unreserved + ":/@!$&'()*+,;=")
)

// escapeAll percent-encodes all that is not unreserved.
func escapeAll(dst []byte, s string) []byte { return appendEscaped(dst, s, unreservedSet, false) }

// escapeReserved returns the escaper of allowReserved, the reserved expansion
// of RFC 6570, 3.2.3: percent-encoded triples stay, too.
func escapeReserved(set *byteSet) escaper {
	return func(dst []byte, s string) []byte { return appendEscaped(dst, s, set, true) }
}

// escapeNothing is for headers: RFC 9110 knows no percent-encoding.
func escapeNothing(dst []byte, s string) []byte { return append(dst, s...) }

func appendEscaped(dst []byte, s string, keep *byteSet, triples bool) []byte {
	for i := range len(s) {
		c := s[i]
		if keep[c] || triples && isTriple(s[i:]) {
			dst = append(dst, c)
			continue
		}
		dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}

// isTriple reports whether s begins with "%" and two hexadecimal digits.
func isTriple(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool { return strings.IndexByte("0123456789ABCDEFabcdef", c) >= 0 }
