// Package explain works out how the operations of a definition are retried:
// every rule and where it comes from, how failures are classified, how long a
// call can take, what happens to an operation that is not idempotent, what
// the retry quota grants, and what layers of retries make of it.
//
// All numbers come from the code that generated clients run: profiles are
// laid over each other by [httpapi.Profile.Over], failures are classified by
// [httpapi.Profile.ClassifyError], and waits and costs are those of a
// [retry.Call]. Options of a program and environment variables, which stand
// above the definition, are not regarded.
package explain
