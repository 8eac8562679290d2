package annotate

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
)

// placed is an object with the places that it is used in: what references
// lead to can be used in several.
type placed struct {
	load.Object
	places []string
}

// validate checks every extension of the document that is ours, or might be
// meant as one, against the schema.
//
// bad are the values that are of no use: wrong ones, and those of others.
func validate(d *load.Document) (diags diag.List, bad map[*load.Node]bool) {
	bad = map[*load.Node]bool{}
	byNode := map[*load.Node]*placed{}
	var order []*placed
	d.Walk(func(o load.Object) {
		p := byNode[o.Node]
		if p == nil {
			p = &placed{Object: o}
			byNode[o.Node] = p
			order = append(order, p)
		}
		p.places = append(p.places, string(o.Place))
	})
	s := theSchema()
	for _, p := range order {
		for _, k := range p.Node.Keys {
			if len(k.Name) > 2 && (strings.HasPrefix(k.Name, "x-") || folded(k.Name, s.names) != "") {
				if !p.extension(k.Name, &diags) {
					bad[p.Node.Get(k.Name)] = true
				}
			}
		}
	}
	return diags, bad
}

// extension checks one extension of p and reports whether it can be used.
func (p *placed) extension(name string, diags *diag.List) bool {
	s := theSchema()
	value, _ := p.Child(name)
	a := annotation{value, name}
	if s.validators[name] == nil {
		if near := misspelt(name, s.names); near != "" {
			diags.Errorf(a.position(), name, "unknown extension; did you mean %s?", near)
		}
		return false
	}
	if where := s.places(name); !p.among(where) {
		diags.Errorf(a.position(), name, "not allowed on %s, want it on %s", article(p.places[0]), articles(where))
		return false
	}
	if foreign(s, a) {
		diags.Warnf(a.position(), name, "set aside: none of its keys is one of this extension, it seems to be of another tool")
		return false
	}
	errs := s.validate(name, value.Node.Value())
	for _, e := range errs {
		s.report(a, e, diags)
	}
	limited := s.limited(name)
	for _, key := range slices.Sorted(maps.Keys(limited)) {
		if part, ok := a.get(key); ok && !p.among(limited[key]) {
			diags.Errorf(part.position(), part.key, "not allowed on %s, want it on %s", article(p.places[0]), articles(limited[key]))
		}
	}
	return len(errs) == 0
}

// foreign reports whether an extension is one of another tool under the same
// name, which is known of x-pagination alone: an object without any key of
// ours, or near to one.
func foreign(s *schema, a annotation) bool {
	if a.key != "x-pagination" || len(a.object.Node.Keys) == 0 {
		return false
	}
	properties, _ := at(s.raw, "$defs", a.key, "properties").(map[string]any)
	ours := slices.Sorted(maps.Keys(properties))
	return !slices.ContainsFunc(a.object.Node.Names(), func(name string) bool {
		return slices.Contains(ours, name) || diag.Nearest(name, ours) != ""
	})
}

// article returns the name of a place as messages say it.
func article(place string) string {
	if strings.ContainsAny(place[:1], "aeiou") {
		return "an " + place
	}
	return "a " + place
}

func articles(places []string) string {
	words := make([]string, len(places))
	for i, p := range places {
		words[i] = article(p)
	}
	return oneOf(words)
}

func (p *placed) among(places []string) bool {
	return slices.ContainsFunc(p.places, func(place string) bool { return slices.Contains(places, place) })
}

// synonyms are names that are not near to ours and plainly mean one.
var synonyms = map[string]string{
	"x-retries": "x-retry", "x-retry-policy": "x-retry", "x-retry-config": "x-retry",
	"x-throttling-codes": "x-throttle-codes", "x-throttle": "x-throttle-codes",
	"x-long-poll": "x-long-polling", "x-longpoll": "x-long-polling",
	"x-paginate": "x-pagination",
}

// fold is a name without what tells spellings of a name apart.
func fold(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(name))
}

// folded returns the extension of ours that name is but for case and
// separators, "" if it is none.
func folded(name string, ours []string) string {
	for _, our := range ours {
		if name != our && fold(name) == fold(our) {
			return our
		}
	}
	return ""
}

