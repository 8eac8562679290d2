// Package bench holds retrygen against its peers: the same work, done by
// both. It is a module of its own, so that users of retrygen never download
// what it needs.
package bench
