// Package specs holds annotated OpenAPI definitions and the JSON Schema of the annotations.
package specs

import _ "embed"

// Schema is the JSON Schema (draft 2020-12) of the annotations: one definition in $defs for each
// extension, where the keyword x-where lists the places in which the extension may stand.
// It is shared, so callers must not change it.
//
//go:embed retrygen.schema.json
var Schema []byte

// Demo is the annotated definition behind the demo command. It is shared, so callers must not
// change it.
//
//go:embed demo.yaml
var Demo []byte
