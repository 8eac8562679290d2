package httpapi

import (
	"slices"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Profile is how a kind of API is retried, as data: the numbers of
// [retry.Settings], the tables that classify a failure, and where to look for
// error codes and server delays. A zero field means "not set".
type Profile struct {
	// Name is what x-retry.profile calls it.
	Name string
	retry.Settings
	// Transient, Throttling and Terminal classify by error code first, then
	// by status.
	Transient, Throttling, Terminal Match
	// DelayedThrottling lists statuses that are throttling when the response
	// carries a server delay.
	DelayedThrottling []StatusRange
	// ErrorCode lists where the error code is looked for; the first hit wins.
	ErrorCode []CodeSource
	// ServerDelayHeaders lists where a server delay is looked for, in headers
	// or in the body; the first usable value wins.
	ServerDelayHeaders []DelayHeader
	// ShouldRetryHeader, if any, is the response header by which a server
	// says whether to retry: "true" or "false". It overrides the status, not
	// the error code.
	ShouldRetryHeader string
	// AttemptHeader, if any, carries "attempt=N; max=M" on each attempt.
	AttemptHeader string
	// DeadlineHeader, if any, carries the whole milliseconds that are left to
	// the attempt when it is sent. It is not sent when there is no limit.
	DeadlineHeader string
	// InvocationHeader, if any, carries a random id (UUID), the same on every
	// attempt of a call.
	InvocationHeader string
	// ClockSkew lists error codes that a wrong clock causes. Such a failure
	// is retried, once per correction, when the response's Date differs from
	// the time used by more than four minutes (as aws-sdk-go-v2 v1.48.0).
	ClockSkew []string
	// CertificateFailures is the class of a TLS certificate that does not
	// verify. The zero value is terminal.
	CertificateFailures retry.Class
	// ErrorInSuccess looks for an XML error document in successful answers
	// (S3 answers 200 and fails later).
	ErrorInSuccess bool
	// ErrorWhen, if its Pointer is set, finds JSON error documents in
	// successful answers whose media type is JSON, or that have none. Such an
	// answer is a failure, classified by its error code; a code that no table
	// names is terminal.
	ErrorWhen BodyCondition
	// Partition, if any, names the parameter, or the member of the request
	// body (as a JSON pointer, or as the name of a top-level one), by whose
	// values mode [retry.Adaptive] keeps rate limiters apart: a table or a
	// tenant that is throttled does not slow the others. Calls without a
	// value share the client's limiter, as do operations that have no such
	// parameter, unless their own definition names it: that is an error. See
	// [Client.Limiter].
	Partition string
	// EnvPrefix, if any, is the prefix of the environment variables that
	// configure the client: PREFIX_RETRY_MODE (standard, adaptive, legacy or
	// off) and PREFIX_MAX_ATTEMPTS (0 counts as unset).
	EnvPrefix string
	// ConfigFile, if any, is the path of a shared config file in the form of
	// ~/.aws/config that holds retry_mode and max_attempts; "~" is the home
	// directory. PREFIX_CONFIG_FILE names another file, PREFIX_PROFILE a
	// section other than [default]. That section may be missing if the file
	// "credentials" in the same directory, or the one that
	// PREFIX_SHARED_CREDENTIALS_FILE names, has it; nothing is read from
	// there. ConfigFile goes with EnvPrefix: without one, it is not read, and
	// another one laid over it replaces both.
	ConfigFile string

	layers []layer // what was laid over each other; see chain
}

// Match lists what a class is recognised by.
type Match struct {
	Codes    []string
	Statuses []StatusRange
}

// StatusRange is a range of HTTP statuses, both ends included.
type StatusRange struct{ From, To int }

// Status is the range of one status.
func Status(code int) StatusRange { return StatusRange{code, code} }

// Contains reports whether the range includes status.
func (r StatusRange) Contains(status int) bool { return r.From <= status && status <= r.To }

// CodeSource is one place where an error code may stand. Exactly one of
// Header, Pointer and XML is set.
type CodeSource struct {
	Header  string     // a response header
	Pointer string     // a JSON pointer into the body, to a string or number
	XML     string     // element names from the root: "ErrorResponse/Error/Code"
	Format  CodeFormat // how the code is cut out of the value
}

// CodeFormat says how an error code is cut out of a value.
type CodeFormat uint8

const (
	// PlainCode takes the value as it is.
	PlainCode CodeFormat = iota
	// ShapeCode takes "Code" out of "namespace#Code:uri" (AWS JSON protocols).
	ShapeCode
	// FirstFieldCode takes what stands before the first ";" (AWS
	// query-compatible services: "Code;Sender").
	FirstFieldCode
)

// DelayHeader is a place where a server asks for a delay: the header Name or,
// if Pointer is set, a member of the body. A header called …-Reset counts only
// when the header …-Remaining beside it, if there is one, is 0; and, as it is
// sent with requests that were served too, it does not make a status of
// [Profile.DelayedThrottling] throttling. The same holds for
// [DelayRateLimit].
type DelayHeader struct {
	Name    string
	Unit    DelayUnit
	Pointer string // a JSON pointer into the body, to a string or number
}

// BodyCondition is a condition on a JSON body, of which the first 64 KiB are
// looked at.
type BodyCondition struct {
	// Pointer is a JSON pointer into the body.
	Pointer string
	// Equals is the text of the string, number or boolean that must stand
	// there. "" means any value that says something: not null, false, an
	// empty string, an empty list or an empty object.
	Equals string
}

// DelayUnit says how a delay header is written.
type DelayUnit uint8

const (
	// DelayHTTP is Retry-After of RFC 9110: whole seconds, or an HTTP date.
	DelayHTTP DelayUnit = iota
	// DelaySeconds is a decimal number of seconds.
	DelaySeconds
	// DelayMilliseconds is a whole number of milliseconds.
	DelayMilliseconds
	// DelayEpoch is a point in time: a decimal number of seconds since 1970.
	DelayEpoch
	// DelayEpochMilliseconds is a point in time, in milliseconds since 1970.
	DelayEpochMilliseconds
	// DelayRateLimit is the RateLimit field of the IETF's drafts: the time
	// until a window ends of which nothing remains.
	DelayRateLimit
)

// Over returns p laid over base: set fields of p win, one by one. Match
// lists add up; a code or status that p names, alone or within a range, leaves
// base's other classes. Only a single terminal status stays when a range of p
// includes it: that all of 5XX be retried does not mean a 501.
func (p Profile) Over(base Profile) Profile {
	out := base
	out.Settings = p.Settings.Over(base.Settings)
	if p.Name != "" {
		out.Name = p.Name
	}
	out.Transient = p.Transient.over(base.Transient, p.Throttling, p.Terminal)
	out.Throttling = p.Throttling.over(base.Throttling, p.Transient, p.Terminal)
	out.Terminal = p.Terminal.over(base.Terminal, p.Transient.single(), p.Throttling.single())
	overSlice(&out.DelayedThrottling, p.DelayedThrottling)
	overSlice(&out.ErrorCode, p.ErrorCode)
	overSlice(&out.ServerDelayHeaders, p.ServerDelayHeaders)
	overSlice(&out.ClockSkew, p.ClockSkew)
	overString(&out.AttemptHeader, p.AttemptHeader)
	overString(&out.InvocationHeader, p.InvocationHeader)
	overString(&out.DeadlineHeader, p.DeadlineHeader)
	overString(&out.ShouldRetryHeader, p.ShouldRetryHeader)
	overString(&out.Partition, p.Partition)
	if p.EnvPrefix != "" {
		out.EnvPrefix, out.ConfigFile = p.EnvPrefix, p.ConfigFile
	}
	out.layers = slices.Concat(base.chain(), p.chain())
	if p.CertificateFailures != retry.Terminal {
		out.CertificateFailures = p.CertificateFailures
	}
	if p.ErrorWhen != (BodyCondition{}) {
		out.ErrorWhen = p.ErrorWhen
	}
	out.ErrorInSuccess = base.ErrorInSuccess || p.ErrorInSuccess
	return out
}

// over adds base to m, without what m has already and what the other classes
// of m's level claim.
func (m Match) over(base Match, others ...Match) Match {
	out := Match{Codes: slices.Clone(m.Codes), Statuses: slices.Clone(m.Statuses)}
	named := append(others, m)
	for _, code := range base.Codes {
		if !slices.ContainsFunc(named, func(o Match) bool { return slices.Contains(o.Codes, code) }) {
			out.Codes = append(out.Codes, code)
		}
	}
	for _, r := range base.Statuses {
		if !slices.ContainsFunc(named, func(o Match) bool { return slices.ContainsFunc(o.Statuses, r.within) }) {
			out.Statuses = append(out.Statuses, r)
		}
	}
	return out
}

// single is m without ranges of more than one status.
func (m Match) single() Match {
	return Match{Codes: m.Codes, Statuses: slices.DeleteFunc(slices.Clone(m.Statuses), func(r StatusRange) bool { return r.From != r.To })}
}

// within reports whether outer includes all of r.
func (r StatusRange) within(outer StatusRange) bool {
	return outer.Contains(r.From) && outer.Contains(r.To)
}

func overSlice[T any](dst *[]T, v []T) {
	if len(v) > 0 {
		*dst = v
	}
}

func overString(dst *string, v string) {
	if v != "" {
		*dst = v
	}
}

// HTTP1 is the profile "http-1", the default for ordinary APIs: the numbers
// of [retry.Defaults]; 408, 425, 500, 502, 503 and 504 are transient, 429 and
// a 503 with Retry-After throttling; delays are honoured, of Retry-After-Ms,
// X-Ms-Retry-After-Ms, Retry-After, RateLimit and RateLimit-Reset; the server
// may decide with X-Should-Retry; operations that are not idempotent are
// repeated only when the server certainly did not act. The terminal statuses
// say what the same request will meet again; they beat declared ranges.
var HTTP1 = Profile{
	Name:     "http-1",
	Settings: retry.Settings{ServerDelay: retry.Honour, Replay: retry.ReplaySafe}.Over(retry.Defaults()),
	Transient: Match{Statuses: []StatusRange{
		Status(408), Status(425), Status(500), Status(502), Status(503), Status(504),
	}},
	Throttling: Match{Statuses: []StatusRange{Status(429)}},
	Terminal: Match{Statuses: []StatusRange{
		Status(405), Status(411), Status(413), Status(414), Status(415), Status(417), Status(426), Status(431),
		Status(501), Status(505), Status(506), Status(508), Status(510), Status(511),
	}},
	DelayedThrottling: []StatusRange{Status(503)},
	ServerDelayHeaders: []DelayHeader{
		{Name: "Retry-After-Ms", Unit: DelayMilliseconds},
		{Name: "X-Ms-Retry-After-Ms", Unit: DelayMilliseconds},
		{Name: "Retry-After", Unit: DelayHTTP},
		{Name: "RateLimit", Unit: DelayRateLimit},
		{Name: "RateLimit-Reset", Unit: DelaySeconds},
	},
	ShouldRetryHeader: "X-Should-Retry",
}
