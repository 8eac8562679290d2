package retryotel_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric/noop"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retryotel"
)

// watched keeps spans and measurements in memory.
type watched struct {
	observer retry.Observer
	spans    *tracetest.SpanRecorder
	reader   *sdkmetric.ManualReader
}

func watch(t *testing.T) watched {
	t.Helper()
	w := watched{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader()}
	var err error
	w.observer, err = retryotel.New(
		retryotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans))),
		retryotel.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.reader))))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func attributes(set []attribute.KeyValue) map[string]any {
	out := make(map[string]any)
	for _, a := range set {
		out[string(a.Key)] = a.Value.AsInterface()
	}
	return out
}

// collect returns the sums, gauges and histogram counts by name and
// attributes.
func (w watched) collect(t *testing.T) map[string]any {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]any)
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				out[point(m.Name, p.Attributes)] = p.Value
			}
		case metricdata.Gauge[int64]:
			for _, p := range data.DataPoints {
				out[point(m.Name, p.Attributes)] = p.Value
			}
		case metricdata.Gauge[float64]:
			for _, p := range data.DataPoints {
				out[point(m.Name, p.Attributes)] = p.Value
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				out[point(m.Name, p.Attributes)] = fmt.Sprintf("%d: %gs", p.Count, p.Sum)
			}
		}
	}
	return out
}

func point(name string, set attribute.Set) string {
	var parts []string
	for _, a := range set.ToSlice() {
		parts = append(parts, fmt.Sprintf("%s=%s", a.Key, a.Value.AsString()))
	}
	slices.Sort(parts)
	return name + "{" + strings.Join(parts, ",") + "}"
}

var errBusy = errors.New("busy")

// get makes a call of items.Get whose attempts of one second end with
// failures, one after the other, and then succeed.
func get(t *testing.T, ctx context.Context, p *retry.Policy, failures ...retry.Failure) error {
	_, stop := retry.Run(ctx, p, retry.CallOptions{Service: "items", Operation: "Get"}, func(ctx context.Context, a retry.Attempt) *retry.Failure {
		if !trace.SpanContextFromContext(ctx).IsValid() {
			t.Error("an attempt has no span")
		}
		time.Sleep(time.Second)
		if a.Number > len(failures) {
			return nil
		}
		return &failures[a.Number-1]
	})
	if stop == nil {
		return nil
	}
	return stop
}

func policy(t *testing.T, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(append(opts, retry.WithJitter(func() float64 { return 1 }))...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		p := policy(t, retry.WithObserver(w.observer))
		busy := retry.Failure{Err: errBusy, Class: retry.Transient, Rule: "status 500"}
		slow := retry.Failure{Err: errBusy, Class: retry.Throttling, Rule: "error code", Code: "Slow", HasServerDelay: true, ServerDelay: 2 * time.Second}
		if err := get(t, t.Context(), p, busy, slow); err != nil {
			t.Fatal(err)
		}
		if err := get(t, t.Context(), p, retry.Failure{Err: errBusy}); err == nil {
			t.Fatal("want an error")
		}
		want := []struct {
			name   string
			status codes.Code
			took   time.Duration
			attrs  map[string]any
		}{
			{"attempt", codes.Error, time.Second, map[string]any{
				"rpc.method": "items/Get", "error.type": "500", "retry.class": "transient", "retry.rule": "status 500",
				"retry.delay": 0.05, "retry.quota.level": int64(486),
			}},
			{"attempt", codes.Error, time.Second, map[string]any{
				"rpc.method": "items/Get", "error.type": "Slow", "retry.class": "throttling", "retry.rule": "error code",
				"retry.delay": 2.0, "retry.server_delay": 2.0, "retry.quota.level": int64(481), "http.request.resend_count": int64(1),
			}},
			{"attempt", codes.Unset, time.Second, map[string]any{
				"rpc.method": "items/Get", "retry.quota.level": int64(486), "http.request.resend_count": int64(2),
			}},
			{"items Get", codes.Unset, 5050 * time.Millisecond, map[string]any{
				"rpc.method": "items/Get", "retry.attempts": int64(3), "retry.wait": 2.05, "retry.quota.level": int64(486),
			}},
			{"attempt", codes.Error, time.Second, map[string]any{
				"rpc.method": "items/Get", "error.type": "*errors.errorString", "retry.class": "terminal", "retry.rule": "", "retry.quota.level": int64(486),
			}},
			{"items Get", codes.Error, time.Second, map[string]any{
				"rpc.method": "items/Get", "retry.attempts": int64(1), "retry.wait": 0.0, "retry.quota.level": int64(486),
				"retry.stop_reason": "terminal", "error.type": "*errors.errorString",
			}},
		}
		spans := w.spans.Ended()
		if len(spans) != len(want) || len(w.spans.Started()) != len(want) {
			t.Fatalf("%d spans ended, %d began, want %d", len(spans), len(w.spans.Started()), len(want))
		}
		for i, s := range spans {
			if s.Name() != want[i].name || s.Status().Code != want[i].status || s.EndTime().Sub(s.StartTime()) != want[i].took {
				t.Errorf("span %d: %s, %v, took %s", i, s.Name(), s.Status(), s.EndTime().Sub(s.StartTime()))
			}
			if got := attributes(s.Attributes()); !reflect.DeepEqual(got, want[i].attrs) {
				t.Errorf("span %d:\ngot  %v\nwant %v", i, got, want[i].attrs)
			}
		}
		for _, s := range spans[:3] {
			if s.Parent().SpanID() != spans[3].SpanContext().SpanID() {
				t.Error("an attempt is not below its call")
			}
		}
		if spans[3].SpanKind() != trace.SpanKindClient || spans[0].SpanKind() != trace.SpanKindInternal {
			t.Errorf("kinds %v, %v", spans[3].SpanKind(), spans[0].SpanKind())
		}
	})
}

func TestMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		p := policy(t, retry.WithObserver(w.observer), retry.WithMaxAttempts(2), retry.WithMode(retry.Adaptive))
		busy := retry.Failure{Err: errBusy, Class: retry.Transient, Rule: "reset"}
		slow := retry.Failure{Err: errBusy, Class: retry.Throttling, Rule: "status 429"}
		_ = get(t, t.Context(), p)
		_ = get(t, t.Context(), p, busy)
		_ = get(t, t.Context(), p, busy, slow)
		_ = get(t, retry.ContextWithOuter(t.Context()), p, retry.Failure{Err: errBusy, Class: retry.Transient})
		got := w.collect(t)
		rate := got["retry.limiter.rate{retry.service=items}"]
		if rate, ok := rate.(float64); !ok || rate < 0.5 {
			t.Errorf("rate %v", rate)
		}
		delete(got, "retry.limiter.rate{retry.service=items}")
		for key := range got {
			if strings.HasPrefix(key, "retry.wait") || strings.HasPrefix(key, "retry.call.duration") {
				delete(got, key) // below
			}
		}
		want := map[string]any{
			"retry.attempts{retry.class=success,retry.kind=first,rpc.method=items/Get}":                          int64(1),
			"retry.attempts{retry.class=success,retry.kind=retry,rpc.method=items/Get}":                          int64(1),
			"retry.attempts{retry.class=transient,retry.kind=first,retry.rule=reset,rpc.method=items/Get}":       int64(2),
			"retry.attempts{retry.class=transient,retry.kind=first,rpc.method=items/Get}":                        int64(1),
			"retry.attempts{retry.class=throttling,retry.kind=retry,retry.rule=status 429,rpc.method=items/Get}": int64(1),
			"retry.attempt.duration{retry.class=success,retry.kind=first,rpc.method=items/Get}":                  "1: 1s",
			"retry.attempt.duration{retry.class=success,retry.kind=retry,rpc.method=items/Get}":                  "1: 1s",
			"retry.attempt.duration{retry.class=transient,retry.kind=first,rpc.method=items/Get}":                "3: 3s",
			"retry.attempt.duration{retry.class=throttling,retry.kind=retry,rpc.method=items/Get}":               "1: 1s",
			"retry.give_ups{retry.stop_reason=attempts used up,rpc.method=items/Get}":                            int64(1),
			"retry.give_ups{retry.stop_reason=owned by an outer retry,rpc.method=items/Get}":                     int64(1),
			"retry.quota.level{retry.service=items}":                                                             int64(486),
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s: got %v, want %v", key, got[key], value)
			}
			delete(got, key)
		}
		if len(got) > 0 {
			t.Errorf("also measured: %v", got)
		}
	})
}

func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		p := policy(t, retry.WithObserver(w.observer), retry.WithMaxAttempts(2))
		busy := retry.Failure{Err: errBusy, Class: retry.Transient, Rule: "reset"}
		_ = get(t, t.Context(), p, busy)
		_ = get(t, t.Context(), p, busy, busy)
		got := w.collect(t)
		for key, want := range map[string]any{
			"retry.wait{rpc.method=items/Get}":                                             "2: 0.1s",
			"retry.call.duration{retry.stop_reason=none,rpc.method=items/Get}":             "1: 2.05s",
			"retry.call.duration{retry.stop_reason=attempts used up,rpc.method=items/Get}": "1: 2.05s",
		} {
			if got[key] != want {
				t.Errorf("%s: got %v, want %v", key, got[key], want)
			}
		}
	})
}

// TestSendWait: what the rate limiter held back is on the attempt's span.
func TestSendWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := watch(t)
		p := policy(t, retry.WithObserver(w.observer), retry.WithMode(retry.Adaptive), retry.WithMaxAttempts(1))
		slow := retry.Failure{Err: errBusy, Class: retry.Throttling}
		_ = get(t, t.Context(), p, slow)
		_ = get(t, t.Context(), p)
		attempt := w.spans.Ended()[2]
		if got := attributes(attempt.Attributes())["retry.send_wait"]; got == nil || got.(float64) <= 0 {
			t.Errorf("attributes %v", attempt.Attributes())
		}
	})
}

