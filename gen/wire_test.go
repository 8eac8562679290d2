package gen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestWire generates a client and runs testdata/wire with it.
func TestWire(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("testdata", "wire"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "client")
	report, err := Run(t.Context(), Config{
		Specs: []string{filepath.Join("testdata", "wire", "api.yaml")}, Output: out, Package: "client", Strict: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Clients) != 1 || report.Clients[0].Operations != 2 {
		t.Fatalf("got %+v", report.Clients)
	}
	files, err := filepath.Glob(filepath.Join(out, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, f := range files {
		replace[filepath.Join(dir, "client", filepath.Base(f))] = f
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", "-overlay", file, dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOutputIsCleaned wants no directory made for what ".." takes back.
func TestOutputIsCleaned(t *testing.T) {
	dir := t.TempDir()
	output := dir + "/f/../x/s"
	if _, err := Run(t.Context(), Config{Specs: []string{"testdata/wire/api.yaml"}, Output: output}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "x" {
		t.Errorf("got %v, %v, want x alone", entries, err)
	}
}
