package explain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// spec writes a definition and explains it; places are of "spec.yaml".
func spec(t *testing.T, text string, outer ...int) *Report {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("spec.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := gen.Describe(context.Background(), gen.Config{Specs: []string{"spec.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(d, outer)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const levels = `openapi: 3.0.3
info: {title: Shop, version: '1'}
x-retry:
  maxAttempts: 5
  quota: {capacity: 100}
  throttling: {codes: [busy]}
  transient: {statuses: [5XX]}
paths:
  /a:
    x-retry: {baseDelay: {throttling: 3s}}
    get:
      operationId: near
      x-retry:
        attemptTimeout: 2s
        terminal: {codes: [busy]}
      responses:
        '204': {description: Fine.}
        '404': {description: None., x-retry-class: transient}
        4XX: {$ref: '#/components/responses/Refused'}
    post:
      operationId: far
      x-idempotency-key: {header: Once}
      x-retry: {profile: dynamodb}
      responses: {'204': {description: Fine.}}
components:
  responses:
    Refused:
      description: No.
      x-retry-class: terminal
`

func rulesOf(op Operation) map[string]Rule {
	rules := map[string]Rule{}
	for _, r := range op.Rules {
		rules[r.Name] = r
	}
	return rules
}

func TestSources(t *testing.T) {
	r := spec(t, levels)
	if r.Operations[0].Name != "far" || r.Operations[1].Name != "near" {
		t.Fatalf("operations: %+v", r.Operations)
	}
	far, near := rulesOf(r.Operations[0]), rulesOf(r.Operations[1])
	for _, c := range []struct{ got, want Rule }{
		{near["maxAttempts"], Rule{"maxAttempts", "5", "spec.yaml:4:3"}},
		{near["baseDelay.throttling"], Rule{"baseDelay.throttling", "3s", "spec.yaml:10:27"}},
		{near["baseDelay.transient"], Rule{"baseDelay.transient", "50ms", "profile http-1"}},
		{near["attemptTimeout"], Rule{"attemptTimeout", "2s", "spec.yaml:14:9"}},
		{near["totalTimeout"], Rule{"totalTimeout", "none", "default"}},
		{near["quota.capacity"], Rule{"quota.capacity", "100", "spec.yaml:5:11"}},
		{near["profile"], Rule{"profile", "http-1", "default"}},
		{far["maxAttempts"], Rule{"maxAttempts", "4", "spec.yaml:23:17 (profile dynamodb)"}},
		{far["baseDelay.transient"], Rule{"baseDelay.transient", "25ms", "spec.yaml:23:17 (profile dynamodb)"}},
	} {
		if c.got != c.want {
			t.Errorf("got %+v, want %+v", c.got, c.want)
		}
	}
	replay := r.Operations[0].Replay
	if replay.Class != idempotent || replay.Source != "spec.yaml:22:7" || replay.Key != "header Once" {
		t.Errorf("replay of far: %+v", replay)
	}
}

func TestAnswerSources(t *testing.T) {
	r := spec(t, levels)
	type line struct{ what, class, source string }
	var got []line
	for _, a := range r.Operations[1].Classification.Answers {
		got = append(got, line{a.describe(), a.Class, a.Source})
	}
	want := []line{
		{"error code busy", "terminal", "spec.yaml:15:28"},
		{"declared status 404", "transient", "spec.yaml:18:37"},
		{"declared status 400-499", "terminal", "spec.yaml:29:7"},
		{"status 503, if it asks for a delay", "throttling", "profile http-1"},
		{"status 429", "throttling", "profile http-1"},
		{"status 408, 425", "transient", "profile http-1"},
		{"status 500-599", "transient", "spec.yaml:7:26"},
		{"anything else", "terminal", "default"},
	}
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || g == w
		}
		if !found {
			t.Errorf("no line %+v in\n%+v", w, got)
		}
	}
}

