package bench_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
)

const line = `{"sku":"A-17","quantity":3,"number":2}`

// BenchmarkGet is one typed GET over the loopback interface: with net/http
// and a JSON decoder, and with a generated client.
func BenchmarkGet(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, line)
	}))
	defer server.Close()
	client, err := orders.New(server.URL, orders.WithBearer(httpapi.Token("secret")))
	if err != nil {
		b.Fatal(err)
	}
	for name, get := range map[string]func(context.Context) (*orders.OrderLine, error){
		"net-http": func(ctx context.Context) (*orders.OrderLine, error) { return plainGet(ctx, server.URL) },
		"retrygen": func(ctx context.Context) (*orders.OrderLine, error) {
			out, err := client.GetOrderLine(ctx, &orders.GetOrderLineInput{OrderID: "o-1", LineNumber: 2})
			if err != nil {
				return nil, err
			}
			return out.Body, nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if got, err := get(b.Context()); err != nil || got.Quantity != 3 {
					b.Fatal(got, err)
				}
			}
		})
	}
}

// plainGet is what one writes without a client.
func plainGet(ctx context.Context, base string) (*orders.OrderLine, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/orders/o-1/lines/2", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer secret")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	line := new(orders.OrderLine)
	return line, json.UnmarshalRead(resp.Body, line)
}
