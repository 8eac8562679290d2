package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fence is one fenced block of the README.
type fence struct {
	lang string
	attr map[string]string // of the info string: file=shop.yaml, example
	body string
}

var fenceRE = regexp.MustCompile("(?ms)^```(\\w+)([^\n]*)\n(.*?)^```$")

func readmeFences(t *testing.T, root string) []fence {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var fences []fence
	for _, m := range fenceRE.FindAllStringSubmatch(string(text), -1) {
		f := fence{lang: m[1], attr: map[string]string{}, body: m[3]}
		for _, word := range strings.Fields(m[2]) {
			key, value, _ := strings.Cut(word, "=")
			f.attr[key] = value
		}
		fences = append(fences, f)
	}
	return fences
}

// TestREADME follows the README from top to bottom as a newcomer does, in a
// module of its own that finds retrygen in this checkout.
func TestREADME(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{T: t, root: root, app: t.TempDir()}
	r.newModule()
	for _, f := range readmeFences(t, root) {
		switch {
		case f.lang == "sh":
			r.run(strings.TrimSpace(f.body))
		case f.attr["insert-after"] != "":
			r.insert(f.attr["file"], "\n"+f.attr["insert-after"]+":", "", f.body)
		case f.attr["file"] == "operation.yaml":
			r.insert("shop.yaml", "operationId: getOrder", "      ", f.body)
		case f.attr["file"] != "":
			r.write(f.attr["file"], f.body)
		case has(f.attr, "example"):
			r.examples++
			r.write(fmt.Sprintf("example%d/main.go", r.examples), fmt.Sprintf(exampleFile, f.body))
		default:
			t.Errorf("README: nothing executes this block:\n%s", f.body)
		}
	}
	r.afterwards()
}

// exampleFile makes a program of a fragment that uses the client of the README.
// It ends with the fragment's error.
const exampleFile = `package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.com/app/shop"
	"github.com/retrygen/retrygen/generated/dynamodb"
	"github.com/retrygen/retrygen/runtime/awssign"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

var _ = []any{errors.Is, fmt.Println, httpapi.WithRetry, retry.ErrTerminal, awssign.New, dynamodb.New}

func main() {
	endpoint := os.Getenv("SHOP_URL")
	client, err := shop.New(endpoint)
	if err != nil {
		panic(err)
	}
	fragment(context.Background(), endpoint, "AKIDEXAMPLE", "secret", client, &shop.GetOrderInput{OrderID: "o-1"})
}

func fragment(ctx context.Context, endpoint, accessKey, secretKey string, client *shop.Client, in *shop.GetOrderInput) {
%s	_ = order
	fmt.Println("error:", err)
}
`

type reader struct {
	*testing.T
	root, app string
	env       []string // of commands in app
	examples  int
	commands  []string
}

// newModule begins the newcomer's module. The source of retrygen is this
// checkout; that it has a latest version, which `go get` asks for, says a
// module proxy of files. Everything else comes from the module cache, where
// the first two commands see to it that it is complete.
func (r *reader) newModule() {
	r.must(r.root, "go mod graph")
	r.must(r.root, "go list -deps ./...")
	r.write("go.mod", "module example.com/app\n\ngo 1.26.0\n\nreplace github.com/retrygen/retrygen => "+r.root+"\n")
	cache := strings.TrimSpace(r.must(r.root, "go env GOMODCACHE"))
	proxies := r.proxy() + "," + fileURL(filepath.Join(cache, "cache", "download"))
	r.env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOWORK=off", "GOPROXY="+proxies)
}

// proxy publishes version v0.1.0.
func (r *reader) proxy() string {
	dir := r.TempDir()
	versions := filepath.Join(dir, "github.com", "retrygen", "retrygen", "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		r.Fatal(err)
	}
	for name, text := range map[string]string{
		"list":        "v0.1.0\n",
		"v0.1.0.info": `{"Version":"v0.1.0","Time":"2026-01-01T00:00:00Z"}`,
		"v0.1.0.mod":  "module github.com/retrygen/retrygen\n",
	} {
		if err := os.WriteFile(filepath.Join(versions, name), []byte(text), 0o666); err != nil {
			r.Fatal(err)
		}
	}
	return fileURL(dir)
}

func fileURL(path string) string {
	return "file://" + filepath.ToSlash(path)
}

