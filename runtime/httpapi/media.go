package httpapi

import "strings"

// mediaKind groups the media types that are written in the same way.
type mediaKind uint8

const (
	otherMedia mediaKind = iota
	jsonMedia
	textMedia
	formMedia
	multipartMedia
	anyMedia // a range: "*/*", "image/*"
)

// baseType returns a media type without parameters, in lower case.
func baseType(mediaType string) string {
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// kindOf says how bodies of a media type are written.
func kindOf(mediaType string) mediaKind {
	base := baseType(mediaType)
	switch {
	case base == "" || strings.Contains(base, "*"):
		return anyMedia
	case base == "application/x-www-form-urlencoded":
		return formMedia
	case base == "multipart/form-data":
		return multipartMedia
	case isJSON(base):
		return jsonMedia
	case strings.HasPrefix(base, "text/"):
		return textMedia
	}
	return otherMedia
}

// isJSON reports whether a media type is JSON: application/json, text/json,
// a +json suffix (RFC 6839), or one of the AWS JSON protocols.
func isJSON(mediaType string) bool {
	base := baseType(mediaType)
	return base == "application/json" || base == "text/json" ||
		strings.HasSuffix(base, "+json") || strings.HasPrefix(base, "application/x-amz-json-")
}

// covers reports whether the declared media type, perhaps a range, includes
// the one that was received.
func covers(declared, received string) bool {
	declared, received = baseType(declared), baseType(received)
	if declared == "" || declared == "*/*" || declared == received {
		return true
	}
	prefix, isRange := strings.CutSuffix(declared, "*")
	return isRange && strings.HasPrefix(received, prefix)
}
