package gen

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// source names a definition in the header of generated files, the same from
// every working directory and on every machine: by its path in the module
// that the output belongs to, or, if it is not in there, by its base name.
func source(spec, dir string) string {
	return strings.Map(printable, place(spec, dir))
}

// printable keeps the header on one line.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '_'
}

func place(spec, dir string) string {
	base := path.Base(filepath.ToSlash(spec))
	if strings.Contains(spec, "://") {
		return base
	}
	file, err := filepath.Abs(spec)
	if err != nil {
		return base
	}
	root := moduleRoot(dir)
	if root == "" {
		return base
	}
	rel, err := filepath.Rel(root, file)
	if err != nil || !filepath.IsLocal(rel) {
		return base
	}
	return filepath.ToSlash(rel)
}

// moduleRoot returns the nearest directory of dir or above it that has a
// go.mod; "" if none has.
func moduleRoot(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
