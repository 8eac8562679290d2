package httpapi

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// styleRule is how a style writes, in the terms of RFC 6570, appendix A:
// first precedes the whole, sep stands between exploded items and join
// between the others, named values carry the parameter's name, and empty
// follows a name without a value.
type styleRule struct {
	first, sep, join, empty string
	named                   bool
}

// styleRules are the styles of the OpenAPI Specification 3.1.1, "Style
// Values". Query parameters are joined by "&" outside of their style.
var styleRules = map[string]styleRule{
	"simple":         {sep: ",", join: ",", empty: "="},
	"label":          {first: ".", sep: ".", join: ",", empty: "="},
	"matrix":         {first: ";", sep: ";", join: ",", named: true},
	"form":           {sep: "&", join: ",", empty: "=", named: true},
	"spaceDelimited": {sep: "&", join: "%20", empty: "=", named: true},
	"pipeDelimited":  {sep: "&", join: "%7C", empty: "=", named: true},
	"cookie":         {sep: "; ", join: ",", empty: "=", named: true},
}

// escapers are how names and values are escaped.
type escapers struct{ name, value escaper }

// escapers chooses how p is escaped.
func (p *param) escapers() escapers {
	switch {
	case p.in == inHeader || p.style == "cookie":
		return escapers{escapeNothing, escapeNothing}
	case p.reserved && p.in == inPath:
		return escapers{escapeAll, escapeReserved(reservedPathSet)}
	case p.reserved:
		return escapers{escapeAll, escapeReserved(reservedQuerySet)}
	}
	return escapers{escapeAll, escapeAll}
}

// append appends the parameter with the value of its field v to dst. It
// reports false for a value that is not sent.
func (p *param) append(dst []byte, v reflect.Value) ([]byte, bool, error) {
	if isAbsent(v) {
		return dst, false, nil
	}
	n, err := p.node(v)
	if err != nil || n.isEmpty() {
		return dst, false, err
	}
	if p.style == "cookie" {
		if err := n.checkCookies(); err != nil {
			return dst, false, err
		}
	}
	if p.style == "deepObject" && n.kind != scalarNode {
		return appendDeep(dst, string(escapeAll(nil, p.name)), n, p.escapers()), true, nil
	}
	dst, err = expand(dst, p.name, p.format, n, p.escapers())
	return dst, err == nil, err
}

// node returns the value as what the style can write.
func (p *param) node(v reflect.Value) (node, error) {
	if p.content {
		data, err := marshalJSON(v.Interface())
		return node{kind: scalarNode, text: string(data)}, err
	}
	if p.plain {
		text, err := plainText(v)
		return node{kind: scalarNode, text: text}, err
	}
	return nodeOf(v)
}

// expand appends a value in a style.
func expand(dst []byte, name string, f format, n node, escape escapers) ([]byte, error) {
	rule, ok := styleRules[f.style]
	if !ok { // deepObject of a scalar
		rule = styleRules["form"]
	}
	dst = append(dst, rule.first...)
	if n.kind == scalarNode {
		return rule.value(dst, name, n.text, escape), nil
	}
	if !f.explode {
		return rule.joined(dst, name, n, escape)
	}
	for i, item := range n.items {
		text, err := item.textOf()
		if err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, rule.sep...)
		}
		if n.kind == objectNode {
			dst = rule.pair(dst, n.names[i], text, escape)
		} else {
			dst = rule.value(dst, name, text, escape)
		}
	}
	return dst, nil
}

// value appends one value, with the parameter's name if the style is named.
func (r styleRule) value(dst []byte, name, text string, escape escapers) []byte {
	if r.named {
		return r.pair(dst, name, text, escape)
	}
	return escape.value(dst, text)
}

// pair appends a name with a value.
func (r styleRule) pair(dst []byte, name, text string, escape escapers) []byte {
	dst = escape.name(dst, name)
	if text == "" {
		return append(dst, r.empty...)
	}
	return escape.value(append(dst, '='), text)
}

// joined appends a list or an object as one value.
func (r styleRule) joined(dst []byte, name string, n node, escape escapers) ([]byte, error) {
	if r.named {
		dst = append(escape.name(dst, name), '=')
	}
	for i, item := range n.items {
		text, err := item.textOf()
		if err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, r.join...)
		}
		if n.kind == objectNode {
			dst = append(escape.name(dst, n.names[i]), r.join...)
		}
		dst = escape.value(dst, text)
	}
	return dst, nil
}

// appendDeep appends an object as name[member]=value, joined by "&". Objects
// in it nest, and list items are numbered: name[member][0]=value. The
// specification leaves both open; this is what servers that accept them read.
func appendDeep(dst []byte, name string, n node, escape escapers) []byte {
	if n.kind == scalarNode {
		if len(dst) > 0 {
			dst = append(dst, '&')
		}
		return escape.value(append(append(dst, name...), '='), n.text)
	}
	for i, item := range n.items {
		key := strconv.Itoa(i)
		if n.kind == objectNode {
			key = n.names[i]
		}
		dst = appendDeep(dst, name+"%5B"+string(escapeAll(nil, key))+"%5D", item, escape)
	}
	return dst
}

// paramError names the parameter that cannot be sent.
func paramError(p *param, err error) error {
	return fmt.Errorf("%s parameter %q: %w", locations[p.in], p.name, err)
}

var errSegment = errors.New(`got a value that makes an empty path segment, "." or ".."`)
