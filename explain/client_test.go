package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/generated/dynamodb"
	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// fault is how a service answers every attempt.
type fault struct {
	status  int
	code    string
	delayed bool   // the answer asks for a delay of nothing
	says    string // true or false, in X-Should-Retry
}

func (f fault) String() string {
	return fmt.Sprintf("status %d, code %q, delayed %t, says %q", f.status, f.code, f.delayed, f.says)
}

// service answers with one fault, in the way of one definition.
type service struct {
	fault
	codeHeader, delayHeader string
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	h := http.Header{}
	if s.code != "" {
		h.Set(s.codeHeader, s.code)
	}
	if s.delayed {
		h.Set(s.delayHeader, "0")
	}
	if s.says != "" {
		h.Set("X-Should-Retry", s.says)
	}
	return &http.Response{StatusCode: s.status, Header: h, Body: http.NoBody, Request: req}, nil
}

// generated is a client of one of the committed packages.
type generated struct {
	spec   string
	client reflect.Value // *Client
	service
}

// clients have waits at their longest and a quota that does not run out.
func clients(t *testing.T) []*generated {
	t.Helper()
	o := &generated{spec: "../specs/orders.yaml", service: service{codeHeader: "X-Error-Code", delayHeader: "Retry-After"}}
	d := &generated{spec: "../specs/dynamodb.yaml", service: service{codeHeader: "X-Amzn-Errortype", delayHeader: "X-Amz-Retry-After"}}
	options := func(g *generated) []httpapi.Option {
		return []httpapi.Option{
			httpapi.WithHTTPClient(&http.Client{Transport: &g.service}),
			httpapi.WithRetry(retry.WithJitter(func() float64 { return 1 }), retry.WithQuota(retry.NewQuota(1_000_000_000))),
		}
	}
	token := httpapi.Token("t")
	oc, err := orders.New("https://orders.example", append(options(o), orders.WithBearer(token), orders.WithAPIKeyHeader(token),
		orders.WithAPIKeyQuery(token), orders.WithAPIKeyCookie(token), orders.WithBasic(httpapi.UserPassword("u", "p")))...)
	if err != nil {
		t.Fatal(err)
	}
	dc, err := dynamodb.New("https://dynamodb.example", options(d)...)
	if err != nil {
		t.Fatal(err)
	}
	o.client, d.client = reflect.ValueOf(oc), reflect.ValueOf(dc)
	return []*generated{o, d}
}

// call calls a method and returns how the call ended.
func (g *generated) call(t *testing.T, method string, f fault) *retry.StopError {
	t.Helper()
	g.fault = f
	m := g.client.MethodByName(method)
	in := reflect.New(m.Type().In(1).Elem())
	fill(in.Elem())
	out := m.Call([]reflect.Value{reflect.ValueOf(context.Background()), in})
	err, _ := out[1].Interface().(error)
	stop, ok := errors.AsType[*retry.StopError](err)
	if !ok {
		t.Fatalf("%s, %s: error %v, want a StopError", method, f, err)
	}
	return stop
}

// fill makes an input that can be sent.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[orders.Delivery]():
		v.Set(reflect.ValueOf(orders.Delivery{Value: &orders.PickupPoint{PointID: "p"}}))
	case v.Type() == reflect.TypeFor[orders.PaymentMethod]():
		v.Set(reflect.ValueOf(orders.PaymentMethod{Value: &orders.CardPayment{CardToken: "c"}}))
	case v.Type() == reflect.TypeFor[orders.VariantOptions]():
		v.Set(reflect.ValueOf(orders.VariantOptions{Colour: new("red")}))
	case v.Type() == reflect.TypeFor[io.Reader]():
		v.Set(reflect.ValueOf(strings.NewReader("x")))
	case v.Kind() == reflect.String:
		v.SetString("x")
	case v.Kind() == reflect.Struct && v.Type().PkgPath() != "time":
		for i := range v.NumField() {
			f := v.Field(i)
			if !f.CanSet() || v.Type().Field(i).Anonymous {
				continue
			}
			if f.Kind() == reflect.Pointer && v.Type().Field(i).Name == "Body" {
				f.Set(reflect.New(f.Type().Elem()))
				f = f.Elem()
			}
			fill(f)
		}
	}
}

