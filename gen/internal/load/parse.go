package load

import (
	"bytes"
	"path"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

const (
	// maxFileSize is the largest file that is read, in bytes.
	maxFileSize = 64 << 20
	// maxDepth is how deep values may nest.
	maxDepth = 500
	// maxExpansion is how many values YAML aliases may add to those that are
	// written.
	maxExpansion = 1_000_000
)

// parser turns one file into nodes and collects what is wrong with it.
type parser struct {
	file  string // name in positions
	diags diag.List
	deep  bool // maxDepth was reported
}

// parse returns the content of a YAML or JSON file; nil if it is neither. A
// file that begins like JSON is read as JSON, unless only YAML can read it.
func parse(file string, data []byte) (*Node, diag.List) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	named := strings.EqualFold(path.Ext(file), ".json")
	if start := bytes.TrimLeft(data, " \t\r\n"); named || len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		p := parser{file: file}
		root := p.json(data)
		if root != nil || named {
			return root, p.diags
		}
	}
	p := parser{file: file}
	root := p.yaml(data)
	return root, p.diags
}

func (p *parser) at(line, column int) diag.Position {
	return diag.Position{File: p.file, Line: line, Column: column}
}

// tooDeep reports values that nest too deeply, once.
func (p *parser) tooDeep(depth, line, column int) bool {
	if depth <= maxDepth {
		return false
	}
	if !p.deep {
		p.diags.Errorf(p.at(line, column), "", "values nest more than %d deep", maxDepth)
		p.deep = true
	}
	return true
}

// unique reports keys of n that come twice, and drops the later ones.
func (p *parser) unique(n *Node) {
	seen := make(map[string]Key, len(n.Keys))
	keys, values := n.Keys[:0], n.Values[:0]
	for i, k := range n.Keys {
		first, ok := seen[k.Name]
		if ok {
			p.diags.Errorf(p.at(k.Line, k.Column), "", "key %q is there twice, first at %d:%d", k.Name, first.Line, first.Column)
			continue
		}
		seen[k.Name] = k
		keys, values = append(keys, k), append(values, n.Values[i])
	}
	n.Keys, n.Values = keys, values
}
