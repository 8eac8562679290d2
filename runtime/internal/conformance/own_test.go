package conformance_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/internal/conformance"
)

var update = flag.Bool("update", false, "rewrite testdata/vectors from the shared vectors beside the checkout")

// layout is how the vectors of one kind are put into a table: the list of
// items, "" if a row is a whole vector, and the columns.
type layout struct {
	items   string
	columns []string
}

var layouts = map[string]layout{
	"steps":     {"steps", []string{"response.answer", "expect.outcome", "expect.delay_ms", "expect.quota", "*"}},
	"quota":     {"ops", []string{"op", "id", "class", "times", "expect.quota", "expect.granted"}},
	"rate":      {"events", []string{"t", "on", "throttled", "expect.measured_rate", "expect.calculated_rate", "expect.fill_rate", "expect.capacity", "expect.tokens", "expect.enabled", "expect.wait_ms"}},
	"cubic":     {"events", []string{"t", "on", "rate", "expect.calculated_rate", "expect.window_s"}},
	"backoff":   {"", []string{"id", "source", "given.class", "given.retry", "given.jitter", "expect.delay_ms", "oracle", "*"}},
	"classify":  {"", []string{"id", "source", "given.answer", "expect.class", "expect.code", "oracle", "*"}},
	"config":    {"", []string{"id", "source", "given", "expect", "oracle"}},
	"constants": {"", []string{"id", "source", "given.scheme", "expect", "oracle"}},
}

// object is a vector, or an item of one, as JSON.
type object = map[string]any

// facts returns the vectors of a file as objects, without their notes and
// empty conditions.
func facts(t *testing.T, f conformance.File) []object {
	t.Helper()
	all := make([]object, len(f.Vectors))
	for i, v := range f.Vectors {
		v.Note = ""
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&all[i]); err != nil {
			t.Fatal(err)
		}
		if given, ok := all[i]["given"].(object); ok && len(given) == 0 {
			delete(all[i], "given")
		}
	}
	return all
}

// TestOwnVectorsAreComplete compares the repository's facts with the shared
// ones, where those are there.
func TestOwnVectorsAreComplete(t *testing.T) {
	root, err := conformance.ModuleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	shared, own := sharedDir(root), filepath.Join(root, "testdata", "vectors")
	if shared == "" {
		t.Skip("no shared vectors beside the checkout")
	}
	files, err := conformance.LoadDir(shared)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		path := filepath.Join(own, filepath.Base(file.Path))
		if *update {
			if err := os.WriteFile(path, tabulate(t, file), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := conformance.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		compareFacts(t, facts(t, got), facts(t, file))
	}
}

func compareFacts(t *testing.T, got, want []object) {
	t.Helper()
	byID := make(map[string]string)
	for _, v := range got {
		byID[v["id"].(string)] = line(t, v)
	}
	for _, v := range want {
		id := v["id"].(string)
		if own := byID[id]; own != line(t, v) {
			t.Errorf("vector %s:\n own    %s\n shared %s", id, own, line(t, v))
		}
		delete(byID, id)
	}
	for id := range byID {
		t.Errorf("vector %s is not among the shared ones", id)
	}
}

// line writes v as one line of JSON.
func line(t *testing.T, v any) string {
	t.Helper()
	var buf strings.Builder
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(buf.String(), "\n")
}

// tabulate writes a file of vectors as tables, one for each kind.
func tabulate(t *testing.T, f conformance.File) []byte {
	t.Helper()
	byKind := make(map[string][]object)
	var kinds []string
	for _, v := range facts(t, f) {
		kind := v["kind"].(string)
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		byKind[kind] = append(byKind[kind], v)
	}
	tables := make([]string, len(kinds))
	for i, kind := range kinds {
		tables[i] = tabulateKind(t, kind, byKind[kind])
	}
	return fmt.Appendf(nil, "{\"schema\": %q, \"group\": %q, \"tables\": [\n%s\n]}\n",
		conformance.TableSchema, f.Group, strings.Join(tables, ",\n"))
}

func tabulateKind(t *testing.T, kind string, vectors []object) string {
	t.Helper()
	l, ok := layouts[kind]
	if !ok {
		t.Fatalf("kind %q has no layout", kind)
	}
	common := commonGiven(vectors)
	var list []string
	for _, v := range vectors {
		delete(v, "kind")
		if v["oracle"] == "agrees" {
			delete(v, "oracle")
		}
		if l.items == "" {
			list = append(list, "  "+line(t, row(t, l, v)))
			continue
		}
		list = append(list, "  "+tabulateStory(t, l, v))
	}
	name := "rows"
	if l.items != "" {
		name = "vectors"
	}
	given := ""
	if len(common) > 0 {
		given = fmt.Sprintf(" \"given\": %s,", line(t, common))
	}
	return fmt.Sprintf(" {\"kind\": %q,%s \"columns\": %s, %q: [\n%s\n ]}", kind, given, line(t, l.columns), name, strings.Join(list, ",\n"))
}

// commonGiven takes out of vectors what all of them are given alike, where
// the rows would have to repeat it.
func commonGiven(vectors []object) object {
	common, ok := vectors[0]["given"].(object)
	if !ok {
		return nil
	}
	common = maps.Clone(common)
	for _, v := range vectors {
		given, _ := v["given"].(object)
		maps.DeleteFunc(common, func(name string, value any) bool {
			return fmt.Sprint(given[name]) != fmt.Sprint(value)
		})
	}
	for _, v := range vectors {
		given, _ := v["given"].(object)
		maps.DeleteFunc(given, func(name string, _ any) bool { _, is := common[name]; return is })
		if given != nil && len(given) == 0 {
			delete(v, "given")
		}
	}
	return common
}

func tabulateStory(t *testing.T, l layout, v object) string {
	t.Helper()
	var rows []string
	for _, item := range v[l.items].([]any) {
		rows = append(rows, "   "+line(t, row(t, l, item.(object))))
	}
	delete(v, l.items)
	head := strings.TrimSuffix(line(t, v), "}")
	return head + ", \"rows\": [\n" + strings.Join(rows, ",\n") + "\n  ]}"
}

// row puts an object into the columns of l.
func row(t *testing.T, l layout, v object) []any {
	t.Helper()
	cells := make([]any, len(l.columns))
	for i, column := range l.columns {
		if column != "*" {
			cells[i] = cut(v, strings.Split(column, "."))
		} else if rest := pruned(v); len(rest) > 0 {
			cells[i] = maps.Clone(rest)
			clear(v)
		}
	}
	if rest := pruned(v); len(rest) > 0 {
		t.Fatalf("no column for %v", rest)
	}
	for len(cells) > 0 && cells[len(cells)-1] == nil {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// cut takes the member at path out of v; nil if it is not there.
func cut(v object, path []string) any {
	for _, name := range path[:len(path)-1] {
		inner, ok := v[name].(object)
		if !ok {
			return nil
		}
		v = inner
	}
	last := path[len(path)-1]
	if last != "answer" {
		value := v[last]
		delete(v, last)
		return value
	}
	status, code := v["status"], v["code"]
	if status == nil {
		return nil
	}
	delete(v, "status")
	if code == nil {
		return status
	}
	delete(v, "code")
	return fmt.Sprintf("%v %v", status, code)
}

// pruned is v without empty objects.
func pruned(v object) object {
	maps.DeleteFunc(v, func(_ string, value any) bool {
		inner, ok := value.(object)
		return ok && len(pruned(inner)) == 0
	})
	return v
}
