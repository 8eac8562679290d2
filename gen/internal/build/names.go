package build

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are words that Go style writes in one case: those of the
// former golint (golang.org/x/lint, commonInitialisms), and their plurals.
var initialisms = wordSet(`ACL API ASCII CPU CSS DNS EOF GUID HTML HTTP HTTPS ID IP JSON LHS QPS RAM RHS
	RPC SLA SMTP SQL SSH TCP TLS TTL UDP UI UID UUID URI URL UTF8 VM XML XMPP XSRF XSS`)

// signWords name the signs of which a name without letters consists.
var signWords = map[rune]string{
	'+': "Plus", '-': "Minus", '=': "Equal", '<': "Less", '>': "Greater", '!': "Not", '*': "Star",
	'/': "Slash", '%': "Percent", '&': "And", '|': "Or", '~': "Tilde", '^': "Caret", '@': "At",
	'#': "Hash", '$': "Dollar", '?': "Question", '.': "Dot", ',': "Comma", ':': "Colon", ';': "Semicolon",
	'_': "Underscore", ' ': "Space",
}

func wordSet(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// exported returns name as an exported Go identifier: orderId is OrderID, and
// what Go style allows keeps its spelling. It returns "" if the name has
// nothing of which to make one.
func exported(name string) string {
	return export(joined(name))
}

// constantPart returns an enum value as the end of a Go identifier:
// PAY_PER_REQUEST is PayPerRequest. It may begin with a digit.
func constantPart(value string) string {
	if value == "" {
		return "Empty"
	}
	if isUpper(value) {
		value = strings.ToLower(value)
	}
	return joined(value)
}

// unexported returns name, an exported identifier, with its first word in
// lower case: GetItem is getItem, HTTPGet is httpGet.
func unexported(name string) string {
	words := split(name)
	if len(words) == 0 {
		return ""
	}
	first := words[0]
	return strings.ToLower(first) + strings.TrimPrefix(name, first)
}

// export makes an exported identifier of letters and digits.
func export(id string) string {
	switch {
	case id == "" || token.IsExported(id):
		return id
	case unicode.IsDigit(first(id)):
		return "N" + id
	}
	return "X" + id
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// joined returns the words of name in Go casing, one after the other.
func joined(name string) string {
	var b strings.Builder
	if sign := first(name); sign == '+' || sign == '-' {
		b.WriteString(signWords[sign])
	}
	if strings.ContainsAny(name, "_- ") && isUpper(name) {
		name = strings.ToLower(name)
	}
	words := split(name)
	if len(words) == 0 {
		b.Reset()
		for _, r := range name {
			b.WriteString(signWords[r])
		}
	}
	for i, w := range words {
		if i > 0 && unicode.IsDigit(first(w)) && endsInDigit(words[i-1]) {
			b.WriteByte('_') // keeps 1.10 and 11.0 apart
		}
		b.WriteString(cased(w))
	}
	return b.String()
}

func endsInDigit(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsDigit(r)
}

// cased returns one word with a capital first letter, or as an initialism.
func cased(word string) string {
	upper := strings.ToUpper(word)
	if initialisms[upper] {
		return upper
	}
	if plural, ok := strings.CutSuffix(upper, "S"); ok && initialisms[plural] && upper != "IPS" {
		return plural + "s"
	}
	r, n := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(r)) + word[n:]
}

// isUpper reports whether name has letters, and none in lower case.
func isUpper(name string) bool {
	return name == strings.ToUpper(name) && name != strings.ToLower(name)
}

// split cuts a name into words: at everything that is no letter or digit,
// before a capital after a small letter or digit, and before the last capital
// of a run that small letters follow (HTTPServer: HTTP, Server).
func split(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !isWordRune(r) {
			flush()
			continue
		}
		if len(word) > 0 && unicode.IsUpper(r) {
			previous := word[len(word)-1]
			before := i+1 < len(runes) && unicode.IsLower(runes[i+1]) && !pluralAt(runes, i+1)
			if !unicode.IsUpper(previous) || before {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}

// isWordRune reports whether r may stand in an identifier. U+FFFD stands for
// bytes that are not UTF-8 and is none.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// pluralAt reports whether runes[i] is the s of a plural such as IDs.
func pluralAt(runes []rune, i int) bool {
	if runes[i] != 's' || i+1 < len(runes) && isWordRune(runes[i+1]) && !unicode.IsUpper(runes[i+1]) {
		return false
	}
	start := i
	for start > 0 && unicode.IsUpper(runes[start-1]) {
		start--
	}
	return initialisms[string(runes[start:i])]
}

// reserved are identifiers that a generated package cannot declare, or that
// its own code needs: keywords and predeclared names, imports, parameters of
// generated functions, and what every client declares.
var reserved = wordSet(`break case chan const continue default defer else fallthrough for func go goto if
	import interface map package range return select struct switch type var
	any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune
	string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex
	copy delete imag len make max min new panic print println real recover init main _
	awsprofile bytes context errors fmt http httpapi io iter json jsontext jsonv2 maps retry slices
	strings time url
	c core ctx dec enc plain endpoint err i in ok opts out raw t u v w
	Client New SigningName service`)

// scope gives out the identifiers of one block.
type scope map[string]bool

// claim returns the first of the wishes that is free, else the last one with
// the least number that is.
func (s scope) claim(wishes ...string) string {
	for _, w := range wishes {
		if s.free(w) {
			s[w] = true
			return w
		}
	}
	last := wishes[len(wishes)-1]
	if last == "" {
		last = "X"
	}
	for n := 2; ; n++ {
		if w := last + strconv.Itoa(n); s.free(w) {
			s[w] = true
			return w
		}
	}
}

func (s scope) free(id string) bool {
	return id != "" && !s[id] && !reserved[id]
}
