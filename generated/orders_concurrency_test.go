package generated_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
)

// TestOrdersClientIsShared calls all operations of one client at a time.
func TestOrdersClientIsShared(t *testing.T) {
	const callers = 4
	answer := make(map[string]reply)
	for _, op := range operations() {
		answer[op.method+" /v1"+op.path] = op.answer
	}
	client := serveDesk(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, _, _ := strings.Cut(r.RequestURI, "?")
		known, ok := answer[r.Method+" "+path]
		if !ok {
			t.Errorf("%s %s is no operation", r.Method, path)
			known = bare(http.StatusTeapot)
		}
		known.ServeHTTP(w, r)
	}), credentials()...)
	var calls sync.WaitGroup
	for range callers {
		for _, op := range operations() {
			calls.Go(func() {
				if err := op.call(t.Context(), client); err != nil {
					t.Errorf("%s: %v", op.name, err)
				}
			})
		}
	}
	calls.Wait()
}
