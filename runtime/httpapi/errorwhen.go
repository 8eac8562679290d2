package httpapi

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// holds reports whether the condition is met by a JSON document, of which the
// beginning may be all there is.
func (c BodyCondition) holds(doc []byte) bool {
	if c.Pointer == "" {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(doc), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for token := range jsontext.Pointer(c.Pointer).Tokens() {
		if !enter(dec, token) {
			return false
		}
	}
	token, err := dec.ReadToken()
	if err != nil {
		return false
	}
	text := token.String() // before the decoder goes on
	switch token.Kind() {
	case '{', '[':
		next := dec.PeekKind()
		return c.Equals == "" && next != '}' && next != ']' && next != 0
	case 'n':
		return false
	case '0':
		if dec.PeekKind() == 0 { // the rest of the number may be missing
			return false
		}
	case 'f':
		return c.Equals == "false"
	}
	return c.Equals == "" && text != "" || c.Equals != "" && text == c.Equals
}
