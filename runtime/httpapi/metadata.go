package httpapi

import (
	"net/http"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Metadata is what a call tells beside its output. Outputs embed it; see also
// [WithResult].
type Metadata struct {
	// Status and Header are those of the last answer; zero if there was none.
	Status int
	Header http.Header
	// RequestID is the server's id of the last request, "" if it gave none.
	RequestID string
	// Attempts holds one decision for each failed attempt. It is empty when
	// the first attempt succeeded.
	Attempts []retry.Decision
	// IdempotencyKey is the key that was sent, "" if the operation has none.
	IdempotencyKey string
}

// metadata finds the Metadata that an output embeds.
func (m *Metadata) metadata() *Metadata { return m }

// requestIDHeaders are the headers in which services name a request, the
// most specific first.
var requestIDHeaders = [...]string{"X-Amzn-Requestid", "X-Amz-Request-Id", "X-Request-Id", "Request-Id"}

// requestID returns the server's id of a request, "" if it gave none.
func requestID(h http.Header) string {
	for _, name := range requestIDHeaders {
		if v := h[name]; len(v) > 0 && v[0] != "" {
			return v[0]
		}
	}
	return ""
}
