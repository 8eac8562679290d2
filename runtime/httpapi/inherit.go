package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/runtime/retry"
)

// InheritAttempts wraps the handler of a server whose callers retry. Where the
// request's header says that its sender may make more than one attempt, the
// request's context is marked as under an outer retry, so that the clients
// which next calls with it make one attempt each ([retry.WithNested]): layers
// in several processes do not multiply either.
//
// header is the attempt header of the callers' profile
// ([Profile.AttemptHeader]), "Amz-Sdk-Request" for AWS; its value is
// "attempt=N; max=M". A value that is missing or malformed, or a max of 1,
// changes nothing. The header can only take retries away, so that it need not
// be trusted.
func InheritAttempts(next http.Handler, header string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if maxAttempts(r.Header.Get(header)) > 1 {
			r = r.WithContext(retry.ContextWithOuter(r.Context()))
		}
		next.ServeHTTP(w, r)
	})
}

// maxAttempts reads "attempt=N; max=M" and returns M, zero if there is none.
func maxAttempts(value string) int {
	for part := range strings.SplitSeq(value, ";") {
		name, number, _ := strings.Cut(part, "=")
		if strings.TrimSpace(name) != "max" {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			return 0
		}
		return n
	}
	return 0
}
