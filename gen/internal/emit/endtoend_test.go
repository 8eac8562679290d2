package emit

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// TestEndToEnd runs testdata/endtoend with a client that is not on disk.
func TestEndToEnd(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join("testdata", "endtoend"))
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, f := range emitted(t, endToEndService()) {
		path := filepath.Join(t.TempDir(), f.Name)
		if err := os.WriteFile(path, f.Content, 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(dir, "example", f.Name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", "-overlay", file, dir).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// endToEndService has an operation with unions, errors, pages and a waiter.
func endToEndService() *model.Service {
	s := unionsService()
	s.Types = append(s.Types, oneMemberService().Types...)
	s.Types = append(s.Types,
		model.Type{GoName: "QueryInput", Kind: model.Struct, Fields: []model.Field{
			{GoName: "Method", Type: named("PaymentMethod"), Tags: tags("json", "method")},
			member("Value", "value", optional(named("AttributeValue"))),
			member("Cursor", "cursor", optional(basic("string"))),
		}},
		model.Type{GoName: "QueryOutput", Kind: model.Struct, Output: true, Fields: []model.Field{
			member("Items", "items", slice(named("PaymentMethod"))),
			member("Next", "next", optional(basic("string"))),
		}},
	)
	s.Servers = []model.Server{{URL: "https://example.com"}}
	s.Retry.ErrorCode = []model.CodeSource{{Pointer: "/code"}}
	s.Errors = []model.ErrorType{{GoName: "LimitError", Fields: []model.Field{member("Message", "message", optional(basic("string")))}}}
	s.Operations = []model.Operation{{
		Name: "Query", GoName: "Query", Descriptor: "query", Method: "POST", Path: "/", Document: "application/json",
		Input: "QueryInput", Output: "QueryOutput",
		Errors: []model.ErrorCase{{Code: "Limit", Class: "terminal", GoType: "LimitError"}},
		Pages: &model.Pages{
			GoName: "QueryPages", Descriptor: "queryPages", Style: "CursorPages", Input: "/cursor", Output: "/next", Items: "/items",
		},
		Waiters: []model.Waiter{{
			Name: "B", GoName: "WaitForB", Descriptor: "forB", Delay: time.Millisecond, MaxDelay: 10 * time.Millisecond,
			Acceptors: []model.Acceptor{
				{State: "WaitSuccess", Pointer: "/next", Equals: "b"},
				{State: "WaitRetry", ErrorCode: "Limit"},
			},
		}},
	}}
	return s
}
