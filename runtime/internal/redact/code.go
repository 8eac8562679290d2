// Package redact decides what of an answer may be logged and traced.
package redact

// maxCode is how long an error code may be, in bytes.
const maxCode = 64

// Code returns code if it looks like an error code, and "" if it looks like
// a text, which could hold anything of an answer's body.
func Code(code string) string {
	for _, r := range code {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		case r == '.', r == '_', r == '-', r == ':', r == '#', r == '/':
		default:
			return ""
		}
	}
	if len(code) > maxCode {
		return ""
	}
	return code
}
