package load

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// encoder writes nodes as JSON, in their bundled form.
type encoder struct {
	*bundle
	out  []byte
	open map[*Node]bool // references being written as their target
}

// maxEncoded is how large a definition may become with its YAML aliases and
// inlined references written out, in bytes.
const maxEncoded = 2 * maxFileSize

func (b *bundle) encode(n *Node) ([]byte, error) {
	e := encoder{bundle: b, open: map[*Node]bool{}}
	e.node(n)
	if len(e.out) > maxEncoded {
		return nil, fmt.Errorf("aliases and references expand to more than %d MiB", maxEncoded>>20)
	}
	return e.out, nil
}

func (e *encoder) node(n *Node) {
	if len(e.out) > maxEncoded {
		return
	}
	switch n.Kind {
	case Null:
		e.out = append(e.out, "null"...)
	case Bool, Number:
		e.out = append(e.out, n.Text...)
	case String:
		text, ok := e.text[n]
		if !ok {
			text = n.Text
		}
		e.string(text)
	case List:
		e.out = append(e.out, '[')
		for i, v := range n.Values {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.node(v)
		}
		e.out = append(e.out, ']')
	case Map:
		e.object(n)
	}
}

func (e *encoder) object(n *Node) {
	if target, ok := e.inlined[n]; ok && !e.open[n] {
		e.open[n] = true
		e.node(target)
		delete(e.open, n)
		return
	}
	e.out = append(e.out, '{')
	for i, k := range n.Keys {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.string(k.Name)
		e.out = append(e.out, ": "...)
		e.node(n.Values[i])
	}
	e.out = append(e.out, '}')
}

// string writes s quoted. Invalid UTF-8 becomes U+FFFD.
func (e *encoder) string(s string) { e.out, _ = jsontext.AppendQuote(e.out, s) }
