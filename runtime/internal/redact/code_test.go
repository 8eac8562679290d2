package redact

import (
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	for _, code := range []string{"", "Throttling", "ns#Code:1", "com.example/a_b-c", strings.Repeat("a", maxCode)} {
		if got := Code(code); got != code {
			t.Errorf("%q became %q", code, got)
		}
	}
	for _, code := range []string{"two words", "a@b", "ü", "a\n", `"`, strings.Repeat("a", maxCode+1)} {
		if got := Code(code); got != "" {
			t.Errorf("%q became %q", code, got)
		}
	}
}
