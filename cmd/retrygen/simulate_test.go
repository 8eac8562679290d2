package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSimulatePictures: the pictures of the documentation are what the
// commands in it draw now.
func TestSimulatePictures(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors may round the last digit of a coordinate differently")
	}
	docs := filepath.Join("..", "..", "docs")
	page, err := os.ReadFile(filepath.Join(docs, "simulate.md"))
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for line := range strings.Lines(string(page)) {
		args := strings.Fields(line)
		if len(args) < 2 || args[0] != "retrygen" || args[1] != "simulate" {
			continue
		}
		name := args[len(args)-1]
		if !strings.HasPrefix(name, "docs/") {
			continue
		}
		drawn++
		file := filepath.Join(t.TempDir(), filepath.Base(name))
		var out, errs bytes.Buffer
		if status := run(t.Context(), append(args[1:len(args)-1:len(args)-1], file), &out, &errs); status != 0 {
			t.Fatalf("%s: status %d: %s", line, status, &errs)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(docs, filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run %s", name, strings.TrimSpace(line))
		}
	}
	if drawn != 2 {
		t.Errorf("%d commands that draw pictures in simulate.md, want 2", drawn)
	}
}
