package generated_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// TestOrdersEnvironment stands above all levels of the definition and below
// code. The document says four attempts and addOrderLine five.
func TestOrdersEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name, variable, value string
		opts                  []httpapi.Option
		read, add             int // attempts of getOrder and of addOrderLine
	}{
		{"none", "ORDERS_MAX_ATTEMPTS", "", nil, 4, 5},
		{"attempts", "ORDERS_MAX_ATTEMPTS", "2", nil, 2, 2},
		{"mode", "ORDERS_RETRY_MODE", "off", nil, 1, 1},
		{"code", "ORDERS_MAX_ATTEMPTS", "2", []httpapi.Option{httpapi.WithRetry(retry.WithMaxAttempts(3))}, 3, 3},
		{"another prefix", "AWS_MAX_ATTEMPTS", "2", nil, 4, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(tt.variable, tt.value)
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, times(tt.read+tt.add, bare(500)), tt.opts...)
				if err := readOrder(t, d); !errors.Is(err, retry.ErrMaxAttempts) {
					t.Errorf("getOrder: got %v", err)
				}
				wantSame(t, "attempts of getOrder", len(d.visits()), tt.read)
				in := &orders.AddOrderLineInput{OrderID: orderID, Body: &orders.OrderLine{Sku: "a", Quantity: 1}}
				if _, err := d.AddOrderLine(t.Context(), in); !errors.Is(err, retry.ErrMaxAttempts) {
					t.Errorf("addOrderLine: got %v", err)
				}
			})
		})
	}
}

// TestOrdersEnvironmentOverOff: the mode of the environment stands above that
// of importProducts, off.
func TestOrdersEnvironmentOverOff(t *testing.T) {
	for mode, want := range map[string]int{"": 1, "standard": 4} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv("ORDERS_RETRY_MODE", mode)
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, times(want, bare(429)))
				_, err := d.ImportProducts(t.Context(), &orders.ImportProductsInput{Body: aFile()})
				if err == nil || len(d.visits()) != want {
					t.Errorf("got %v after %d requests, want %d", err, len(d.visits()), want)
				}
			})
		})
	}
}

// TestOrdersEnvironmentBad wants an error that names the variable.
func TestOrdersEnvironmentBad(t *testing.T) {
	for variable, value := range map[string]string{"ORDERS_MAX_ATTEMPTS": "many", "ORDERS_RETRY_MODE": "sometimes"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, value)
			_, err := orders.New("")
			if err == nil || !strings.Contains(err.Error(), variable) || !strings.Contains(err.Error(), value) {
				t.Errorf("got %v, want an error that names %s and %s", err, variable, value)
			}
		})
	}
}

// TestOrdersServers fills the URL of the first server, or takes another one.
func TestOrdersServers(t *testing.T) {
	for _, tt := range []struct {
		endpoint string
		opts     []httpapi.Option
		host     string
		path     string
	}{
		{"", nil, "demo.orders.example.com", "/v1/health"},
		{"", []httpapi.Option{httpapi.WithServerVariable("shop", "north"), httpapi.WithServerVariable("version", "v2")}, "north.orders.example.com", "/v2/health"},
		{"https://sandbox.orders.example.com/v1", nil, "sandbox.orders.example.com", "/v1/health"},
		{"http://localhost:8080/a%2Fb/", nil, "localhost:8080", "/a%2Fb/health"},
	} {
		got := healthRequest(t, tt.endpoint, tt.opts)
		wantSame(t, "address", got.Host+got.RequestURI, tt.host+tt.path)
	}
}

// healthRequest returns the request of getHealth at endpoint.
func healthRequest(t *testing.T, endpoint string, opts []httpapi.Option) *http.Request {
	t.Helper()
	requests := make(chan *http.Request, 1)
	client := serveDeskAt(t, endpoint, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r
		typed(200, "text/plain", "well").ServeHTTP(w, r)
	}), opts...)
	if _, err := client.GetHealth(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return <-requests
}

func TestOrdersServersRefused(t *testing.T) {
	for _, tt := range []struct {
		endpoint string
		opt      httpapi.Option
		want     string
	}{
		{"", httpapi.WithServerVariable("version", "v3"), "v3"},
		{"", httpapi.WithServerVariable("region", "x"), "region"},
		{"orders.example.com", httpapi.WithUserAgent("a"), "orders.example.com"},
		{"", httpapi.WithCredential("oauth", httpapi.Token("t")), "oauth"},
	} {
		if _, err := orders.New(tt.endpoint, tt.opt); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want an error that names %s", err, tt.want)
		}
	}
}
