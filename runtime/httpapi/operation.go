package httpapi

import (
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Operation describes one operation of an API: everything [Call] must know,
// as data. A descriptor is not changed after the first call with it.
type Operation[In, Out any] struct {
	// Name is the operation's name in the specification.
	Name string
	// Method and Path are the request's; Path is a template with {name}
	// places, filled from fields with path tags.
	Method, Path string
	// Header holds headers that are the same on every request.
	Header map[string]string
	// Document, if set, is the media type of the documents that In and Out
	// themselves are (RPC protocols such as AWS JSON).
	Document string
	// Servers, if any, replace those of the service.
	Servers []Server
	// Idempotency is the replay class; the zero value follows the method.
	Idempotency Idempotency
	// Key, if set, makes the operation idempotent by an idempotency key.
	Key *IdempotencyKey
	// LongPolling is set for operations that are expected to wait.
	LongPolling *LongPolling
	// Security lists alternatives; each names schemes that apply together.
	// Nil: the service's. Empty: none.
	Security [][]string
	// Errors lists the declared errors, codes before statuses, exact statuses
	// before ranges, the default last.
	Errors []ErrorCase
	// Retry, if set, is laid over the client's profile.
	Retry *Profile
}

// Idempotency is the replay class of an operation.
type Idempotency uint8

const (
	// ByMethod: GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY are
	// idempotent (RFC 9110, 9.2.2), other methods are not.
	ByMethod Idempotency = iota
	// Idempotent operations may be repeated.
	Idempotent
	// NotIdempotent operations may act twice when repeated.
	NotIdempotent
)

// IdempotencyKey says where the key travels. Exactly one of Header and
// Property is set. The key is made once per call, unless the caller gave one
// (in the input's field of that name, or with [WithIdempotencyKey]), and is
// the same on each attempt.
type IdempotencyKey struct {
	Header   string // a request header
	Property string // a top-level member of the JSON body
}

// LongPolling describes how long an operation is asked to wait.
type LongPolling struct {
	// Wait names the parameter or body member that carries the wait; the
	// attempt timeout grows by its value. "" if there is none.
	Wait string
	// Unit is what one unit of Wait means. Zero: a second.
	Unit time.Duration
	// Default is what the server takes for a Wait that is not sent, in units
	// of Unit.
	Default float64
}

// ErrorCase declares an error of the specification. It matches by Code if
// that is set, else by Statuses, else always (the default response).
type ErrorCase struct {
	Code     string
	Statuses StatusRange
	// Class, if not nil, is the declared retry class.
	Class *retry.Class
	// New returns a new, empty error value to decode the body into: a struct
	// pointer that embeds [ResponseError].
	New func() error
}

// Service describes what the operations of a client have in common.
type Service struct {
	// Name is the service's short name, for the User-Agent.
	Name string
	// Version is the API's version.
	Version string
	// Servers are the declared servers; the first is the default.
	Servers []Server
	// Profile is the retry profile, specification included.
	Profile Profile
	// Security is what operations need that declare nothing themselves.
	Security [][]string
	// Schemes are the declared security schemes by name.
	Schemes map[string]Scheme
}

// Server is a declared server.
type Server struct {
	// URL is a template with {name} places.
	URL string
	// Variables fill the places.
	Variables []ServerVariable
}

// ServerVariable is one place of a server's URL.
type ServerVariable struct {
	Name, Default string
	// Enum, if any, lists the allowed values.
	Enum []string
}

// Scheme is a declared security scheme.
type Scheme struct {
	Kind SchemeKind
	// Name is the header, query parameter or cookie of an API key.
	Name string
}

// SchemeKind says how a credential travels.
type SchemeKind uint8

const (
	Bearer       SchemeKind = iota + 1 // Authorization: Bearer token (also OAuth 2, OpenID Connect)
	Basic                              // Authorization: Basic user:password
	APIKeyHeader                       // a header
	APIKeyQuery                        // a query parameter
	APIKeyCookie                       // a cookie
)

// Pagination describes how pages follow each other. Pointers are JSON
// pointers into the body of the response.
type Pagination struct {
	Style PageStyle
	// Input is the parameter, or as a JSON pointer the member of the request
	// body, that carries the cursor, offset or page number.
	Input string
	// Output points to the next cursor or the next URL.
	Output string
	// Items points to the array of items.
	Items string
	// More points to a boolean that says whether pages follow, "" if none.
	More string
}

// PageStyle says what leads from one page to the next.
type PageStyle uint8

const (
	CursorPages  PageStyle = iota + 1 // a cursor of the response is sent back
	OffsetPages                       // the number of items seen so far
	NumberPages                       // a page number, 1 unless the input says otherwise
	LinkPages                         // the Link header with rel="next" (RFC 8288)
	NextURLPages                      // a URL in the body
)

// Waiter describes polling an operation until a condition holds.
type Waiter struct {
	Name string
	// Delay is the first wait between polls, MaxDelay the last; waits double
	// in between and are jittered.
	Delay, MaxDelay time.Duration
	Acceptors       []Acceptor
}

// Acceptor maps one observation to a state. Exactly one of Pointer,
// ErrorCode and Status is set.
type Acceptor struct {
	State AcceptorState
	// Pointer points into the response body; the value there, as text, must
	// equal Equals.
	Pointer, Equals string
	// ErrorCode is the code of a failed call.
	ErrorCode string
	// Status is the HTTP status, of a success or a failure.
	Status int
}

// AcceptorState is what an acceptor concludes.
type AcceptorState uint8

const (
	WaitSuccess AcceptorState = iota + 1 // the condition holds
	WaitFailure                          // it never will
	WaitRetry                            // poll again
)
