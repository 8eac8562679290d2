package build

import "github.com/retrygen/retrygen/gen/internal/model"

// eachRef calls f with every type expression that a type is made of.
func eachRef(t *model.Type, f func(*model.Ref)) {
	for i := range t.Fields {
		f(&t.Fields[i].Type)
	}
	if t.Kind == model.Defined || t.Kind == model.Alias {
		f(&t.Underlying)
	}
}

// namesIn calls f with every declared type that r names.
func namesIn(r *model.Ref, f func(name string)) {
	for ; r != nil; r = r.Elem {
		if r.Kind == model.Named {
			f(r.Name)
		}
	}
}

// visit adds the type of that name, and all types that it is made of, to
// reached.
func (t *types) visit(name string, reached map[string]bool) {
	typ := t.declared[name]
	if typ == nil || reached[name] {
		return
	}
	reached[name] = true
	t.visitParts(typ, reached)
}

// visitParts adds the types that typ is made of.
func (t *types) visitParts(typ *model.Type, reached map[string]bool) {
	next := func(name string) { t.visit(name, reached) }
	eachRef(typ, func(r *model.Ref) { namesIn(r, next) })
	if typ.Union != nil {
		for _, v := range typ.Union.Variants {
			next(v.GoType)
		}
	}
}

// reach returns the names of the types that operations and errors need.
func (b *builder) reach() map[string]bool {
	reached := make(map[string]bool)
	for _, c := range b.calls {
		if !c.skipped {
			b.types.visit(c.op.Input, reached)
			b.types.visit(c.op.Output, reached)
		}
	}
	for i := range b.out.Errors {
		e := &b.out.Errors[i]
		b.types.visitParts(&model.Type{Fields: e.Fields}, reached)
		namesIn(e.Wrapped, func(name string) { b.types.visit(name, reached) })
	}
	return reached
}

// breakCycles makes pointers of fields by which a struct would contain
// itself.
func (b *builder) breakCycles() {
	for _, name := range sortedKeys(b.types.declared) {
		typ := b.types.declared[name]
		for i := range typ.Fields {
			r := &typ.Fields[i].Type
			inner := r
			for inner.Kind == model.Nullable {
				inner = inner.Elem
			}
			if inner.Kind == model.Named && b.types.contains(inner.Name, name, make(map[string]bool)) {
				boxed := pointer(*inner)
				if r.Kind == model.Nullable {
					*r = model.Ref{Kind: model.Nullable, Elem: &boxed}
				} else {
					*r = boxed
				}
			}
		}
	}
}

// contains reports whether a value of the outer type holds one of the inner
// type in itself, not behind a pointer, slice, map or interface.
func (t *types) contains(outer, inner string, seen map[string]bool) bool {
	if outer == inner {
		return true
	}
	typ := t.declared[outer]
	if seen[outer] || typ == nil {
		return false
	}
	seen[outer] = true
	found := false
	eachRef(typ, func(r *model.Ref) {
		for r.Kind == model.Nullable {
			r = r.Elem
		}
		found = found || r.Kind == model.Named && t.contains(r.Name, inner, seen)
	})
	return found
}