func explained(t *testing.T, spec string) (*gen.Description, *Report) {
	t.Helper()
	d, err := gen.Describe(context.Background(), gen.Config{Specs: []string{spec}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d, r
}

// decide does what a reader of the explanation does: the first answer that
// matches. It reports too whether that proves that the server did not act.
func decide(c Classification, f fault, declaredCodes []string) (class string, notActed bool) {
	passed := ""
	for i, a := range c.Answers {
		var ok bool
		switch a.By {
		case byDeclaredCode, byCode:
			ok = slices.Contains(a.Match, f.code)
		case byServer:
			ok = f.says != "" && strings.HasSuffix(a.Match[0], ": "+f.says)
		default:
			ok = a.matches(f.status)
		}
		switch a.If {
		case ifDelay:
			ok = ok && f.delayed
		case ifNoCode:
			ok = ok && !slices.Contains(declaredCodes, f.code)
		case ifNoThrottling:
			rest := Classification{Answers: c.Answers[i+1:]}
			below, _ := decide(rest, fault{status: f.status, code: f.code, delayed: f.delayed}, declaredCodes)
			ok = ok && below != "throttling"
		case ifLost, ifSpeaksOfKey:
			ok = false // first attempts and empty bodies
		}
		switch {
		case !ok || a.By == passed:
		case a.Class == undeclared:
			passed = a.By
		default:
			return a.Class, a.NotActed
		}
	}
	return "", false
}

// faults are all statuses of failures, and every code that the operation
// knows and one that it does not know.
func faults(c Classification, declaredCodes []string) []fault {
	var out []fault
	for status := 400; status < 600; status++ {
		out = append(out, fault{status: status}, fault{status: status, delayed: true},
			fault{status: status, says: "true"}, fault{status: status, says: "false"})
	}
	codes := append([]string{"Unheard"}, declaredCodes...)
	for _, a := range c.Answers {
		if a.By == byCode {
			codes = append(codes, a.Match...)
		}
	}
	for _, code := range codes {
		for _, status := range []int{400, 429, 503} {
			out = append(out, fault{status: status, code: code})
		}
	}
	return out
}

// TestClientsClassifyAsExplained compares the classification of each
// operation, and what follows for the first retry, with the generated client.
func TestClientsClassifyAsExplained(t *testing.T) {
	for _, g := range clients(t) {
		d, r := explained(t, g.spec)
		for i, op := range r.Operations {
			var declared []string
			for _, e := range d.Operations[i].Errors {
				if e.Code != "" {
					declared = append(declared, e.Code)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				for _, f := range faults(op.Classification, declared) {
					class, notActed := decide(op.Classification, f, declared)
					stop := g.call(t, op.GoName, f)
					first := stop.Attempts[0]
					if first.Class.String() != class {
						t.Errorf("%s, %s: the client says %s, explained is %s", op.Name, f, first.Class, class)
					}
					wantUnknown := class != "terminal" && op.Replay.UnknownOutcome == outcomeUnknown && !notActed
					if unknown := first.Stop == retry.StopNotIdempotent; unknown != wantUnknown {
						t.Errorf("%s, %s: outcome unknown %t, explained %t", op.Name, f, unknown, wantUnknown)
					}
				}
			})
		}
	}
}

// TestClientsWaitAsExplained compares attempts, waits, costs and totals with
// generated clients that always fail, with waits at their longest.
func TestClientsWaitAsExplained(t *testing.T) {
	checked := 0
	for _, g := range clients(t) {
		_, r := explained(t, g.spec)
		for _, op := range r.Operations {
			if op.Replay.UnknownOutcome == outcomeUnknown {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				for _, failure := range []string{"transient", "throttling"} {
					f := fault{status: map[string]int{"transient": 500, "throttling": 429}[failure]}
					begin := time.Now()
					stop := g.call(t, op.GoName, f)
					checked += op.checkWaits(t, failure, stop, time.Since(begin))
				}
			})
		}
	}
	if checked < 100 {
		t.Errorf("only %d waits were compared", checked)
	}
}

// checkWaits compares one call with the explanation and returns the number
// of waits.
func (op Operation) checkWaits(t *testing.T, failure string, stop *retry.StopError, took time.Duration) int {
	if stop.Stop != retry.StopAttempts || len(stop.Attempts) != op.Attempts {
		t.Fatalf("%s: %v after %d attempts, explained are %d", op.Name, stop.Stop, len(stop.Attempts), op.Attempts)
	}
	cost := 0
	for _, d := range op.Quota.Drains {
		if d.Failure == failure {
			cost = d.Cost
		}
	}
	var sum Duration
	n := 0
	for _, d := range op.Delays {
		most := d.Transient.Most
		if failure == "throttling" {
			most = d.Throttling.Most
		}
		for range d.To - d.From + 1 {
			if got := stop.Attempts[n]; Duration(got.Delay) != most || got.Cost != cost {
				t.Errorf("%s, retry %d after %s: %s for %d tokens, explained are %s for %d", op.Name, n+1, failure, got.Delay, got.Cost, most, cost)
			}
			sum = sum.plus(most)
			n++
		}
	}
	if n != op.Attempts-1 || Duration(took) != sum || op.WorstCase.Backoff < sum {
		t.Errorf("%s: %d waits took %s, explained are %d, %s, at most %s", op.Name, n, took, op.Attempts-1, sum, op.WorstCase.Backoff)
	}
	return n
}
