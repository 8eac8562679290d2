package emit

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// Widths of the text of a comment, so that its lines end before column 80.
const (
	topLevel = 80 - len("// ")
	indented = topLevel - 8 // one tab
)

// doc is the doc comment of a declaration, with deprecated, if any, as the
// last paragraph; nothing if there is nothing to say.
func doc(text, deprecated string) *jen.Statement { return docAt(topLevel, text, deprecated) }

// fieldDoc is the doc comment of a field or a constant in parentheses.
func fieldDoc(text, deprecated string) *jen.Statement { return docAt(indented, text, deprecated) }

func docAt(width int, text, deprecated string) *jen.Statement {
	if deprecated = strings.TrimSpace(deprecated); deprecated != "" {
		text = strings.TrimRight(text, "\n") + "\n\nDeprecated: " + deprecated
	}
	c := comment(text, width)
	if c == "" {
		return jen.Null()
	}
	return jen.Comment(c).Line()
}

// docLines is about how many lines the comment of text has.
func docLines(text string) int { return (len(text) + topLevel - 1) / topLevel }

// comment returns text as a line comment, wrapped at width. Paragraphs are
// kept, and so are indented lines and the items of lists.
func comment(text string, width int) string {
	var paragraphs []string
	for _, p := range blocks(clean(text)) {
		if lines := p.lines(width); len(lines) > 0 {
			paragraphs = append(paragraphs, strings.Join(lines, "\n"))
		}
	}
	if len(paragraphs) == 0 {
		return ""
	}
	lines := strings.Split(strings.Join(paragraphs, "\n\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("// "+inert(line), " ")
	}
	return strings.Join(lines, "\n")
}

// clean drops what Go source must not contain.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r' || r == '\u2028' || r == '\u2029':
			return '\n'
		case r == '\uFEFF' || unicode.IsControl(r):
			return -1
		}
		return r
	}, text)
}

// inert keeps a line of prose from being read as a build constraint, which
// gofmt would move to the top of the file.
func inert(line string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "+build"); ok {
		return "`+build`" + rest
	}
	return line
}

// block is a paragraph, a list or preformatted lines.
type block struct {
	preformatted bool
	text         []string
}

// listItem matches the marker at the beginning of an item.
var listItem = regexp.MustCompile(`^[ \t]*([-*+•]|[0-9]{1,2}[.)])[ \t]+`)

// blocks cuts text into blocks at blank lines, and lists off the lines above
// them.
func blocks(text string) []block {
	var out []block
	var current block
	end := func() {
		if len(current.text) > 0 {
			out = append(out, current)
		}
		current = block{}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRightFunc(line, unicode.IsSpace)
		item := listItem.MatchString(line)
		switch {
		case line == "":
			end()
			continue
		case len(current.text) == 0:
			current.preformatted = !item && (line[0] == ' ' || line[0] == '\t')
		case item && !current.preformatted && !listItem.MatchString(current.text[0]):
			end()
		}
		current.text = append(current.text, line)
	}
	end()
	return out
}

// lines returns b as it stands in a comment, without the slashes.
func (b block) lines(width int) []string {
	switch {
	case b.preformatted:
		return b.text
	case listItem.MatchString(b.text[0]):
		return b.items(width)
	}
	return wrap(strings.Join(b.text, " "), width)
}

// items wraps each item of a list, with its marker before an indented text.
func (b block) items(width int) []string {
	var out, item []string
	var marker string
	end := func() {
		for i, line := range wrap(strings.Join(item, " "), width-len("    ")) {
			if i == 0 {
				out = append(out, marker+line)
			} else {
				out = append(out, "    "+line)
			}
		}
		item = nil
	}
	for _, line := range b.text {
		if m := listItem.FindStringSubmatch(line); m != nil {
			end()
			marker, line = listMarker(m[1]), line[len(m[0]):]
		}
		item = append(item, line)
	}
	end()
	return out
}

// listMarker is a marker as gofmt writes it.
func listMarker(m string) string {
	if m[0] >= '0' && m[0] <= '9' {
		number := m[:len(m)-1] + ". "
		return strings.Repeat(" ", max(0, 4-len(number))) + number
	}
	return "  - "
}

// wrap breaks text into lines of at most width characters; a longer word has
// a line of its own.
func wrap(text string, width int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n > width {
			lines = append(lines, line.String())
			line.Reset()
			used = 0
		}
		if used > 0 {
			line.WriteByte(' ')
			used++
		}
		line.WriteString(word)
		used += n
	}
	if used > 0 {
		lines = append(lines, line.String())
	}
	return lines
}
