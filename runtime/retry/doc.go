// Package retry decides whether, when and how often a failed attempt is made
// again. It holds no clock, no transport and no goroutine: a [Call] is a small
// state machine that is told how an attempt failed and what time it is, and
// answers with a [Decision].
//
// # The model
//
// A call makes up to [Settings].MaxAttempts attempts. Each failure is described
// by a [Failure], whose [Class] says what kind it is:
//
//   - transient: the service or the way to it stumbled;
//   - throttling: the service asks for less;
//   - terminal: repeating the attempt cannot help.
//
// [Call.Next] then asks, in this order, and stops at the first "no":
//
//  1. Is the class transient or throttling?
//  2. May the operation be repeated at all? An operation that is not
//     idempotent is repeated only when the failure proves that the server did
//     not act, unless the policy says that any operation may be.
//  3. Can the request be sent again (is its body replayable)?
//  4. Are attempts left?
//  5. Does the retry quota, which all calls of a client share, cover the cost?
//  6. Does the wait fit before the deadline?
//
// The wait is rand[0,1) × min(MaxBackoff, base × 2^retry), the base
// depending on the class ("full jitter"); a delay that the server asked for
// bounds or replaces it ([ServerDelayPolicy]). In mode [Adaptive] a [Limiter]
// may hold back any attempt besides, the first too.
//
// Layers of retries multiply, so that a call under another one's retry makes
// one attempt ([StopOuter], [WithNested]). An [Observer] is told of each call
// and each attempt.
//
// Mode [Legacy] has other numbers in place of the defaults: those that an AWS
// SDK had before 2026 ([WithLegacy]).
//
// [Do] runs a function under a policy. Package httpapi does the same for HTTP
// operations, on the same core.
package retry
