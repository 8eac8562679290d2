package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func ExampleNewTransport() {
	// A server that stumbles once.
	server := retrytest.NewTransport(
		retrytest.Respond(http.StatusServiceUnavailable, nil, ""),
		retrytest.Respond(http.StatusOK, nil, "hello"),
	)
	transport, err := httpapi.NewTransport(server, httpapi.WithRetry(retry.WithMaxAttempts(5)))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport} // any client will do

	var result httpapi.Metadata
	ctx := httpapi.ContextWithResult(context.Background(), &result)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://service.example/greeting", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	for _, failed := range result.Attempts {
		fmt.Println(failed.Attempt, failed.Class, failed.Rule)
	}
	// Output:
	// hello <nil>
	// 1 transient status 503
}

func ExampleInheritAttempts() {
	// A server whose callers send "attempt=N; max=M" in X-Attempt. Its own
	// clients, given the request's context, leave retries to such callers.
	handler := httpapi.InheritAttempts(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("an outer retry:", retry.HasOuter(r.Context()))
	}), "X-Attempt")

	req, _ := http.NewRequest(http.MethodGet, "/", nil)
	handler.ServeHTTP(nil, req)
	req.Header.Set("X-Attempt", "attempt=1; max=3")
	handler.ServeHTTP(nil, req)
	// Output:
	// an outer retry: false
	// an outer retry: true
}
