package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// change names a mutant without line numbers, which other edits move.
type change struct{ place, before, after string }

// change returns the name of m.
func (m mutant) change() change {
	place := strings.TrimSpace(filepath.Base(m.file) + " " + m.function)
	return change{place, m.before, m.after}
}

// equivalents are the mutants that mean the same as the source; true once one
// has survived.
type equivalents map[change]bool

// parseEquivalents reads blocks that a blank line ends:
//
//	file.go Type.Method
//	- the line of the source, white space as single spaces
//	+ the line of the mutant; more of them may follow
//	why that is the same
//
// A line that begins with # is a comment.
func parseEquivalents(text string) (equivalents, error) {
	known := equivalents{}
	for block := range strings.SplitSeq(text, "\n\n") {
		var place, before, reason string
		var after []string
		for line := range strings.Lines(block) {
			line = strings.TrimSpace(line)
			switch rest, _ := strings.CutPrefix(line, line[:min(len(line), 2)]); {
			case line == "" || line[0] == '#':
			case place == "":
				place = line
			case strings.HasPrefix(line, "- "):
				before = rest
			case strings.HasPrefix(line, "+ "):
				after = append(after, rest)
			default:
				reason += line
			}
		}
		if place == "" {
			continue
		}
		if before == "" || len(after) == 0 || reason == "" {
			return nil, fmt.Errorf("%s: want a line -, lines + and a reason", place)
		}
		for _, line := range after {
			known[change{place, before, line}] = false
		}
	}
	return known, nil
}

// unused returns an error that names every entry that no surviving mutant
// has.
func (e equivalents) unused() error {
	var errs []error
	for c, seen := range e {
		if !seen {
			errs = append(errs, fmt.Errorf("equivalent mutant that is killed or not made: %s: %s  →  %s", c.place, c.before, c.after))
		}
	}
	return errors.Join(errs...)
}
