package explain

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed report.html
var reportHTML string

var htmlTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"join": join, "percent": percent,
	"layers": func(op Operation) []string { return op.Layers.lines(op.Attempts) },
	"worst":  WorstCase.lines,
	"replay": Replay.lines,
	"quota":  Quota.lines,
	"delay":  Delay.name,
}).Parse(reportHTML))

// HTML writes the report as one page that needs nothing beside itself.
func (r *Report) HTML(out io.Writer) error { return htmlTemplate.Execute(out, r) }
