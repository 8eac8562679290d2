package generated_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// caller makes a call of one operation.
type caller func(context.Context, *orders.Client, ...httpapi.CallOption) error

// operation is what the definition says of an operation.
type operation struct {
	name   string
	method string
	path   string // below the server's, escaped
	call   caller
	answer reply  // the first success that it declares
	auth   string // the Authorization header
	max    int    // attempts
	unsafe bool   // whether an unknown outcome ends the call
	strict bool   // whether it has no default error
}

// calling makes a caller of a method of the client.
func calling[In, Out any](method func(*orders.Client, context.Context, *In, ...httpapi.CallOption) (*Out, error), in In) caller {
	return func(ctx context.Context, c *orders.Client, opts ...httpapi.CallOption) error {
		_, err := method(c, ctx, &in, opts...)
		return err
	}
}

// The secrets of the tests, and how they travel.
const (
	bearer = "Bearer t0k3n"
	basic  = "Basic Y2xlcms6czNjcmV0" // clerk:s3cret
)

// credentials are those of all schemes.
func credentials() []httpapi.Option {
	return []httpapi.Option{
		orders.WithBearer(httpapi.Token("t0k3n")),
		orders.WithBasic(httpapi.UserPassword("clerk", "s3cret")),
		orders.WithAPIKeyHeader(httpapi.Token("h34der")),
		orders.WithAPIKeyQuery(httpapi.Token("qu3ry")),
		orders.WithAPIKeyCookie(httpapi.Token("c00kie")),
	}
}

const (
	aLine    = `{"number":1,"sku":"a","quantity":1}`
	aPage    = `{"items":[],"hasMore":false}`
	aProduct = `{"name":"n","sku":"a","price":{"amount":"1","currency":"EUR"}}`
)

func aNewOrder() *orders.NewOrder {
	return &orders.NewOrder{
		CustomerID: 1, Lines: []orders.OrderLine{{Sku: "a", Quantity: 1}},
		Delivery: orders.Delivery{Value: &orders.PickupPoint{PointID: "p"}},
	}
}

func aPayment() *orders.NewPayment {
	return &orders.NewPayment{
		Method: orders.PaymentMethod{Value: &orders.CardPayment{CardToken: "c"}},
		Amount: orders.Money{Amount: "1", Currency: "EUR"},
	}
}

func aFile() *orders.ProductImport {
	return &orders.ProductImport{File: httpapi.File{Name: "p.csv", Content: strings.NewReader("sku\n")}}
}

func aQuote() orders.GetQuoteInput {
	return orders.GetQuoteInput{Basket: orders.Basket{Lines: []orders.OrderLine{{Sku: "a", Quantity: 1}}}}
}

