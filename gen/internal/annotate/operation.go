package annotate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// idempotencyKey returns the one key of an operation, and what names it.
func (r *reader) idempotencyKey(s *scope) (key *model.Key, at annotation) {
	take := func(a annotation, k *model.Key) {
		if key != nil && *key != *k {
			r.errorf(a, "the operation has another key at %s", at.position())
			return
		}
		key, at = k, a
	}
	if a, ok := r.find(s.operation, "x-idempotency-key"); ok {
		if k := r.operationKey(s, a); k != nil {
			take(a, k)
		}
	}
	for _, p := range s.parameters {
		a, ok := r.find(p.Object, "x-idempotency-key")
		switch {
		case !ok:
		case a.object.Node.Kind != load.Bool:
			r.errorf(a, "got %s, want true on a parameter", describe(a.object.Node))
		case p.in != "header":
			r.errorf(a, "the parameter is in %s, want it in header", p.in)
		default:
			take(a, &model.Key{Header: p.name})
		}
	}
	for _, name := range s.step(s.request, "").names {
		for _, property := range s.step(s.request, name).values {
			a, ok := r.find(property, "x-idempotency-key")
			if !ok {
				continue
			}
			r.used[a.object.Node] = true
			if a.object.Node.Kind != load.Bool {
				r.errorf(a, "got %s, want true on a property", describe(a.object.Node))
				continue
			}
			take(a, &model.Key{Property: name})
		}
	}
	return key, at
}

// operationKey returns the key that an operation itself names.
func (r *reader) operationKey(s *scope, a annotation) *model.Key {
	switch a.object.Node.Kind {
	case load.Bool:
		r.errorf(a, "got true, want the name of a header, {header} or {property} on an operation")
		return nil
	case load.String:
		return &model.Key{Header: a.text()}
	}
	property, ok := a.get("property")
	if !ok {
		return &model.Key{Header: a.str("header")}
	}
	tokens := []string{property.text()}
	if strings.HasPrefix(property.text(), "/") {
		tokens = load.Tokens(property.text())
	}
	if len(tokens) != 1 {
		r.errorf(property, "got %q, want a property at the top of the body", property.text())
		return nil
	}
	r.pointer(s, property, s.request, tokens, "request body")
	return &model.Key{Property: tokens[0]}
}

// unusedKeys warns of marked properties that no operation sends at the top of
// its body.
func (r *reader) unusedKeys() {
	r.doc.Walk(func(o load.Object) {
		if o.Place != load.PlaceProperty {
			return
		}
		if v, ok := o.Child("x-idempotency-key"); ok && !r.used[v.Node] {
			r.used[v.Node] = true
			r.warnf(annotation{v, "x-idempotency-key"}, "has no effect: no operation has this property at the top of its request body")
		}
	})
}

var units = map[string]time.Duration{"s": time.Second, "ms": time.Millisecond}

func (r *reader) longPolling(s *scope) *model.LongPolling {
	a, ok := r.find(s.operation, "x-long-polling")
	if !ok {
		return nil
	}
	if a.object.Node.Kind == load.Bool {
		return &model.LongPolling{}
	}
	wait, _ := a.get("waitParameter")
	r.input(s, wait)
	return &model.LongPolling{Wait: wait.text(), Unit: units[cmp.Or(a.str("unit"), "s")]}
}

// input checks that a names a parameter, or a property at the top of the
// request body.
func (r *reader) input(s *scope, a annotation) {
	if names, ok := s.input(a.text()); !ok {
		r.errorf(a, "the operation has no parameter or property %q%s", a.text(), diag.DidYouMean(a.text(), names))
	}
}

// pageKeys are the keys of x-pagination, beside items and more, that have
// an effect with a style.
var pageKeys = map[string][]string{
	"cursor": {"input", "output"}, "offset": {"input"}, "page": {"input"}, "link": nil, "nextURL": {"output"},
}

func (r *reader) pagination(s *scope) *model.Pages {
	a, ok := r.find(s.operation, "x-pagination")
	if !ok {
		return nil
	}
	p := &model.Pages{
		Style: a.str("style"), Input: a.str("input"), Output: a.str("output"),
		Items: a.str("items"), More: a.str("more"),
	}
	without := func(key string) bool {
		return (key == "input" || key == "output") && !slices.Contains(pageKeys[p.Style], key)
	}
	var into, from []load.Object
	input, ok := a.get("input")
	switch {
	case !ok:
	case without("input"):
		r.errorf(input, "has no effect with the style %s", p.Style)
	case strings.HasPrefix(input.text(), "/"):
		into = r.pointer(s, input, s.request, load.Tokens(input.text()), "request body")
	case !slices.Contains(s.parameterNames(), input.text()):
		r.errorf(input, "the operation has no parameter %q%s", input.text(), diag.DidYouMean(input.text(), s.parameterNames()))
	default:
		into = s.parameterSchemas(input.text())
	}
	for _, key := range []string{"output", "more"} {
		part, ok := a.get(key)
		switch {
		case !ok:
		case without(key):
			r.errorf(part, "has no effect with the style %s", p.Style)
		default:
			at := r.pointer(s, part, s.response, load.Tokens(part.text()), "response body")
			if key == "output" {
				from = at
			} else if types := s.types(at); len(types) > 0 && !slices.Contains(types, "boolean") {
				r.errorf(part, "%q leads to a value of type %s, want a boolean", part.text(), oneOf(types))
			}
		}
	}
	if p.Style == "cursor" {
		r.cursorTypes(s, a, from, into)
	}
	items, _ := a.get("items")
	at := r.pointer(s, items, s.response, load.Tokens(items.text()), "response body")
	if types := s.types(at); len(types) > 0 && !slices.Contains(types, "array") {
		r.errorf(items, "%q leads to a value of type %s, want an array", items.text(), oneOf(types))
	}
	return p
}

