package build

import (
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/model"
)

func refString(r model.Ref) string {
	switch r.Kind {
	case model.Basic, model.Named:
		return r.Name
	case model.Qualified:
		return r.Package[strings.LastIndex(r.Package, "/")+1:] + "." + r.Name
	case model.Pointer:
		return "*" + refString(*r.Elem)
	case model.Slice:
		return "[]" + refString(*r.Elem)
	case model.Map:
		return "map[string]" + refString(*r.Elem)
	case model.Nullable:
		return "Nullable[" + refString(*r.Elem) + "]"
	}
	return "?"
}

func dumpFields(fs []model.Field) {
	for _, f := range fs {
		fmt.Printf("    %s %s", f.GoName, refString(f.Type))
		for _, t := range f.Tags {
			fmt.Printf(" %s:%q", t.Key, t.Value)
		}
		fmt.Println()
	}
}

func dump(s *model.Service) {
	fmt.Printf("package %s name=%s title=%q sign=%s retry=%+v security=%v\n", s.Package, s.Name, s.Title, s.SigningName, s.Retry, s.Security)
	fmt.Println(s.Servers, s.Schemes)
	for _, o := range s.Operations {
		fmt.Printf("op %s %s %s %s %s hdr=%v doc=%s in=%s out=%s %s key=%v poll=%v sec=%v\n", o.Position, o.GoName, o.Descriptor, o.Method, o.Path, o.Header, o.Document, o.Input, o.Output, o.Idempotency, o.Key, o.LongPolling, o.Security)
		fmt.Printf("   // %s\n", o.Doc)
		for _, e := range o.Errors {
			fmt.Printf("   err %+v\n", e)
		}
		if o.Pages != nil {
			fmt.Printf("   pages %+v\n", *o.Pages)
		}
	}
	for _, t := range s.Types {
		fmt.Printf("// %s\ntype %s (%s) kind=%d out=%v one=%v", t.Doc, t.GoName, t.Name, t.Kind, t.Output, t.OneMember)
		if t.Underlying.Kind != 0 {
			fmt.Printf(" under=%s", refString(t.Underlying))
		}
		fmt.Println()
		dumpFields(t.Fields)
		for _, v := range t.Values {
			fmt.Printf("    %s = %v\n", v.GoName, v.Literal)
		}
		if t.Union != nil {
			fmt.Printf("    union %+v\n", *t.Union)
		}
	}
	for _, e := range s.Errors {
		fmt.Printf("// %s\nerror %s (%s)", e.Doc, e.GoName, e.Name)
		if e.Wrapped != nil {
			fmt.Printf(" wrapped=%s", refString(*e.Wrapped))
		}
		fmt.Println()
		dumpFields(e.Fields)
	}
}