// operations are all of the definition, in its order.
func operations() []operation {
	c := func(name string) string { return "/orders/" + orderID + name }
	return []operation{
		{"listOrders", "GET", "/orders", calling((*orders.Client).ListOrders, orders.ListOrdersInput{}), document(200, aPage), bearer, 4, false, false},
		{"createOrder", "POST", "/orders", calling((*orders.Client).CreateOrder, orders.CreateOrderInput{Body: aNewOrder()}), document(201, anOrder("placed")).with("Location", "/x"), bearer, 4, false, true},
		{"searchOrders", "POST", "/orders/search", calling((*orders.Client).SearchOrders, orders.SearchOrdersInput{Body: &orders.OrderQuery{}}), document(200, aPage), bearer, 4, false, false},
		{"getOrder", "GET", c(""), calling((*orders.Client).GetOrder, orders.GetOrderInput{OrderID: orderID}), document(200, anOrder("placed")), bearer, 4, false, false},
		{"checkOrder", "HEAD", c(""), calling((*orders.Client).CheckOrder, orders.CheckOrderInput{OrderID: orderID}), bare(200), bearer, 4, false, true},
		{"replaceOrder", "PUT", c(""), calling((*orders.Client).ReplaceOrder, orders.ReplaceOrderInput{OrderID: orderID, IfMatch: `"1"`, Body: aNewOrder()}), document(200, anOrder("placed")), bearer, 4, false, false},
		{"updateOrder", "PATCH", c(""), calling((*orders.Client).UpdateOrder, orders.UpdateOrderInput{OrderID: orderID, Body: &orders.OrderPatch{}}), document(200, anOrder("placed")), bearer, 4, true, false},
		{"deleteOrder", "DELETE", c(""), calling((*orders.Client).DeleteOrder, orders.DeleteOrderInput{OrderID: orderID}), bare(204), bearer, 4, false, false},
		{"cancelOrder", "POST", c("/cancel"), callCancelOrder, document(200, anOrder("cancelled")), bearer, 4, true, false},
		{"addOrderLine", "POST", c("/lines"), calling((*orders.Client).AddOrderLine, orders.AddOrderLineInput{OrderID: orderID, Body: &orders.OrderLine{Sku: "a", Quantity: 1}}), document(201, aLine), bearer, 5, false, false},
		{"getOrderLine", "GET", c("/lines/7"), calling((*orders.Client).GetOrderLine, orders.GetOrderLineInput{OrderID: orderID, LineNumber: 7}), document(200, aLine), bearer, 4, false, false},
		{"payOrder", "POST", c("/payments"), calling((*orders.Client).PayOrder, orders.PayOrderInput{OrderID: orderID, Body: aPayment()}), document(200, `{"id":"i","amount":{"amount":"1","currency":"EUR"},"paidAt":"2026-01-01T00:00:00Z"}`), bearer, 4, false, false},
		{"waitForEvents", "GET", c("/events"), calling((*orders.Client).WaitForEvents, orders.WaitForEventsInput{OrderID: orderID}), document(200, `[]`), bearer, 4, false, false},
		{"claimNextTicket", "GET", "/tickets/next", calling((*orders.Client).ClaimNextTicket, orders.ClaimNextTicketInput{}), document(200, `{"ticketId":"t","orderId":"o","dueAt":"2026-01-01T00:00:00Z"}`), bearer, 4, true, false},
		{"getQuote", "GET", "/quotes", calling((*orders.Client).GetQuote, aQuote()), document(200, `{"amount":"1","currency":"EUR"}`), bearer, 4, false, false},
		{"listProducts", "GET", "/products", calling((*orders.Client).ListProducts, orders.ListProductsInput{}), document(200, `{"products":[],"pages":0}`), "", 4, false, false},
		{"importProducts", "POST", "/products/import", calling((*orders.Client).ImportProducts, orders.ImportProductsInput{Body: aFile()}), document(202, `{"jobId":"j"}`), bearer, 1, true, false},
		{"getProduct", "GET", "/products/.a", calling((*orders.Client).GetProduct, orders.GetProductInput{Sku: "a"}), document(200, aProduct), bearer, 4, false, false},
		{"getVariant", "GET", "/products/a/variants/;colour=red", calling((*orders.Client).GetVariant, orders.GetVariantInput{Sku: "a", Options: orders.VariantOptions{Colour: new("red")}}), document(200, aProduct), bearer, 4, false, false},
		{"downloadImage", "GET", "/products/a/image", downloadAndClose, typed(200, "application/octet-stream", "image"), bearer, 4, false, false},
		{"uploadImage", "PUT", "/products/a/image", calling((*orders.Client).UploadImage, orders.UploadImageInput{Sku: "a", Body: strings.NewReader("image")}), bare(204), bearer, 4, false, false},
		{"getCategories", "GET", "/categories", calling((*orders.Client).GetCategories, orders.GetCategoriesInput{}), document(200, `{"name":"all"}`), "", 4, false, false},
		{"listCustomers", "GET", "/customers", calling((*orders.Client).ListCustomers, orders.ListCustomersInput{}), document(200, `{"customers":[]}`), bearer, 3, false, false},
		{"listInvoices", "GET", "/customers/5/invoices", calling((*orders.Client).ListInvoices, orders.ListInvoicesInput{CustomerID: 5}), document(200, `[]`), bearer, 4, false, false},
		{"listSettings", "GET", "/customers/5/settings", calling((*orders.Client).ListSettings, orders.ListSettingsInput{CustomerID: 5}), document(200, `{"settings":[]}`), bearer, 4, false, false},
		{"createToken", "POST", "/token", calling((*orders.Client).CreateToken, orders.CreateTokenInput{Body: &orders.TokenRequest{GrantType: "client_credentials"}}), document(200, `{"accessToken":"t","expiresIn":60}`), basic, 4, true, false},
		{"getHealth", "GET", "/health", calling((*orders.Client).GetHealth, orders.GetHealthInput{}), typed(200, "text/plain", "well"), "", 4, false, true},
	}
}

