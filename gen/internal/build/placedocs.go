package build

import (
	"fmt"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// undescribed is said of a type that the definition does not describe.
const undescribed = " is a schema of the definition."

// isUndescribed reports whether nothing is known of a type yet.
func isUndescribed(t *model.Type) bool { return strings.HasSuffix(t.Doc, undescribed) }

// describePlaces tells of the types without a description that are named by
// their place where that is.
func (b *builder) describePlaces(reached map[string]bool) {
	for _, name := range sortedKeys(b.types.declared) {
		typ := b.types.declared[name]
		if !reached[name] {
			continue
		}
		b.describeFields(name, typ.Fields)
		if typ.Kind == model.Defined || typ.Kind == model.Alias {
			b.describe(name, &typ.Underlying, "["+name+"]")
		}
	}
	for i := range b.out.Errors {
		b.describeFields(b.out.Errors[i].GoName, b.out.Errors[i].Fields)
	}
}

func (b *builder) describeFields(owner string, fields []model.Field) {
	for i := range fields {
		b.describe(owner, &fields[i].Type, fields[i].GoName+" of ["+owner+"]")
	}
}

// describe tells of the types in r, which stands at a place of owner.
func (b *builder) describe(owner string, r *model.Ref, place string) {
	stem := strings.TrimSuffix(strings.TrimSuffix(owner, "Input"), "Output")
	role := "the"
	for ; r != nil; r = r.Elem {
		switch r.Kind {
		case model.Slice:
			role = "an item of"
		case model.Map:
			role = "a value of"
		}
		typ := b.types.declared[r.Name]
		if r.Kind == model.Named && typ != nil && typ.Name == "" && isUndescribed(typ) && strings.HasPrefix(typ.GoName, stem) {
			typ.Doc = fmt.Sprintf("%s is %s %s.", typ.GoName, role, place)
		}
	}
}
