package explain

import (
	"math"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

func (s *subject) quota() Quota {
	q := Quota{Capacity: s.settings.Quota.Capacity, FirstAttemptRefund: s.settings.Quota.FirstAttemptRefund}
	if s.attempts() == 1 {
		return q
	}
	transient := s.drain("transient", retry.Failure{Class: retry.Transient, NotActed: true})
	q.Drains = append(q.Drains, transient)
	late := s.drain("timeout", retry.Failure{Class: retry.Transient, NotActed: true, Err: timeout})
	if late.Cost != transient.Cost {
		q.Drains = append(q.Drains, late)
	}
	q.Drains = append(q.Drains, s.drain("throttling", retry.Failure{Class: retry.Throttling, NotActed: true}))
	return q
}

func (s *subject) drain(name string, f retry.Failure) Drain {
	call := s.call(0)
	d := Drain{Failure: name, Cost: call.Next(f, time.Time{}).Cost}
	if d.Cost == 0 {
		return d
	}
	retries, refund := s.attempts()-1, s.settings.Quota.FirstAttemptRefund
	d.OutageRetries = s.settings.Quota.Capacity / d.Cost
	d.OutageCalls = over(d.OutageRetries, retries)
	if refund == 0 {
		return d
	}
	d.RecoverySuccesses = over(d.Cost, refund)
	d.AttemptFailureRate = attemptFailureRate(s.attempts(), d.Cost, refund)
	d.LoadAtRate = powers(d.AttemptFailureRate, s.attempts())
	d.CallFailureRate = float64(refund) / (float64(refund) + float64(d.Cost)*float64(retries))
	return d
}

// over returns a / b, rounded up.
func over(a, b int) int { return a/b + min(a%b, 1) }

// powers returns 1 + p + … + p^(n-1), the mean number of attempts of a call
// of up to n that each fail with probability p.
func powers(p float64, n int) float64 {
	if p >= 1 {
		return float64(n)
	}
	return (1 - math.Pow(p, float64(n))) / (1 - p)
}

// attemptFailureRate is the probability p of failure at which the bucket
// keeps its level. Retry k is paid for with probability p^k and paid back
// with probability p^k (1-p); a call that succeeds at once, with probability
// 1-p, brings the refund. So the level falls per call by
//
//	cost (p² + … + pⁿ) - refund (1-p)
//
// which grows with p, from -refund to cost (n-1).
func attemptFailureRate(attempts, cost, refund int) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		p := (low + high) / 2
		if float64(cost)*p*(powers(p, attempts)-1) < float64(refund)*(1-p) {
			low = p
		} else {
			high = p
		}
	}
	return (low + high) / 2
}
