package model

import "time"

// Operation is one operation: its method and its descriptor.
type Operation struct {
	Name       string // in the specification (operationId)
	GoName     string // exported method
	Descriptor string // package variable: getItem
	Doc        string // first sentence starts with GoName
	Deprecated string // what to use instead, or a general remark; "" if it is current
	Tag        string // first tag, for splitting files
	Position   string // file:line:column

	Method   string // upper case
	Path     string // template
	Place    string // path as the definition writes it, with the fragment
	Header   []Header
	Document string // media type when input and output are themselves the documents
	Servers  []Server

	Input  string // Go type names
	Output string

	Idempotency string // ByMethod, Idempotent, NotIdempotent: constants of httpapi
	Key         *Key
	LongPolling *LongPolling
	// Security: nil follows the service; empty and not nil means none.
	Security [][]string
	Errors   []ErrorCase
	Retry    *Retry

	Pages   *Pages
	Waiters []Waiter
}

// Header is a constant request header.
type Header struct{ Name, Value string }

// Key says where the idempotency key travels; one field is set.
type Key struct{ Header, Property string }

// LongPolling names the wait parameter.
type LongPolling struct {
	Wait    string
	Unit    time.Duration
	Default float64 // of Wait, in units of Unit; 0 if the definition names none
}

// ErrorCase is a declared error of an operation.
type ErrorCase struct {
	Code     string
	Statuses StatusRange
	Class    string // transient, throttling, terminal, "" undeclared
	GoType   string // error type; "" if the answer has no typed body
}

// Pages is the pagination of an operation.
type Pages struct {
	GoName     string // QueryPages
	Descriptor string // queryPages
	Style      string // CursorPages, OffsetPages, NumberPages, LinkPages, NextURLPages: constants of httpapi
	Input      string
	Output     string
	Items      string
	More       string
}

// Waiter is one waiter of an operation.
type Waiter struct {
	Name            string // TableExists
	GoName          string // WaitTableExists
	Descriptor      string // tableExists
	Doc             string
	Delay, MaxDelay time.Duration
	Acceptors       []Acceptor
}

// Acceptor maps an observation to a state.
type Acceptor struct {
	State     string // WaitSuccess, WaitFailure, WaitRetry: constants of httpapi
	Pointer   string
	Equals    string
	ErrorCode string
	Status    int
}