// cancelOrder is an operation that the definition marks as deprecated.
func cancelOrder(ctx context.Context, c *orders.Client, opts ...httpapi.CallOption) (*orders.CancelOrderOutput, error) {
	//lint:ignore SA1019 deprecated operations work
	return c.CancelOrder(ctx, &orders.CancelOrderInput{OrderID: orderID}, opts...)
}

func callCancelOrder(ctx context.Context, c *orders.Client, opts ...httpapi.CallOption) error {
	_, err := cancelOrder(ctx, c, opts...)
	return err
}

func downloadAndClose(ctx context.Context, c *orders.Client, opts ...httpapi.CallOption) error {
	out, err := c.DownloadImage(ctx, &orders.DownloadImageInput{Sku: "a"}, opts...)
	if err != nil {
		return err
	}
	return out.Body.Close()
}

// TestOrdersOperationsAreAll wants the list above to be complete.
func TestOrdersOperationsAreAll(t *testing.T) {
	listed := make(map[string]bool)
	for _, op := range operations() {
		listed[strings.ToLower(op.name)] = true
	}
	if len(listed) != 27 {
		t.Errorf("%d operations are listed, the definition has 27", len(listed))
	}
	for method := range reflect.TypeFor[*orders.Client]().Methods() {
		derived := strings.HasSuffix(method.Name, "Pages") || strings.HasPrefix(method.Name, "WaitOrder") || method.Name == "RetrySettings"
		if !derived && !listed[strings.ToLower(method.Name)] {
			t.Errorf("%s is not listed", method.Name)
		}
	}
}

func TestOrdersRequestOfEachOperation(t *testing.T) {
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			d := openDesk(t, answers(op.answer), credentials()...)
			var meta httpapi.Metadata
			if err := op.call(t.Context(), d.Client, httpapi.WithResult(&meta)); err != nil {
				t.Fatal(err)
			}
			got := d.only()
			wantSame(t, "request", got.Method+" "+pathOf(t, got.Request), op.method+" "+op.path)
			wantSame(t, "host", got.Host, "demo.orders.example.com")
			wantSame(t, "Authorization", got.Header.Get("Authorization"), op.auth)
			wantSame(t, "X-Attempt", got.Header.Get("X-Attempt"), fmt.Sprintf("attempt=1; max=%d", op.max))
			wantSame(t, "status", meta.Status, op.answer.status)
		})
	}
}

// TestOrdersDefaultErrorOfEachOperation answers with a status that no
// operation declares by itself.
func TestOrdersDefaultErrorOfEachOperation(t *testing.T) {
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			d := openDesk(t, answers(problem(507, `{"title":"Full","status":507,"detail":"no space"}`)))
			err := op.call(t.Context(), d.Client)
			declared, ok := errors.AsType[*orders.Problem](err)
			if ok == op.strict {
				t.Fatalf("got %v, want a Problem: %t", err, !op.strict)
			}
			if ok {
				wantSame(t, "detail", declared.Detail, new("no space"))
			}
			answer, ok := errors.AsType[*httpapi.ResponseError](err)
			if !ok {
				t.Fatalf("got %v, want a ResponseError", err)
			}
			wantSame(t, "operation", answer.Operation, op.name)
			wantSame(t, "status", answer.Status, 507)
			if !errors.Is(err, retry.ErrTerminal) {
				t.Errorf("got %v, want it terminal", err)
			}
		})
	}
}

// TestOrdersReplayOfEachOperation lets a gateway lose the answer each time:
// the server may have acted.
func TestOrdersReplayOfEachOperation(t *testing.T) {
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want, reason := op.max, retry.ErrMaxAttempts
				if op.unsafe {
					want, reason = 1, retry.ErrOutcomeUnknown
				}
				d := openDesk(t, times(want, bare(502)))
				err := op.call(t.Context(), d.Client)
				if !errors.Is(err, reason) {
					t.Errorf("got %v, want %v", err, reason)
				}
				for i, got := range d.visits() {
					wantSame(t, "X-Attempt", got.Header.Get("X-Attempt"), fmt.Sprintf("attempt=%d; max=%d", i+1, op.max))
				}
			})
		})
	}
}

// TestOrdersThrottlingOfEachOperation lets the server refuse each request: it
// did not act, so that every operation may be repeated.
func TestOrdersThrottlingOfEachOperation(t *testing.T) {
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openDesk(t, times(op.max, bare(429)))
				err := op.call(t.Context(), d.Client)
				if !errors.Is(err, retry.ErrMaxAttempts) {
					t.Errorf("got %v, want %v", err, retry.ErrMaxAttempts)
				}
			})
		})
	}
}
