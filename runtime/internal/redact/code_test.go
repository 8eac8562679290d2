package redact

import (
	"strings"
	"testing"
)

func TestCode(t *testing.T) {
	for _, code := range []string{
		"", "Throttling", "ns#Code:1", "com.example/a_b-c", "ProvisionedThroughputExceededException",
		"429", "AADSTS7000215", "E12345678", "Abcdefghijklmn1", strings.Repeat("a", maxCode),
	} {
		if got := Code(code, ""); got != code {
			t.Errorf("%q became %q", code, got)
		}
	}
	for _, code := range []string{
		"two words", "a@b", "ü", "a\n", `"`, strings.Repeat("a", maxCode+1),
		"123456789", "4111-1111-1111-1111", "a1b2c3d4e5f60718", "Abcdefghijklmno1", "EC2ThrottledException",
		"0b6f2c1e-3b57-4a0e-9f0a-b1c2d3e4f5a6", "sk-abcdefgh", "ghp_abcdefgh", "AKIAABCDEFGH", "eyJhbGciOi",
	} {
		if got := Code(code, "status 500"); got != "" {
			t.Errorf("%q became %q", code, got)
		}
	}
	const known = "EC2ThrottledException"
	if got := Code(known, `error code "EC2ThrottledException"`); got != known {
		t.Errorf("a code that the rule quotes became %q", got)
	}
	if got := Code("a b", `error code "a b"`); got != "" {
		t.Errorf("a text that the rule quotes became %q", got)
	}
}
