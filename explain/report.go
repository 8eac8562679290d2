package explain

// Report explains the operations of one definition. Its JSON names, and those
// of everything in it, are stable; durations are text with units, such as
// "25ms", sources are "specs/x.yaml:12:3", "profile http-1", "default" or
// what else a value follows from.
type Report struct {
	Spec       string      `json:"spec"`    // path of the definition, as it was given
	Service    string      `json:"service"` // title of the API
	Version    string      `json:"version"` // of the API
	Profile    string      `json:"profile"` // name of the service's profile
	Operations []Operation `json:"operations"`
	// Skipped are the operations that a generated client does not have, with
	// the reason.
	Skipped []string `json:"skipped,omitempty"`
}

// Operation explains one operation.
type Operation struct {
	Name           string         `json:"name"`   // in the definition
	GoName         string         `json:"goName"` // of the client's method
	Method         string         `json:"method"`
	Path           string         `json:"path"` // as the definition writes it
	Source         string         `json:"source"`
	Attempts       int            `json:"attempts"` // most attempts of a call, the first included
	Rules          []Rule         `json:"rules"`
	Classification Classification `json:"classification"`
	Delays         []Delay        `json:"delays"` // empty if nothing is retried
	WorstCase      WorstCase      `json:"worstCase"`
	Replay         Replay         `json:"replay"`
	Quota          Quota          `json:"quota"`
	Layers         *Layers        `json:"layers,omitempty"` // if outer layers were asked for
}

// Rule is one setting, by its key in x-retry or, if it has none, by a name in
// the same style.
type Rule struct {
	Name   string `json:"name"`
	Value  string `json:"value"` // "none" if it is not set
	Source string `json:"source"`
}

// Classification tells what class a failure has.
type Classification struct {
	// Answers are compared in this order; the first that matches decides.
	Answers []Answer `json:"answers"`
	// Errors are failures without an answer.
	Errors []IOError `json:"errors"`
}

// Answer recognises answers of the service.
type Answer struct {
	// By is "declared error code", "error code", "declared status", "status",
	// "declared default" or "anything else".
	By string `json:"by"`
	// Match lists the codes, or statuses and ranges of them ("503",
	// "500-599"). It is empty if everything matches.
	Match []string `json:"match,omitempty"`
	// If is a further condition, "" for none.
	If string `json:"if,omitempty"`
	// Class is terminal, transient or throttling; "undeclared" passes the
	// answer on to the next kind of rules.
	Class  string `json:"class"`
	Source string `json:"source"`
	// NotActed says that such an answer proves that the server did not act.
	NotActed bool `json:"notActed,omitempty"`
}

// IOError is a failure of an exchange that brought no answer.
type IOError struct {
	Name     string `json:"name"`
	Class    string `json:"class"`
	NotActed bool   `json:"notActed,omitempty"` // it proves that the server did not act
}

// Delay is the wait before the retries From to To; the first retry, which is
// the second attempt, is 1.
type Delay struct {
	From       int   `json:"from"`
	To         int   `json:"to"`
	Transient  Range `json:"transient"`
	Throttling Range `json:"throttling"`
}

// Range is a wait that is drawn at random, evenly.
type Range struct {
	Least Duration `json:"least"`
	Mean  Duration `json:"mean"`
	Most  Duration `json:"most"`
}

// WorstCase bounds a call from above.
type WorstCase struct {
	Attempts int `json:"attempts"`
	// Backoff is the sum of all waits at their longest, MeanBackoff the mean
	// sum; the server's own delays not counted.
	Backoff     Duration    `json:"backoff"`
	MeanBackoff MeanBackoff `json:"meanBackoff"`
	// AttemptTimeout limits each attempt, TotalTimeout the call; zero is no
	// limit.
	AttemptTimeout Duration `json:"attemptTimeout"`
	TotalTimeout   Duration `json:"totalTimeout"`
	// Time is the longest that a call can take without a deadline of the
	// caller. It is nothing if Bounded is false.
	Time    Duration `json:"time"`
	Bounded bool     `json:"bounded"`
	// Because are the reasons, each a sentence.
	Because []string `json:"because"`
}

// MeanBackoff is the mean sum of the waits of a call that uses all attempts.
type MeanBackoff struct {
	Transient  Duration `json:"transient"`  // if all failures are transient
	Throttling Duration `json:"throttling"` // if all are throttling
}

// Replay tells whether the operation is repeated when it is not known whether
// the server acted.
type Replay struct {
	// Class is "idempotent" or "not idempotent".
	Class   string `json:"class"`
	Because string `json:"because"`
	Source  string `json:"source"`
	// Key is where an idempotency key travels, "" if there is none.
	Key string `json:"key,omitempty"`
	// IfMatch says that a call with If-Match of one strong entity tag counts as
	// idempotent.
	IfMatch bool `json:"ifMatch,omitempty"`
	// UnknownOutcome is what a retryable failure leads to after which the
	// server may have acted: "retried", "ErrOutcomeUnknown", or "returned" if
	// nothing is retried.
	UnknownOutcome string `json:"unknownOutcome"`
	// OnlyAfter lists, after ErrOutcomeUnknown, the failures that are retried,
	// because they prove that the server did not act.
	OnlyAfter []string `json:"onlyAfter,omitempty"`
}

// Quota tells what the bucket of retries grants. It is shared by all calls of
// a client.
type Quota struct {
	Capacity           int     `json:"capacity"`
	FirstAttemptRefund int     `json:"firstAttemptRefund"`
	Drains             []Drain `json:"drains"` // empty if nothing is retried
}

// Drain reads the quota for one kind of failure: "transient", "throttling"
// or, where it has a price of its own, "timeout".
type Drain struct {
	Failure string `json:"failure"`
	Cost    int    `json:"cost"` // tokens for a retry; 0 is free, and then nothing else is set
	// OutageRetries is how many retries a full bucket grants while every
	// attempt fails, OutageCalls how many such calls empty it.
	OutageRetries int `json:"outageRetries"`
	OutageCalls   int `json:"outageCalls"`
	// RecoverySuccesses is how many successes at the first attempt buy one
	// retry for an empty bucket.
	RecoverySuccesses int `json:"recoverySuccesses"`
	// AttemptFailureRate is the share of failed attempts, each failing
	// independently, above which the bucket drains; LoadAtRate is how many
	// attempts a call then makes on average.
	AttemptFailureRate float64 `json:"attemptFailureRate"`
	LoadAtRate         float64 `json:"loadAtRate"`
	// CallFailureRate is the same if calls fail as a whole, with all
	// attempts, and the others succeed at once.
	CallFailureRate float64 `json:"callFailureRate"`
}

// Layers multiplies the attempts of the operation with those of retries
// around it.
type Layers struct {
	Outer        []int `json:"outer"`        // attempts of each layer, outermost first
	WithoutGuard int   `json:"withoutGuard"` // attempts that reach the service, at most
	WithGuard    int   `json:"withGuard"`    // if inner layers see the mark of the outer one
}
