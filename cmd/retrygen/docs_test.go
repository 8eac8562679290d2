package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// TestPromisesNameTests wants each promise of docs/retry.md to name a test,
// and each test that is named to exist.
func TestPromisesNameTests(t *testing.T) {
	tests := testFunctions(t, "../..")
	text, err := os.ReadFile("../../docs/retry.md")
	if err != nil {
		t.Fatal(err)
	}
	promises := 0
	for line := range strings.Lines(string(text)) {
		names := testName.FindAllString(line, -1)
		for _, name := range names {
			if !tests[name] {
				t.Errorf("no test %s, for: %s", name, line)
			}
		}
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise ") {
			continue
		}
		if promises++; len(names) == 0 {
			t.Errorf("no test is named for: %s", line)
		}
	}
	if promises < 40 {
		t.Errorf("only %d promises were found", promises)
	}
}

// testFunctions returns the names of the module's tests and fuzz targets.
func testFunctions(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
