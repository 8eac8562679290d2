package generated_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/retrygen/retrygen/generated/dynamodb"
	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
)

// TestEncodingJSON: package encoding/json writes and reads generated types as
// calls do, as far as its tags can say it.
func TestEncodingJSON(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{orders.OrderLine{Sku: "b", Quantity: 1}, `{"sku":"b","quantity":1}`},
		{orders.OrderLine{Sku: "b", Quantity: 1, Engraving: httpapi.Null[string]()}, `{"sku":"b","quantity":1,"engraving":null}`},
		{orders.OrderLine{Sku: "b", Quantity: 1, Engraving: httpapi.Value("<e>")}, `{"sku":"b","quantity":1,"engraving":"<e>"}`},
		{orders.PaymentMethod{Value: &orders.CardPayment{Type: "card", CardToken: "c"}}, `{"type":"card","cardToken":"c"}`},
		{orders.PaymentMethod{Value: orders.PaymentMethodUnknown(`{"type":"coins","n":9007199254740993}`)}, `{"type":"coins","n":9007199254740993}`},
		{[]orders.PaymentMethodUnknown{orders.PaymentMethodUnknown(`{"n":9007199254740993}`)}, `[{"n":9007199254740993}]`},
		{[]orders.Event{{Value: orders.EventUnknown(`{"kind":"drone","x":1.10}`)}}, `[{"kind":"drone","x":1.10}]`},
		{orders.Problem{Title: new("t"), Extra: map[string]any{"hint": "h"}}, `{"title":"t","hint":"h"}`},
		{map[string]dynamodb.AttributeValue{"k": {S: new("v")}}, `{"k":{"S":"v"}}`},
	} {
		data, err := json.Marshal(tt.value)
		if err != nil {
			t.Errorf("%#v: %v", tt.value, err)
			continue
		}
		wantJSON(t, string(data), tt.want)
		read := reflect.New(reflect.TypeOf(tt.value))
		if err := json.Unmarshal(data, read.Interface()); err != nil || !reflect.DeepEqual(read.Elem().Interface(), tt.value) {
			t.Errorf("%s: read back %#v, %v, want %#v", data, read.Elem(), err, tt.value)
		}
	}
}

// TestEncodingJSONRefusals: what a call does not send is not written either.
func TestEncodingJSONRefusals(t *testing.T) {
	for _, value := range []any{
		orders.PaymentMethod{},
		dynamodb.AttributeValue{},
		dynamodb.AttributeValue{S: new("v"), N: new("1")},
	} {
		if data, err := json.Marshal(value); err == nil {
			t.Errorf("%#v: wrote %s", value, data)
		}
	}
}
