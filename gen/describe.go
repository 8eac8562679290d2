package gen

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/retrygen/retrygen/gen/internal/annotate"
	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// The words of a [Description] are those of the definition: a Mode is
// "standard", a DelayHeader's Unit "ms".
type (
	// Retry is a profile by name and what is laid over it. Zero fields are
	// not set.
	Retry = model.Retry
	// Match lists what a class is recognised by.
	Match = model.Match
	// StatusRange is a range of statuses, both ends included.
	StatusRange = model.StatusRange
	// Key says where an idempotency key travels; one field is set.
	Key = model.Key
	// LongPolling names the parameter that says how long to wait.
	LongPolling = model.LongPolling
)

// Description is what a definition says of retrying.
type Description struct {
	Spec    string // the path of the definition, as it was given
	Title   string
	Version string // of the API
	Package string // of the client
	// Retry is the document's profile, never "", and what the document lays
	// over it; Places say where.
	Retry      Retry
	Places     Places
	Operations []Operation // sorted by GoName
	Skipped    []Skipped   // operations that the client does not have
	// Warnings are remarks, one line each, as in [Client].
	Warnings []string
}

// Operation is what the definition says of repeating one operation.
type Operation struct {
	Name   string // in the definition
	GoName string // of the client's method
	Method string // upper case
	Path   string // as the definition writes it
	Place  string // file:line:column
	// Idempotency is ByMethod, Idempotent or NotIdempotent.
	Idempotency string
	Key         *Key
	LongPolling *LongPolling
	Errors      []ErrorCase // in the order in which they are compared
	// Retry is what is laid over the document's, nil if that is nothing.
	// Profile names the profile that it has numbers of.
	Retry  *Retry
	Places Places
}

// ErrorCase is a declared error, by code, by status, or (neither) by default.
type ErrorCase struct {
	Code     string
	Statuses StatusRange
	Class    string // transient, throttling, terminal, "" undeclared
	Place    string // of the class: file:line:column
}

// Skipped is an operation that is left out.
type Skipped struct {
	Name string
	Line string // "specs/x.yaml:12:3: skipped operation streamLogs: reason"
}

// Places say where settings stand, as file:line:column. The keys are those of
// x-retry with dots ("maxAttempts", "quota.capacity"); codes and statuses
// stand under [CodeKey] and [StatusKey], the other extensions under their
// names ("x-idempotent").
type Places map[string]string

// CodeKey is the key of an error code in a class: "throttling.codes.busy".
func CodeKey(class, code string) string { return annotate.CodeKey(class, code) }

// StatusKey is the key of statuses in a class: "throttling.statuses.429", or
// "throttling.statuses.500-599".
func StatusKey(class string, s StatusRange) string { return annotate.StatusKey(class, s) }

// DidYouMean returns "; did you mean x?" for the candidate that is nearest to
// name, "" if none is near.
func DidYouMean(name string, candidates []string) string { return diag.DidYouMean(name, candidates) }

// Describe reads the definition of cfg, which names exactly one, and returns
// what it says of retrying. Errors are those of [Check].
func Describe(ctx context.Context, cfg Config) (*Description, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if len(cfg.Specs) > 1 {
		return nil, fmt.Errorf("got %d definitions, want one", len(cfg.Specs))
	}
	doc, notes, service, err := understand(ctx, cfg, cfg.Specs[0])
	if err != nil {
		return nil, err
	}
	d := &Description{
		Spec: cfg.Specs[0], Title: service.Title, Version: service.Version, Package: service.Package,
		Retry: service.Retry, Places: placesOf(notes.DocumentPlaces()),
	}
	for _, op := range service.Operations {
		d.Operations = append(d.Operations, describe(doc, notes, op))
	}
	for _, s := range service.Skipped {
		if name, ok := strings.CutPrefix(s.What, "operation "); ok {
			d.Skipped = append(d.Skipped, Skipped{Name: name, Line: skipped(s)})
		}
	}
	for _, w := range append(doc.Warnings, notes.Warnings...).Sorted() {
		d.Warnings = append(d.Warnings, w.String())
	}
	return d, nil
}

func describe(doc *load.Document, notes *annotate.Notes, op model.Operation) Operation {
	out := Operation{
		Name: op.Name, GoName: op.GoName, Method: op.Method, Path: op.Place, Place: op.Position,
		Idempotency: op.Idempotency, Key: op.Key, LongPolling: op.LongPolling,
		Places: placesOf(notes.Places(op.Place, op.Method)),
	}
	if op.Retry != nil {
		retry := *op.Retry
		retry.Profile = notes.Operation(op.Place, op.Method).Retry.Profile
		out.Retry = &retry
	}
	for _, e := range op.Errors {
		one := ErrorCase{Code: e.Code, Statuses: e.Statuses, Class: e.Class}
		if e.Class != "" {
			one.Place = classPlace(doc, op, e)
		}
		out.Errors = append(out.Errors, one)
	}
	return out
}

func placesOf(places map[string]diag.Position) Places {
	out := Places{}
	for key, at := range places {
		out[key] = at.String()
	}
	return out
}

// classPlace returns where the class of a declared error stands: on its
// response, or on its schema. It is the operation's place if the class comes
// by other ways, such as a choice of schemas.
func classPlace(doc *load.Document, op model.Operation, e model.ErrorCase) string {
	var pointers []string
	if e.Code != "" {
		pointers = append(pointers, load.Pointer("components", "schemas", e.Code))
	}
	spec, at := find(doc, op)
	for _, key := range responseKeys(spec, e) {
		response := at + load.Pointer("responses", key)
		pointers = append(pointers, response, response+"/schema")
		for _, media := range mediaTypes(spec.Responses.Value(key)) {
			pointers = append(pointers, response+load.Pointer("content", media, "schema"))
		}
	}
	for _, pointer := range pointers {
		if at, ok := doc.Lookup(pointer + "/x-retry-class"); ok {
			return at.String()
		}
	}
	return op.Position
}

// find returns op in the document, and the pointer to it.
func find(doc *load.Document, op model.Operation) (*openapi3.Operation, string) {
	item := doc.T.Paths.Value(op.Place)
	if additional := item.AdditionalOperations[op.Method]; additional != nil {
		return additional, load.Pointer("paths", op.Place, "additionalOperations", op.Method)
	}
	return item.Operations()[op.Method], load.Pointer("paths", op.Place, strings.ToLower(op.Method))
}

// responseKeys returns the keys of the responses that e may come from.
func responseKeys(spec *openapi3.Operation, e model.ErrorCase) []string {
	if e.Code != "" {
		return slices.Sorted(maps.Keys(spec.Responses.Map()))
	}
	switch from := e.Statuses.From; {
	case from == 0:
		return []string{"default"}
	case from == e.Statuses.To:
		return []string{strconv.Itoa(from)}
	default:
		return []string{strconv.Itoa(from/100) + "XX", strconv.Itoa(from/100) + "xx"}
	}
}

// mediaTypes returns the media types of a response, sorted.
func mediaTypes(response *openapi3.ResponseRef) []string {
	if response == nil || response.Value == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(response.Value.Content))
}
