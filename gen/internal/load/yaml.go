package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v4"
)

// yamlParser turns YAML nodes into nodes.
type yamlParser struct {
	*parser
	done    map[*yaml.Node]*Node // what anchors name
	open    map[*yaml.Node]bool  // collections being read, to find cycles
	written int                  // nodes in the file
	extent  map[*Node]extent     // of what anchors name
}

// extent is how large a value is with its aliases expanded.
type extent struct{ size, height int }

// include makes e an extent that has o inside. The size saturates.
func (e *extent) include(o extent) {
	e.size = min(e.size, math.MaxInt-o.size) + o.size
	e.height = max(e.height, o.height+1)
}

// yaml parses data as YAML. It returns nil, with an error, if data is not
// YAML or its aliases expand without measure.
func (p *parser) yaml(data []byte) *Node {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		p.yamlError(err)
		return nil
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return &Node{Line: 1, Column: 1}
	}
	y := &yamlParser{parser: p, done: map[*yaml.Node]*Node{}, open: map[*yaml.Node]bool{}, extent: map[*Node]extent{}}
	root, all := y.node(doc.Content[0], 0)
	if all.size-y.written > maxExpansion {
		p.diags.Errorf(p.at(0, 0), "", "YAML aliases expand to more than %d values", maxExpansion)
		return nil
	}
	return root
}

func (p *parser) yamlError(err error) {
	at, message := p.at(0, 0), strings.TrimPrefix(err.Error(), "yaml: ")
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		at, message = p.at(e.Mark.Line, e.Mark.Column), e.Message
	}
	p.diags.Errorf(at, "", "not YAML: %s", message)
}

// node returns y's form of n and its extent.
func (y *yamlParser) node(n *yaml.Node, depth int) (*Node, extent) {
	if n.Kind == yaml.AliasNode {
		return y.alias(n, depth)
	}
	y.written++
	out, ext := &Node{Line: n.Line, Column: n.Column}, extent{size: 1}
	if y.tooDeep(depth, n.Line, n.Column) {
		return out, ext
	}
	switch n.Kind {
	case yaml.ScalarNode:
		y.scalar(n, out)
	case yaml.SequenceNode:
		y.open[n] = true
		ext = y.list(n, out, depth)
	case yaml.MappingNode:
		y.open[n] = true
		ext = y.mapping(n, out, depth)
	}
	delete(y.open, n)
	if n.Anchor != "" {
		y.done[n], y.extent[out] = out, ext
	}
	return out, ext
}

func (y *yamlParser) alias(n *yaml.Node, depth int) (*Node, extent) {
	out, ok := y.done[n.Alias]
	if ok && !y.tooDeep(depth+y.extent[out].height, n.Line, n.Column) {
		return out, y.extent[out]
	}
	if !ok {
		y.diags.Errorf(y.at(n.Line, n.Column), "", "the alias *%s stands for a value that contains it", n.Value)
	}
	return &Node{Line: n.Line, Column: n.Column}, extent{size: 1}
}

func (y *yamlParser) list(n *yaml.Node, out *Node, depth int) extent {
	out.Kind = List
	ext := extent{size: 1}
	for _, c := range n.Content {
		v, e := y.node(c, depth+1)
		out.Values = append(out.Values, v)
		ext.include(e)
	}
	return ext
}

func (y *yamlParser) mapping(n *yaml.Node, out *Node, depth int) extent {
	out.Kind = Map
	ext := extent{size: 1}
	var merges []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name, _ := y.node(key, depth+1)
		v, e := y.node(n.Content[i+1], depth+1)
		ext.include(e)
		switch {
		case key.ShortTag() == "!!merge":
			merges = append(merges, v)
		case name.Kind == List || name.Kind == Map:
			y.diags.Errorf(y.at(key.Line, key.Column), "", "a key must be a string")
		default:
			out.Keys = append(out.Keys, Key{keyName(key), key.Line, key.Column})
			out.Values = append(out.Values, v)
		}
	}
	y.unique(out)
	for _, m := range merges {
		y.merge(out, m)
	}
	return ext
}

// keyName is a scalar key as it is written: 200 and '200' are the same key.
func keyName(n *yaml.Node) string {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Value
}

// merge adds what from has and out has not.
func (y *yamlParser) merge(out, from *Node) {
	switch from.Kind {
	case List:
		for _, v := range from.Values {
			y.merge(out, v)
		}
	case Map:
		has := make(map[string]bool, len(out.Keys))
		for _, k := range out.Keys {
			has[k.Name] = true
		}
		for i, k := range from.Keys {
			if !has[k.Name] {
				out.Keys, out.Values = append(out.Keys, k), append(out.Values, from.Values[i])
			}
		}
	default:
		y.diags.Errorf(y.at(from.Line, from.Column), "", "<< merges a %s, want an object", from.Kind)
	}
}

// scalar fills out from the scalar n. What JSON has no form for (dates,
// infinity) stays the text that was written.
func (y *yamlParser) scalar(n *yaml.Node, out *Node) {
	out.Kind, out.Text = String, n.Value
	switch n.ShortTag() {
	case "!!null":
		out.Kind = Null
	case "!!bool":
		out.Kind, out.Text = Bool, strings.ToLower(n.Value)
	case "!!int", "!!float":
		if literal, ok := literal(n); ok {
			out.Kind, out.Text = Number, literal
		}
	}
}

// literal returns the JSON literal of a YAML number.
func literal(n *yaml.Node) (string, bool) {
	if json.Valid([]byte(n.Value)) {
		return n.Value, true
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return "", false
	}
	switch v := v.(type) {
	case int, int64, uint64:
		return fmt.Sprint(v), true
	case float64:
		text, err := json.Marshal(v)
		return string(text), err == nil
	}
	return "", false
}
