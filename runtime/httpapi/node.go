package httpapi

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// node is a value on its way to text: a scalar, a list, or an object whose
// items have names.
type node struct {
	kind  nodeKind
	text  string // of a list or an object, its JSON
	items []node
	names []string
}

type nodeKind uint8

const (
	absentNode nodeKind = iota
	scalarNode
	listNode
	objectNode
)

var (
	marshalerTo   = reflect.TypeFor[json.MarshalerTo]()
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	textAppender  = reflect.TypeFor[encoding.TextAppender]()

	unmarshalerFrom = reflect.TypeFor[json.UnmarshalerFrom]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// isPlain reports whether values of t, or what t points to, are scalars that
// are written as Go writes them, without a method of the type.
func isPlain(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	default:
		return false
	}
	pointer := reflect.PointerTo(t)
	for _, method := range []reflect.Type{marshalerTo, marshaler, textMarshaler, textAppender} {
		if pointer.Implements(method) {
			return false
		}
	}
	return true
}

// isAbsent reports whether v is a value that is not sent.
func isAbsent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Invalid:
		return !v.IsValid() || v.IsNil()
	case reflect.Struct:
		n, ok := v.Interface().(interface{ isAbsent() bool })
		return ok && n.isAbsent()
	}
	return false
}

// plainText writes a scalar that isPlain.
func plainText(v reflect.Value) (string, error) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case reflect.Float32, reflect.Float64:
		text := strconv.FormatFloat(v.Float(), 'f', -1, v.Type().Bits())
		if last := text[len(text)-1]; last == 'N' || last == 'f' {
			return "", fmt.Errorf("number %s cannot be sent", text)
		}
		return text, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), nil
	}
	return strconv.FormatInt(v.Int(), 10), nil
}

// nodeOf returns the node of any value: what its JSON says. A null is an
// empty scalar, a nil pointer, slice or map is absent.
func nodeOf(v reflect.Value) (node, error) {
	if isAbsent(v) {
		return node{}, nil
	}
	if isPlain(v.Type()) {
		text, err := plainText(v)
		return node{kind: scalarNode, text: text}, err
	}
	data, err := marshalJSON(v.Interface())
	if err != nil {
		return node{}, err
	}
	return parseNode(data)
}

// parseNode reads one JSON document.
func parseNode(data []byte) (node, error) {
	r := nodeReader{data, jsontext.NewDecoder(bytes.NewReader(data), readOptions)}
	return r.read()
}

type nodeReader struct {
	data []byte
	dec  *jsontext.Decoder
}

func (r nodeReader) read() (node, error) {
	start := r.dec.InputOffset()
	token, err := r.dec.ReadToken()
	if err != nil {
		return node{}, err
	}
	n := node{kind: scalarNode}
	switch token.Kind() {
	case jsontext.KindNull:
	case jsontext.KindNumber:
		n.text = decimal(token.String())
	case jsontext.KindBeginArray:
		n.kind = listNode
		err = r.readItems(&n, jsontext.KindEndArray)
		n.text = r.since(start)
	case jsontext.KindBeginObject:
		n.kind = objectNode
		err = r.readItems(&n, jsontext.KindEndObject)
		n.text = r.since(start)
	default:
		n.text = token.String()
	}
	return n, err
}

// readItems reads the items of a list or an object, and its end.
func (r nodeReader) readItems(n *node, end jsontext.Kind) error {
	for r.dec.PeekKind() != end {
		if n.kind == objectNode {
			name, err := r.dec.ReadToken()
			if err != nil {
				return err
			}
			n.names = append(n.names, name.String())
		}
		item, err := r.read()
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.dec.ReadToken()
	return err
}

// since returns the JSON from an offset at which a list or object begins.
func (r nodeReader) since(start int64) string {
	return strings.TrimLeft(string(r.data[start:r.dec.InputOffset()]), ",: \t\r\n")
}

// maxShift bounds the zeros that decimal writes; float64 ends at 1e308.
const maxShift = 400

// decimal writes a JSON number without an exponent, digit for digit. A number
// that is too large for that is left as it is, one that is too small is 0.
func decimal(number string) string {
	at := strings.IndexAny(number, "eE")
	if at < 0 {
		return number
	}
	shift, err := strconv.Atoi(number[at+1:])
	if err != nil || shift > maxShift {
		return number
	}
	if shift < -maxShift {
		return "0"
	}
	mantissa, negative := strings.CutPrefix(number[:at], "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, point := whole+fraction, len(whole)+shift
	if point < 1 {
		digits, point = strings.Repeat("0", 1-point)+digits, 1
	}
	if missing := point - len(digits); missing > 0 {
		digits += strings.Repeat("0", missing)
	}
	whole, fraction = strings.TrimLeft(digits[:point-1], "0")+digits[point-1:point], strings.TrimRight(digits[point:], "0")
	if negative {
		whole = "-" + whole
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// errNested is the error for what the styles do not define.
var errNested = errors.New("a value in a list or an object is itself a list or an object; " +
	"only style deepObject and content can send it")

// textOf returns the text of a scalar.
func (n node) textOf() (string, error) {
	if n.kind != scalarNode {
		return "", errNested
	}
	return n.text, nil
}

// isEmpty reports a list or object without items, which RFC 6570, 2.3 calls
// undefined.
func (n node) isEmpty() bool {
	return n.kind == absentNode || n.kind != scalarNode && len(n.items) == 0
}
