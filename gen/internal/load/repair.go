package load

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// kinds says of which kinds the values of well-known keys are. What an object
// holds of other objects, the grammar says.
var kinds = func() map[string][]Kind {
	table := map[string][]Kind{
		"enum": {List}, "discriminator": {Map, String}, "type": {String, List}, "externalDocs": {Map}, "xml": {Map},
		"exclusiveMinimum": {Number, Bool}, "exclusiveMaximum": {Number, Bool}, "security": {List},
	}
	for kind, keys := range map[Kind][]string{
		String: {
			"title", "description", "format", "pattern", "summary", "operationId", "name", "in", "style", "version",
			"url", "collectionFormat", "termsOfService", "contentEncoding", "contentMediaType", "contentType",
			"$schema", "$id", "$anchor", "$comment", "$ref",
		},
		Bool: {
			"deprecated", "nullable", "readOnly", "writeOnly", "uniqueItems", "allowEmptyValue", "explode",
			"allowReserved",
		},
		Number: {"minimum", "maximum", "multipleOf"},
	} {
		for _, key := range keys {
			table[key] = []Kind{kind}
		}
	}
	return table
}()

// counts are the keys whose values are whole numbers, not negative.
var counts = []string{
	"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
}

// wanted returns of which kinds the value of key in an object at p is; none
// if any will do.
func wanted(p Place, key string) []Kind {
	switch {
	case p == PlacePaths || p == PlaceResponses || p == PlaceCallback:
		return nil
	case key == "required" && (p == PlaceSchema || p == PlaceProperty):
		return []Kind{List}
	case key == "required":
		return []Kind{Bool}
	case key == "tags" && p == PlaceOperation:
		return []Kind{List}
	case slices.Contains(counts, key):
		return []Kind{Number}
	}
	m, ok := p.memberOf(key)
	switch {
	case !ok:
		return kinds[key]
	case m.form == one && m.place == PlaceSchema, m.form == oneOrList:
		return []Kind{Map, Bool}
	case m.form == list:
		return []Kind{List}
	}
	return []Kind{Map}
}

// repair sets aside values of the wrong kind, which no typed document can
// hold, so that one of them does not cost the whole definition. It warns of
// each. What is plainly meant (version: 1.0, deprecated: 'true') is
// taken as such.
func (d *Document) repair() (diags diag.List) {
	d.Walk(func(o Object) {
		if o.Place == PlaceExample || o.Place == PlaceLink {
			return
		}
		o.Node.filter(func(i int) bool {
			held, ok := o.Place.memberOf(o.Node.Keys[i].Name)
			if ok {
				d.contents(o, o.Node.Values[i], held, &diags)
			}
			return d.fits(o, i, &diags) && !(ok && d.misplaced(o, o.Node.Values[i], held.place, &diags))
		})
	})
	return diags
}

// fits reports whether member i of o is of a kind that it may have, and takes
// it for what is plainly meant.
func (d *Document) fits(o Object, i int, diags *diag.List) bool {
	key, value := o.Node.Keys[i].Name, o.Node.Values[i]
	want := wanted(o.Place, key)
	if key == "discriminator" && minor(d.Version) != "2.0" {
		want = []Kind{Map}
	}
	if len(want) == 0 {
		return true
	}
	fixed := d.coerce(o, key, value, want)
	if fixed != nil {
		o.Node.Values[i] = fixed
	} else if value.Kind != Null {
		diags.Warnf(o.Position(key), "", "%s is left out: got %s, want %s", key, describe(value), wantedText(key, want))
	}
	return fixed != nil
}

// contents looks after the objects of a list or a map: those that refer to
// something else than what belongs there are left out.
func (d *Document) contents(o Object, v *Node, held member, diags *diag.List) {
	switch {
	case v.Kind == List && (held.form == list || held.form == oneOrList):
		v.Values = slices.DeleteFunc(v.Values, func(e *Node) bool {
			return d.unfit(o, Key{Name: held.place.noun(), Line: e.Line, Column: e.Column}, e, held.place, diags) ||
				d.misplaced(o, e, held.place, diags)
		})
	case v.Kind == Map && held.form == named:
		v.filter(func(i int) bool {
			return v.Ref() != "" || !d.unfit(o, v.Keys[i], v.Values[i], held.place, diags) &&
				!d.misplaced(o, v.Values[i], held.place, diags)
		})
	}
}

// noun is what an object at p is called in a message.
func (p Place) noun() string { return "this " + string(p) }

