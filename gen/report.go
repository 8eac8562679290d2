package gen

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// Report tells what a run did.
type Report struct {
	Clients []Client // in the order of the definitions
}

// Client tells of one client.
type Client struct {
	Spec       string // the path of the definition, as it was given
	Package    string
	Dir        string
	Operations int
	Types      int // declared types, errors included
	Files      int
	// Skipped are the constructs that were left out, one line each:
	// "specs/x.yaml:12:3: skipped operation streamLogs: reason".
	Skipped []string
	// Warnings are remarks that cost nothing, one line each.
	Warnings []string
	Duration time.Duration
}

// String returns "dynamodb: 21 operations, 150 types, 6 files, 0 skipped, 0.4s".
func (c Client) String() string {
	return fmt.Sprintf("%s: %s, %s, %s, %d skipped, %.1fs", c.Package, count(c.Operations, "operation"),
		count(c.Types, "type"), count(c.Files, "file"), len(c.Skipped), c.Duration.Seconds())
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// StaleError says that files are not what would be generated now.
type StaleError struct {
	Files []string // "generated/dynamodb/types.go differs", sorted for each client
}

// Error returns one file a line.
func (e *StaleError) Error() string { return strings.Join(e.Files, "\n") }

func report(clients []*client) *Report {
	r := &Report{}
	for _, c := range clients {
		one := Client{
			Spec: c.spec, Package: c.service.Package, Dir: c.plan.Dir, Operations: len(c.service.Operations),
			Types: len(c.service.Types) + len(c.service.Errors), Files: len(c.files), Duration: c.duration,
		}
		for _, s := range c.service.Skipped {
			one.Skipped = append(one.Skipped, skipped(s))
		}
		for _, w := range c.warnings {
			one.Warnings = append(one.Warnings, w.String())
		}
		r.Clients = append(r.Clients, one)
	}
	return r
}

func skipped(s model.Skip) string {
	return fmt.Sprintf("%s: skipped %s: %s", s.Position, s.What, s.Why)
}

// strict returns an error if strictness is wanted and something was skipped
// or warned of.
func (c *client) strict(wanted bool) error {
	if !wanted {
		return nil
	}
	var errs []error
	for _, w := range c.warnings {
		errs = append(errs, w)
	}
	for _, s := range c.service.Skipped {
		errs = append(errs, errors.New(skipped(s)))
	}
	return errors.Join(errs...)
}
