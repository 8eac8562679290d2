package retryslog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retryslog"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// plain writes records without their time.
func plain(w *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func policy(t *testing.T, o retry.Observer, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(append(opts, retry.WithObserver(o), retry.WithJitter(func() float64 { return 1 }))...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run makes a call whose attempts end with failures, one after the other, and
// returns what was written.
func run(t *testing.T, ctx context.Context, opts []retry.Option, failures ...retry.Failure) string {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, retryslog.New(plain(&out)), opts...)
		call := retry.CallOptions{Service: "items", Operation: "Get"}
		_, _ = retry.Run(ctx, p, call, func(context.Context, retry.Attempt) *retry.Failure {
			if len(failures) == 0 {
				return nil
			}
			f := failures[0]
			failures = failures[1:]
			return &f
		})
	})
	return out.String()
}

var errSecret = errors.New("status 500: secret of the body")

func TestRecords(t *testing.T) {
	busy := retry.Failure{Err: errSecret, Class: retry.Transient, Rule: "status 500", Code: "Broken", HasServerDelay: true, ServerDelay: time.Second}
	gone := retry.Failure{Err: errSecret, Rule: "status 404", Code: "a text, not a code"}
	outer := retry.ContextWithOuter(context.Background())
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name     string
		ctx      context.Context
		opts     []retry.Option
		failures []retry.Failure
		want     []string
	}{
		{name: "success", want: []string{
			`level=DEBUG msg="call succeeded" service=items operation=Get attempts=1 duration=0s wait=0s quota=500`,
		}},
		{name: "recovered", failures: []retry.Failure{busy}, want: []string{
			`level=DEBUG msg=retry service=items operation=Get attempt=1 max_attempts=3 class=transient rule="status 500" delay=1s quota=486 duration=0s server_delay=1s code=Broken error_type=*errors.errorString`,
			`level=INFO msg="call succeeded after retries" service=items operation=Get attempts=2 duration=1s wait=1s quota=500`,
		}},
		{name: "given up", opts: []retry.Option{retry.WithMaxAttempts(1)}, failures: []retry.Failure{busy}, want: []string{
			`level=WARN msg="call given up" service=items operation=Get attempts=1 duration=0s wait=0s quota=500 stop="attempts used up" class=transient rule="status 500" code=Broken error_type=*errors.errorString`,
		}},
		{name: "terminal", failures: []retry.Failure{gone}, want: []string{
			`level=DEBUG msg="call failed" service=items operation=Get attempts=1 duration=0s wait=0s quota=500 stop=terminal class=terminal rule="status 404" error_type=*errors.errorString`,
		}},
		{name: "outer", ctx: outer, failures: []retry.Failure{busy}, want: []string{
			`level=DEBUG msg="call failed" service=items operation=Get attempts=1 duration=0s wait=0s quota=500 stop="owned by an outer retry" class=transient rule="status 500" code=Broken error_type=*errors.errorString`,
		}},
		{name: "cancelled", ctx: ended, want: []string{
			`level=DEBUG msg="call failed" service=items operation=Get attempts=0 duration=0s wait=0s quota=500 stop=cancelled`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			got := run(t, ctx, tt.opts, tt.failures...)
			if want := strings.Join(tt.want, "\n") + "\n"; got != want {
				t.Errorf("wrote\n%swant\n%s", got, want)
			}
		})
	}
}

func TestRateIsWritten(t *testing.T) {
	slow := retry.Failure{Err: errSecret, Class: retry.Throttling}
	got := run(t, context.Background(), []retry.Option{retry.WithMode(retry.Adaptive), retry.WithMaxAttempts(1)}, slow)
	if !strings.Contains(got, " rate=0.5 ") {
		t.Errorf("wrote %s", got)
	}
}

func TestPanicIsWritten(t *testing.T) {
	var out bytes.Buffer
	p := policy(t, retryslog.New(plain(&out)))
	func() {
		defer func() { _ = recover() }()
		_, _ = retry.Do(t.Context(), p, func(context.Context) (int, error) { panic("bug") })
	}()
	if !strings.HasPrefix(out.String(), `level=ERROR msg="call panicked" attempts=1 `) {
		t.Errorf("wrote %s", out.String())
	}
}

// TestRedaction: of a call that carries secrets everywhere, none is written,
// unless the text of errors is asked for.
func TestRedaction(t *testing.T) {
	type input struct {
		Query string `query:"token"`
		Auth  string `header:"X-Auth"`
		Key   string `header:"Idempotency-Key"`
		Body  string `body:"text/plain"`
	}
	op := &httpapi.Operation[input, struct{}]{Name: "Put", Method: http.MethodPut, Path: "/"}
	for _, text := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			var opts []retryslog.Option
			if text {
				opts = append(opts, retryslog.WithErrorText())
			}
			answer := retrytest.Respond(500, http.Header{"X-Answer": {"secret-5"}}, `secret-6`)
			transport := retrytest.NewTransport(answer, retrytest.Fail(fmt.Errorf("dial: %w", retrytest.ConnectionReset())), answer)
			c, err := httpapi.NewClient(&httpapi.Service{Name: "items"}, "https://items.example",
				httpapi.WithHTTPClient(transport.Client()),
				httpapi.WithRetry(retry.WithObserver(retryslog.New(plain(&out), opts...))))
			if err != nil {
				t.Fatal(err)
			}
			_, err = httpapi.Call(t.Context(), c, op, &input{"secret-1", "secret-2", "secret-3", "secret-4"})
			if err == nil {
				t.Fatal("want an error")
			}
			if n := strings.Count(out.String(), "\n"); n != 3 {
				t.Errorf("%d records, want 3:\n%s", n, out.String())
			}
			if got := strings.Contains(out.String(), "secret"); got != text {
				t.Errorf("secrets written: %t, want %t:\n%s", got, text, out.String())
			}
		})
	}
}

// TestDisabledLevels: a level that is off costs next to
// nothing.
func TestDisabledLevels(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError}))
	o := retryslog.New(logger)
	var e retry.Event = retry.CallEnded{Attempts: 1}
	if n := testing.AllocsPerRun(100, func() { o.Observe(t.Context(), e) }); n > 0 || out.Len() > 0 {
		t.Errorf("%v allocations, wrote %q", n, out.String())
	}
}

func TestLevels(t *testing.T) {
	var out bytes.Buffer
	o := retryslog.New(plain(&out), retryslog.WithLevels(retryslog.Levels{Success: slog.LevelError}))
	o.Observe(t.Context(), retry.CallEnded{Attempts: 1})
	if !strings.HasPrefix(out.String(), "level=ERROR") {
		t.Errorf("wrote %s", out.String())
	}
}

func TestDefaultLogger(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	o := retryslog.New(nil)
	slog.SetDefault(plain(&out))
	o.Observe(t.Context(), retry.CallEnded{Attempts: 2})
	if !strings.Contains(out.String(), "after retries") {
		t.Errorf("wrote %q", out.String())
	}
}

func ExampleNew() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey, "duration", "wait": // they differ from run to run
			return slog.Attr{}
		}
		return a
	}}))
	policy, _ := retry.New(
		retry.WithJitter(func() float64 { return 0 }),
		retry.WithObserver(retryslog.New(logger)))
	_, _ = retry.Do(context.Background(), policy, func(context.Context) (int, error) {
		return 0, retry.MarkTransient(errors.New("connection lost"))
	})
	// Output:
	// level=WARN msg="call given up" attempts=3 quota=472 stop="attempts used up" class=transient rule="marked transient" error_type=*retry.marked
}
