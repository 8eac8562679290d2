package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/retrygen/retrygen/simulate"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes one page with the picture, the figures and the scenario. It
// refers to nothing outside of itself.
func HTML(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	var svg, data bytes.Buffer
	if err := SVG(&svg, s, results); err != nil {
		return err
	}
	if err := JSON(&data, s, results); err != nil {
		return err
	}
	type row struct {
		Title string
		Cells []string
	}
	var rows []row
	for _, c := range columns {
		r := row{Title: c.title}
		for _, result := range results {
			r.Cells = append(r.Cells, c.text(result))
		}
		rows = append(rows, r)
	}
	return page.Execute(w, map[string]any{
		"Scenario": Describe(s), "Name": s.Name, "Results": results, "Rows": rows,
		"Picture": inline(svg.String()), "Data": data.String(),
	})
}

// inline is an SVG document as an element of a page.
func inline(svg string) template.HTML {
	return template.HTML(svg[max(strings.Index(svg, "<svg"), 0):])
}