// TestEverySettingIsExplained fails when the runtime learns a setting that
// the rules and the classification do not show.
func TestEverySettingIsExplained(t *testing.T) {
	elsewhere := map[string]string{ // shown by what
		"Name": "rule profile", "Transient": "answers", "Throttling": "answers", "Terminal": "answers",
		"DelayedThrottling": "answers", "CertificateFailures": "errors",
	}
	shown := map[string]bool{}
	for _, s := range settings {
		shown[strings.ToLower(strings.ReplaceAll(s.name, ".", ""))] = true
	}
	renamed := map[string]string{"serverdelay": "serverdelaypolicy", "partition": "adaptivepartition"}
	var walk func(prefix string, typ reflect.Type)
	walk = func(prefix string, typ reflect.Type) {
		for _, f := range reflect.VisibleFields(typ) {
			name := prefix + f.Name
			key := strings.ToLower(name)
			if to := renamed[key]; to != "" {
				key = to
			}
			switch {
			case !f.IsExported() || f.Anonymous || len(f.Index) > 1 && prefix == "" && typ == reflect.TypeFor[httpapi.Profile]():
			case shown[key] || elsewhere[name] != "":
			case f.Type.Kind() == reflect.Struct:
				walk(name, f.Type)
			default:
				t.Errorf("%s.%s has no line", typ, name)
			}
		}
	}
	walk("", reflect.TypeFor[httpapi.Profile]())
	walk("", reflect.TypeFor[retry.Settings]())
}

// TestOverlayTakesEverySetting fails when definitions learn a setting that
// the overlay does not pass on.
func TestOverlayTakesEverySetting(t *testing.T) {
	words := map[string]string{"Mode": "off", "ServerDelay": "clamp"}
	var walk func(r *gen.Retry, v reflect.Value)
	walk = func(r *gen.Retry, v reflect.Value) {
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch f.Kind() {
			case reflect.Struct:
				walk(r, f)
				continue
			case reflect.String:
				f.SetString(cmp.Or(words[name], "X"))
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
				f.Elem().Field(0).SetString("/X")
			default:
				f.SetInt(1)
			}
			if name != "Profile" && reflect.DeepEqual(overlay(r), overlay(new(gen.Retry))) {
				t.Errorf("the overlay has nothing of %s.%s", v.Type(), name)
			}
			f.SetZero()
		}
	}
	var r gen.Retry
	walk(&r, reflect.ValueOf(&r).Elem())
}

// TestDrain has the numbers that are known of three attempts.
func TestDrain(t *testing.T) {
	r := spec(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths: {/a: {get: {operationId: a, responses: {'204': {description: Fine.}}}}}
`)
	for i, want := range []Drain{
		{"transient", 14, 35, 18, 14, 0.215, 1.26, 0.034},
		{"throttling", 5, 100, 50, 5, 0.321, 1.42, 0.091},
	} {
		got := r.Operations[0].Quota.Drains[i]
		for _, p := range []struct{ got, want *float64 }{
			{&got.AttemptFailureRate, &want.AttemptFailureRate}, {&got.CallFailureRate, &want.CallFailureRate}, {&got.LoadAtRate, &want.LoadAtRate},
		} {
			if math.Abs(*p.got-*p.want) < 0.0051 {
				*p.got = *p.want
			}
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if rate := attemptFailureRate(3, 14, 1); math.Abs(rate-0.215) > 0.0005 {
		t.Errorf("transient failures drain at %.4f", rate)
	}
	if rate := attemptFailureRate(3, 5, 1); math.Abs(rate-0.321) > 0.0005 {
		t.Errorf("throttling drains at %.4f", rate)
	}
}

// TestDrainIsThatOfTheCore empties and refills a real bucket.
func TestDrainIsThatOfTheCore(t *testing.T) {
	r := spec(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
x-retry: {maxAttempts: 4, quota: {capacity: 90, transientCost: 11, throttlingCost: 7, firstAttemptRefund: 2}}
paths: {/a: {get: {operationId: a, responses: {'204': {description: Fine.}}}}}
`)
	now := time.Time{}
	for _, d := range r.Operations[0].Quota.Drains {
		class, err := retry.ParseClass(d.Failure)
		if err != nil {
			t.Fatal(err)
		}
		p, err := retry.New(retry.WithMaxAttempts(4), retry.WithSettings(retry.Settings{Quota: retry.QuotaSettings{
			Capacity: 90, TransientCost: 11, ThrottlingCost: 7, FirstAttemptRefund: 2,
		}}))
		if err != nil {
			t.Fatal(err)
		}
		granted, calls := 0, 0
		for stop := retry.StopReason(0); stop != retry.StopQuota; {
			call := p.Begin(now, retry.CallOptions{})
			before := granted
			for stop = 0; stop == 0; {
				if stop = call.Next(retry.Failure{Class: class}, now).Stop; stop == 0 {
					granted++
				}
			}
			if granted > before {
				calls++
			}
		}
		if granted != d.OutageRetries || calls != d.OutageCalls {
			t.Errorf("%s: the core grants %d retries to %d calls, explained are %d to %d", d.Failure, granted, calls, d.OutageRetries, d.OutageCalls)
		}
		empty, err := p.With(retry.WithQuota(retry.NewQuotaAt(90, 0)))
		if err != nil {
			t.Fatal(err)
		}
		successes := 0
		for empty.Quota().Level() < d.Cost {
			call := empty.Begin(now, retry.CallOptions{})
			call.Succeed(now)
			successes++
		}
		if successes != d.RecoverySuccesses {
			t.Errorf("%s: %d successes buy a retry, explained are %d", d.Failure, successes, d.RecoverySuccesses)
		}
	}
}

