package build

import (
	"cmp"
	"fmt"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// profile holds the numbers of a retry profile that the generator tells of.
type profile struct {
	attempts  int
	transient time.Duration                // base delay
	any       bool                         // operations that are not idempotent are repeated too
	mode      string                       // "" is standard
	polling   map[string]model.LongPolling // operations that poll, by name
}

// profiles are the known profiles. The numbers of http-1 are the defaults of
// package retry, those of the others are from the AWS reference page on retry
// behaviour: 4 attempts and 25 ms for DynamoDB, 3 and 50 ms elsewhere; and so
// are the long-polling operations. Those of mode legacy take their place in
// that mode.
var profiles = map[string]profile{
	"http-1":           {3, 50 * time.Millisecond, false, "", nil},
	"aws-2026":         {3, 50 * time.Millisecond, true, "", nil},
	"aws-legacy":       {3, 50 * time.Millisecond, true, "legacy", nil},
	"dynamodb":         {4, 25 * time.Millisecond, true, "", nil},
	"dynamodb-streams": {4, 25 * time.Millisecond, true, "", nil},
	"sqs":              {3, 50 * time.Millisecond, true, "", map[string]model.LongPolling{"ReceiveMessage": {Wait: "WaitTimeSeconds"}}},
	"sfn":              {3, 50 * time.Millisecond, true, "", map[string]model.LongPolling{"GetActivityTask": {}}},
	"swf":              {3, 50 * time.Millisecond, true, "", map[string]model.LongPolling{"PollForActivityTask": {}, "PollForDecisionTask": {}}},
}

// legacyAttempts are the attempts of mode legacy, those of the AWS SDK for Go
// before 2026.
const legacyAttempts = 3

// serviceRetry is what the document says of retrying, with a profile.
func (b *builder) serviceRetry() model.Retry {
	r := b.notes.Document()
	if r.Profile == "" {
		r.Profile = "http-1"
		if b.aws != nil {
			r.Profile = b.aws.profile
		}
	}
	return r
}

// operationRetry is what an operation lays over its service. Another profile
// becomes its numbers, because codes and statuses belong to the service.
func operationRetry(note *model.Retry) *model.Retry {
	if note == nil {
		return nil
	}
	r := *note
	if p, ok := profiles[r.Profile]; ok && p.mode != "" {
		r.Mode = cmp.Or(r.Mode, p.mode)
	} else if ok {
		r.MaxAttempts = cmp.Or(r.MaxAttempts, p.attempts)
		r.BaseTransient = cmp.Or(r.BaseTransient, p.transient)
	}
	r.Profile = ""
	return &r
}

// retryDoc tells how an operation is retried.
func (b *builder) retryDoc(op *model.Operation) string {
	service := b.out.Retry
	base := profiles[service.Profile]
	attempts := service.MaxAttempts
	mode := cmp.Or(service.Mode, base.mode)
	if op.Retry != nil {
		attempts = cmp.Or(op.Retry.MaxAttempts, attempts)
		mode = cmp.Or(op.Retry.Mode, mode)
	}
	if mode == "legacy" {
		attempts = cmp.Or(attempts, legacyAttempts)
	}
	attempts = cmp.Or(attempts, base.attempts)
	if mode == "off" || attempts == 1 {
		return "It is not retried: a call is one attempt."
	}
	retried := fmt.Sprintf("transient and throttling failures are retried, up to %d attempts in all.", attempts)
	text := ""
	switch {
	case op.Key != nil:
		text = "An idempotency key in the " + keyPlace(op.Key) + " makes it safe to retry: " + retried
	case idempotent(op):
		text = "It is idempotent: " + retried
	case base.any:
		text = "It is retried as AWS SDKs do, idempotent or not: " + retried
	default:
		text = fmt.Sprintf("It is not idempotent: it is retried only when the server certainly did not act, "+
			"up to %d attempts in all.", attempts)
	}
	if op.LongPolling != nil {
		text += " " + pollingDoc(op.LongPolling)
	}
	return text
}

func keyPlace(k *model.Key) string {
	if k.Header != "" {
		return k.Header + " header"
	}
	return "member " + k.Property
}

func pollingDoc(p *model.LongPolling) string {
	text := "It is expected to wait"
	if p.Wait != "" {
		text += ": the timeout of an attempt grows by what " + p.Wait + " asks for"
	}
	if p.Default > 0 {
		text += ", " + spoken(time.Duration(p.Default*float64(p.Unit))) + " if it is not set"
	}
	return text + "."
}

// operationDoc is the comment of an operation's method.
func (b *builder) operationDoc(c *call) string {
	name := c.op.GoName
	summary, description := c.spec.Summary, c.spec.Description
	if summary == "" || description == "" || plain(summary) == plain(description) {
		summary, description = cmp.Or(summary, description), ""
	}
	lead := comment(name, c.op.Name, sentence(plain(summary)))
	if lead == "" {
		lead = name + " calls " + c.op.Method + " " + c.op.Path + "."
	}
	return paragraphs(lead, plain(description), b.retryDoc(&c.op))
}

// sentence ends a text that is one line with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	switch text[len(text)-1] {
	case '.', '!', '?', ':', ';', ')':
		return text
	}
	return text + "."
}