// misspelt returns the extension of ours that name is meant as, "" if it is
// none. Names that begin otherwise are left alone: they are more likely of
// someone else.
func misspelt(name string, ours []string) string {
	if meant := cmp.Or(synonyms[strings.ToLower(name)], folded(name, ours)); meant != "" {
		return meant
	}
	name = strings.ToLower(name)
	for _, our := range ours {
		if d := diag.Distance(name, our); d > 0 && d <= 2 && len(name) > 2 && name[2] == our[2] {
			return our
		}
	}
	return ""
}

// report turns an error of the validator into diagnostics.
func (s *schema) report(a annotation, e *jsonschema.ValidationError, diags *diag.List) {
	a = a.down(e.InstanceLocation)
	value := a.object.Node
	part := s.locate(e.SchemaURL)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		properties, _ := at(part, "properties").(map[string]any)
		known := slices.Sorted(maps.Keys(properties))
		for _, name := range k.Properties {
			unknown, _ := a.get(name)
			hint := diag.DidYouMean(name, known)
			if hint == "" {
				hint = ", want " + oneOf(known)
			}
			diags.Errorf(unknown.position(), unknown.key, "unknown key%s", hint)
		}
	case *kind.Required:
		diags.Errorf(a.position(), a.key, "%s %s missing", strings.Join(k.Missing, " and "), verb(len(k.Missing)))
	case *kind.FalseSchema:
		diags.Errorf(a.position(), a.key, "not allowed beside the other keys")
	case *kind.DependentRequired:
		diags.Errorf(a.position(), a.key, "%s is there without %s", k.Prop, strings.Join(k.Missing, ", "))
	case *kind.PropertyNames:
		named, _ := a.get(k.Property)
		diags.Errorf(named.position(), a.key, "got %q, want a name of letters and digits that begins with a letter", k.Property)
	case *kind.Enum:
		words := make([]string, len(k.Want))
		for i, w := range k.Want {
			words[i] = fmt.Sprint(w)
		}
		diags.Errorf(a.position(), a.key, "got %s, want %s%s", describe(value), oneOf(words), diag.DidYouMean(value.Text, words))
	default:
		diags.Errorf(a.position(), a.key, "got %s, want %s", describe(value), s.want(e, part))
	}
}

// forms say what the definitions of the schema that have a pattern stand for.
var forms = map[string]string{
	"duration":   "a duration with its unit, such as 25ms",
	"pointer":    "a JSON pointer, such as /items",
	"headerName": "the name of a header",
	"statuses":   "a status from 100 to 599, or a range such as 5XX",
	"codes":      "a list of error codes",
}

// texts say what the patterns of the schema that are used once stand for.
var texts = map[string]string{
	`^(/([^~/]|~[01])*)*$`:          "a JSON pointer, such as /items, or the empty string for the whole body",
	`^[^/]+(/[^/]+)*$`:              "the names of elements from the root on, such as Error/Code",
	`^[A-Z][A-Z0-9_]*$`:             "capital letters, digits and underscores, such as ORDERS",
	"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": "the name of a header",
}

// want says what the schema wants of a value.
func (s *schema) want(e *jsonschema.ValidationError, part any) string {
	_, location, _ := strings.Cut(e.SchemaURL, "#/$defs/")
	definition, _, _ := strings.Cut(location, "/")
	if form := forms[definition]; form != "" {
		return form
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return typeNames(k.Want)
	case *kind.Minimum:
		return "at least " + number(k.Want)
	case *kind.Maximum:
		return "at most " + number(k.Want)
	case *kind.MinLength:
		return "a text that is not empty"
	case *kind.MinItems:
		return fmt.Sprintf("at least %d %s", k.Want, plural(k.Want, "element"))
	case *kind.MinProperties:
		return fmt.Sprintf("at least %d %s", k.Want, plural(k.Want, "key"))
	case *kind.MaxProperties:
		return fmt.Sprintf("at most %d %s", k.Want, plural(k.Want, "key"))
	case *kind.Const:
		return fmt.Sprint(k.Want)
	case *kind.Pattern:
		return texts[k.Want]
	case *kind.Not:
		return "a range in capitals, such as 5XX"
	}
	if description, ok := at(part, "description").(string); ok {
		return strings.TrimSuffix(description, ".")
	}
	return "something else"
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func verb(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// typeNames lists types of JSON as messages name them.
func typeNames(types []string) string {
	articles := map[string]string{
		"object": "an object", "array": "a list", "string": "a string", "integer": "a whole number",
		"number": "a number", "boolean": "true or false", "null": "null",
	}
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = articles[t]
	}
	return oneOf(words)
}