// run executes a command of the README where its reader would.
func (r *reader) run(command string) {
	r.commands = append(r.commands, command)
	switch command {
	case "go run ./cmd/retrygen demo":
		out := r.must(r.root, command)
		for _, want := range []string{"attempt 1", "transient", "throttling", "quota", "retry after", "stop:"} {
			if !strings.Contains(out, want) {
				r.Errorf("the demo does not show %q:\n%s", want, out)
			}
		}
	case "go test ./...":
		r.gateRuns(command) // it runs this very test
	case "go run .":
		if got := r.must(r.app, command, "SHOP_URL="+r.shop()); got != "total 12.5 status 200\n" {
			r.Errorf("the program prints %q", got)
		}
	default:
		r.must(r.app, command)
	}
}

// shop serves the order that the program asks for, after one failure.
func (r *reader) shop() string {
	failed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/orders/o-1" {
			http.NotFound(w, req)
			return
		}
		if !failed {
			failed = true
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"o-1","total":12.5}`)
	}))
	r.Cleanup(server.Close)
	return server.URL
}

// afterwards checks what the blocks after the last command lead to.
func (r *reader) afterwards() {
	r.must(r.app, "go generate ./...")
	r.must(r.app, "go vet ./...")
	operations, err := os.ReadFile(filepath.Join(r.app, "shop", "operations.go"))
	if err != nil || !strings.Contains(string(operations), "up to 6") || !strings.Contains(string(operations), "2 * time.Second") {
		r.Errorf("the annotations of the operation are not in its client: %v\n%s", err, operations)
	}
	r.runExamples()
	if got := r.must(r.app, "go run ./alone"); got != "42 <nil> after 3 attempts\n" {
		r.Errorf("the runtime alone prints %q", got)
	}
	if len(r.commands) < 6 {
		r.Errorf("README: only %q", r.commands)
	}
}

// runExamples runs the fragments. Those of the shop succeed; that of AWS finds
// nobody, because its way out is a closed port.
func (r *reader) runExamples() {
	if r.examples == 0 {
		r.Error("README: no fragment")
	}
	for i := range r.examples {
		name := fmt.Sprintf("example%d", i+1)
		out := r.must(r.app, "go run ./"+name, "SHOP_URL="+r.shop(), "HTTPS_PROXY=http://127.0.0.1:1", "AWS_PROFILE=",
			"AWS_CONFIG_FILE="+filepath.Join(r.app, "none"), "AWS_MAX_ATTEMPTS=2", "AWS_RETRY_MODE=")
		source, err := os.ReadFile(filepath.Join(r.app, name, "main.go"))
		if err != nil {
			r.Fatal(err)
		}
		want := "error: <nil>"
		if strings.Contains(string(source), "amazonaws.com") {
			want = "connection refused"
		}
		if !strings.Contains(out, want) {
			r.Errorf("%s prints %q, want %q", name, out, want)
		}
	}
}

// gateRuns checks that the gate runs command on a clean checkout.
func (r *reader) gateRuns(command string) {
	gate, err := os.ReadFile(filepath.Join(r.root, ".ci", "run"))
	if err != nil || !strings.Contains(string(gate), "\n"+command+"\n") {
		r.Errorf(".ci/run does not run %q: %v", command, err)
	}
}

func (r *reader) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.app, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.Fatal(err)
	}
}

// insert puts text, indented, below the line of file that contains mark.
func (r *reader) insert(file, mark, indent, text string) {
	r.Helper()
	data, err := os.ReadFile(filepath.Join(r.app, file))
	if err != nil {
		r.Fatal(err)
	}
	before, after, found := strings.Cut(string(data), mark)
	rest, tail, _ := strings.Cut(after, "\n")
	if !found {
		r.Fatalf("%s has no line with %q", file, mark)
	}
	text = indent + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+indent) + "\n"
	r.write(file, before+mark+rest+"\n"+text+tail)
}

// must runs command in dir and returns its standard output.
func (r *reader) must(dir, command string, env ...string) string {
	r.Helper()
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	if dir == r.app {
		cmd.Env = append(cmd.Env, r.env...)
	}
	cmd.Env = append(cmd.Env, env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.Fatalf("%s: %v\n%s%s", command, err, out, stderr.String())
	}
	return string(out)
}

func has(attr map[string]string, key string) bool {
	_, ok := attr[key]
	return ok
}
