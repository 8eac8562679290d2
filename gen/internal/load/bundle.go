package load

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// bundle is how a definition of several files becomes one: what its files
// hold for others moves into the components of the definition, and references
// are written accordingly. Nodes stay as they are; the encoder writes them in
// the new form.
type bundle struct {
	// text replaces the text of a string: a reference, or the value of a
	// discriminator's mapping.
	text map[*Node]string
	// inlined are the references in whose place their target is written.
	inlined map[*Node]*Node
	// moved are the components that other files add, by section and in order.
	moved map[string][]component
	// names are the names of moved nodes, by section.
	names map[string]map[*Node]string
	taken map[string]map[string]bool
}

// component is what another file adds to the definition.
type component struct {
	name string
	from Object
}

func newBundle() *bundle {
	return &bundle{
		text: map[*Node]string{}, inlined: map[*Node]*Node{}, moved: map[string][]component{},
		names: map[string]map[*Node]string{}, taken: map[string]map[string]bool{},
	}
}

// sections are where a component of each place belongs, in OpenAPI 3 and 2.
// References in other places are replaced by their target.
var sections = map[bool]map[Place]string{
	false: {
		PlaceSchema: "/components/schemas", PlaceProperty: "/components/schemas",
		PlaceResponse: "/components/responses", PlaceParameter: "/components/parameters",
		PlaceExample: "/components/examples", PlaceRequestBody: "/components/requestBodies",
		PlaceHeader: "/components/headers", PlaceSecurity: "/components/securitySchemes",
		PlaceLink: "/components/links", PlaceCallback: "/components/callbacks",
	},
	true: {
		PlaceSchema: "/definitions", PlaceProperty: "/definitions",
		PlaceParameter: "/parameters", PlaceResponse: "/responses",
	},
}

func (d *Document) section(p Place) (string, bool) {
	s, ok := sections[minor(d.Version) == "2.0"][p]
	return s, ok
}

// bundle settles what becomes of each reference.
func (d *Document) bundle() {
	b := d.files.bundle
	for _, section := range sections[minor(d.Version) == "2.0"] {
		at, err := d.find(section)
		if err != nil || at.Node.Kind != Map || b.taken[section] != nil {
			continue
		}
		b.taken[section], b.names[section] = map[string]bool{}, map[*Node]string{}
		for i, k := range at.Node.Keys {
			b.taken[section][k.Name] = true
			d.adopt(section, k.Name, at.Node.Values[i])
		}
	}
	d.Walk(func(o Object) {
		if o.Node.Ref() != "" && refersFrom(o.Place) {
			d.refer(o)
		}
		for i, k := range o.Node.Keys {
			held, ok := o.Place.memberOf(k.Name)
			if v := o.Node.Values[i]; ok && held.form == named && v.Ref() != "" {
				d.inline(o.File, v)
			}
		}
		if o.Place == PlaceSchema || o.Place == PlaceProperty {
			d.mapping(o)
		}
	})
}

// adopt gives what another file holds the name of the component that only
// refers to it.
func (d *Document) adopt(section, name string, n *Node) {
	if n.Ref() == "" || len(n.Keys) > 1 {
		return
	}
	target, err := d.files.resolve(d.File, n.Ref())
	if err != nil || target.File == d.File || d.files.bundle.names[section][target.Node] != "" {
		return
	}
	d.files.bundle.names[section][target.Node] = name
	d.files.bundle.inlined[n] = target.Node
}

// refer settles the reference o.
func (d *Document) refer(o Object) {
	target, err := d.files.resolve(o.File, o.Node.Ref())
	if err != nil {
		return
	}
	if _, ok := d.section(o.Place); !ok {
		d.inline(o.File, o.Node)
		return
	}
	if to := d.referTo(target, o.Place); to != "" {
		d.files.bundle.text[o.Node.Get("$ref")] = to
	}
}

