// Package annotate reads the annotations of a definition: the extensions that
// specs/retrygen.schema.json describes, checked and typed.
package annotate

import (
	"slices"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// Document reads the annotations of d. The error is a [diag.List] of
// everything that is wrong with them, each at its place.
func Document(d *load.Document) (*Notes, error) {
	diags, bad := validate(d)
	r := &reader{doc: d, diags: diags, bad: bad, used: map[*load.Node]bool{}}
	n := r.document()
	r.unusedKeys()
	if err := r.diags.Err(); err != nil {
		return nil, err
	}
	n.Warnings = r.diags.Of(diag.Warning).Sorted()
	return n, nil
}

// reader turns annotations of the right shape into typed ones, and collects
// what is wrong with their sense.
type reader struct {
	doc   *load.Document
	diags diag.List
	bad   map[*load.Node]bool // values that are of no use
	used  map[*load.Node]bool // annotations that have an effect: x-idempotency-key of properties, partitions
}

func (r *reader) errorf(a annotation, format string, args ...any) {
	r.diags.Errorf(a.position(), a.key, format, args...)
}

func (r *reader) warnf(a annotation, format string, args ...any) {
	r.diags.Warnf(a.position(), a.key, format, args...)
}

func (r *reader) document() *Notes {
	n := &Notes{operations: map[operationKey]Operation{}, places: map[operationKey]Places{}}
	start := r.doc.Start()
	document := r.level(start)
	r.checkLevels(document)
	n.document, n.documentPlaces = document.retry, document.places()
	paths, _ := start.Child("paths")
	for _, item := range members(r.doc, paths) {
		path := r.level(item.Object)
		r.checkLevels(path, document)
		for _, op := range operations(r.doc, item) {
			key := operationKey{item.name, strings.ToUpper(op.name)}
			n.operations[key], n.places[key] = r.operation(op, path, document)
		}
		r.unusedPartition(path)
	}
	r.unusedPartition(document)
	return n
}

// entry is a named object.
type entry struct {
	load.Object
	name string
	item load.Object // of an operation, the path item
}

// members returns the members of o, or of what o refers to, that are no
// extensions.
func members(d *load.Document, o load.Object) []entry {
	var out []entry
	if o.Node == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, on := range d.Follow(o) {
		for _, k := range on.Node.Keys {
			child, ok := on.Child(k.Name)
			if ok && !seen[k.Name] && k.Name != "$ref" && !strings.HasPrefix(k.Name, "x-") {
				seen[k.Name] = true
				out = append(out, entry{Object: child, name: k.Name})
			}
		}
	}
	return out
}

// methods are the keys of a path item that hold operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operations returns the operations of a path item.
func operations(d *load.Document, item entry) []entry {
	var out []entry
	for _, m := range members(d, item.Object) {
		switch {
		case slices.Contains(methods, m.name):
			m.item = item.Object
			out = append(out, m)
		case m.name == "additionalOperations":
			for _, op := range members(d, m.Object) {
				op.item = item.Object
				out = append(out, op)
			}
		}
	}
	return out
}

// operation reads the annotations of one operation, and where they stand.
func (r *reader) operation(op entry, path, document level) (Operation, Places) {
	own := r.level(op.Object)
	r.checkLevels(own, path, document)
	s := newScope(r.doc, op)
	var note Operation
	retry := Over(own.retry, path.retry)
	if !r.partition(s, own, path, document) {
		retry.Partition = "" // of the path, for other operations
	}
	if !isZero(retry) {
		note.Retry = &retry
	}
	if a, ok := r.find(op.Object, "x-idempotent"); ok {
		note.Idempotent = new(a.text() == "true")
	}
	places := r.places(op.Object, own, path)
	key, at := r.idempotencyKey(s)
	r.checkKeyHeader(key, at, Over(retry, document.retry))
	if note.Key = key; key != nil {
		places["x-idempotency-key"] = at.position()
	}
	note.LongPolling = r.longPolling(s)
	note.Pages = r.pagination(s)
	note.Waiters = r.waiters(s)
	return note, places
}

// isZero reports whether nothing is set in retry.
func isZero(retry model.Retry) bool {
	return len(settings(retry)) == 0
}
