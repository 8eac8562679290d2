package annotate_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
)

var update = flag.Bool("update", false, "rewrite the expected diagnostics")

// TestNegative reads the definition of each archive, which is not right, and
// compares what is said of it: errors, or warnings if there are no errors.
func TestNegative(t *testing.T) {
	names, err := filepath.Glob("../../../testdata/negative/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range names {
		if name, err = filepath.Abs(name); err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { negative(t, name) })
	}
}

func negative(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 2 || archive.Files[1].Name != "diagnostics" {
		t.Fatalf("%s: want a definition and diagnostics", name)
	}
	got := diagnose(t, archive.Files[0])
	if *update {
		archive.Files[1].Data = []byte(got)
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := string(archive.Files[1].Data); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// diagnose returns what is said of a definition, one remark a line.
func diagnose(t *testing.T, spec txtar.File) string {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(spec.Name, spec.Data, 0o644); err != nil {
		t.Fatal(err)
	}
	doc, err := load.File(context.Background(), spec.Name, load.Options{})
	if err != nil {
		t.Fatalf("the definition itself is wrong: %v", err)
	}
	notes, err := annotate.Document(doc)
	if list, ok := errors.AsType[diag.List](err); ok {
		return list.Error() + "\n"
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(notes.Warnings) == 0 {
		t.Fatal("nothing is said of the definition")
	}
	return notes.Warnings.Error() + "\n"
}