// cursorTypes reports a cursor of a type that the input cannot have.
func (r *reader) cursorTypes(s *scope, a annotation, from, into []load.Object) {
	output, ok := a.get("output")
	got, want := s.types(from), s.types(into)
	if !ok || len(got) == 0 || len(want) == 0 {
		return
	}
	if !slices.ContainsFunc(got, func(t string) bool { return holds(want, t) }) {
		r.errorf(output, "%q leads to a value of type %s, want %s as the input has", output.text(), oneOf(got), oneOf(want))
	}
}

// holds reports whether a value of a type can be of one of types; a number may
// be an integer.
func holds(types []string, t string) bool {
	return slices.Contains(types, t) ||
		t == "integer" && slices.Contains(types, "number") || t == "number" && slices.Contains(types, "integer")
}

// pointer checks that tokens lead somewhere in values of the schemas, and
// returns the schemas there.
func (r *reader) pointer(s *scope, a annotation, schemas []load.Object, tokens []string, what string) []load.Object {
	if len(schemas) == 0 {
		r.errorf(a, "the operation has no %s that has a schema", what)
		return nil
	}
	for i, token := range tokens {
		f := s.step(schemas, token)
		if len(f.values) == 0 {
			if !f.open {
				r.errorf(a, "the %s has no %s%s", what, load.Pointer(tokens[:i+1]...), diag.DidYouMean(token, f.names))
			}
			return nil
		}
		schemas = f.values
	}
	return schemas
}

func (r *reader) waiters(s *scope) []model.Waiter {
	a, ok := r.find(s.operation, "x-waiter")
	if !ok {
		return nil
	}
	var out []model.Waiter
	for _, name := range a.object.Node.Names() {
		one, _ := a.get(name)
		w := model.Waiter{Name: name, Delay: r.duration(one, "delay"), MaxDelay: r.duration(one, "maxDelay")}
		if longest, ok := one.get("maxDelay"); ok && w.MaxDelay < w.Delay {
			r.errorf(longest, "got %s, want at least the delay, %s", w.MaxDelay, w.Delay)
		}
		for _, acceptor := range one.list("acceptors") {
			w.Acceptors = append(w.Acceptors, r.acceptor(s, acceptor))
		}
		if !slices.ContainsFunc(w.Acceptors, func(a model.Acceptor) bool { return a.State == "success" }) {
			r.errorf(one, "no acceptor has the state success, so that the wait could only fail")
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b model.Waiter) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (r *reader) acceptor(s *scope, a annotation) model.Acceptor {
	out := model.Acceptor{State: a.str("state"), Pointer: a.str("pointer"), ErrorCode: a.str("errorCode")}
	if status, ok := a.get("status"); ok {
		out.Status = statuses(status.object.Node).From
	}
	pointer, ok := a.get("pointer")
	if !ok {
		return out
	}
	at := r.pointer(s, pointer, s.response, load.Tokens(pointer.text()), "response body")
	equals, _ := a.get("equals")
	out.Equals = equals.text()
	kind := equals.object.Node.Kind
	if types := s.types(at); len(types) > 0 && kind != load.Null && !slices.ContainsFunc(typesOfKinds[kind], func(t string) bool { return holds(types, t) }) {
		r.errorf(equals, "got %s, and %s leads to a value of type %s", describe(equals.object.Node), pointer.text(), oneOf(types))
		return out
	}
	if values := s.enum(at); len(values) > 0 && !slices.Contains(values, out.Equals) {
		r.warnf(equals, "%s is none of the values of %s%s", describe(equals.object.Node), pointer.text(), diag.DidYouMean(out.Equals, values))
	}
	return out
}

// typesOfKinds are the types of a schema that have values of a kind.
var typesOfKinds = map[load.Kind][]string{
	load.String: {"string", "file"}, load.Number: {"number", "integer"}, load.Bool: {"boolean"},
}

// enum returns the values that schemas list.
func (s *scope) enum(schemas []load.Object) []string {
	var out []string
	for _, schema := range schemas {
		for _, o := range s.doc.Follow(schema) {
			if list := o.Node.Get("enum"); list != nil {
				for _, v := range list.Values {
					out = append(out, v.Text)
				}
			}
		}
	}
	return out
}
