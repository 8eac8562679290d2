package conformance_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/internal/conformance"
)

func load(t *testing.T, text string) (conformance.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "group.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return conformance.Load(path)
}

// TestTables reads the same vectors in both schemas.
func TestTables(t *testing.T) {
	objects := `{"schema": "retry-vectors/1", "group": "g", "vectors": [
		{"id": "a", "kind": "steps", "source": "own", "oracle": "agrees", "given": {"jitter": 1, "max_attempts": 2}, "steps": [
			{"expect": {"delay_ms": 50, "outcome": "retry"}, "response": {"headers": {"X": "1"}, "status": 500}},
			{"call": "b", "expect": {"outcome": "success"}, "response": {"code": "Odd", "status": 400}}]},
		{"id": "c", "kind": "backoff", "source": "page", "oracle": "differs", "given": {"jitter": 0.5, "retry": 3}, "expect": {"delay_ms": 2.50}}]}`
	tables := `{"schema": "retrygen-vectors/1", "group": "g", "tables": [
		{"kind": "steps", "given": {"jitter": 1}, "columns": ["response.answer", "expect.outcome", "expect.delay_ms", "*"], "vectors": [
			{"id": "a", "source": "own", "given": {"max_attempts": 2}, "rows": [
				[500, "retry", 50, {"response": {"headers": {"X": "1"}}}],
				["400 Odd", "success", null, {"call": "b"}]]}]},
		{"kind": "backoff", "given": {"jitter": 1}, "columns": ["id", "source", "oracle", "given.retry", "given.jitter", "expect.delay_ms"], "rows": [
			["c", "page", "differs", 3, 0.5, 2.50]]}]}`
	want, err := load(t, objects)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, tables)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(facts(t, got), facts(t, want)) {
		t.Errorf("tables %v\nobjects %v", facts(t, got), facts(t, want))
	}
}

func TestLoadErrors(t *testing.T) {
	const tables = `{"schema": "retrygen-vectors/1", "tables": [`
	tests := []struct{ name, text, want string }{
		{"no JSON", `vectors`, "invalid character"},
		{"no schema", `{}`, `schema: got "", want "retry-vectors/1" or "retrygen-vectors/1"`},
		{"other schema", `{"schema": "retry-vectors/2"}`, `schema: got "retry-vectors/2"`},
		{"no vectors", `{"schema": "retry-vectors/1"}`, "no vectors"},
		{"no id", `{"schema": "retry-vectors/1", "vectors": [{"kind": "steps"}]}`, "vector 1: id or kind is missing"},
		{"same id", `{"schema": "retry-vectors/1", "vectors": [{"id": "a", "kind": "k"}, {"id": "a", "kind": "k"}]}`, "vector a: the id is used twice"},
		{"misspelt member", tables + `{"kind": "quota", "colums": []}]}`, `unknown field "colums"`},
		{"row too long", tables + `{"kind": "backoff", "columns": ["id"], "rows": [["a", 1]]}]}`, "row 1 has 2 cells for 1 columns"},
		{"no status", tables + `{"kind": "classify", "columns": ["given.answer"], "rows": [["busy"]]}]}`, "row 1, column given.answer: got busy, want a status"},
		{"rest is no object", tables + `{"kind": "classify", "columns": ["*"], "rows": [[1]]}]}`, "row 1, column *: got 1, want an object"},
		{"member of no vector", tables + `{"kind": "classify", "columns": ["idd"], "rows": [["a"]]}]}`, `unknown field "idd"`},
		{"story of a kind without", tables + `{"kind": "classify", "columns": ["id"], "vectors": [{"id": "a", "rows": []}]}]}`, "a: the kind has rows, not vectors"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := conformance.LoadDir(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no vector files") {
		t.Errorf("an empty directory: error %v", err)
	}
	if _, err := conformance.Load(filepath.Join(t.TempDir(), "none.json")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: error %v", err)
	}
	if _, err := conformance.ModuleRoot(t.TempDir()); err == nil {
		t.Error("a module root was found where there is none")
	}
}
