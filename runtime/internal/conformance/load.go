package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Schemas that [Load] reads.
const (
	ObjectSchema = "retry-vectors/1"
	TableSchema  = "retrygen-vectors/1"
)

// Load reads one file of vectors of either schema.
func Load(path string) (File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return File{}, err
	}
	var head struct {
		Schema  string
		Group   string
		Vectors []Vector
		Tables  []table
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	f := File{Path: path, Group: head.Group}
	switch head.Schema {
	case ObjectSchema:
		f.Vectors = head.Vectors
	case TableSchema:
		f.Vectors, err = expand(head.Tables)
	default:
		err = fmt.Errorf("schema: got %q, want %q or %q", head.Schema, ObjectSchema, TableSchema)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// check reports vectors that cannot be told apart or say nothing.
func (f File) check() error {
	var errs []error
	seen := make(map[string]bool)
	if len(f.Vectors) == 0 {
		errs = append(errs, errors.New("no vectors"))
	}
	for i, v := range f.Vectors {
		switch {
		case v.ID == "" || v.Kind == "":
			errs = append(errs, fmt.Errorf("vector %d: id or kind is missing", i+1))
		case seen[v.ID]:
			errs = append(errs, fmt.Errorf("vector %s: the id is used twice", v.ID))
		}
		seen[v.ID] = true
	}
	return errors.Join(errs...)
}

// LoadDir reads the *.json files of a directory, in the order of their names.
func LoadDir(dir string) ([]File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no vector files (*.json)", dir)
	}
	files := make([]File, len(paths))
	for i, path := range paths {
		if files[i], err = Load(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// ModuleRoot returns the nearest directory, from dir upwards, that holds a
// go.mod file.
func ModuleRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above")
		}
		dir = parent
	}
}
