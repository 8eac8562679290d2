package annotate

import (
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// Notes are the checked annotations of a document.
type Notes struct {
	// Warnings are remarks that do not stop the run, sorted.
	Warnings diag.List

	document   model.Retry
	operations map[operationKey]Operation

	documentPlaces Places
	places         map[operationKey]Places
}

type operationKey struct{ path, method string }

// Operation is what is annotated on an operation and on what belongs to it:
// its path item, parameters and request body. The names that build gives
// (GoName, Descriptor, Doc) are empty in it, and words are those of the
// specification: "cursor", not CursorPages.
type Operation struct {
	// Retry is what the operation, and its path under it, lay over the
	// document; nil if that is nothing. Profile is set if they name one.
	Retry *model.Retry
	// Idempotent is x-idempotent; nil if it is absent.
	Idempotent *bool
	// Key is x-idempotency-key of the operation, of a header parameter or of
	// a top-level property of the JSON body.
	Key *model.Key
	// LongPolling is x-long-polling; Wait is "" if no parameter is named.
	LongPolling *model.LongPolling
	// Pages is x-pagination; Style is cursor, offset, page, link or nextURL.
	Pages *model.Pages
	// Waiters is x-waiter, sorted by name; a State is success, failure or
	// retry. Delay and MaxDelay are zero where they are not annotated.
	Waiters []model.Waiter
}

// Document returns what the document lays over its profile. Profile is ""
// if the document names none.
func (n *Notes) Document() model.Retry { return n.document }

// Operation returns the annotations of the operation at path, as it is
// written in the document, and method, in any case.
func (n *Notes) Operation(path, method string) Operation {
	return n.operations[operationKey{path, strings.ToUpper(method)}]
}

// DocumentPlaces returns where the settings of [Notes.Document] stand.
func (n *Notes) DocumentPlaces() Places { return n.documentPlaces }

// Places returns where the annotations of [Notes.Operation] stand.
func (n *Notes) Places(path, method string) Places {
	return n.places[operationKey{path, strings.ToUpper(method)}]
}

// Class returns the x-retry-class among the extensions of a response or of a
// schema: "transient", "throttling", "terminal", or "" if there is none.
func Class(extensions map[string]any) string {
	class, _ := extensions["x-retry-class"].(string)
	return class
}
