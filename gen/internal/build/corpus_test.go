package build

import (
	"fmt"
	"os"
	"testing"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/load"
)

func TestScratch(t *testing.T) {
	for _, f := range []string{os.Getenv("SPEC")} {
		if f == "" {
			t.Skip()
		}
		d, err := load.File(t.Context(), f, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Service(d, &annotate.Notes{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		dump(s)
		fmt.Println(len(s.Operations), "ops", len(s.Types), "types", len(s.Errors), "errors")
		for _, k := range s.Skipped {
			fmt.Println("SKIP", k)
		}
	}
}
