package emit

import (
	"go/build"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
// still too long one for each range of first letters, then for each letter,
// for two letters and so on: a new declaration changes the file that it
// belongs to and no other, unless that one becomes too long.
func split(noun string, decls []declaration) []part {
	if len(decls) == 0 {
		return nil
	}
	if lines(decls) <= maxLines || !slices.ContainsFunc(decls, func(d declaration) bool { return d.group != "" }) {
		return byRanges(noun, noun, decls)
	}
	var parts []part
	for group, members := range grouped(decls, groupOf) {
		parts = append(parts, byRanges(noun, noun+"_"+group, members)...)
	}
	return parts
}

// ranges are the ranges of first letters, each by its last one.
var ranges = []struct {
	last rune
	name string
}{
	{'f', "a_f"},
	{'l', "g_l"},
	{'r', "m_r"},
	{unicode.MaxRune, "s_z"},
}

// byRanges splits decls, which belong into the file called name, by the first
// letters of their names if they are too long for it.
func byRanges(noun, name string, decls []declaration) []part {
	if lines(decls) <= maxLines {
		return []part{{noun, fileName(name), decls}}
	}
	var parts []part
	for rng, members := range grouped(decls, rangeOf) {
		if lines(members) <= maxLines {
			parts = append(parts, part{noun, fileName(name + "_" + rng), members})
		} else {
			parts = append(parts, byLetters(noun, name, "", members)...)
		}
	}
	return parts
}

func rangeOf(d declaration) string {
	first, _ := utf8.DecodeRuneInString(letters(d, 1))
	for _, r := range ranges {
		if first <= r.last {
			return r.name
		}
	}
	panic("unreachable: the last range has no end")
}

// byLetters splits decls, whose names all begin with prefix, by the letters
// that follow, as long as they are too long for one file.
func byLetters(noun, name, prefix string, decls []declaration) []part {
	n := utf8.RuneCountInString(prefix) + 1
	longer := func(d declaration) bool { return letters(d, n) != prefix }
	if prefix != "" && (lines(decls) <= maxLines || len(decls) == 1) || !slices.ContainsFunc(decls, longer) {
		return []part{{noun, fileName(name + "_" + prefix), decls}}
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

// groupOf returns d's group as it stands in a file name; what has none is
// with the others.
func groupOf(d declaration) string {
	group := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, d.group)
	if group == "" {
		return "other"
	}
	runes := []rune(group)
	return string(runes[:min(len(runes), maxGroup)])
}

// maxGroup is how many letters of a group a file name has; a tag may be a
// whole sentence.
const maxGroup = 40

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