// unfit reports a value in the place of an object that is none, where no typed
// document can hold it. A schema may be a boolean.
func (d *Document) unfit(o Object, k Key, v *Node, place Place, diags *diag.List) bool {
	schema := place == PlaceSchema || place == PlaceProperty
	if v.Kind == Map || v.Kind == Bool && schema || place == PlaceExample || place == PlaceLink || strings.HasPrefix(k.Name, "x-") {
		return false
	}
	diags.Warnf(diag.Position{File: o.File, Line: k.Line, Column: k.Column}, "", "%s is left out: got %s, want object", k.Name, describe(v))
	return true
}

// misplaced reports whether v refers to a component of another kind than
// place.
func (d *Document) misplaced(o Object, v *Node, place Place, diags *diag.List) bool {
	if v.Ref() == "" || !refersFrom(place) {
		return false
	}
	_, fragment, err := locate(o.File, v.Ref())
	pointer := Tokens(fragment)
	if err != nil || len(pointer) != 3 || pointer[0] != "components" {
		return false
	}
	section, ok := grammar[PlaceComponents][pointer[1]]
	if !ok || section.place == place || section.place == PlaceSchema && place == PlaceProperty {
		return false
	}
	at := Object{Node: v, File: o.File}.Position("$ref")
	diags.Warnf(at, "", "$ref %q is left out: it leads to a %s, want a %s", v.Ref(), section.place, place)
	return true
}

// filter drops the members that keep refuses.
func (n *Node) filter(keep func(i int) bool) {
	var gone []int
	for i := range n.Keys {
		if !keep(i) {
			gone = append(gone, i)
		}
	}
	for _, i := range slices.Backward(gone) {
		n.Keys, n.Values = slices.Delete(n.Keys, i, i+1), slices.Delete(n.Values, i, i+1)
	}
	if len(gone) > 0 {
		n.index = nil
	}
}

// coerce returns the value as one of the wanted kinds; nil if it cannot be
// taken for one.
func (d *Document) coerce(o Object, key string, v *Node, want []Kind) *Node {
	out := *v
	switch {
	case slices.Contains(counts, key):
		out.Text = count(v.Text)
		if out.Kind = Number; out.Text == "" || v.Kind != Number && v.Kind != String {
			return nil
		}
	case slices.Contains(want, v.Kind):
		if v.Kind == List && (key == "required" || key == "type" || key == "tags" && o.Place == PlaceOperation) {
			return stringsOf(v)
		}
		return v
	case want[0] == String && (v.Kind == Number || v.Kind == Bool):
		out.Kind = String
	case want[0] == String && v.Ref() != "":
		return d.included(o.File, v)
	case want[0] == Bool && v.Kind == String && (v.Text == "true" || v.Text == "false"):
		out.Kind = Bool
	case want[0] == Number && v.Kind == String:
		if _, err := strconv.ParseFloat(v.Text, 64); err != nil {
			return nil
		}
		out.Text, out.Kind = jsonNumber(v.Text), Number
	default:
		return nil
	}
	return &out
}

// jsonNumber returns the JSON literal of a number in any form of Go.
func jsonNumber(text string) string {
	f, _ := strconv.ParseFloat(text, 64)
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// count returns a whole number, not negative, without fraction and exponent;
// "" if text is none.
func count(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || f != math.Trunc(f) || f >= 1<<63 {
		return ""
	}
	return strconv.FormatUint(uint64(f), 10)
}

// stringsOf returns a list of strings, nil if v is none. Numbers and booleans
// in it are taken as they are written.
func stringsOf(v *Node) *Node {
	out := *v
	out.Values = nil
	for _, e := range v.Values {
		if e.Kind == List || e.Kind == Map {
			return nil
		}
		text := *e
		text.Kind = String
		if e.Kind == Null {
			text.Text = "null"
		}
		out.Values = append(out.Values, &text)
	}
	return &out
}

// included returns the text that a reference in the place of a text leads
// to; nil if that is none.
func (d *Document) included(file string, v *Node) *Node {
	target, err := d.files.resolve(file, v.Ref())
	if err != nil || target.Node.Kind != String {
		return nil
	}
	return target.Node
}

func describe(n *Node) string {
	if n.Kind == Bool || n.Kind == Number {
		return n.Text
	}
	return n.Kind.String()
}

func wantedText(key string, want []Kind) string {
	if slices.Contains(counts, key) {
		return "a whole number"
	}
	text := want[0].String()
	for _, k := range want[1:] {
		text += " or " + k.String()
	}
	return text
}
