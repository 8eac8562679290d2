package load

import (
	"strconv"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// Object is an object of a definition that a walk comes by.
type Object struct {
	Place   Place
	Node    *Node
	File    string   // of Node
	Pointer []string // of Node in File, as tokens
	// Key is where the object's name stands, or where it begins if it has
	// none.
	Key diag.Position
}

// Position is where the object's member key stands, or the object itself if
// it has no such member.
func (o Object) Position(key string) diag.Position {
	if i := o.Node.find(key); i >= 0 {
		k := o.Node.Keys[i]
		return diag.Position{File: o.File, Line: k.Line, Column: k.Column}
	}
	return o.Key
}

// Walk calls visit with each object of the definition in the order of the
// files, objects before what they hold. A reference is visited as the object
// that it stands in for; what it refers to is visited too, once for each
// kind of place that it is used in.
func (d *Document) Walk(visit func(Object)) {
	w := walker{files: d.files, visit: visit, seen: map[visited]bool{}}
	w.object(d.files.root(), member{one, PlaceDocument})
}

type visited struct {
	node  *Node
	place Place
}

type walker struct {
	files *files
	visit func(Object)
	seen  map[visited]bool
	// broken, if not nil, is told of references that lead nowhere.
	broken func(Object, error)
}

// object visits o, then what it holds or refers to.
func (w *walker) object(o Object, m member) {
	if o.Node.Kind != Map || w.seen[visited{o.Node, m.place}] {
		return
	}
	w.seen[visited{o.Node, m.place}] = true
	o.Place = m.place
	w.visit(o)
	if ref := o.Node.Ref(); ref != "" && refersFrom(m.place) {
		w.reference(o, ref)
	}
	for i, k := range o.Node.Keys {
		if held, ok := m.place.memberOf(k.Name); ok {
			w.held(o.child(k.Name, k, o.Node.Values[i]), held)
		}
	}
}

// refersFrom reports whether an object at p may be a reference: any but a
// whole document. OpenAPI knows none in the place of operations and a few
// others, but some definitions use them.
func refersFrom(p Place) bool { return p != PlaceDocument }

func (w *walker) held(o Object, m member) {
	switch {
	case m.form == named && o.Node.Ref() != "":
		w.referredMap(o, m)
	case m.form == named && o.Node.Kind == Map:
		for i, k := range o.Node.Keys {
			w.object(o.child(k.Name, k, o.Node.Values[i]), m)
		}
	case (m.form == list || m.form == oneOrList) && o.Node.Kind == List:
		for i, v := range o.Node.Values {
			w.object(o.child(strconv.Itoa(i), Key{Line: v.Line, Column: v.Column}, v), m)
		}
	case m.form == one || m.form == oneOrList:
		w.object(o, m)
	}
}

// child returns what stands under o at token.
func (o Object) child(token string, k Key, n *Node) Object {
	pointer := append(o.Pointer[:len(o.Pointer):len(o.Pointer)], token)
	return Object{
		Node: n, File: o.File, Pointer: pointer,
		Key: diag.Position{File: o.File, Line: k.Line, Column: k.Column},
	}
}

// referredMap walks the objects of a map that a reference stands in for.
// OpenAPI knows no such references, but some definitions use them.
func (w *walker) referredMap(o Object, m member) {
	seen := visited{o.Node, "map of " + m.place}
	if w.seen[seen] {
		return
	}
	w.seen[seen] = true
	if target, err := w.files.resolve(o.File, o.Node.Ref()); err == nil {
		w.held(target, m)
	} else if w.broken != nil {
		w.broken(o, err)
	}
}

func (w *walker) reference(o Object, ref string) {
	target, err := w.files.resolve(o.File, ref)
	if err != nil {
		if w.broken != nil {
			w.broken(o, err)
		}
		return
	}
	w.object(target, member{one, o.Place})
}

// Start returns the definition itself as an object, for looking around by
// [Object.Child] and [Document.Follow].
func (d *Document) Start() Object {
	o := d.files.root()
	o.Place = PlaceDocument
	return o
}

// Child returns what stands under o at token, a key or an index. Its Place is
// empty.
func (o Object) Child(token string) (Object, bool) {
	next, key := o.Node.child(token)
	if next == nil {
		return Object{}, false
	}
	return o.child(token, key, next), true
}

// Follow returns o, then what it refers to, then what that refers to.
func (d *Document) Follow(o Object) []Object {
	all := []Object{o}
	for range maxReferences {
		if o.Node.Ref() == "" {
			break
		}
		target, err := d.files.resolve(o.File, o.Node.Ref())
		if err != nil {
			break
		}
		target.Place = o.Place
		o = target
		all = append(all, o)
	}
	return all
}
