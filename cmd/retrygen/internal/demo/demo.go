// Package demo shows the whole product in one command: it generates a client
// from an embedded definition, starts an embedded faulty server, makes calls
// with that client, and prints why each attempt was or was not retried.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/generated"
	"github.com/retrygen/retrygen/generated/ticketdesk"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/specs"
)

// Run writes the client into dir, or into a temporary directory that it
// removes again if dir is "", runs the calls, and tells the story to out.
func Run(ctx context.Context, out io.Writer, dir string) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "retrygen-demo-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	if err := generate(ctx, out, dir); err != nil {
		return err
	}
	server := &desk{}
	listening := server.start()
	defer listening.Close()
	quota := retry.NewQuota(60) // as the definition says; of our own, to see its level
	client, err := ticketdesk.New(listening.URL, httpapi.WithRetry(retry.WithQuota(quota)))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "A faulty server listens on %s. The client's retry quota holds %d tokens:\n", listening.URL, quota.Capacity())
	fmt.Fprintln(out, "a transient retry costs 14, a throttling retry 5; success gives back what the last retry cost.")
	for _, s := range scenes {
		server.play(s.script...)
		s.tell(ctx, out, client, server, quota)
	}
	return nil
}

// generate writes the client and checks that it is the one compiled into
// this program.
func generate(ctx context.Context, out io.Writer, dir string) error {
	spec := filepath.Join(dir, "demo.yaml")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(spec, specs.Demo, 0o666); err != nil {
		return err
	}
	target := filepath.Join(dir, "ticketdesk")
	report, err := gen.Run(ctx, gen.Config{Specs: []string{spec}, Output: target})
	if err != nil {
		return err
	}
	for _, client := range report.Clients {
		fmt.Fprintln(out, client)
	}
	return sameAsCompiled(target)
}

// sameAsCompiled compares the files in dir with those of the compiled client.
func sameAsCompiled(dir string) error {
	return fs.WalkDir(generated.TicketDesk, "ticketdesk", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		want, err := fs.ReadFile(generated.TicketDesk, path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		if !bytes.Equal(withoutSource(got), withoutSource(want)) {
			return fmt.Errorf("demo: %s differs from the client in this program: run go generate ./... and build again", entry.Name())
		}
		return nil
	})
}

// withoutSource drops the first line, which names the definition's path.
func withoutSource(file []byte) []byte {
	_, rest, _ := bytes.Cut(file, []byte("\n"))
	return rest
}

// scene is one call and what it is to show.
type scene struct {
	title  string
	script []reply
	call   func(ctx context.Context, client *ticketdesk.Client, opts ...httpapi.CallOption) (string, error)
	budget time.Duration // deadline of the call; zero: none
}

func getShow(id string) func(context.Context, *ticketdesk.Client, ...httpapi.CallOption) (string, error) {
	return func(ctx context.Context, client *ticketdesk.Client, opts ...httpapi.CallOption) (string, error) {
		out, err := client.GetShow(ctx, &ticketdesk.GetShowInput{ShowID: id}, opts...)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s, %d seats left", out.Body.Title, out.Body.SeatsLeft), nil
	}
}

func reserve(ctx context.Context, client *ticketdesk.Client, opts ...httpapi.CallOption) (string, error) {
	out, err := client.Reserve(ctx, &ticketdesk.ReserveInput{Body: &ticketdesk.Seats{ShowID: "hamlet", Count: 2}}, opts...)
	if err != nil {
		return "", err
	}
	return "reservation " + out.Body.ID, nil
}

func sell(ctx context.Context, client *ticketdesk.Client, opts ...httpapi.CallOption) (string, error) {
	out, err := client.Sell(ctx, &ticketdesk.SellInput{Body: &ticketdesk.Seats{ShowID: "hamlet", Count: 2}}, opts...)
	if err != nil {
		return "", err
	}
	return "sold " + out.Body.ID, nil
}

func waitForNews(ctx context.Context, client *ticketdesk.Client, opts ...httpapi.CallOption) (string, error) {
	out, err := client.WaitForNews(ctx, &ticketdesk.WaitForNewsInput{Wait: new(int32(5))}, opts...)
	if err != nil {
		return "", err
	}
	return out.Body, nil
}

var scenes = []scene{
	{title: "GetShow, and the server stumbles twice", script: []reply{crash, broken, show}, call: getShow("hamlet")},
	{title: "GetShow, throttled by a code in the body (x-throttle-codes)", script: []reply{busy, show}, call: getShow("hamlet")},
	{title: "GetShow, and the server asks for a second (Retry-After is honoured)", script: []reply{unavailable.retryAfter(1), show}, call: getShow("hamlet")},
	{title: "the same with 0.5 s left: a wait that does not fit is not begun", script: []reply{unavailable.retryAfter(1), show}, call: getShow("hamlet"), budget: 500 * time.Millisecond},
	{title: "GetShow of an unknown show: the definition's own error, not retried", script: []reply{noShow}, call: getShow("godot")},
	{title: "Reserve, a POST with an idempotency key: safe to send again", script: []reply{broken, reserved}, call: reserve},
	{title: "Sell, a POST without one: the server may have acted, so it is not sent again", script: []reply{broken, reserved}, call: sell},
	{title: "GetShow in an outage: the quota pays for the last retries …", script: []reply{crash}, call: getShow("hamlet")},
	{title: "… and then refuses: calls fail fast instead of adding load", script: []reply{crash}, call: getShow("hamlet")},
	{title: "WaitForNews, long polling: it waits its backoff even when refused", script: []reply{crash}, call: waitForNews},
}

// tell plays a scene and prints each attempt with its reasons.
func (s scene) tell(ctx context.Context, out io.Writer, client *ticketdesk.Client, server *desk, quota *retry.Quota) {
	if s.budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.budget)
		defer cancel()
	}
	fmt.Fprintf(out, "\n%s\n", s.title)
	var result httpapi.Metadata
	value, err := s.call(ctx, client, httpapi.WithResult(&result))
	for _, d := range result.Attempts {
		fmt.Fprintln(out, attemptLine(d))
	}
	if err == nil {
		fmt.Fprintf(out, "  attempt %d  %-82s  quota %d\n", len(result.Attempts)+1, "ok: "+value, quota.Level())
	}
	if keys := slices.Compact(server.seenKeys()); len(keys) == 1 && keys[0] != "" {
		fmt.Fprintf(out, "  every attempt carried the key %s\n", keys[0])
	}
	var gone *ticketdesk.ShowNotFound
	if errors.As(err, &gone) {
		fmt.Fprintf(out, "  errors.As finds a *ShowNotFound: status %d, code %s\n", gone.Status, gone.Code)
	}
}

// attemptLine is one failed attempt in columns: class, rule, decision, quota.
func attemptLine(d retry.Decision) string {
	next := "stop: " + d.Stop.String()
	if d.Retry() {
		next = "retry after " + round(d.Delay)
	} else if d.Delay > 0 {
		next += ", after " + round(d.Delay)
	}
	return fmt.Sprintf("  attempt %d  %-10s  %-28s  %-40s  quota %d", d.Attempt, d.Class, d.Rule, next, d.Quota)
}

func round(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