func TestWorstCase(t *testing.T) {
	for _, c := range []struct {
		name, retry string
		bounded     bool
		time        time.Duration
		because     string
	}{
		{"attempt timeout", "{attemptTimeout: 2s, serverDelay: {policy: ignore}}", true, 9 * time.Second, "3 × attempt timeout 2s = 6s."},
		{"clamped delays", "{attemptTimeout: 2s, serverDelay: {policy: clamp}}", true, 19 * time.Second, "10s in all"},
		{"honoured delays", "{attemptTimeout: 2s}", true, 48*time.Hour + 6*time.Second, "honoured up to 24h0m0s"},
		{"total timeout", "{attemptTimeout: 2s, totalTimeout: 4s}", true, 4 * time.Second, "total timeout ends the call"},
		{"generous total timeout", "{attemptTimeout: 2s, totalTimeout: 1m, serverDelay: {policy: ignore}}", true, 9 * time.Second, "2 × wait = 3s at most."},
		{"nothing", "{maxAttempts: 3}", false, 0, "no timeout of its own"},
		{"off", "{mode: 'off', attemptTimeout: 2s}", true, 2 * time.Second, "1 × attempt timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := spec(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
x-retry: `+c.retry+`
paths: {/a: {get: {operationId: a, responses: {'204': {description: Fine.}}}}}
`)
			w := r.Operations[0].WorstCase
			if w.Bounded != c.bounded || time.Duration(w.Time) != c.time || !strings.Contains(strings.Join(w.Because, "\n"), c.because) {
				t.Errorf("got %+v, want %t, %s, because %q", w, c.bounded, c.time, c.because)
			}
		})
	}
}

// TestManyAttempts has more attempts than anyone can list.
func TestManyAttempts(t *testing.T) {
	r := spec(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
x-retry: {maxAttempts: 2147483647, maxBackoff: 1000000h}
paths: {/a: {get: {operationId: a, responses: {'204': {description: Fine.}}}}}
`)
	op := r.Operations[0]
	last := op.Delays[len(op.Delays)-1]
	if last.To != 2147483646 || len(op.Delays) > maxDraws || last.Transient.Most != Duration(1000000*time.Hour) {
		t.Errorf("delays end with %+v", last)
	}
	if op.WorstCase.Backoff != math.MaxInt64 {
		t.Errorf("waits are %s, want them saturated", op.WorstCase.Backoff)
	}
}

func TestLayers(t *testing.T) {
	r := spec(t, levels, 3, 3)
	if got, want := *r.Operations[1].Layers, (Layers{[]int{3, 3}, 45, 3}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		text          string
		attempts      int
		without, with int
	}{
		{"3x3", 3, 27, 3}, {"1x4", 3, 12, 4}, {"1", 3, 3, 3}, {"1", 1, 1, 1},
		{"1000x1000x1000x1000x1000x1000x1000x1000", 3, math.MaxInt, 1000},
	} {
		outer, err := ParseLayers(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if l := newLayers(outer, c.attempts); l.WithoutGuard != c.without || l.WithGuard != c.with {
			t.Errorf("%s: %+v, want %d and %d", c.text, l, c.without, c.with)
		}
	}
	for _, text := range []string{"0", "3x", "x", "-1", "3x3 ", "1001", "1x1x1x1x1x1x1x1x1", "٣"} {
		if outer, err := ParseLayers(text); err == nil {
			t.Errorf("ParseLayers(%q) = %v", text, outer)
		}
	}
}

func TestOnly(t *testing.T) {
	r := spec(t, levels)
	if err := r.Only("neer"); err == nil || err.Error() != `spec.yaml: no operation "neer"; did you mean near?` {
		t.Errorf("error %v", err)
	}
	if err := r.Only("Near"); err != nil || len(r.Operations) != 1 || r.Operations[0].Name != "near" {
		t.Errorf("error %v, operations %+v", err, r.Operations)
	}
}

// TestHTMLEscapes gives a definition that tries to be a page.
func TestHTMLEscapes(t *testing.T) {
	r := spec(t, `openapi: 3.0.3
info: {title: '<script>alert(1)</script>', version: '"><b>'}
x-throttle-codes: ['<i>busy</i>']
paths: {'/a</code><img>': {get: {operationId: '<u>a', responses: {'204': {description: Fine.}}}}}
`, 2)
	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<b>", "<i>", "<img", "<u>", "http://", "https://", "src=", "@import", "url("} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, want := range []string{"&lt;i&gt;busy", "Worst case", "Without the guard: 2 × 3 = up to 6 attempts"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
}

// TestJSON decodes a report into what was encoded.
func TestJSON(t *testing.T) {
	r := spec(t, levels, 3)
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"name":"maxAttempts","value":"5","source":"spec.yaml:4:3"`, `"mean":"25ms"`, `"unknownOutcome":"retried"`,
		`"withoutGuard":15`, `"by":"error code","match":["busy"],"class":"terminal"`, `"notActed":true`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestLegacy has the numbers of aws-sdk-go-v2 before 2026 in place of the
// profile's, and a price for timeouts.
func TestLegacy(t *testing.T) {
	d := &gen.Description{Retry: gen.Retry{Profile: "dynamodb", Mode: "legacy", MaxAttempts: 2}, Places: gen.Places{"maxAttempts": "x.yaml:3:4"},
		Operations: []gen.Operation{{Name: "a", Method: "POST"}}}
	r, err := New(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	op := r.Operations[0]
	rules := rulesOf(op)
	if got, want := rules["baseDelay.transient"], (Rule{"baseDelay.transient", "2s", "mode legacy"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := rules["maxAttempts"], (Rule{"maxAttempts", "2", "x.yaml:3:4"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if drains := op.Quota.Drains; len(drains) != 3 || drains[0].Cost != 5 || drains[1].Failure != "timeout" || drains[1].Cost != 10 {
		t.Errorf("drains: %+v", drains)
	}
	if got, want := op.Delays, []Delay{{1, 1, Range{0, Duration(time.Second), Duration(2 * time.Second)}, Range{0, Duration(time.Second), Duration(2 * time.Second)}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("delays: got %+v, want %+v", got, want)
	}
}

func TestUnknownProfile(t *testing.T) {
	if _, err := New(&gen.Description{Retry: gen.Retry{Profile: "http-9"}}, nil); err == nil || !strings.Contains(err.Error(), `"http-9"`) {
		t.Errorf("error %v", err)
	}
}

// TestInvalidPolicy: settings that are wrong together are an error with the
// operation's place.
func TestInvalidPolicy(t *testing.T) {
	d := &gen.Description{Retry: gen.Retry{Profile: "http-1"}, Operations: []gen.Operation{{Name: "a", Place: "x.yaml:1:2", Retry: &gen.Retry{MaxAttempts: -1}}}}
	if _, err := New(d, nil); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:1:2: operation a: ") || !strings.Contains(err.Error(), "MaxAttempts") {
		t.Errorf("error %v", err)
	}
}

// TestIfMatch: of the operations that are not idempotent by their method, a
// PATCH is said to be repeated with If-Match.
func TestIfMatch(t *testing.T) {
	r := spec(t, `openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /a:
    post: {operationId: post, responses: {'204': {description: Fine.}}}
    patch: {operationId: patch, responses: {'204': {description: Fine.}}}
    delete: {operationId: delete, x-idempotent: false, responses: {'204': {description: Fine.}}}
  /b:
    patch: {operationId: never, x-idempotent: false, responses: {'204': {description: Fine.}}}
`)
	for _, op := range r.Operations {
		said := strings.Contains(strings.Join(op.Replay.lines(), "\n"), "With an If-Match")
		if want := op.Name == "patch"; op.Replay.Class != notIdempotent || said != want {
			t.Errorf("%s: %+v says %t", op.Name, op.Replay, said)
		}
	}
	if len(r.Operations) != 4 {
		t.Errorf("%d operations, want 4", len(r.Operations))
	}
}
