package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// prepared is an operation on one client: what calls need of it, without its
// types, worked out once.
type prepared struct {
	name        string
	method      string
	base        *url.URL
	profile     Profile
	policy      *retry.Policy
	unsafe      bool
	byMethod    bool // nothing but the method says whether it is idempotent
	key         *IdempotencyKey
	keyPlace    place
	longPolling *LongPolling
	waitPlace   place
	partition   *slot // of the value that chooses a rate limiter; nil: none
	security    [][]string
	errors      []ErrorCase
	streams     bool // an output may hold an unread body
}

// prepare returns op on c. The result is kept: descriptors live as long as
// the program.
func prepare[In, Out any](c *Client, op *Operation[In, Out]) (*prepared, error) {
	if p, ok := c.operations.Load(op); ok {
		return p.(*prepared), nil
	}
	p := &prepared{
		name: op.Name, method: op.Method, base: c.base, profile: c.profile,
		unsafe:   !isIdempotent(op.Idempotency, op.Method, op.Key),
		byMethod: op.Idempotency == ByMethod, key: op.Key, longPolling: op.LongPolling, security: op.Security, errors: op.Errors,
		streams: streams(reflect.TypeFor[Out]()),
	}
	if p.security == nil {
		p.security = c.service.Security
	}
	if op.Retry != nil {
		p.profile = op.Retry.from("operation " + op.Name).Over(c.profile)
	}
	var err error
	if len(op.Servers) > 0 && !c.explicit {
		if p.base, err = firstServer(op.Servers, c.variables); err != nil {
			return nil, err
		}
	}
	if p.policy, err = c.policy(&p.profile); err != nil {
		return nil, err
	}
	if err = checkKeyHeader(op.Key, c.service, &p.profile, op.Header); err != nil {
		return nil, err
	}
	in := reflect.TypeFor[In]()
	if p.keyPlace, err = keyPlace(in, op.Key, op.Document != ""); err != nil {
		return nil, err
	}
	if p.waitPlace, err = waitPlace(in, op.LongPolling, op.Document != ""); err != nil {
		return nil, err
	}
	if p.partition, err = partitionSlot(in, &p.profile, op.Retry, op.Document != ""); err != nil {
		return nil, err
	}
	c.operations.Store(op, p)
	return p, nil
}

// isIdempotent decides the replay class.
func isIdempotent(declared Idempotency, method string, key *IdempotencyKey) bool {
	if key != nil || declared == Idempotent {
		return true
	}
	return declared == ByMethod && idempotentMethods[method]
}

// idempotentMethods are those of RFC 9110, 9.2.2, and QUERY.
var idempotentMethods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodOptions: true, http.MethodTrace: true,
	http.MethodPut: true, http.MethodDelete: true, "QUERY": true,
}

// streams reports whether outputs of type t have a field for an unread body.
func streams(t reflect.Type) bool {
	p, err := planOf(t, outputRole)
	if err != nil {
		return false
	}
	for _, b := range p.bodies {
		if t.Field(b.index).Type == reflect.TypeFor[io.ReadCloser]() {
			return true
		}
	}
	return false
}

// waitPlace finds the value that says how long a long-polling operation waits.
func waitPlace(t reflect.Type, l *LongPolling, document bool) (place, error) {
	if l == nil || l.Wait == "" {
		return nil, nil
	}
	p, _ := placeOf(t, l.Wait, document)
	if p == nil {
		return nil, fmt.Errorf("long polling: %s has no parameter or member %q", t, l.Wait)
	}
	return p, nil
}

// pollWait is how long the server is asked to wait, or waits by default.
func (p *prepared) pollWait(in reflect.Value) time.Duration {
	if p.waitPlace == nil {
		return 0
	}
	unit := p.longPolling.Unit
	if unit == 0 {
		unit = time.Second
	}
	units := p.longPolling.Default
	if wait := transparent(p.waitPlace.get(in)); wait.IsValid() {
		units = number(wait)
	}
	if units <= 0 {
		return 0
	}
	return time.Duration(min(units*float64(unit), float64(maxPollWait)))
}

// maxPollWait bounds what a nonsensical wait adds to the attempt timeout.
const maxPollWait = 24 * time.Hour

// number returns v as a number, zero if it is none.
func number(v reflect.Value) float64 {
	switch {
	case !v.IsValid():
		return 0
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	case v.Kind() == reflect.String:
		n, _ := strconv.ParseFloat(v.String(), 64)
		return n
	}
	return 0
}

// callOptions are what the retry core must know of a call.
func (p *prepared) callOptions(in reflect.Value) retry.CallOptions {
	return retry.CallOptions{
		Unsafe:      p.unsafe,
		LongPolling: p.longPolling != nil,
		PollWait:    p.pollWait(in),
	}
}
