package httpapi

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"
)

// latin1 are the names of character sets whose bytes are the first 256 code
// points, or half of them (IANA, "Character Sets").
var latin1 = map[string]bool{
	"iso-8859-1": true, "iso_8859-1": true, "iso8859-1": true, "latin1": true, "l1": true,
	"us-ascii": true, "ascii": true,
}

// charsetOf returns the charset of the first media type that has one, in lower
// case; utf-8 if none has.
func charsetOf(mediaTypes ...string) string {
	for _, mediaType := range mediaTypes {
		_, params, err := mime.ParseMediaType(mediaType)
		if charset := params["charset"]; err == nil && charset != "" {
			return strings.ToLower(charset)
		}
	}
	return "utf-8"
}

// fromCharset returns text that was received in a charset.
func fromCharset(charset string, data []byte) (string, error) {
	switch {
	case charset == "utf-8" || charset == "utf8":
		return string(data), nil
	case !latin1[charset]:
		return "", charsetError(charset)
	}
	text := make([]byte, 0, len(data)+8)
	for _, c := range data {
		text = utf8.AppendRune(text, rune(c))
	}
	return string(text), nil
}

// toCharset is the reverse of fromCharset.
func toCharset(charset, text string) ([]byte, error) {
	switch {
	case charset == "utf-8" || charset == "utf8":
		return []byte(text), nil
	case !latin1[charset]:
		return nil, charsetError(charset)
	}
	last := rune(0xff)
	if strings.HasSuffix(charset, "ascii") {
		last = 0x7f
	}
	data := make([]byte, 0, len(text))
	for _, r := range text {
		if r > last {
			return nil, fmt.Errorf("the text has %q, which charset %s has not", r, charset)
		}
		data = append(data, byte(r))
	}
	return data, nil
}

func charsetError(charset string) error {
	return fmt.Errorf("charset %q is not supported, want utf-8, iso-8859-1 or us-ascii", charset)
}
