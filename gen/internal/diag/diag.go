// Package diag holds what the generator has to say about a definition: places
// and the diagnostics that point at them.
package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file. Line and Column count from 1, columns in
// characters; zero means unknown. File is named as the user named it, with
// slashes.
type Position struct {
	File   string
	Line   int
	Column int
}

// IsValid reports whether the line is known.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns file:line:column without the parts that are not known.
func (p Position) String() string {
	switch {
	case p.Line <= 0:
		return p.File
	case p.Column <= 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Severity says what a diagnostic costs.
type Severity int

const (
	// Error stops the run.
	Error Severity = iota
	// Warning is printed and the run goes on.
	Warning
	// Skipped tells of a construct that is left out of the client.
	Skipped
)

// Diagnostic is one remark: place, key, and what is wrong there.
type Diagnostic struct {
	Position
	Severity Severity
	// Key is the annotation and the key in it, such as x-retry.maxAttempts,
	// or "" if the remark is about something else.
	Key     string
	Message string
}

// String returns "file:line:column: key: message"; a warning or something
// skipped says so before the key.
func (d Diagnostic) String() string {
	var parts []string
	if place := d.Position.String(); place != "" {
		parts = append(parts, place)
	}
	if d.Severity == Warning {
		parts = append(parts, "warning")
	}
	if d.Key != "" {
		parts = append(parts, d.Key)
	}
	text := d.Message
	if d.Severity == Skipped {
		text = "skipped " + text
	}
	return strings.Join(append(parts, text), ": ")
}

// Error returns d.String, so that a single diagnostic is an error too.
func (d Diagnostic) Error() string { return d.String() }

// List is a list of diagnostics. The zero value is empty and ready to use.
type List []Diagnostic

// Errorf appends an error about key at p.
func (l *List) Errorf(p Position, key, format string, args ...any) {
	*l = append(*l, Diagnostic{Position: p, Key: key, Message: fmt.Sprintf(format, args...)})
}

// Warnf appends a warning about key at p.
func (l *List) Warnf(p Position, key, format string, args ...any) {
	*l = append(*l, Diagnostic{Position: p, Severity: Warning, Key: key, Message: fmt.Sprintf(format, args...)})
}

// Sorted returns the list by position, key and message, each diagnostic once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(a.Position.Compare(b.Position), cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(out)
}

// Of returns the diagnostics of one severity, in order.
func (l List) Of(s Severity) List {
	var out List
	for _, d := range l {
		if d.Severity == s {
			out = append(out, d)
		}
	}
	return out
}

// Err returns the errors of the list, sorted, as one error; nil if there are
// none.
func (l List) Err() error {
	if errs := l.Of(Error).Sorted(); len(errs) > 0 {
		return errs
	}
	return nil
}

// Error returns one diagnostic a line.
func (l List) Error() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}
