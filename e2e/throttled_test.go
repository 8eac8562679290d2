package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retrygen/retrygen/e2e/script"
	"github.com/retrygen/retrygen/generated/dynamodb"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

var (
	serverError = answer{status: 500, code: "InternalServerError"}
	throttled   = answer{status: 400, code: "ProvisionedThroughputExceededException"}
	unavailable = answer{status: 503, body: "<html><body>busy</body></html>"}
)

// fullJitter pins the jitter to its largest value, so that waits are known.
var fullJitter = retry.WithJitter(func() float64 { return 1 })

// TestTransientAnswers wants DynamoDB's four attempts, its 25 ms base and the
// quota's cost, seen from the server.
func TestTransientAnswers(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	quota := retry.NewQuota(500)
	client := script.NewClient(t, p.URL, httpapi.WithRetry(fullJitter, retry.WithQuota(quota)))
	p.answerWith("ListTables", serverError, unavailable, serverError)

	var result httpapi.Metadata
	if _, err := client.ListTables(t.Context(), nil, httpapi.WithResult(&result)); err != nil {
		t.Fatal(err)
	}
	wantDelays(t, result.Attempts, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond)
	wantQuota(t, result.Attempts, 486, 472, 458)
	if got := quota.Level(); got != 472 {
		t.Errorf("quota %d after the success, want 472", got)
	}
	requests := p.requests("ListTables")
	wantWire(t, requests, 4)
	wantGaps(t, requests, 25*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond)
}

// TestThrottlingAnswers wants the throttling base of 1 s and its cost.
func TestThrottlingAnswers(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	client := script.NewClient(t, p.URL, httpapi.WithRetry(fullJitter))
	p.answerWith("GetItem", throttled, serverError)
	_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: "none", Key: map[string]dynamodb.AttributeValue{"k": {S: new("v")}}})

	var missing *dynamodb.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Fatalf("third attempt: got %v, want dynalite's ResourceNotFoundException", err)
	}
	wantDelays(t, missing.Attempts[:2], time.Second, 50*time.Millisecond)
	wantQuota(t, missing.Attempts, 495, 481, 481)
	requests := p.requests("GetItem")
	wantWire(t, requests, 3)
	wantGaps(t, requests, time.Second, 50*time.Millisecond)
}

// TestServerDelay wants x-amz-retry-after bounded by the backoff below and
// the backoff plus 5 s above.
func TestServerDelay(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	client := script.NewClient(t, p.URL, httpapi.WithRetry(fullJitter))
	delayed := serverError
	delayed.headers = map[string]string{"X-Amz-Retry-After": "300"}
	p.answerWith("ListTables", delayed)

	var result httpapi.Metadata
	if _, err := client.ListTables(t.Context(), nil, httpapi.WithResult(&result)); err != nil {
		t.Fatal(err)
	}
	wantDelays(t, result.Attempts, 300*time.Millisecond)
}

// TestIdempotencyToken wants one token for a call on each of its attempts, a
// new one for the next call, and the caller's own kept.
func TestIdempotencyToken(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	client := script.NewClient(t, p.URL)
	written := answer{status: 200, body: "{}"}
	in := &dynamodb.TransactWriteItemsInput{TransactItems: []dynamodb.TransactWriteItem{
		{Delete: &dynamodb.Delete{TableName: "t", Key: map[string]dynamodb.AttributeValue{"k": {S: new("v")}}}},
	}}
	tokens := func() []string {
		t.Helper()
		p.answerWith("TransactWriteItems", serverError, serverError, written)
		var result httpapi.Metadata
		if _, err := client.TransactWriteItems(t.Context(), in, httpapi.WithResult(&result)); err != nil {
			t.Fatal(err)
		}
		var tokens []string
		for _, r := range p.requests("TransactWriteItems") {
			var body struct{ ClientRequestToken string }
			if err := json.Unmarshal([]byte(r.body), &body); err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, body.ClientRequestToken)
		}
		if result.IdempotencyKey != tokens[0] {
			t.Errorf("the result says %q, the wire %q", result.IdempotencyKey, tokens[0])
		}
		return tokens
	}
	first := tokens()
	if len(first) != 3 || first[0] == "" || first[1] != first[0] || first[2] != first[0] {
		t.Errorf("tokens of one call: %q", first)
	}
	if second := tokens(); second[0] == first[0] {
		t.Errorf("the next call has the same token %q", second[0])
	}
	if in.ClientRequestToken != nil {
		t.Error("the caller's input was changed")
	}
	in.ClientRequestToken = new("mine")
	if own := tokens(); own[0] != "mine" || own[2] != "mine" {
		t.Errorf("tokens of a call with its own: %q", own)
	}
}

