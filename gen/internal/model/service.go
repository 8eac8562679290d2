// Package model is the intermediate representation of a client: what package
// build decided and package emit writes down. It holds nouns only; every name
// and every default is decided, every list is in its final order.
package model

import "time"

// Service is one generated client.
type Service struct {
	Package string // Go package name
	Source  string // the definition's path, with slashes, as headers name it
	Title   string // info.title
	Version string // info.version
	Doc     string // package comment without the "Package x" sentence; paragraphs separated by blank lines
	Name    string // short name: User-Agent; "dynamodb"

	Retry       Retry    // base profile, and what the document lays over it
	Servers     []Server // declared servers, in order
	Security    [][]string
	Schemes     []Scheme // sorted by name
	SigningName string   // SigV4 service name, "" if the service is not signed

	Operations []Operation // sorted by GoName
	Types      []Type      // sorted by GoName; inputs and outputs included
	Errors     []ErrorType // sorted by GoName
	Skipped    []Skip      // sorted by position
}

// Skip is a construct that was left out.
type Skip struct {
	Position string // file:line:column
	What     string // "operation streamLogs"
	Why      string // "request body of type application/xml is not supported"
}

// Server is a declared server.
type Server struct {
	URL       string
	Doc       string
	Variables []ServerVariable
}

// ServerVariable is one place of a server's URL.
type ServerVariable struct {
	Name, Default, Doc string
	Enum               []string
}

// Scheme is a declared security scheme.
type Scheme struct {
	Name   string // in the specification
	GoName string // option function: WithBearerAuth
	Kind   string // constant of httpapi: Bearer, Basic, APIKeyHeader, APIKeyQuery, APIKeyCookie
	Key    string // header, query parameter or cookie
	Doc    string
}

// Retry is a profile by name and what is laid over it. Zero fields are not
// set.
type Retry struct {
	Profile string // "http-1", "dynamodb", …; "" inside operations

	Mode           string // standard, off, adaptive, legacy
	MaxAttempts    int
	BaseTransient  time.Duration
	BaseThrottling time.Duration
	MaxBackoff     time.Duration
	AttemptTimeout time.Duration
	TotalTimeout   time.Duration
	MinAttemptTime time.Duration
	Quota          Quota

	ServerDelay  string // clamp, honour, ignore
	DelayHeaders []DelayHeader
	ErrorCode    []CodeSource
	ErrorWhen    *BodyCondition // nil: not set
	Transient    Match
	Throttling   Match
	Terminal     Match

	Partition         string // parameter or property that keeps rate limiters apart
	AttemptHeader     string
	DeadlineHeader    string
	ShouldRetryHeader string
	EnvPrefix         string
}

// Quota configures the retry quota, in tokens.
type Quota struct {
	Capacity, TransientCost, ThrottlingCost, FirstAttemptRefund int
}

// DelayHeader is a place where the server asks for a delay: a header or, if
// Pointer is set, a member of the body.
type DelayHeader struct {
	Name, Pointer string
	Unit          string // ms, s, epoch, epochMs, http, rateLimit
}

// BodyCondition tells successful answers that carry an error document: by what
// stands at Pointer, and equals the text Equals if that is set.
type BodyCondition struct{ Pointer, Equals string }

// CodeSource is a place of an error code; one field is set.
type CodeSource struct{ Header, Pointer, XML string }

// Match lists what a class is recognised by.
type Match struct {
	Codes    []string
	Statuses []StatusRange
}

// StatusRange is a range of statuses, both ends included.
type StatusRange struct{ From, To int }
