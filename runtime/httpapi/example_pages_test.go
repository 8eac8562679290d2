package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

type ListInput struct {
	Cursor *string `query:"cursor"`
}

type ListOutput struct {
	httpapi.Metadata
	Body *struct {
		Names []string `json:"names"`
		Next  *string  `json:"next,omitzero"`
	} `body:"200,application/json"`
}

var list = &httpapi.Operation[ListInput, ListOutput]{Name: "List", Method: http.MethodGet, Path: "/names"}

// namesClient is a client of a service that answers with steps.
func namesClient(steps ...retrytest.Step) *httpapi.Client {
	service := &httpapi.Service{Name: "names", Version: "1"}
	transport := retrytest.NewTransport(steps...)
	c, err := httpapi.NewClient(service, "https://names.example", httpapi.WithHTTPClient(transport.Client()))
	if err != nil {
		panic(err)
	}
	return c
}

func ExamplePages() {
	client := namesClient(
		retrytest.JSON(200, `{"names":["ann","bob"],"next":"c2"}`),
		retrytest.JSON(200, `{"names":["cid"]}`),
	)
	pages := &httpapi.Pagination{Style: httpapi.CursorPages, Input: "cursor", Output: "/next", Items: "/names"}
	for page, err := range httpapi.Pages(context.Background(), client, list, pages, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(page.Body.Names)
	}
	// Output:
	// [ann bob]
	// [cid]
}

func ExampleWait() {
	client := namesClient(
		retrytest.JSON(200, `{"names":[]}`),
		retrytest.JSON(200, `{"names":["ann"]}`),
	)
	annIsThere := &httpapi.Waiter{
		Name: "AnnIsThere", Delay: time.Millisecond, MaxDelay: time.Second,
		Acceptors: []httpapi.Acceptor{{State: httpapi.WaitSuccess, Pointer: "/names/0", Equals: "ann"}},
	}
	out, err := httpapi.Wait(context.Background(), client, list, annIsThere, nil)
	fmt.Println(out.Body.Names, err)
	// Output: [ann] <nil>
}
