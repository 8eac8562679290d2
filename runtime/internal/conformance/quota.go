package conformance

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// bucket is a retry quota of a vector.
type bucket struct {
	Capacity *int `json:"capacity"`
	Start    *int `json:"start"`
}

// quota returns the bucket: full unless the vector says otherwise.
func (b bucket) quota() *retry.Quota {
	capacity := retry.DefaultQuotaCapacity
	if b.Capacity != nil {
		capacity = *b.Capacity
	}
	level := capacity
	if b.Start != nil {
		level = *b.Start
	}
	return retry.NewQuotaAt(capacity, level)
}

// quotaOp is an operation on a bucket with what must hold after it.
type quotaOp struct {
	Op     string `json:"op"`
	ID     string `json:"id"`
	Class  string `json:"class"`
	Times  *int   `json:"times"`
	Expect struct {
		Quota   *int  `json:"quota"`
		Granted *bool `json:"granted"`
	} `json:"expect"`
}

// runQuota plays operations to one bucket, through calls that share it.
func runQuota(_ *testing.T, v Vector) error {
	var given bucket
	ops, err := decodeAll[quotaOp](v.Ops)
	if err = errors.Join(err, decode(v.Given, &given)); err != nil {
		return err
	}
	policy, err := retry.New(retry.WithQuota(given.quota()), retry.WithMaxAttempts(math.MaxInt))
	if err != nil {
		return err
	}
	h := quotaHolders{policy: policy, calls: make(map[string]*retry.Call)}
	for i, op := range ops {
		if err := h.play(op); err != nil {
			return fmt.Errorf("operation %d (%s %s): %w", i+1, op.Op, op.ID, err)
		}
	}
	return nil
}

// quotaHolders are the calls of a vector by their ids.
type quotaHolders struct {
	policy *retry.Policy
	calls  map[string]*retry.Call
}

func (h *quotaHolders) play(op quotaOp) error {
	times := 1
	if op.Times != nil {
		times = *op.Times
	}
	granted := false
	for range times {
		var err error
		if granted, err = h.once(op); err != nil {
			return err
		}
	}
	if want := op.Expect.Granted; want != nil && granted != *want {
		return fmt.Errorf("granted: got %v, want %v", granted, *want)
	}
	if want := op.Expect.Quota; want != nil && h.policy.Quota().Level() != *want {
		return fmt.Errorf("quota: got %d, want %d", h.policy.Quota().Level(), *want)
	}
	return nil
}

// once plays op once and reports whether it was a retry that was granted.
func (h *quotaHolders) once(op quotaOp) (granted bool, err error) {
	var now time.Time
	call := h.calls[op.ID]
	if call == nil {
		begun := h.policy.Begin(now, retry.CallOptions{})
		call = &begun
	}
	switch op.Op {
	case "retry":
		class, err := retry.ParseClass(op.Class)
		h.calls[op.ID] = call
		return call.Next(retry.Failure{Class: class}, now).Retry(), err
	case "retry_succeeded":
		call.Succeed(now)
		delete(h.calls, op.ID)
	case "retry_failed":
		call.Next(retry.Failure{}, now)
	case "first_attempt_succeeded":
		call.Succeed(now)
	case "first_attempt_failed":
		call.Next(retry.Failure{}, now)
	default:
		return false, errors.New("the operation is not known")
	}
	return false, nil
}
