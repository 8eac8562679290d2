package emit

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retrygen/retrygen/gen/internal/model"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

// TestGolden writes each fixture down and compares the files with
// testdata/golden.
func TestGolden(t *testing.T) {
	for name, fixture := range fixtures {
		t.Run(name, func(t *testing.T) {
			files := emitted(t, fixture.service())
			compareGolden(t, filepath.Join("testdata", "golden", name+".txtar"), shown(t, files, fixture.files))
			for _, f := range files {
				checkText(t, f)
			}
			if again := emitted(t, fixture.service()); !slices.EqualFunc(files, again, equalFile) {
				t.Error("a second run gives other files")
			}
		})
	}
}

// shown are the files of those names.
func shown(t *testing.T, files []File, names string) []File {
	t.Helper()
	var out []File
	for _, f := range files {
		if slices.Contains(strings.Fields(names), f.Name) {
			out = append(out, f)
		}
	}
	if len(out) != len(strings.Fields(names)) {
		t.Errorf("there is not every file of %q", names)
	}
	return out
}

func emitted(t *testing.T, s *model.Service) []File {
	t.Helper()
	files, err := Client(s)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestGoldenFiles wants a fixture for each file.
func TestGoldenFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range paths {
		got = append(got, strings.TrimSuffix(filepath.Base(path), ".txtar"))
	}
	if want := slices.Sorted(maps.Keys(fixtures)); !slices.Equal(got, want) {
		t.Errorf("got files of %q, want %q", got, want)
	}
}

func compareGolden(t *testing.T, path string, files []File) {
	t.Helper()
	var archive txtar.Archive
	for _, f := range files {
		archive.Files = append(archive.Files, txtar.File{Name: f.Name, Data: f.Content})
	}
	got := txtar.Format(&archive)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update and read the diff. Got:\n%s", path, got)
	}
}

func equalFile(a, b File) bool { return a.Name == b.Name && bytes.Equal(a.Content, b.Content) }
