package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestNil: what is missing is said, by every way to make a call.
func TestNil(t *testing.T) {
	c, _ := script(t, items(), nil)
	var noContext context.Context
	op, w, p := getItem(), &Waiter{Name: "w"}, &Pagination{Style: LinkPages}
	ways := map[string]func(context.Context, *Client, *Operation[getIn, getOut]) error{
		"call": func(ctx context.Context, c *Client, op *Operation[getIn, getOut]) error {
			_, err := Call(ctx, c, op, nil)
			return err
		},
		"wait": func(ctx context.Context, c *Client, op *Operation[getIn, getOut]) error {
			_, err := Wait(ctx, c, op, w, nil)
			return err
		},
		"pages": func(ctx context.Context, c *Client, op *Operation[getIn, getOut]) (last error) {
			for _, err := range Pages(ctx, c, op, p, nil) {
				last = err
			}
			return last
		},
		"poll": func(ctx context.Context, c *Client, op *Operation[getIn, getOut]) error {
			for _, err := range Poll(ctx, c, op, nil, Polling{}) {
				return err
			}
			return nil
		},
	}
	isCall := func(err error) bool { _, ok := errors.AsType[*CallError](err); return ok }
	expect := func(name string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) || isCall(err) == (name == "client") {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	for name, call := range ways {
		expect(name, call(noContext, c, op), "nil context")
		expect(name, call(t.Context(), nil, op), "nil client")
		expect(name, call(t.Context(), c, nil), "nil operation")
	}
	_, err := Wait(t.Context(), c, op, nil, nil)
	expect("wait", err, "nil waiter")
	for _, err := range Pages(t.Context(), c, op, nil, nil) {
		expect("pages", err, "nil pagination")
	}
	_, err = NewClient(nil, "https://items.example")
	expect("client", err, "nil service")
	_, err = NewClient(items(), "https://items.example", nil)
	expect("client", err, "nil option")
}

// TestUnreadableHeader: a header that only informs does not make a failure of
// what the server has done.
func TestUnreadableHeader(t *testing.T) {
	type counted struct {
		Metadata
		Remaining *int64     `header:"X-RateLimit-Remaining"`
		Reset     *time.Time `header:"X-RateLimit-Reset"`
	}
	c, _ := script(t, items(), nil)
	c.http = doer(func(*http.Request) (*http.Response, error) {
		return datedAnswer(204, http.Header{"X-Ratelimit-Remaining": {"unlimited"}, "X-Ratelimit-Reset": {"2026-02-03T04:05:06Z"}}, ""), nil
	})
	out, err := Call(t.Context(), c, &Operation[struct{}, counted]{Name: "Post", Method: "POST", Path: "/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Remaining != nil || out.Reset == nil || out.Header.Get("X-RateLimit-Remaining") != "unlimited" {
		t.Errorf("got %+v", out)
	}
}
