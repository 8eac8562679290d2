package load

import (
	"strconv"
	"strings"
)

// Kind is the JSON kind of a [Node].
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

var kindNames = [...]string{"null", "boolean", "number", "string", "list", "object"}

// String returns the kind's name, as messages say it.
func (k Kind) String() string { return kindNames[k] }

// Node is a value of a YAML or JSON file and its place. YAML aliases are
// shared nodes, merge keys are merged, keys are strings. A nil node is an
// absent value: its methods find nothing.
type Node struct {
	Kind Kind
	// Text is a scalar's text; of a Number the JSON literal.
	Text string
	// Line and Column are where the value begins, from 1.
	Line, Column int
	// Keys are the names of a Map in the order of the file.
	Keys []Key
	// Values are those of Keys, or the elements of a List.
	Values []*Node

	index map[string]int // of Keys, made when a large Map is first searched
}

// Key is the name of a member and its place.
type Key struct {
	Name         string
	Line, Column int
}

// indexed is how many keys make a map worth an index.
const indexed = 16

// find returns the place of name among the keys, -1 if it is not there.
func (n *Node) find(name string) int {
	if n == nil || n.Kind != Map {
		return -1
	}
	if len(n.Keys) < indexed {
		for i, k := range n.Keys {
			if k.Name == name {
				return i
			}
		}
		return -1
	}
	if n.index == nil {
		n.index = make(map[string]int, len(n.Keys))
		for i, k := range n.Keys {
			n.index[k.Name] = i
		}
	}
	if i, ok := n.index[name]; ok {
		return i
	}
	return -1
}

// Get returns the member of that name; nil if there is none.
func (n *Node) Get(name string) *Node {
	if i := n.find(name); i >= 0 {
		return n.Values[i]
	}
	return nil
}

// Str returns the text of the member of that name if it is a string.
func (n *Node) Str(name string) string {
	if v := n.Get(name); v != nil && v.Kind == String {
		return v.Text
	}
	return ""
}

// Names returns the names of a Map.
func (n *Node) Names() []string {
	if n == nil {
		return nil
	}
	names := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		names[i] = k.Name
	}
	return names
}

// Ref returns the text of $ref, "" if the node is no reference.
func (n *Node) Ref() string { return n.Str("$ref") }

// Value returns the node as encoding/json would decode it, numbers as
// float64 or, if they are integers, as int64.
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return number(n.Text)
	case String:
		return n.Text
	case List:
		list := make([]any, len(n.Values))
		for i, v := range n.Values {
			list[i] = v.Value()
		}
		return list
	case Map:
		m := make(map[string]any, len(n.Keys))
		for i, k := range n.Keys {
			m[k.Name] = n.Values[i].Value()
		}
		return m
	}
	return nil
}

func number(literal string) any {
	if i, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return i
	}
	f, _ := strconv.ParseFloat(literal, 64)
	return f
}

// child returns the value that a token of a JSON pointer leads to, and the
// place to name for it: that of its key, or of the element.
func (n *Node) child(token string) (*Node, Key) {
	if i := n.find(token); i >= 0 {
		return n.Values[i], n.Keys[i]
	}
	if n != nil && n.Kind == List {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Values) && strconv.Itoa(i) == token {
			v := n.Values[i]
			return v, Key{token, v.Line, v.Column}
		}
	}
	return nil, Key{}
}

var (
	escapes   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapes = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer returns the JSON pointer (RFC 6901) of the tokens.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString("/")
		b.WriteString(escapes.Replace(t))
	}
	return b.String()
}

// Tokens splits a JSON pointer.
func Tokens(pointer string) []string {
	if pointer == "" || pointer == "/" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, t := range tokens {
		tokens[i] = unescapes.Replace(t)
	}
	return tokens
}
