package load

import (
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// two reports what of a 2.0 definition has no counterpart in OpenAPI 3.
func (d *Document) two() (diags diag.List) {
	if minor(d.Version) != "2.0" {
		return nil
	}
	root := d.files.root()
	if host := root.Node.Str("host"); strings.Contains(host, "/") {
		diags.Errorf(root.Position("host"), "", "host: got %q, want a host alone, such as api.example.com", host)
	}
	var path Object
	d.Walk(func(o Object) {
		switch o.Place {
		case PlacePath:
			path = o
		case PlaceOperation:
			d.oneBody(path, o, &diags)
		}
	})
	return diags
}

// oneBody reports an operation with two bodies, or with a body and a form.
func (d *Document) oneBody(path, operation Object, diags *diag.List) {
	body, form := "", "" // the names of the first ones
	overridden := make(map[string]bool)
	for _, owner := range []Object{operation, path} {
		list, ok := owner.Child("parameters")
		if !ok {
			continue
		}
		for i := range list.Node.Values {
			p, _ := list.Child(strconv.Itoa(i))
			all := d.Follow(p)
			n := all[len(all)-1].Node
			in, name := n.Str("in"), n.Str("name")
			if overridden[in+" "+name] {
				continue
			}
			overridden[in+" "+name] = true
			switch {
			case in == "body" && body != "":
				diags.Errorf(p.Key, "", "the body %q is a second one: %q is the body of the operation at %s", name, body, operation.Key)
			case in == "body" && form != "", in == "formData" && body != "":
				diags.Errorf(p.Key, "", "%q of the form and the body %q cannot be sent together by the operation at %s",
					formName(in, name, form), bodyName(in, name, body), operation.Key)
			case in == "body":
				body = name
			case in == "formData" && form == "":
				form = name
			}
		}
	}
}

func formName(in, name, form string) string {
	if in == "formData" {
		return name
	}
	return form
}

func bodyName(in, name, body string) string {
	if in == "body" {
		return name
	}
	return body
}
