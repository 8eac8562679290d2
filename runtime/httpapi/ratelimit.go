package httpapi

import (
	"strconv"
	"strings"
	"time"
)

// parseRateLimit reads the RateLimit field of the IETF's HTTPAPI working
// group: how long until a window ends of which nothing is left. Of several
// policies the last to open again counts. It knows the list form
//
//	RateLimit: "default";r=0;t=5, "daily";r=120;t=3600
//
// (draft-ietf-httpapi-ratelimit-headers-10) and the dictionary before it
//
//	RateLimit: limit=100, remaining=0, reset=5
//
// (draft 07). A field that is malformed, as a whole or in part, says nothing.
func parseRateLimit(value string) (time.Duration, bool) {
	var longest time.Duration
	empty := false
	old := map[string]string{}
	for member := range cutOutside(value, ',') {
		name, params, ok := parseMember(member)
		switch {
		case !ok:
			return 0, false
		case name != "":
			old[name] = params[""]
			continue
		}
		if wait, ok := windowEnd(params["r"], params["t"]); ok {
			longest, empty = max(longest, wait), true
		}
	}
	if wait, ok := windowEnd(old["remaining"], old["reset"]); ok {
		longest, empty = max(longest, wait), true
	}
	return longest, empty
}

// windowEnd is the time to the end of a window of which nothing remains.
func windowEnd(remaining, seconds string) (time.Duration, bool) {
	left, err := strconv.ParseUint(remaining, 10, 63)
	if err != nil || left > 0 || !isDigits(seconds) {
		return 0, false
	}
	return parseDecimal(seconds, time.Second)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// parseMember reads one member of a structured field (RFC 9651): an item or,
// if it has a name, an entry of a dictionary whose value is the parameter "".
func parseMember(member string) (name string, params map[string]string, ok bool) {
	params = map[string]string{}
	first := true
	for part := range cutOutside(member, ';') {
		part = strings.Trim(part, " \t")
		key, value, hasValue := strings.Cut(part, "=")
		switch {
		case first && isString(part):
		case first && hasValue && isKey(key):
			name, params[""] = key, value
		case first && isKey(part): // a token, as older drafts have it
		case !first && isKey(key) && (!hasValue || value != ""):
			params[key] = value
		default:
			return "", nil, false
		}
		first = false
	}
	return name, params, true
}

// isString reports whether s is a string in quotes.
func isString(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for inner := s[1 : len(s)-1]; inner != ""; inner = inner[1:] {
		switch c := inner[0]; {
		case c < ' ' || c > '~' || c == '"':
			return false
		case c == '\\':
			if inner = inner[1:]; inner == "" || inner[0] != '"' && inner[0] != '\\' {
				return false
			}
		}
	}
	return true
}

// isKey reports whether s is a key of a structured field.
func isKey(s string) bool {
	for i, r := range s {
		lower := r >= 'a' && r <= 'z' || r == '*'
		if !lower && (i == 0 || !strings.ContainsRune("0123456789_-.", r)) {
			return false
		}
	}
	return s != ""
}

// cutOutside yields the parts of s between separators that do not stand in
// quotes.
func cutOutside(s string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(s); i++ {
			switch {
			case s[i] == '"':
				quoted = !quoted
			case s[i] == '\\' && quoted:
				i++
			case s[i] == separator && !quoted:
				if !yield(s[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(s[start:])
	}
}
