package httpapi

import "strings"

// link is one link of a Link header (RFC 8288).
type link struct {
	target string            // a URI reference
	params map[string]string // names in lower case; the first of a name counts
}

// hasRel reports whether the link's relation types include rel. A link with
// an anchor is about another resource.
func (l link) hasRel(rel string) bool {
	if _, anchored := l.params["anchor"]; anchored {
		return false
	}
	for r := range strings.FieldsSeq(l.params["rel"]) {
		if strings.EqualFold(r, rel) {
			return true
		}
	}
	return false
}

// parseLinks reads the values of Link headers as appendix B.2 of RFC 8288
// says. What is malformed is left out.
func parseLinks(values []string) []link {
	var links []link
	for _, rest := range values {
		for rest != "" {
			_, after, found := strings.Cut(rest, "<")
			if !found {
				break
			}
			target, after, found := strings.Cut(after, ">")
			if !found {
				break
			}
			l := link{target: strings.TrimSpace(target), params: map[string]string{}}
			rest = l.parseParams(after)
			links = append(links, l)
		}
	}
	return links
}

// parseParams reads the parameters of one link and returns what follows it.
func (l *link) parseParams(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == ',' {
			return s
		}
		if s[0] != ';' {
			return skipTo(s, ",")
		}
		end := strings.IndexAny(s[1:], "=;,")
		name := s[1:]
		if end >= 0 {
			name = s[1 : 1+end]
		}
		s = s[1+len(name):]
		name = strings.ToLower(strings.TrimSpace(name))
		value := ""
		if strings.HasPrefix(s, "=") {
			value, s = paramValue(strings.TrimLeft(s[1:], " \t"))
		}
		if _, seen := l.params[name]; !seen && name != "" {
			l.params[name] = value
		}
	}
}

// paramValue reads a token or a quoted string.
func paramValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		rest = skipTo(s, ";,")
		return strings.TrimSpace(s[:len(s)-len(rest)]), rest
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// skipTo returns s from the first of the characters on.
func skipTo(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[i:]
	}
	return ""
}
