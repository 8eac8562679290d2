// Command wire sends what a generated client makes of types that contain
// themselves, of bodies with a choice and of odd names, and looks at what
// arrives.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/retrygen/retrygen/gen/testdata/wire/client"
	"github.com/retrygen/retrygen/runtime/httpapi"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Header.Get("Content-Type") + " " + r.URL.RawQuery + " " + string(body)
		if r.URL.Path != "/trees" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	}))
	defer server.Close()
	c, err := client.New(server.URL)
	if err != nil {
		return err
	}
	if err := trees(ctx, c, &got); err != nil {
		return err
	}
	return bodies(ctx, c, &got)
}

func trees(ctx context.Context, c *client.Client, got *string) error {
	out, err := c.Echo(ctx, &client.EchoInput{Body: &client.Tree{
		Name: new("a"),
		Next: httpapi.Value(&client.Tree{Name: new("b"), Next: httpapi.Null[*client.Tree]()}),
		Leaf: httpapi.Value(client.Leaf{Tree: &client.Tree{Name: new("c")}}),
	}})
	if err != nil {
		return err
	}
	want := `application/json  {"name":"a","next":{"name":"b","next":null},"leaf":{"tree":{"name":"c"}}}`
	if *got != want {
		return fmt.Errorf("got %s, want %s", *got, want)
	}
	next, ok := out.Body.Next.Get()
	if !ok || *next.Name != "b" || !next.Next.IsNull() || !next.Leaf.IsZero() {
		return fmt.Errorf("next is %+v", next)
	}
	leaf, ok := out.Body.Leaf.Get()
	if !ok || *leaf.Tree.Name != "c" || !leaf.Tree.Next.IsZero() {
		return fmt.Errorf("leaf is %+v", leaf)
	}
	return nil
}

func bodies(ctx context.Context, c *client.Client, got *string) error {
	for _, t := range []struct {
		in   client.SendInput
		want string
	}{
		{client.SendInput{Body: &client.SendInputBody{A: new("x")}}, `application/json  {"a":"x"}`},
		{client.SendInput{BodyForm: &client.SendInputBodyForm{A: new("x")}}, `application/x-www-form-urlencoded  a=x`},
		{client.SendInput{BodyText: new("x")}, `text/plain  x`},
		{
			client.SendInput{AB: []string{"1", "2"}, ItS: new("3"), Q: new("4"), BackSlash: new("5"), BodyText: new("")},
			"text/plain a%2Cb=1,2&it%27s=3&q%22=4&back%5Cslash=5 ",
		},
	} {
		if _, err := c.Send(ctx, &t.in); err != nil {
			return err
		}
		if *got != t.want {
			return fmt.Errorf("got %q, want %q", *got, t.want)
		}
	}
	for _, in := range []client.SendInput{{}, {BodyText: new("x"), Body: &client.SendInputBody{}}} {
		if _, err := c.Send(ctx, &in); err == nil {
			return fmt.Errorf("%+v was sent", in)
		}
	}
	return nil
}
