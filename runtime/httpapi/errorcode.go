package httpapi

import (
	"bytes"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// errorCode returns the service's error code: the first source that has one.
func (p *Profile) errorCode(h http.Header, body []byte) string {
	for _, source := range p.ErrorCode {
		if code := source.find(h, body); code != "" {
			return code
		}
	}
	return ""
}

// errorInSuccess returns the code of an XML error document.
func (p *Profile) errorInSuccess(body []byte) string {
	if !p.ErrorInSuccess {
		return ""
	}
	for _, source := range p.ErrorCode {
		if source.XML == "" {
			continue
		}
		if code := source.find(nil, body); code != "" {
			return code
		}
	}
	return ""
}

func (s CodeSource) find(h http.Header, body []byte) string {
	var value string
	switch {
	case s.Header != "":
		value = h.Get(s.Header)
	case s.Pointer != "":
		value = jsonText(body, s.Pointer, s.Format == PlainCode)
	case s.XML != "":
		value = xmlText(body, s.XML)
	}
	return s.Format.cut(strings.TrimSpace(value))
}

// cut takes the code out of a value.
func (f CodeFormat) cut(value string) string {
	switch f {
	case ShapeCode:
		value, _, _ = strings.Cut(value, ":")
		if _, name, found := strings.Cut(value, "#"); found {
			value = name
		}
	case FirstFieldCode:
		value, _, _ = strings.Cut(value, ";")
	}
	return strings.TrimSpace(value)
}

// messagePlaces is where services put the text for people; JSON pointers
// first, XML element names after them.
var messagePlaces = struct{ pointers, xml []string }{
	pointers: []string{"/message", "/Message", "/error/message", "/detail", "/error_description", "/title", "/error"},
	xml:      []string{"Error/Message", "ErrorResponse/Error/Message"},
}

// errorMessage returns the text for people of an error document, "" if it
// has none in the usual places.
func errorMessage(body []byte) string {
	switch body = bytes.TrimLeft(body, " \t\r\n"); {
	case len(body) == 0:
	case body[0] == '{':
		for _, pointer := range messagePlaces.pointers {
			if text := jsonText(body, pointer, false); text != "" {
				return text
			}
		}
	case body[0] == '<':
		for _, path := range messagePlaces.xml {
			if text := xmlText(body, path); text != "" {
				return text
			}
		}
	}
	return ""
}

// jsonText returns the string at a JSON pointer of a document, or the text of
// the number if numbers are wanted; "" if there is none. What follows the
// value is not read, so that a document which was cut off still serves.
func jsonText(doc []byte, pointer string, numbers bool) string {
	dec := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for token := range jsontext.Pointer(pointer).Tokens() {
		if !enter(dec, token) {
			return ""
		}
	}
	switch dec.PeekKind() {
	case '"':
	case '0':
		if !numbers {
			return ""
		}
	default:
		return ""
	}
	value, err := dec.ReadToken()
	if err != nil {
		return ""
	}
	text, number := value.String(), value.Kind() == '0'
	if number && dec.PeekKind() == 0 {
		return "" // the rest of the number may be missing
	}
	return text
}

// enter moves dec to the member or element that token names in the next value.
func enter(dec *jsontext.Decoder, token string) bool {
	open, err := dec.ReadToken()
	if err != nil {
		return false
	}
	switch open.Kind() {
	case '{':
		return enterMember(dec, token)
	case '[':
		return enterElement(dec, token)
	}
	return false
}

func enterMember(dec *jsontext.Decoder, name string) bool {
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if token.String() == name {
			return true
		}
		if dec.SkipValue() != nil {
			return false
		}
	}
	return false
}

func enterElement(dec *jsontext.Decoder, index string) bool {
	n, err := strconv.ParseUint(index, 10, 31)
	if err != nil {
		return false
	}
	for ; n > 0; n-- {
		if dec.SkipValue() != nil {
			return false
		}
	}
	return dec.PeekKind() != ']' && dec.PeekKind() != 0
}

// maxXMLDepth and maxXMLTokens bound the search of an XML error document.
const (
	maxXMLDepth  = 32
	maxXMLTokens = 4096
)

// xmlText returns the text of the first element whose names from the root are
// path, "" if there is none. Namespaces do not matter.
func xmlText(doc []byte, path string) string {
	dec := xml.NewDecoder(bytes.NewReader(doc))
	dec.Strict = false
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	want := strings.Split(path, "/")
	var at []string
	for range maxXMLTokens {
		token, err := dec.RawToken()
		if err != nil {
			return ""
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(at) == 0 && token.Name.Local != want[0] || len(at) == maxXMLDepth {
				return ""
			}
			at = append(at, token.Name.Local)
			if slices.Equal(at, want) {
				return elementText(dec)
			}
		case xml.EndElement:
			if len(at) == 0 {
				return ""
			}
			at = at[:len(at)-1]
		}
	}
	return ""
}

// elementText reads the text up to the next tag.
func elementText(dec *xml.Decoder) string {
	var text []byte
	for range maxXMLTokens {
		switch token, _ := dec.RawToken(); token := token.(type) {
		case xml.CharData:
			text = append(text, token...)
		case xml.Comment:
		default:
			return string(text)
		}
	}
	return string(text)
}
