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
	switch token.Kind() {
	case '{', '[':
		next := dec.PeekKind()
		return c.Equals == "" && next != '}' && next != ']'
	case 'n':
		return false
	case 'f':
		return c.Equals == "false"
	}
	return c.Equals == "" && token.String() != "" || c.Equals != "" && token.String() == c.Equals
}
