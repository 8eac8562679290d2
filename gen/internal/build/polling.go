package build

import (
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// longPolling is what is declared of an operation that waits, with the wait
// that the server takes by default.
func (b *builder) longPolling(c *call) *model.LongPolling {
	if c.note.LongPolling == nil || c.note.LongPolling.Wait == "" {
		return c.note.LongPolling
	}
	p := *c.note.LongPolling
	p.Default = b.defaultNumber(b.inputSchema(c, p.Wait))
	return &p
}

// inputSchema is the schema of the parameter, or of the property at the top
// of the request body, of that name; nil if there is none.
func (b *builder) inputSchema(c *call, name string) *openapi3.SchemaRef {
	named := func(p *openapi3.ParameterRef) bool {
		return p.Value.Name == name || p.Value.In == openapi3.ParameterInHeader && strings.EqualFold(p.Value.Name, name)
	}
	if all := c.parameters(); slices.ContainsFunc(all, named) {
		return all[slices.IndexFunc(all, named)].Value.Schema
	}
	if c.spec.RequestBody == nil || c.spec.RequestBody.Value == nil {
		return nil
	}
	m, ok := choose(c.spec.RequestBody.Value.Content)
	if !ok || m.typ.Schema == nil {
		return nil
	}
	f := b.members(m.typ.Schema)
	if f == nil {
		return nil
	}
	for _, p := range f.properties {
		if p.name == name {
			return p.ref
		}
	}
	return nil
}

// maxDefault is the longest wait that is believed, whatever its unit.
const maxDefault = 1e9

// defaultNumber is the default of a schema, or of one that it refers to; 0 if
// that is no positive number.
func (b *builder) defaultNumber(ref *openapi3.SchemaRef) float64 {
	for range 8 {
		if ref == nil {
			return 0
		}
		s, _ := b.types.resolve(ref)
		if s == nil {
			return 0
		}
		if s.Default != nil {
			n, err := strconv.ParseFloat(valueText(s.Default), 64)
			if err != nil || !(n > 0 && n <= maxDefault) {
				return 0
			}
			return n
		}
		ref = b.types.of(s).alias
	}
	return 0
}
