package load

import (
	"github.com/go-json-experiment/json/jsontext"
)

// encode returns n as JSON.
func encode(n *Node) []byte { return appendNode(nil, n) }

func appendNode(b []byte, n *Node) []byte {
	switch n.Kind {
	case Null:
		return append(b, "null"...)
	case Bool, Number:
		return append(b, n.Text...)
	case String:
		return appendString(b, n.Text)
	case List:
		b = append(b, '[')
		for i, v := range n.Values {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNode(b, v)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, k := range n.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, k.Name), ": "...)
		b = appendNode(b, n.Values[i])
	}
	return append(b, '}')
}

// appendString appends s quoted. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}
