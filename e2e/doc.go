// Package e2e drives the generated DynamoDB client against a real
// DynamoDB-compatible server (dynalite), directly and through faults:
// toxiproxy for the network's, a throttling proxy for the service's. It is a
// module of its own, so that users of retrygen never download what it needs.
//
// `npm ci` in this directory installs the server; then `go test ./...`.
package e2e