// TestQuotaBoundsAnOutage wants the fleet's bound: N calls against a dead
// service send at most N + 35 requests, and the rest fail fast.
func TestQuotaBoundsAnOutage(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	zeroJitter := retry.WithJitter(func() float64 { return 0 })
	client := script.NewClient(t, p.URL, httpapi.WithRetry(zeroJitter))
	const calls = 60
	answers := make([]answer, 4*calls)
	for i := range answers {
		answers[i] = serverError
	}
	p.answerWith("ListTables", answers...)
	var refused atomic.Int32
	for range calls {
		if _, err := client.ListTables(t.Context(), nil); errors.Is(err, retry.ErrQuotaExceeded) {
			refused.Add(1)
		}
	}
	if got := len(p.requests("ListTables")); got != calls+35 {
		t.Errorf("%d requests for %d calls, want %d", got, calls, calls+35)
	}
	if refused.Load() == 0 {
		t.Error("no call failed fast")
	}
}

// TestTourThroughThrottling takes the whole tour while the first request of
// every operation is throttled and the second fails.
func TestTourThroughThrottling(t *testing.T) {
	p := startThrottler(t, startDynalite(t))
	for _, operation := range []string{
		"CreateTable", "DescribeTable", "ListTables", "PutItem", "GetItem", "UpdateItem", "DeleteItem",
		"BatchWriteItem", "BatchGetItem", "Query", "Scan", "TagResource", "ListTagsOfResource", "DeleteTable",
	} {
		p.answerWith(operation, throttled, serverError)
	}
	script.Run(t, script.NewClient(t, p.URL))
}

func wantDelays(t *testing.T, history []retry.Decision, want ...time.Duration) {
	t.Helper()
	if len(history) != len(want) {
		t.Fatalf("%d failures %v, want %d", len(history), history, len(want))
	}
	for i, d := range history {
		if d.Delay != want[i] {
			t.Errorf("wait %d: %s, want %s", i+1, d.Delay, want[i])
		}
	}
}

func wantQuota(t *testing.T, history []retry.Decision, want ...int) {
	t.Helper()
	for i, d := range history {
		if d.Quota != want[i] {
			t.Errorf("quota after failure %d: %d, want %d", i+1, d.Quota, want[i])
		}
	}
}

// wantGaps checks that the server was left in peace between the attempts for
// as long as the waits are; how much longer, the machine decides.
func wantGaps(t *testing.T, requests []seen, atLeast ...time.Duration) {
	t.Helper()
	for i, want := range atLeast {
		if gap := requests[i+1].at.Sub(requests[i].at); gap < want {
			t.Errorf("attempt %d reached the server %s after the one before, want at least %s", i+2, gap, want)
		}
	}
}

// wantWire checks what the server saw of one call: the attempts counted, one
// invocation id, each attempt signed.
func wantWire(t *testing.T, requests []seen, attempts int) {
	t.Helper()
	if len(requests) != attempts {
		t.Fatalf("the server saw %d requests, want %d", len(requests), attempts)
	}
	for i, r := range requests {
		if want := fmt.Sprintf("attempt=%d; max=4", i+1); r.attempt != want {
			t.Errorf("amz-sdk-request %q, want %q", r.attempt, want)
		}
		if r.invocation == "" || r.invocation != requests[0].invocation {
			t.Errorf("invocation id %q on attempt %d, %q on the first", r.invocation, i+1, requests[0].invocation)
		}
		if r.signature == "" || r.signedAt == "" {
			t.Errorf("attempt %d is not signed", i+1)
		}
		if i > 0 && r.signature == requests[i-1].signature {
			t.Errorf("attempt %d has the signature of attempt %d", i+1, i)
		}
	}
}
