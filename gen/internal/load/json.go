package load

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonParser reads tokens and keeps count of lines.
type jsonParser struct {
	*parser
	data         []byte
	dec          *jsontext.Decoder
	offset       int // of line and column
	line, column int
}

// json parses data as one JSON value. It returns nil, with one error, if data
// is not JSON.
func (p *parser) json(data []byte) *Node {
	j := &jsonParser{
		parser: p, data: data, line: 1, column: 1,
		dec: jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true)),
	}
	root, err := j.value(0)
	if err != nil {
		j.fail(err)
		return nil
	}
	end := int(j.dec.InputOffset())
	rest := bytes.TrimLeft(data[end:], " \t\r\n")
	if len(rest) > 0 {
		j.report(len(data)-len(rest), "something follows the value")
		return nil
	}
	return root
}

func (j *jsonParser) fail(err error) {
	syntax, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		j.report(len(j.data), "the file ends too early")
	case ok:
		j.report(int(syntax.ByteOffset), strings.TrimPrefix(syntax.Err.Error(), "jsontext: "))
	default:
		j.report(int(j.dec.InputOffset()), strings.TrimPrefix(err.Error(), "jsontext: "))
	}
}

func (j *jsonParser) report(offset int, message string) {
	line, column := j.place(offset)
	j.diags.Errorf(j.at(line, column), "", "not JSON: %s", message)
}

// place returns line and column of an offset that is not before the last one
// asked for.
func (j *jsonParser) place(offset int) (line, column int) {
	if offset < j.offset { // only errors look back
		j.offset, j.line, j.column = 0, 1, 1
	}
	passed := j.data[j.offset:min(offset, len(j.data))]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		j.line += n
		j.column = 1
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	j.column += utf8.RuneCount(passed)
	j.offset = offset
	return j.line, j.column
}

func (j *jsonParser) value(depth int) (*Node, error) {
	switch j.dec.PeekKind() {
	case '{':
		return j.collection(Map, '}', depth)
	case '[':
		return j.collection(List, ']', depth)
	}
	return j.scalar()
}

var jsonKinds = map[jsontext.Kind]Kind{'n': Null, 't': Bool, 'f': Bool, '"': String, '0': Number}

func (j *jsonParser) scalar() (*Node, error) {
	raw, err := j.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: jsonKinds[raw.Kind()], Text: string(raw)}
	n.Line, n.Column = j.place(int(j.dec.InputOffset()) - len(raw))
	if n.Kind == String {
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, err
		}
		n.Text = string(text)
	}
	return n, nil
}

// collection reads an object or an array.
func (j *jsonParser) collection(kind Kind, end jsontext.Kind, depth int) (*Node, error) {
	if _, err := j.dec.ReadToken(); err != nil {
		return nil, err
	}
	n := &Node{Kind: kind}
	n.Line, n.Column = j.place(int(j.dec.InputOffset()) - 1)
	if j.tooDeep(depth, n.Line, n.Column) {
		return n, j.skip()
	}
	for j.dec.PeekKind() != end {
		if kind == Map {
			name, err := j.scalar()
			if err != nil {
				return nil, err
			}
			n.Keys = append(n.Keys, Key{name.Text, name.Line, name.Column})
		}
		v, err := j.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.Values = append(n.Values, v)
	}
	if _, err := j.dec.ReadToken(); err != nil {
		return nil, err
	}
	if kind == Map {
		j.unique(n)
	}
	return n, nil
}

// skip reads to the end of the collection that was just opened.
func (j *jsonParser) skip() error {
	for depth := j.dec.StackDepth(); j.dec.StackDepth() >= depth; {
		if _, err := j.dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}
