package httpapi_test

import (
	"context"
	"fmt"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func ExamplePoll() {
	server := retrytest.NewTransport(
		retrytest.JSON(200, `{"state": "packed"}`),
		retrytest.JSON(200, `{"state": "shipped"}`),
	)
	client, err := httpapi.NewClient(orders, "https://orders.example", httpapi.WithHTTPClient(server.Client()))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for out, err := range httpapi.Poll(ctx, client, getOrder, &GetOrderInput{ID: "17"}, httpapi.Polling{}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(out.Body.State)
		if out.Body.State == "shipped" {
			break // or stop(), and go on for what is under way
		}
	}
	// Output:
	// packed
	// shipped
}
