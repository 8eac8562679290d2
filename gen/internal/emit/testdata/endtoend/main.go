// Command endtoend uses the client that TestEndToEnd puts beside it and
// fails if an answer is not what the definition makes of it.
package main

import (
	"context"
	"errors"
	"log"
	"reflect"

	"github.com/retrygen/retrygen/gen/internal/emit/testdata/endtoend/example"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

func main() {
	log.SetFlags(log.Lshortfile)
	call()
	pages()
	wait()
}

// client plays a script of answers. It returns the bodies of the requests.
func client(steps ...retrytest.Step) (*example.Client, func() []string) {
	transport := retrytest.NewTransport(steps...)
	c, err := example.New("", httpapi.WithHTTPClient(transport.Client()))
	check(err)
	return c, func() []string {
		check(transport.Err())
		return retrytest.Bodies(transport.Requests())
	}
}

// call writes and reads unions, and a struct of which one member is set.
func call() {
	c, sent := client(
		retrytest.JSON(200, `{"items":[{"kind":"card"},{"kind":"coins","n":1}]}`),
		retrytest.JSON(400, `{"code":"Limit","message":"at most one"}`),
	)
	in := &example.QueryInput{
		Method: example.PaymentMethod{Value: new(example.CashPayment)},
		Value:  &example.AttributeValue{S: new("x")},
	}
	out, err := c.Query(context.Background(), in)
	check(err)
	equal(out.Status, 200)
	equal(out.Items, []example.PaymentMethod{
		{Value: &example.CardPayment{Kind: "card"}},
		{Value: example.PaymentMethodUnknown(`{"kind":"coins","n":1}`)},
	})

	in.Method = out.Items[1]
	_, err = c.Query(context.Background(), in)
	limit, ok := errors.AsType[*example.LimitError](err)
	equal(ok, true)
	equal(*limit.Message, "at most one")
	equal(limit.Status, 400)
	equal(sent(), []string{
		`{"method":{"kind":"cash"},"value":{"S":"x"}}`,
		`{"method":{"kind":"coins","n":1},"value":{"S":"x"}}`,
	})

	in.Value = &example.AttributeValue{}
	if _, err := c.Query(context.Background(), in); err == nil {
		log.Fatal("a value without a member was sent")
	}
}

// pages follows a cursor.
func pages() {
	c, sent := client(retrytest.JSON(200, `{"next":"b"}`), retrytest.JSON(200, `{}`))
	in := &example.QueryInput{Method: example.PaymentMethod{Value: new(example.CashPayment)}}
	count := 0
	for _, err := range c.QueryPages(context.Background(), in) {
		check(err)
		count++
	}
	equal(count, 2)
	equal(sent()[1], `{"method":{"kind":"cash"},"cursor":"b"}`)
}

// wait polls until the list is there.
func wait() {
	c, sent := client(retrytest.JSON(400, `{"code":"Limit"}`), retrytest.JSON(200, `{"next":"b"}`))
	in := &example.QueryInput{Method: example.PaymentMethod{Value: new(example.CashPayment)}}
	out, err := c.WaitForB(context.Background(), in)
	check(err)
	equal(*out.Next, "b")
	equal(len(sent()), 2)
}

func check(err error) {
	if err != nil {
		log.Output(2, err.Error())
		log.Fatal("see above")
	}
}

func equal(got, want any) {
	if !reflect.DeepEqual(got, want) {
		log.Output(2, "")
		log.Fatalf("got %v, want %v", got, want)
	}
}
