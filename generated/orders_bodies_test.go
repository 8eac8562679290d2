package generated_test

import (
	"strings"
	"testing"

	"github.com/retrygen/retrygen/generated/orders"
)

// TestOrdersRequiredBodies: nothing is sent without a body that the definition
// requires, whatever its media type.
func TestOrdersRequiredBodies(t *testing.T) {
	d := openDesk(t, nil)
	for input, call := range map[string]func() error{
		"CreateOrder": func() error { _, err := d.CreateOrder(t.Context(), nil); return err },
		"UpdateOrder": func() error {
			_, err := d.UpdateOrder(t.Context(), &orders.UpdateOrderInput{OrderID: orderID})
			return err
		},
		"CreateToken":    func() error { _, err := d.CreateToken(t.Context(), nil); return err },
		"ImportProducts": func() error { _, err := d.ImportProducts(t.Context(), nil); return err },
		"UploadImage": func() error {
			_, err := d.UploadImage(t.Context(), &orders.UploadImageInput{Sku: "a"})
			return err
		},
	} {
		err := call()
		operation := strings.ToLower(input[:1]) + input[1:]
		if want := "orders " + operation + ": the body is required: " + input + "Input.Body is nil"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
