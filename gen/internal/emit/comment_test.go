package emit

import (
	"go/format"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestComment(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"nothing":           {" \n\n ", ""},
		"wrap":              {"one two three four five six", "// one two three\n// four five six"},
		"exact width":       {"one two three four x", "// one two three\n// four x"},
		"count characters":  {"ääääääää öööööö", "// ääääääää öööööö"},
		"long word":         {"a thewordthatistoolongforit b", "// a\n// thewordthatistoolongforit\n// b"},
		"paragraphs":        {"one\ntwo\n\n\n\nthree", "// one two\n//\n// three"},
		"code":              {"so:\n\n\tx := 1\n\n  y", "// so:\n//\n// \tx := 1\n//\n//   y"},
		"list":              {"so:\n* one\n  more\n+ two", "// so:\n//\n//   - one more\n//   - two"},
		"numbers":           {"1. one\n10) ten", "//  1. one\n// 10. ten"},
		"wrapped list":      {"- one two three4", "//   - one two\n//     three4"},
		"dash in a line":    {"a - b", "// a - b"},
		"carriage returns":  {"a\r\n\r\nb", "// a\n//\n// b"},
		"line separators":   {"a\u2028b", "// a b"},
		"control":           {"a\x00\x1b[0m\ufeffb", "// a[0mb"},
		"not UTF-8":         {"a\xffb", "// a\uFFFDb"},
		"end of comment":    {"a */ b", "// a */ b"},
		"build constraint":  {"a\n\n+build ignore", "// a\n//\n// `+build` ignore"},
		"indented trap":     {"\t+build ignore", "// `+build` ignore"},
		"directive's words": {"go:generate x", "// go:generate x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := comment(test.text, 17); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

// FuzzComment wants any text to be a comment that has no effect on the code
// below it.
func FuzzComment(f *testing.F) {
	for _, text := range []string{"a", "+build ignore", "- a\n1. b\n\n\tc", "//go:embed x", "\x00\xff\r\n\u2029", "*/ func", "#cgo", "\v+build x"} {
		f.Add(text, 77)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		c := comment(text, width%200)
		if c != "" {
			c += "\n"
		}
		source, err := format.Source([]byte("package p\n\n" + c + "type T int\n"))
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(source) || !strings.HasPrefix(string(source), "package p\n") {
			t.Errorf("%q has got into the code:\n%s", text, source)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
		if err != nil || len(file.Decls) != 1 {
			t.Errorf("%q has got into the code (error %v):\n%s", text, err, source)
		}
		for line := range strings.Lines(c) {
			if line != "//\n" && !strings.HasPrefix(line, "// ") {
				t.Errorf("%q gives the line %q", text, line)
			}
		}
	})
}