// TestPanic: a panic of the attempt leaves no span open.
func TestPanic(t *testing.T) {
	w := watch(t)
	func() {
		defer func() { _ = recover() }()
		_, _ = retry.Do(t.Context(), policy(t, retry.WithObserver(w.observer)), func(context.Context) (int, error) { panic("bug") })
	}()
	spans := w.spans.Ended()
	if len(spans) != 2 || spans[1].Name() != "call" {
		t.Fatalf("spans %v", spans)
	}
	for _, s := range spans {
		if s.Status().Code != codes.Error || attributes(s.Attributes())["error.type"] != "panic" {
			t.Errorf("%s: %v, %v", s.Name(), s.Status(), s.Attributes())
		}
	}
	if got := w.collect(t)["retry.attempts{retry.class=panic,retry.kind=first}"]; got != int64(1) {
		t.Errorf("attempts: %v", w.collect(t))
	}
}

// TestTwoObservers: each ends its own spans.
func TestTwoObservers(t *testing.T) {
	a, b := watch(t), watch(t)
	_, err := retry.Do(t.Context(), policy(t, retry.WithObserver(a.observer, b.observer)), func(context.Context) (int, error) { return 0, nil })
	if err != nil || len(a.spans.Ended()) != 2 || len(b.spans.Ended()) != 2 {
		t.Errorf("%v, %d and %d spans", err, len(a.spans.Ended()), len(b.spans.Ended()))
	}
}

// TestErrorType: a status stands alone, and nothing that a rule quotes is in.
func TestErrorType(t *testing.T) {
	for _, test := range []struct {
		rule, code, want string
	}{
		{"status 500", "", "500"},
		{"status 503 with Retry-After", "", "503"},
		{"declared status 409", "", "409"},
		{"no rule for status 404", "", "404"},
		{"status 500", "Busy", "Busy"},
		{"status 500", "sk-abcdefgh", "500"},
		{"error document in status 200", "", "error document in status 200"},
		{"connection reset", "", "connection reset"},
		{`declared error "two words"`, "two words", "declared error"},
		{`error code "EC2ThrottledException"`, "EC2ThrottledException", "EC2ThrottledException"},
		{` "x"`, "", "_OTHER"},
		{"", "", "*errors.errorString"},
	} {
		w := watch(t)
		p := policy(t, retry.WithObserver(w.observer))
		_, _ = retry.Run(t.Context(), p, retry.CallOptions{}, func(context.Context, retry.Attempt) *retry.Failure {
			return &retry.Failure{Err: errBusy, Rule: test.rule, Code: test.code}
		})
		for _, s := range w.spans.Ended() {
			if got := attributes(s.Attributes())["error.type"]; got != test.want {
				t.Errorf("rule %s, code %s: %s: got %v, want %s", test.rule, test.code, s.Name(), got, test.want)
			}
		}
	}
}

// TestTransportMetrics: no host reaches a measurement, as spans have it.
func TestTransportMetrics(t *testing.T) {
	w := watch(t)
	p := policy(t, retry.WithObserver(w.observer))
	for _, method := range []string{"GET", "PROPFIND"} {
		_, _ = retry.Run(t.Context(), p, retry.CallOptions{Service: "host:8080", Operation: method}, func(context.Context, retry.Attempt) *retry.Failure { return nil })
	}
	got := w.collect(t)
	for key := range got {
		if strings.Contains(key, "host") {
			t.Errorf("measured: %s", key)
		}
	}
	for _, method := range []string{"GET", "_OTHER"} {
		if key := "retry.attempts{http.request.method=" + method + ",retry.class=success,retry.kind=first}"; got[key] != int64(1) {
			t.Errorf("%s: got %v of %v, want 1", key, got[key], got)
		}
	}
	if got["retry.quota.level{}"] != int64(500) {
		t.Errorf("quota of %v", got)
	}
	if span := w.spans.Ended()[1]; span.Name() != "host:8080 GET" || attributes(span.Attributes())["rpc.method"] != "host:8080/GET" {
		t.Errorf("span %s: %v", span.Name(), span.Attributes())
	}
}

// TestNoText: the text of an error, and a code that is a text, reach no span.
func TestNoText(t *testing.T) {
	w := watch(t)
	p := policy(t, retry.WithObserver(w.observer), retry.WithMaxAttempts(1))
	_, _ = retry.Run(t.Context(), p, retry.CallOptions{}, func(context.Context, retry.Attempt) *retry.Failure {
		return &retry.Failure{Err: errors.New("secret text"), Class: retry.Transient, Code: "secret text"}
	})
	for _, s := range w.spans.Ended() {
		if text := fmt.Sprint(s.Attributes(), s.Status(), s.Events()); strings.Contains(text, "secret") {
			t.Errorf("%s: %s", s.Name(), text)
		}
	}
}

func ExampleNew() {
	observer, err := retryotel.New(retryotel.WithMeterProvider(noop.NewMeterProvider()))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, err := retry.New(retry.WithObserver(observer))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(retry.Do(context.Background(), policy, func(context.Context) (string, error) { return "hello", nil }))
	// Output: hello <nil>
}
