// Package templates holds the prose of generated clients. Code is not written
// with templates; see package emit.
package templates

import (
	_ "embed"
	"text/template"
)

//go:embed package.tmpl
var packageText string

// Package is the package comment of a client, without comment marks.
var Package = template.Must(template.New("package.tmpl").Parse(packageText))
