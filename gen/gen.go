// Package gen generates Go clients from annotated OpenAPI definitions.
package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/build"
	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/emit"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
	"github.com/retrygen/retrygen/gen/internal/output"
)

// Run generates the clients of all definitions and writes them, all or, if
// one of the definitions is wrong, none. The error has a line for each thing
// that is wrong, with its place.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	clients, err := prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	for _, c := range clients {
		if err := c.plan.Apply(); err != nil {
			return nil, err
		}
	}
	return report(clients), nil
}

// Check generates the clients of all definitions in memory and compares them
// with what is there. It writes nothing. If there are differences, the error
// is a [StaleError].
func Check(ctx context.Context, cfg Config) (*Report, error) {
	clients, err := prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var stale StaleError
	for _, c := range clients {
		for _, change := range c.plan.Changes {
			stale.Files = append(stale.Files, change.String())
		}
	}
	if len(stale.Files) > 0 {
		return nil, &stale
	}
	return report(clients), nil
}

// client is one client on its way from a definition to files.
type client struct {
	spec     string
	service  *model.Service
	files    []output.File
	warnings diag.List
	plan     *output.Plan
	duration time.Duration
}

// prepare does everything but writing.
func prepare(ctx context.Context, cfg Config) ([]*client, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	var clients []*client
	var errs []error
	taken := map[string]string{}
	for _, spec := range cfg.Specs {
		c, err := generate(ctx, cfg, spec)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, ok := taken[c.service.Package]; ok {
			errs = append(errs, fmt.Errorf("%s: the package %s is made from %s too", spec, c.service.Package, other))
		}
		taken[c.service.Package] = spec
		clients = append(clients, c)
	}
	return clients, errors.Join(errs...)
}

// generate makes one client in memory.
func generate(ctx context.Context, cfg Config, spec string) (*client, error) {
	begin := time.Now()
	doc, notes, service, err := understand(ctx, cfg, spec)
	if err != nil {
		return nil, err
	}
	c := &client{spec: spec, service: service, warnings: append(doc.Warnings, notes.Warnings...).Sorted()}
	if err := c.strict(cfg.Strict); err != nil {
		return nil, err
	}
	dir := cfg.directory(service.Package)
	service.Source = source(doc.File, dir)
	files, err := emit.Client(service)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doc.File, err)
	}
	for _, f := range files {
		c.files = append(c.files, output.File{Name: f.Name, Content: f.Content})
	}
	c.plan, err = output.Compare(dir, c.files)
	c.duration = time.Since(begin)
	return c, err
}

// understand reads a definition and decides what its client looks like.
func understand(ctx context.Context, cfg Config, spec string) (*load.Document, *annotate.Notes, *model.Service, error) {
	doc, err := load.File(ctx, spec, cfg.loading())
	if err != nil {
		return nil, nil, nil, err
	}
	notes, err := annotate.Document(doc)
	if err := also(doc.Problems, err); err != nil {
		return nil, nil, nil, err
	}
	service, err := build.Service(doc, notes, build.Options{Package: cfg.Package})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", doc.File, err)
	}
	return doc, notes, service, nil
}

// also adds errors, if there are any, to err, which may be nil.
func also(problems diag.List, err error) error {
	if list, ok := errors.AsType[diag.List](err); ok {
		return append(problems, list...).Err()
	}
	if err != nil {
		return err
	}
	return problems.Err()
}

// directory is where the client of a package goes.
func (c Config) directory(pkg string) string {
	if len(c.Specs) == 1 {
		return filepath.Clean(cmp.Or(c.Output, pkg))
	}
	return filepath.Join(c.Output, pkg)
}
