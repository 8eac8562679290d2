package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/retrygen/retrygen/runtime/internal/conformance"
)

// vectorsVariable names the environment variable with the directory of
// vectors to run instead of those of this repository.
const vectorsVariable = "RETRYGEN_VECTORS"

// set is a directory of vectors.
type set struct{ name, dir string }

// sets returns the directories to run: the one that the environment names, or
// else the repository's own and, if it is there, shared/conformance beside
// the checkout.
func sets(t *testing.T) []set {
	t.Helper()
	root, err := conformance.ModuleRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv(vectorsVariable); dir != "" {
		return []set{{"given", resolve(dir, root)}}
	}
	all := []set{{"own", filepath.Join(root, "testdata", "vectors")}}
	if shared := sharedDir(root); shared != "" {
		all = append(all, set{"shared", shared})
	}
	return all
}

// resolve finds dir from the module's root, else from here.
func resolve(dir, root string) string {
	if from := filepath.Join(root, dir); !filepath.IsAbs(dir) && isDir(from) {
		return from
	}
	return dir
}

// sharedDir returns the shared vectors beside the checkout, "" if there are
// none.
func sharedDir(root string) string {
	dir := filepath.Join(root, "..", "shared", "conformance")
	if !isDir(dir) {
		return ""
	}
	return dir
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// tally counts results.
type tally struct{ passed, failed, skipped int }

func (c *tally) count(t *testing.T) {
	switch {
	case t.Failed():
		c.failed++
	case t.Skipped():
		c.skipped++
	default:
		c.passed++
	}
}

func (c *tally) add(d tally) {
	c.passed, c.failed, c.skipped = c.passed+d.passed, c.failed+d.failed, c.skipped+d.skipped
}

func (c *tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

// total counts the vectors that ran.
var total tally

// TestMain ends the output with the count, if vectors ran at all.
func TestMain(m *testing.M) {
	code := m.Run()
	if total != (tally{}) {
		fmt.Printf("vectors: %v\n", &total)
	}
	os.Exit(code)
}

// TestVectors holds the runtime against all vectors: each is a subtest named
// by its id.
func TestVectors(t *testing.T) {
	defer func() { t.Logf("vectors: %v", &total) }()
	for _, set := range sets(t) {
		files, err := conformance.LoadDir(set.dir)
		if err != nil {
			t.Errorf("%s: %v", set.name, err)
			continue
		}
		t.Run(set.name, func(t *testing.T) {
			for _, file := range files {
				group := runFile(t, file)
				t.Logf("%s/%s: %v", set.name, file.Group, &group)
				total.add(group)
			}
		})
	}
}

func runFile(t *testing.T, file conformance.File) tally {
	var group tally
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			defer group.count(t)
			conformance.Run(t, v)
		})
	}
	return group
}
