package httpapi

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxConfigFile is how large a shared config file may be: 1 MiB.
const maxConfigFile = 1 << 20

// configFile is a shared config file: the values of its sections, by names in
// lower case.
type configFile map[string]configSection

type configSection map[string]configValue

type configValue struct {
	text string
	line int // from 1
}

// parseConfig reads the form of ~/.aws/config. A line is one of these:
//
//	[section]        begins a section; one that was there before goes on
//	name = value     a value; what follows " #" or " ;" is a comment
//	# or ;           a comment
//	  name = value   indented: belongs to the value above, if that is empty,
//	                 and is left out; else as if it were not indented
//
// All other lines are left out: they belong to other programs.
func parseConfig(text string) configFile {
	file := make(configFile)
	var section configSection // nil: not inside one
	nested := false           // the last value is empty, and indented lines are its own
	text = strings.TrimPrefix(text, "\ufeff")
	line := 0
	for raw := range strings.SplitSeq(text, "\n") {
		line++
		trimmed := strings.TrimSpace(raw)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
		case trimmed[0] == '[':
			section, nested = file.section(trimmed), false
		case nested && (raw[0] == ' ' || raw[0] == '\t'):
		default:
			name, value, ok := strings.Cut(trimmed, "=")
			name = strings.ToLower(strings.TrimSpace(name))
			if !ok || name == "" || section == nil {
				continue
			}
			value = withoutComment(value)
			section[name] = configValue{value, line}
			nested = value == ""
		}
	}
	return file
}

// section returns the section that a line begins, nil if the line has no end.
func (f configFile) section(line string) configSection {
	name, _, ok := strings.Cut(line[1:], "]")
	if !ok {
		return nil
	}
	words := strings.Fields(name)
	if len(words) > 1 && words[0] == "profile" {
		rest := strings.TrimSpace(strings.TrimSpace(name)[len("profile"):])
		words = []string{"profile", unquote(rest)}
	}
	name = strings.Join(words, " ")
	if f[name] == nil {
		f[name] = make(configSection)
	}
	return f[name]
}

// unquote takes off a pair of quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// withoutComment cuts off a comment after white space.
func withoutComment(value string) string {
	for i := 1; i < len(value); i++ {
		if (value[i] == '#' || value[i] == ';') && (value[i-1] == ' ' || value[i-1] == '\t') {
			value = value[:i]
			break
		}
	}
	return strings.TrimSpace(value)
}

// defaultSection is the profile of a config file that is used unless another
// one is asked for.
const defaultSection = "default"

// profile returns the section of a profile, nil if there is none.
// "[profile default]" is preferred to "[default]".
func (f configFile) profile(name string) configSection {
	section := f["profile "+name]
	if section == nil && name == defaultSection {
		section = f[defaultSection]
	}
	return section
}

// readConfig returns the text of a config file. One that is not there is
// empty.
func readConfig(path string) (string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxConfigFile+1))
	if err == nil && len(data) > maxConfigFile {
		err = fmt.Errorf("%s: got more than %d bytes", path, maxConfigFile)
	}
	return string(data), err
}

// besides returns the path of the file of that name in path's directory.
func besides(path, name string) string {
	return path[:strings.LastIndexByte(path, '/')+1] + name
}

// atHome replaces a "~" at the beginning of path by the user's home
// directory. It returns "" if that is not known.
func atHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, rest)
}
