package emit

import (
	"go/build"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// maxLines is how long a file may be before it is split.
const maxLines = 2000

// part is the content of one file.
type part struct {
	noun  string
	file  string
	decls []declaration
}

// split distributes the declarations of a noun over files. What fits one file
// stays together. Otherwise there is a file for each group, and for what is
// still too long one for each first letter, then for two letters and so on:
// a new declaration changes the file that it belongs to and no other, unless
// that one becomes too long.
func split(noun string, decls []declaration) []part {
	switch {
	case len(decls) == 0:
		return nil
	case lines(decls) <= maxLines:
		return []part{{noun, fileName(noun), decls}}
	}
	var parts []part
	for group, members := range grouped(decls, groupOf) {
		name := noun
		if group != "" {
			name += "_" + group
		}
		parts = append(parts, byLetters(noun, name, "", members)...)
	}
	return parts
}

// byLetters splits decls, whose names all begin with prefix, by the letters
// that follow, as long as they are too long for one file.
func byLetters(noun, name, prefix string, decls []declaration) []part {
	n := len([]rune(prefix)) + 1
	longer := func(d declaration) bool { return letters(d, n) != prefix }
	if lines(decls) <= maxLines || len(decls) == 1 || !slices.ContainsFunc(decls, longer) {
		if prefix != "" {
			name += "_" + prefix
		}
		return []part{{noun, fileName(name), decls}}
	}
	var parts []part
	for next, members := range grouped(decls, func(d declaration) string { return letters(d, n) }) {
		parts = append(parts, byLetters(noun, name, next, members)...)
	}
	return parts
}

// letters returns the first n letters of d's name, in lower case.
func letters(d declaration, n int) string {
	name := []rune(d.name)
	return strings.ToLower(string(name[:min(n, len(name))]))
}

// groupOf returns d's group as it stands in a file name.
func groupOf(d declaration) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, d.group)
}

// grouped yields decls by key, sorted by key, in their order within each.
func grouped(decls []declaration, key func(declaration) string) func(yield func(string, []declaration) bool) {
	groups := map[string][]declaration{}
	for _, d := range decls {
		groups[key(d)] = append(groups[key(d)], d)
	}
	return func(yield func(string, []declaration) bool) {
		for _, k := range slices.Sorted(maps.Keys(groups)) {
			if !yield(k, groups[k]) {
				return
			}
		}
	}
}

func lines(decls []declaration) int {
	sum := 0
	for _, d := range decls {
		sum += d.lines
	}
	return sum
}

// fileName is name as a Go file that is built everywhere: types_js.go would
// belong to one system only, and operations_test.go to the tests.
func fileName(name string) string {
	anywhere := build.Context{GOOS: "any", GOARCH: "any", Compiler: "gc", OpenFile: emptyPackage}
	file := name + ".go"
	if matches, _ := anywhere.MatchFile("", file); !matches || strings.HasSuffix(name, "_test") {
		return name + "_part.go"
	}
	return file
}

func emptyPackage(string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("package p\n")), nil
}