// referTo returns the reference within the bundled definition that leads to
// target.
func (d *Document) referTo(target Object, p Place) string {
	if target.File == d.File {
		return "#" + fragment(Pointer(target.Pointer...))
	}
	section, ok := d.section(p)
	if !ok {
		return ""
	}
	b := d.files.bundle
	name, ok := b.names[section][target.Node]
	if !ok {
		if b.taken[section] == nil {
			b.taken[section] = map[string]bool{}
		}
		if b.names[section] == nil {
			b.names[section] = map[*Node]string{}
		}
		name = unusedName(target, b.taken[section])
		b.taken[section][name], b.names[section][target.Node] = true, name
		b.moved[section] = append(b.moved[section], component{name, target})
	}
	return "#" + fragment(section+Pointer(name))
}

// fragment escapes what a URL fragment cannot hold.
func fragment(pointer string) string { return strings.ReplaceAll(pointer, "%", "%25") }

// unusedName names a component for the last part of the pointer that leads to
// it, or for its file.
func unusedName(o Object, taken map[string]bool) string {
	name := strings.TrimSuffix(path.Base(o.File), path.Ext(o.File))
	if n := len(o.Pointer); n > 0 {
		name = o.Pointer[n-1]
	}
	clean := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, name)
	unused := clean
	for i := 2; taken[unused]; i++ {
		unused = fmt.Sprintf("%s_%d", clean, i)
	}
	return unused
}

// inline has the target of a reference written in its place.
func (d *Document) inline(file string, n *Node) {
	if target, err := d.files.resolve(file, n.Ref()); err == nil && target.Node.Kind == Map {
		d.files.bundle.inlined[n] = target.Node
	}
}

// mapping settles the references in the mapping of a discriminator.
func (d *Document) mapping(o Object) {
	m := o.Node.Get("discriminator").Get("mapping")
	if m == nil || o.File == d.File && len(d.files.read) == 1 {
		return
	}
	for _, v := range m.Values {
		if v.Kind != String || !strings.ContainsAny(v.Text, "/#.") {
			continue
		}
		if target, err := d.files.resolve(o.File, v.Text); err == nil {
			d.files.bundle.text[v] = d.referTo(target, PlaceSchema)
		}
	}
}

// bundled returns the root with the components that other files add, and with
// its version as kin-openapi knows it.
func (d *Document) bundled() *Node {
	root := d.Root.clone()
	for i, k := range root.Keys {
		if k.Name == "openapi" || k.Name == "swagger" {
			root.Values[i] = &Node{Kind: String, Text: supported[minor(d.Version)]}
		}
	}
	for section, components := range d.files.bundle.moved {
		n := root
		for _, token := range Tokens(section) {
			n = n.ensure(token)
		}
		for _, c := range components {
			n.Keys, n.Values = append(n.Keys, Key{Name: c.name}), append(n.Values, c.from.Node)
		}
	}
	return root
}

// clone returns a copy whose members can be changed.
func (n *Node) clone() *Node {
	out := *n
	out.index = nil
	out.Keys, out.Values = slices.Clone(n.Keys), slices.Clone(n.Values)
	return &out
}

// ensure returns a copy of the member of that name, put in its place; an empty
// Map if there is none.
func (n *Node) ensure(name string) *Node {
	if i := n.find(name); i >= 0 {
		n.Values[i] = n.Values[i].clone()
		return n.Values[i]
	}
	made := &Node{Kind: Map}
	n.index = nil
	n.Keys, n.Values = append(n.Keys, Key{Name: name}), append(n.Values, made)
	return made
}

// origin returns the object that a pointer into the bundled definition begins
// with, and the tokens that are left; ok is false if that is not one of
// another file.
func (d *Document) origin(tokens []string) (o Object, rest []string, ok bool) {
	for section, components := range d.files.bundle.moved {
		n := len(Tokens(section))
		if len(tokens) <= n || Pointer(tokens[:n]...) != section {
			continue
		}
		for _, c := range components {
			if c.name == tokens[n] {
				return c.from, tokens[n+1:], true
			}
		}
	}
	return Object{}, tokens, false
}
