package annotate

import (
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
)

// annotation is one extension of ours, or a part of it, where it stands.
type annotation struct {
	object load.Object // the value
	key    string      // x-retry, x-retry.quota, …
}

// find returns the extension of that name on o or, if o is a reference, on
// what it refers to; the nearest wins.
// One that is of no use counts as absent.
func (r *reader) find(o load.Object, name string) (annotation, bool) {
	for _, on := range r.doc.Follow(o) {
		if value, ok := on.Child(name); ok && !r.bad[value.Node] {
			return annotation{value, name}, true
		}
	}
	return annotation{}, false
}

// get returns the part of a under a key.
func (a annotation) get(key string) (annotation, bool) {
	value, ok := a.object.Child(key)
	if !ok {
		return annotation{}, false
	}
	return annotation{value, a.key + "." + key}, true
}

// list returns the elements of a, or of the part of it under key.
func (a annotation) list(key string) []annotation {
	a, ok := a.get(key)
	if !ok {
		return nil
	}
	return a.elements()
}

func (a annotation) elements() []annotation {
	if a.object.Node.Kind != load.List {
		return nil
	}
	var out []annotation
	for i := range a.object.Node.Values {
		e, _ := a.object.Child(strconv.Itoa(i))
		out = append(out, annotation{e, a.key + "[" + strconv.Itoa(i) + "]"})
	}
	return out
}

// down returns the part of a that the tokens of a JSON pointer lead to, as far
// as it is there.
func (a annotation) down(tokens []string) annotation {
	for _, token := range tokens {
		next, ok := a.object.Child(token)
		if !ok {
			break
		}
		if a.object.Node.Kind == load.List {
			token = "[" + token + "]"
		} else {
			token = "." + token
		}
		a = annotation{next, a.key + token}
	}
	return a
}

func (a annotation) text() string { return a.object.Node.Text }

func (a annotation) str(key string) string { return a.object.Node.Str(key) }

func (a annotation) position() diag.Position { return a.object.Key }

// describe shows a value in a message.
func describe(n *load.Node) string {
	switch n.Kind {
	case load.String:
		return strconv.Quote(n.Text)
	case load.Number, load.Bool:
		return n.Text
	case load.Null:
		return "null"
	case load.List:
		return "a list"
	}
	return "an object"
}

// oneOf lists alternatives: "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
