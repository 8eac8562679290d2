package emit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/model"
)

func TestSplit(t *testing.T) {
	long := func(group string, names ...string) []declaration {
		var decls []declaration
		for _, name := range names {
			decls = append(decls, declaration{name: name, group: group, lines: 900})
		}
		return decls
	}
	tests := map[string]struct {
		decls []declaration
		want  []string // file, then its declarations
	}{
		"nothing":        {nil, nil},
		"fits one file":  {long("a", "Zoo", "Ant"), []string{"types.go Zoo Ant"}},
		"by range":       {long("", "Ant", "fly", "Gnu", "Zebu"), []string{"types_a_f.go Ant fly", "types_g_l.go Gnu", "types_s_z.go Zebu"}},
		"by letter":      {long("", "Ant", "Bee", "Cat", "Zebu"), []string{"types_a.go Ant", "types_b.go Bee", "types_c.go Cat", "types_s_z.go Zebu"}},
		"more letters":   {long("", "S", "Sand", "Sea", "Sun"), []string{"types_s.go S", "types_sa.go Sand", "types_se.go Sea", "types_su.go Sun"}},
		"same beginning": {long("", "List1", "List2", "List3"), []string{"types_list1.go List1", "types_list2.go List2", "types_list3.go List3"}},
		"same name":      {long("", "A", "a", "A"), []string{"types_a.go A a A"}},
		"by group":       {append(long("Order items", "B", "A"), long("", "C")...), []string{"types_orderitems.go B A", "types_other.go C"}},
		"group's ranges": {long("Zoo", "A", "G", "Q"), []string{"types_zoo_a_f.go A", "types_zoo_g_l.go G", "types_zoo_m_r.go Q"}},
		"long group": {
			append(long("A tag that is a whole sentence, and longer than a name should be", "A", "B"), long("Zoo", "C")...),
			[]string{"types_atagthatisawholesentenceandlongerthanana.go A B", "types_zoo.go C"},
		},
		"one system": {append(long("Windows", "A", "B"), long("test", "C")...), []string{"types_test_part.go C", "types_windows_part.go A B"}},
		"one system's letters": {
			append(long("", "Jam", "Jet"), long("", "Jsx", "Zip")...),
			[]string{"types_ja.go Jam", "types_je.go Jet", "types_js_part.go Jsx", "types_s_z.go Zip"},
		},
		"beyond ASCII": {long("", "Äpfel", "Ärger", "Öl"), []string{"types_ä.go Äpfel Ärger", "types_ö.go Öl"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range split("types", test.decls) {
				words := []string{p.file}
				for _, d := range p.decls {
					words = append(words, d.name)
				}
				got = append(got, strings.Join(words, " "))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestSplitIsStable wants a new type to change no other file than its own.
func TestSplitIsStable(t *testing.T) {
	before := emitted(t, large(2000))
	s := large(2000)
	s.Types = append(s.Types, model.Type{GoName: "Zebra", Kind: model.Struct})
	for _, f := range emitted(t, s) {
		if !slices.ContainsFunc(before, func(b File) bool { return equalFile(f, b) }) && f.Name != "types_s_z.go" && f.Name != "types_z.go" {
			t.Errorf("%s has changed", f.Name)
		}
	}
}

// large is a service with n types and a tenth as many operations.
func large(n int) *model.Service {
	s := service()
	for i := range n {
		t := model.Type{
			GoName: fmt.Sprintf("%c%cThing%d", 'A'+i%26, 'a'+i/26%26, i), Kind: model.Struct,
			Doc: "A type that stands for the many types of a large definition, with a comment that has to be wrapped.",
		}
		for f := range 8 {
			field := member(fmt.Sprintf("Field%d", f), fmt.Sprintf("field%d", f), optional(basic("string")))
			field.Doc = "The purpose of the field, in one sentence of the usual length."
			t.Fields = append(t.Fields, field)
		}
		s.Types = append(s.Types, t)
		if i%10 == 0 {
			with(s, model.Operation{
				GoName: "Get" + t.GoName, Tag: fmt.Sprintf("Tag %d", i%70), Doc: "Get returns something.",
				Errors: []model.ErrorCase{{Code: "Limit"}, {Code: fmt.Sprintf("Other%d", i%50)}},
			})
		}
	}
	return s
}

// BenchmarkClient shows that the time for one type does not depend on how
// many there are.
func BenchmarkClient(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := large(n)
			for b.Loop() {
				if _, err := Client(s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/type")
		})
	}
}
