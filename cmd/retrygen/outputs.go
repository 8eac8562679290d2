package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// usageError is an error of the command line that a command finds.
type usageError struct{ text string }

// Error names the flag and what is wanted.
func (e *usageError) Error() string { return e.text }

// checkOutputs wants files to be written, by path, to be different from each
// other and from the input, if that is a file.
func checkOutputs(input string, outputs ...string) error {
	for i, path := range outputs {
		if input != "" && sameFile(path, input) {
			return &usageError{fmt.Sprintf("%s: got the definition for an output, want another file", path)}
		}
		for _, other := range outputs[:i] {
			if sameFile(path, other) {
				return &usageError{fmt.Sprintf("%s: got the same file for two outputs, want two", path)}
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file, which need not exist.
func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(first, second) && first.Mode().IsRegular()
	}
	return resolved(a) == resolved(b)
}

// resolved is the path of a file that need not exist, without links to its
// directory.
func resolved(path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.Base(path))
}

// checkWritable finds out whether a file can be written, and leaves all as it
// was. Pipes and devices are not tried.
func checkWritable(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	_, err = os.Lstat(path)
	f, openErr := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if openErr != nil {
		return openErr
	}
	if err := f.Close(); err != nil {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return os.Remove(path)
	}
	return nil
}
