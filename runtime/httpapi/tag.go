package httpapi

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// location is where a parameter travels.
type location uint8

const (
	inPath location = iota
	inQuery
	inHeader
	inCookie
)

// locations are the tag keys of parameters, by location.
var locations = [...]string{inPath: "path", inQuery: "query", inHeader: "header", inCookie: "cookie"}

// styleNames are the styles of each location; the first is the default.
var styleNames = [...][]string{
	inPath:   {"simple", "label", "matrix"},
	inQuery:  {"form", "spaceDelimited", "pipeDelimited", "deepObject"},
	inHeader: {"simple"},
	inCookie: {"form", "cookie"},
}

// format is how one value is written as text.
type format struct {
	style    string
	explode  bool
	reserved bool // reserved characters are sent as they are
	content  bool // the value is sent as JSON
	set      bool // the tag says something about the style
}

// parseFormat reads the options of a parameter tag after the name.
func parseFormat(in location, options []string) (format, error) {
	f := format{style: styleNames[in][0]}
	exploded := false
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		var err error
		switch key {
		case "style":
			f.set = true
			f.style, err = oneOf(styleNames[in], value)
		case "explode":
			f.set, exploded = true, true
			f.explode, err = parseFlag(value)
		case "allowReserved":
			f.set = true
			f.reserved, err = parseFlag(value)
		case "content":
			f.content = isJSON(value)
			if !f.content {
				err = fmt.Errorf("content %q is not JSON", value)
			}
		default:
			err = fmt.Errorf("unknown option %q", key)
		}
		if err != nil {
			return f, err
		}
	}
	if f.reserved && in != inPath && in != inQuery {
		return f, errors.New("allowReserved has no meaning here")
	}
	if !exploded {
		f.explode = f.style == "form" || f.style == "cookie"
	}
	return f, nil
}

// cutName splits a tag into its name and its options. A name that has commas,
// quotes or backslashes stands in single quotes, as in the tags of package
// json.
func cutName(tag string) (name string, options []string, err error) {
	if !strings.HasPrefix(tag, "'") {
		list := strings.Split(tag, ",")
		return list[0], list[1:], nil
	}
	for i := 1; i < len(tag); i++ {
		switch tag[i] {
		case '\\':
			i++
		case '\'':
			quoted := strings.NewReplacer(`\'`, `'`, `\\`, `\\`, `"`, `\"`).Replace(tag[1:i])
			if name, err = strconv.Unquote(`"` + quoted + `"`); err != nil {
				return "", nil, fmt.Errorf("name %s: %w", tag[:i+1], err)
			}
			rest, found := strings.CutPrefix(tag[i+1:], ",")
			if !found {
				return name, nil, nil
			}
			return name, strings.Split(rest, ","), nil
		}
	}
	return "", nil, errors.New("the name has no closing quote")
}

// oneOf returns value if list has it.
func oneOf(list []string, value string) (string, error) {
	for _, s := range list {
		if s == value {
			return s, nil
		}
	}
	return "", fmt.Errorf("unknown style %q, want one of %s", value, strings.Join(list, ", "))
}

// parseFlag reads the value of a boolean option; none means true.
func parseFlag(value string) (bool, error) {
	if value == "" {
		return true, nil
	}
	flag, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("got %q, want true or false", value)
	}
	return flag, nil
}

// tagError names the field whose tag is bad.
func tagError(t reflect.Type, f reflect.StructField, key string, err error) error {
	return fmt.Errorf("httpapi: %s.%s: tag %s:%q: %w", t, f.Name, key, f.Tag.Get(key), err)
}

// parseStatus reads "200", "2XX" or "default".
func parseStatus(s string) (StatusRange, error) {
	if s == "default" {
		return StatusRange{100, 599}, nil
	}
	if len(s) == 3 && s[0] >= '1' && s[0] <= '5' && strings.EqualFold(s[1:], "XX") {
		from := int(s[0]-'0') * 100
		return StatusRange{from, from + 99}, nil
	}
	code, err := strconv.Atoi(s)
	if err != nil || code < 100 || code > 599 {
		return StatusRange{}, fmt.Errorf("got %q, want a status, a range such as 2XX, or default", s)
	}
	return Status(code), nil
}
