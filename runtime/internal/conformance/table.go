package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// table is a table of vectors of one kind. Its columns are named by the paths
// of the members that their cells are.
//
// A table of a kind that tells a story (steps, quota, rate, cubic) has
// Vectors, whose rows are the items of the story; a table of another kind has
// Rows, each of which is a vector.
type table struct {
	Kind    string         `json:"kind"`
	Given   map[string]any `json:"given,omitempty"` // of every vector, unless it says otherwise
	Columns []string       `json:"columns"`
	Rows    [][]any        `json:"rows,omitempty"`
	Vectors []story        `json:"vectors,omitempty"`
}

// story is a vector whose items are rows of a table.
type story struct {
	ID     string         `json:"id"`
	Source string         `json:"source"`
	Oracle string         `json:"oracle,omitempty"` // "agrees" unless set
	Given  map[string]any `json:"given,omitempty"`
	Rows   [][]any        `json:"rows"`
}

// itemsOf names the list of a vector that holds the items of its story.
var itemsOf = map[string]string{"steps": "steps", "quota": "ops", "rate": "events", "cubic": "events"}

// Names of columns that are more than a path.
const (
	// answerColumn holds a status, or "status code", of a response.
	answerColumn = "answer"
	// restColumn holds an object that is merged into the row's item.
	restColumn = "*"
)

// UnmarshalJSON keeps numbers as they are written.
func (t *table) UnmarshalJSON(data []byte) error {
	type plain table
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	return dec.Decode((*plain)(t))
}

// expand turns tables into vectors.
func expand(tables []table) ([]Vector, error) {
	var vectors []Vector
	for _, t := range tables {
		objects, err := t.objects()
		if err != nil {
			return nil, fmt.Errorf("table of kind %q: %w", t.Kind, err)
		}
		for _, object := range objects {
			v, err := vectorOf(t.Kind, object, t.Given)
			if err != nil {
				return nil, fmt.Errorf("table of kind %q: %w", t.Kind, err)
			}
			vectors = append(vectors, v)
		}
	}
	return vectors, nil
}

// objects returns the vectors of the table as JSON objects.
func (t *table) objects() ([]map[string]any, error) {
	objects, err := t.items(t.Rows)
	if err != nil {
		return nil, err
	}
	for _, s := range t.Vectors {
		items, err := t.items(s.Rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		list, ok := itemsOf[t.Kind]
		if !ok {
			return nil, fmt.Errorf("%s: the kind has rows, not vectors", s.ID)
		}
		object := map[string]any{"id": s.ID, "source": s.Source, list: items}
		if s.Oracle != "" {
			object["oracle"] = s.Oracle
		}
		if s.Given != nil {
			object["given"] = s.Given
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// vectorOf reads a vector from its object.
func vectorOf(kind string, object, given map[string]any) (Vector, error) {
	object["kind"] = kind
	if object["oracle"] == nil {
		object["oracle"] = "agrees"
	}
	if given != nil {
		all := maps.Clone(given)
		own, _ := object["given"].(map[string]any)
		maps.Copy(all, own)
		object["given"] = all
	}
	data, err := json.Marshal(object)
	if err != nil {
		return Vector{}, err
	}
	var v Vector
	return v, decode(data, &v)
}

// items turns rows into objects.
func (t *table) items(rows [][]any) ([]map[string]any, error) {
	items := make([]map[string]any, len(rows))
	for i, row := range rows {
		if len(row) > len(t.Columns) {
			return nil, fmt.Errorf("row %d has %d cells for %d columns", i+1, len(row), len(t.Columns))
		}
		items[i] = map[string]any{}
		for n, cell := range row {
			if cell == nil {
				continue
			}
			if err := put(items[i], t.Columns[n], cell); err != nil {
				return nil, fmt.Errorf("row %d, column %s: %w", i+1, t.Columns[n], err)
			}
		}
	}
	return items, nil
}

// put sets the member of object that column names.
func put(object map[string]any, column string, cell any) error {
	path := strings.Split(column, ".")
	last := path[len(path)-1]
	if last == restColumn {
		rest, ok := cell.(map[string]any)
		if !ok {
			return fmt.Errorf("got %v, want an object", cell)
		}
		merge(object, rest)
		return nil
	}
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	if last == answerColumn {
		return putAnswer(object, cell)
	}
	object[last] = cell
	return nil
}

// putAnswer sets status and code of a response.
func putAnswer(object map[string]any, cell any) error {
	status, code, coded := strings.Cut(fmt.Sprint(cell), " ")
	if _, err := strconv.Atoi(status); err != nil {
		return fmt.Errorf("got %v, want a status, or a status and a code", cell)
	}
	object["status"] = json.Number(status)
	if coded {
		object["code"] = code
	}
	return nil
}

// merge lays src over dst, object by object.
func merge(dst, src map[string]any) {
	for name, value := range src {
		inner, ok := value.(map[string]any)
		if old, both := dst[name].(map[string]any); ok && both {
			merge(old, inner)
			continue
		}
		dst[name] = value
	}
}
