package emit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

func TestDuration(t *testing.T) {
	tests := map[time.Duration]string{
		time.Second:             "time.Second",
		time.Hour:               "time.Hour",
		90 * time.Minute:        "90 * time.Minute",
		24 * time.Hour:          "24 * time.Hour",
		1500 * time.Millisecond: "1500 * time.Millisecond",
		25 * time.Millisecond:   "25 * time.Millisecond",
		1001 * time.Microsecond: "1001 * time.Microsecond",
		1_000_001:               "1000001 * time.Nanosecond",
	}
	for d, want := range tests {
		if got := fmt.Sprintf("%#v", duration(d)); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

// FuzzTag wants a tag to give its values back.
func FuzzTag(f *testing.F) {
	for _, value := range []string{"name,omitzero", "a`b", `a"b\c`, "'x,y'", "\x00\xff\n", "ä"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		source := fmt.Sprintf("%#v", jen.Var().Id("x").Op("=").Add(tag([]model.Tag{{Key: "json", Value: value}, {Key: "form", Value: "x"}})))
		literal, err := strconv.Unquote(strings.TrimPrefix(source, "var x = "))
		if err != nil {
			t.Fatalf("%q: %v in %s", value, err, source)
		}
		if got, ok := reflect.StructTag(literal).Lookup("json"); got != value || !ok {
			t.Errorf("got %q, want %q", got, value)
		}
		if got := reflect.StructTag(literal).Get("form"); got != "x" {
			t.Errorf("%q: the second key has %q, want x", value, got)
		}
	})
}

// TestBugs wants a model without a Go form to be an error that names what is
// wrong with it.
func TestBugs(t *testing.T) {
	tests := map[string]struct {
		change func(*model.Service)
		want   string
	}{
		"profile":    {func(s *model.Service) { s.Retry.Profile = "best" }, `retry profile "best" is not known`},
		"mode":       {func(s *model.Service) { s.Retry.Mode = "wild" }, `Mode "wild" has no Go name`},
		"delay unit": {func(s *model.Service) { s.Retry.DelayHeaders = []model.DelayHeader{{Name: "X"}} }, `delay unit "" has no Go name`},
		"scheme":     {func(s *model.Service) { s.Schemes = []model.Scheme{{Name: "x", GoName: "WithX"}} }, `security scheme "x" is of kind ""`},
		"type":       {func(s *model.Service) { s.Types = []model.Type{{GoName: "T"}} }, "type T is of kind 0"},
		"reference": {func(s *model.Service) {
			s.Types = []model.Type{{GoName: "T", Kind: model.Defined}}
		}, "type expression of kind 0"},
		"error class": {func(s *model.Service) {
			with(s, model.Operation{GoName: "Get", Errors: []model.ErrorCase{{Class: "bad"}}})
		}, `retry class "bad" has no Go name`},
		"not Go": {func(s *model.Service) {
			s.Types = []model.Type{{GoName: "not a name", Kind: model.Struct}}
		}, "emit types.go: generated source does not parse: types.go:6:12"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := service()
			test.change(s)
			files, err := Client(s)
			if err == nil || !strings.Contains(err.Error(), test.want) || files != nil {
				t.Errorf("got %d files and error %v, want none and %q", len(files), err, test.want)
			}
		})
	}
}
