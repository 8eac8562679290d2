// Package retrytest plays scripted answers and failures to an HTTP client, for
// tests of code that retries. Nothing leaves the process: a [Transport] is an
// [net/http.RoundTripper] that answers each request with the next [Step] of
// its script, records what was sent, and notices steps that nobody asked for
// and bodies that nobody closed.
//
// It starts no goroutines and waits only with timers and contexts, so that a
// test in a bubble of [testing/synctest] runs in virtual time and can compare
// waits exactly.
package retrytest
