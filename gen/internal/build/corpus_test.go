package build

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestOwnDefinitions wants every operation of the definitions in specs.
func TestOwnDefinitions(t *testing.T) {
	for name, operations := range map[string]int{"dynamodb.yaml": 24, "orders.yaml": 27} {
		s := buildFile(t, filepath.Join("../../../specs", name))
		if len(s.Skipped) > 0 || len(s.Operations) < operations {
			t.Errorf("%s: got %d operations, want %d; skipped %v", name, len(s.Operations), operations, s.Skipped)
		}
	}
}

// TestCorpus builds real definitions twice and wants the same model, and no
// operation skipped that is not known to be.
func TestCorpus(t *testing.T) {
	skipped := map[string]int{
		"aws-dynamodb.yaml": 0, "aws-kinesis.yaml": 0, "aws-states.yaml": 0, "aws-swf.yaml": 0,
		"museum.yaml": 0, "oapi-codegen-naming-conflicts.yaml": 0, "readme-discriminators.yaml": 0,
		"readme-parameters-style.json": 0, "redocly-cafe.yaml": 0, "swagger-petstore.yaml": 0,
		"tictactoe.yaml": 0, "train-travel.yaml": 0, "uspto.yaml": 0,
		"readme-schema-types.yaml": 3, // allOf of different types
	}
	for name, want := range skipped {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("../../../../shared/corpus", name)
			if _, err := os.Stat(path); err != nil {
				t.Skip("the corpus is not there")
			}
			s := buildFile(t, path)
			if len(s.Skipped) != want {
				t.Errorf("skipped %v, want %d", s.Skipped, want)
			}
			if again := buildFile(t, path); !reflect.DeepEqual(s, again) {
				t.Error("the second run gives another model")
			}
		})
	}
}
