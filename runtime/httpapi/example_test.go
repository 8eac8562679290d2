package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// What a generator writes for a small service.
type (
	GetOrderInput struct {
		ID string `path:"id"`
	}
	GetOrderOutput struct {
		httpapi.Metadata
		Body *Order `body:"200,application/json"`
	}
	Order struct {
		State string `json:"state"`
	}
	OrderNotFound struct {
		httpapi.ResponseError `json:"-"`
		Hint                  string `json:"hint"`
	}
)

var orders = &httpapi.Service{Name: "orders", Version: "1"}

var getOrder = &httpapi.Operation[GetOrderInput, GetOrderOutput]{
	Name:   "GetOrder",
	Method: http.MethodGet,
	Path:   "/orders/{id}",
	Errors: []httpapi.ErrorCase{{Statuses: httpapi.Status(404), New: httpapi.NewError[OrderNotFound]}},
}

func ExampleCall() {
	// A server that stumbles once and then answers two calls.
	server := retrytest.NewTransport(
		retrytest.Respond(http.StatusServiceUnavailable, nil, ""),
		retrytest.JSON(http.StatusOK, `{"state": "shipped"}`),
		retrytest.JSON(http.StatusNotFound, `{"hint": "see the archive"}`),
	)
	client, err := httpapi.NewClient(orders, "https://orders.example",
		httpapi.WithHTTPClient(server.Client()),
		httpapi.WithRetry(retry.WithMaxAttempts(5)))
	if err != nil {
		fmt.Println(err)
		return
	}

	out, err := httpapi.Call(context.Background(), client, getOrder, &GetOrderInput{ID: "17"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Body.State, "after", len(out.Attempts), "failed attempt")

	_, err = httpapi.Call(context.Background(), client, getOrder, &GetOrderInput{ID: "1"})
	if missing, ok := errors.AsType[*OrderNotFound](err); ok {
		fmt.Println("missing:", missing.Hint)
	}
	fmt.Println(err)
	// Output:
	// shipped after 1 failed attempt
	// missing: see the archive
	// orders GetOrder: status 404: "{\"hint\": \"see the archive\"}"
}
