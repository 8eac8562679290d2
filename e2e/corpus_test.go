package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// directoryDefinition is DynamoDB as the public directory of definitions has
// it. It is not part of this repository.
const directoryDefinition = "../../shared/corpus/aws-dynamodb.yaml"

const tourTest = `package script

import (
	"os"
	"testing"
)

func TestTour(t *testing.T) { Run(t, NewClient(t, os.Getenv("DYNAMODB_ENDPOINT"))) }
`

// TestDirectoryDefinition generates a client from the public directory's
// definition, wants it clean of what signing needs, and takes the same tour
// with it.
func TestDirectoryDefinition(t *testing.T) {
	spec, err := filepath.Abs(directoryDefinition)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(spec); err != nil {
		t.Skipf("the public directory's definition is not here: %v", err)
	}
	dir := tempPackage(t)
	out := command(t, "..", nil, "go", "run", "./cmd/retrygen", "generate", "-strict", "-o", filepath.Join(dir, "dynamodb"), spec)
	if !strings.Contains(out, "50 operations") || !strings.Contains(out, " 0 skipped") {
		t.Errorf("generate: %s", out)
	}
	noSigningNoise(t, filepath.Join(dir, "dynamodb"))
	copyTour(t, dir)
	command(t, ".", nil, "go", "vet", "./"+filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir)+"/...")
	command(t, ".", []string{"DYNAMODB_ENDPOINT=" + startDynalite(t)},
		"go", "test", "-count=1", "./"+filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir)+"/script")
}

// tempPackage makes a directory in this module that wildcards leave out.
func tempPackage(t *testing.T) string {
	t.Helper()
	if err := os.MkdirAll("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("testdata", "directory-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

var signingNoise = regexp.MustCompile(`X-?Amz-?(Content|Date|Algorithm|Credential|Security|Signature|SignedHeaders)|\bXAmzTarget\b|WithHmac|\b48\d\b`)

func noSigningNoise(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no client in %s: %v", dir, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if noise := signingNoise.FindString(string(data)); noise != "" {
			t.Errorf("%s has %q", filepath.Base(file), noise)
		}
	}
}

// copyTour copies the tour into dir, with the client there in place of the
// committed one.
func copyTour(t *testing.T, dir string) {
	t.Helper()
	tour, err := os.ReadFile("script/script.go")
	if err != nil {
		t.Fatal(err)
	}
	const committed = `"github.com/retrygen/retrygen/generated/dynamodb"`
	if !strings.Contains(string(tour), committed) {
		t.Fatalf("the tour does not import %s", committed)
	}
	client := `"github.com/retrygen/retrygen/e2e/testdata/` + filepath.Base(dir) + `/dynamodb"`
	if err := os.Mkdir(filepath.Join(dir, "script"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"script.go":      strings.ReplaceAll(string(tour), committed, client),
		"script_test.go": tourTest,
	} {
		if err := os.WriteFile(filepath.Join(dir, "script", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// command runs a program in dir and returns its standard output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
