// Package redact decides what of an answer may be logged and traced.
package redact

import (
	"fmt"
	"strings"
)

const (
	maxCode   = 64 // how long an error code may be, in bytes
	maxName   = 15 // how long a code with digits may be, in bytes
	maxDigits = 8  // how many digits a code may have
)

// secretPrefixes are those of keys and tokens in common use.
var secretPrefixes = []string{"sk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghs_", "xox", "AKIA", "ASIA", "eyJ"}

// Code returns code if it looks like an error code, and "" if it looks like
// a text, which could hold anything of an answer's body, or like a number, a
// key or a token: a long code must do without digits. One that rule quotes is
// known from a profile or a definition, and may have digits.
func Code(code, rule string) string {
	digits := 0
	for _, r := range code {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		case r >= '0' && r <= '9':
			digits++
		case r == '.', r == '_', r == '-', r == ':', r == '#', r == '/':
		default:
			return ""
		}
	}
	if len(code) > maxCode {
		return ""
	}
	if code == "" || strings.Contains(rule, fmt.Sprintf("%q", code)) {
		return code
	}
	if digits > maxDigits || digits > 0 && len(code) > maxName {
		return ""
	}
	for _, prefix := range secretPrefixes {
		if strings.HasPrefix(code, prefix) {
			return ""
		}
	}
	return code
}
