package main

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escaped is text for a terminal: what a definition says cannot move the
// cursor, change the title or turn the direction of what follows.
type escaped struct{ io.Writer }

// Write writes p with its control characters as in Go's strings, such as
// \x1b. Ends of lines and tabs stay. p is whole characters.
func (e escaped) Write(p []byte) (int, error) {
	if _, err := io.WriteString(e.Writer, escape(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		part := text[i : i+size]
		if isControl(r) || r == utf8.RuneError && size == 1 {
			part = strconv.QuoteToASCII(part)
			part = part[1 : len(part)-1]
		}
		b.WriteString(part)
		i += size
	}
	return b.String()
}

func isControl(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
