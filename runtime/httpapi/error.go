package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/retrygen/retrygen/runtime/retry"
)

// ResponseError is an answer that says that the operation failed. Errors of
// the specification embed it; an answer that the specification does not
// declare is a *ResponseError itself. With [errors.As], a *ResponseError is
// found in either.
type ResponseError struct {
	// Operation is the operation's name in the specification.
	Operation string
	// Status and Header are those of the answer.
	Status int
	Header http.Header
	// RequestID is the server's id of the request, "" if it gave none.
	RequestID string
	// Code is the service's error code, "" if none was found.
	Code string
	// Message is the service's text for people, "" if none was found.
	Message string
	// Body is the beginning of the answer's body, at most 64 KiB.
	Body []byte
	// Truncated is set when the body was longer.
	Truncated bool
	// Attempts holds one decision for each failed attempt of the call.
	Attempts []retry.Decision
}

// maxSnippet bounds what of a body an error message quotes, in bytes.
const maxSnippet = 200

// Error says status, code and message; without either of these, it quotes
// the beginning of the body.
func (e *ResponseError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "status %d", e.Status)
	if e.Code != "" {
		b.WriteString(" " + e.Code)
	}
	switch {
	case e.Message != "":
		b.WriteString(": " + e.Message)
	case e.Code != "":
	case len(e.Body) > 0:
		b.WriteString(": " + snippet(e.Body))
	case e.Status >= 300 && e.Status < 400 && e.Header.Get("Location") != "":
		b.WriteString(": redirect to " + e.Header.Get("Location") + " not followed")
	case http.StatusText(e.Status) != "":
		b.WriteString(" " + http.StatusText(e.Status))
	}
	if e.RequestID != "" {
		b.WriteString(" (request " + e.RequestID + ")")
	}
	return b.String()
}

// As makes [errors.As] find the *ResponseError that an error of the
// specification embeds.
func (e *ResponseError) As(target any) bool {
	if t, ok := target.(**ResponseError); ok {
		*t = e
		return true
	}
	return false
}

// responseError finds the ResponseError that an error embeds.
func (e *ResponseError) responseError() *ResponseError { return e }

// NewError returns a new, empty error of the specification, for
// [ErrorCase.New].
func NewError[T any, PT interface {
	*T
	error
}]() error {
	return PT(new(T))
}

// ClassOf returns a pointer to class, for [ErrorCase.Class].
func ClassOf(class retry.Class) *retry.Class { return &class }

// CallError is the error of a call: which operation failed and, below, how.
type CallError struct {
	// Operation is "service operation", as in "dynamodb GetItem".
	Operation string
	// IdempotencyKey is the key that was sent, "" if the operation has none.
	// A later call with the same key is recognised by the server.
	IdempotencyKey string
	// Err is a [*retry.StopError] if attempts were made or the caller's time
	// was over; else it says why the request could not be made.
	Err error
}

// Error names the operation and says what Err does.
func (e *CallError) Error() string {
	if e.IdempotencyKey == "" {
		return fmt.Sprintf("%s: %v", e.Operation, e.Err)
	}
	return fmt.Sprintf("%s: %v (idempotency key %s)", e.Operation, e.Err, e.IdempotencyKey)
}

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// DecodeError says that a successful answer could not be read as what the
// specification declares. It is terminal.
type DecodeError struct {
	// Status, Header and RequestID are those of the answer.
	Status    int
	Header    http.Header
	RequestID string
	// Body is the beginning of the answer's body, at most 64 KiB.
	Body []byte
	// Err is what the decoder said.
	Err error
}

// Error says what the decoder said and quotes the beginning of the body.
func (e *DecodeError) Error() string {
	text := fmt.Sprintf("decode the answer (status %d): %v", e.Status, e.Err)
	if len(e.Body) > 0 {
		text += "; body: " + snippet(e.Body)
	}
	return text
}

// Unwrap returns Err.
func (e *DecodeError) Unwrap() error { return e.Err }

// snippet quotes the beginning of a body on one line.
func snippet(body []byte) string {
	cut := len(body) > maxSnippet
	if cut {
		body = body[:maxSnippet]
	}
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(string(body), ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if cut {
		text += "…"
	}
	return fmt.Sprintf("%q", text)
}
