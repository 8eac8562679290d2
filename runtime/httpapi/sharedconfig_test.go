package httpapi

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestParseConfig(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", ""},
		{"values", "[default]\na=1\nb = 2\n", "default: a=1@2 b=2@3"},
		{"names in capitals", "[Default]\nRetry_Mode = Legacy\n", "Default: retry_mode=Legacy@2"},
		{"carriage returns and a byte order mark", "\ufeff[default]\r\na = 1\r\n", "default: a=1@2"},
		{"comments", "# a\n[default] # b\n; c\n  # d\na = 1 # e\nb = 2\t; f\nc = #g\nd = # h\n",
			"default: a=1@5 b=2@6 c=@7 d=@8"},
		{"marks inside values", "[default]\na = x#y;z\n", "default: a=x#y;z@2"},
		{"nested values", "[default]\ns3 =\n  max_attempts = 9\n\tretry_mode = odd\nmax_attempts = 4\n",
			"default: max_attempts=4@5 s3=@2"},
		{"nested comes back", "[default]\ns3 =\n  a = 9\n[profile x]\n  a = 1\n", "default: s3=@2; profile x: a=1@5"},
		{"indented values", "[default]\n  a = 1\n  b = 2\n", "default: a=1@2 b=2@3"},
		{"profiles", "[profile x]\na=1\n[ profile\t y ]\na=2\n[profile \"with  space\"]\na=3\n[profile 'z']\na=4\n",
			"profile with  space: a=3@6; profile x: a=1@2; profile y: a=2@4; profile z: a=4@8"},
		{"a section that goes on", "[default]\na=1\n[other]\n[default]\na=2\nb=3\n", "default: a=2@5 b=3@6; other:"},
		{"outside of a section", "a=1\n[default]\n", "default:"},
		{"header without an end", "[default]\na=1\n[profile x\na=2\n", "default: a=1@2"},
		{"lines of other kinds", "[default]\nnonsense\n=1\na=1=2\n", "default: a=1=2@4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := parseConfig(test.text).String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// String writes the file in order: "section: name=text@line".
func (f configFile) String() string {
	var sections []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		text := name + ":"
		for _, key := range slices.Sorted(maps.Keys(f[name])) {
			v := f[name][key]
			text += " " + key + "=" + v.text + "@" + string(rune('0'+v.line))
		}
		sections = append(sections, text)
	}
	return strings.Join(sections, "; ")
}

func TestDefaultSection(t *testing.T) {
	both := parseConfig("[profile default]\na=1\n[default]\na=2\n[x]\na=3\n")
	if got := both.profile("default")["a"].text; got != "1" {
		t.Errorf("default: got %q, want that of [profile default]", got)
	}
	if got := both.profile("x"); got != nil {
		t.Errorf("[x] is the profile x: %v", got)
	}
}

func TestReadConfig(t *testing.T) {
	dir := t.TempDir()
	if text, err := readConfig(filepath.Join(dir, "missing")); text != "" || err != nil {
		t.Errorf("a missing file: %q, %v", text, err)
	}
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, maxConfigFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, large} {
		if _, err := readConfig(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one that names it", path, err)
		}
	}
	if err := os.Truncate(large, maxConfigFile); err != nil {
		t.Fatal(err)
	}
	if text, err := readConfig(large); len(text) != maxConfigFile || err != nil {
		t.Errorf("a file as large as allowed: %d bytes, %v", len(text), err)
	}
	t.Setenv("HOME", "")
	if got := atHome("~/.aws/config"); got != "" {
		t.Errorf("without a home directory: %q, want none", got)
	}
	if got := atHome("/etc/config"); got != "/etc/config" {
		t.Errorf("an absolute path: %q", got)
	}
}

// FuzzParseConfig: every value is trimmed, on one line, and stands in the
// line that it names.
func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{
		"[default]\nretry_mode = standard # mode\n", "[profile x]\ns3 =\n  max_attempts = 3\n[default]\r\nmax_attempts=2",
		"[", "]\n[]\n=", "[profile \"]\n\ufeff", "[a]\n=\n =\nb= ;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		for name, section := range parseConfig(text) {
			for key, v := range section {
				if v.line < 1 || v.line > len(lines) {
					t.Fatalf("[%s] %s: line %d of %d", name, key, v.line, len(lines))
				}
				line := lines[v.line-1]
				if key == "" || key != strings.ToLower(strings.TrimSpace(key)) || v.text != strings.TrimSpace(v.text) ||
					!strings.Contains(strings.ToLower(line), key) || !strings.Contains(line, v.text) {
					t.Errorf("[%s] %q = %q, line %q", name, key, v.text, line)
				}
			}
		}
	})
}
