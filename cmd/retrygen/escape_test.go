package main

import (
	"bytes"
	"testing"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nü \\x1b": "a\tb\nü \\x1b",
		"\x1b[31mred":   `\x1b[31mred`,
		"a\rb\a\x7f":    `a\rb\a\x7f`,
		"\u009b2J\x9b":  `\u009b2J\x9b`,
		"\u202eabc":     `\u202eabc`,
	} {
		var b bytes.Buffer
		n, err := escaped{&b}.Write([]byte(text))
		if b.String() != want || n != len(text) || err != nil {
			t.Errorf("%q: got %q, %d, %v, want %q", text, &b, n, err, want)
		}
	}
}
