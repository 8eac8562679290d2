package explain

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// maxDraws is how many retries are worked out one by one. After 63 doublings
// every series has reached its cap.
const maxDraws = 64

// attempts is the most that a call makes.
func (s *subject) attempts() int {
	call := s.call(0)
	return call.MaxAttempts()
}

// call begins a call whose waits are at a fixed point of their range, and
// whose quota does not run out.
func (s *subject) call(jitter float64) retry.Call {
	policy, err := retry.New(append(s.profile.RetryOptions(),
		retry.WithQuota(retry.NewQuota(math.MaxInt)), retry.WithJitter(func() float64 { return jitter }))...)
	if err != nil {
		panic("explain: " + err.Error()) // newSubject has checked the settings
	}
	return policy.Begin(time.Time{}, retry.CallOptions{})
}

// waits are those of a call of which every attempt fails with f.
func (s *subject) waits(f retry.Failure, jitter float64) []Duration {
	call := s.call(jitter)
	var out []Duration
	for range min(s.attempts()-1, maxDraws) {
		out = append(out, Duration(call.Next(f, time.Time{}).Delay))
	}
	return out
}

// ranges are the waits of a call, retry by retry.
func (s *subject) ranges(class retry.Class) []Range {
	f := retry.Failure{Class: class, NotActed: true}
	least, mean, most := s.waits(f, 0), s.waits(f, 0.5), s.waits(f, 1)
	out := make([]Range, len(most))
	for i := range out {
		out[i] = Range{least[i], mean[i], most[i]}
	}
	return out
}

// delays are the waits of a call, those of later retries that are the same in
// one.
func (s *subject) delays() []Delay {
	transient, throttling := s.ranges(retry.Transient), s.ranges(retry.Throttling)
	var out []Delay
	for i := range transient {
		d := Delay{i + 1, i + 1, transient[i], throttling[i]}
		if n := len(out) - 1; n >= 0 && out[n].Transient == d.Transient && out[n].Throttling == d.Throttling {
			out[n].To = d.To
			continue
		}
		out = append(out, d)
	}
	if len(out) > 0 {
		out[len(out)-1].To = s.attempts() - 1
	}
	return out
}

// worstCase bounds a call that goes as badly as it can.
func (s *subject) worstCase(delays []Delay) WorstCase {
	w := WorstCase{
		Attempts:       s.attempts(),
		AttemptTimeout: Duration(s.settings.AttemptTimeout), TotalTimeout: Duration(s.settings.TotalTimeout),
	}
	for _, d := range delays {
		n := d.To - d.From + 1
		w.Backoff = w.Backoff.plus(max(d.Transient.Most, d.Throttling.Most).times(n))
		w.MeanBackoff.Transient = w.MeanBackoff.Transient.plus(d.Transient.Mean.times(n))
		w.MeanBackoff.Throttling = w.MeanBackoff.Throttling.plus(d.Throttling.Mean.times(n))
	}
	extra, bounded := s.beyond(&w, delays)
	if bounded {
		w.Time = w.AttemptTimeout.times(w.Attempts).plus(w.Backoff).plus(extra)
		w.Bounded = true
	}
	if total := w.TotalTimeout; total > 0 {
		if !w.Bounded || total < w.Time {
			w.Time, w.Bounded = total, true
			w.because("The total timeout ends the call, attempts and waits together, after %s.", total)
		}
	}
	if !w.Bounded {
		w.because("Only a deadline of the caller's context bounds the call.")
	}
	return w
}

// beyond names what adds to attempts and backoff. It returns how much the
// server's delays add at most, and false if something has no bound.
func (s *subject) beyond(w *WorstCase, delays []Delay) (extra Duration, bounded bool) {
	bounded = true
	if w.AttemptTimeout == 0 {
		w.because("An attempt has no timeout of its own.")
		bounded = false
	} else {
		w.because("%d × attempt timeout %s = %s.", w.Attempts, w.AttemptTimeout, w.AttemptTimeout.times(w.Attempts))
		if l := s.definition.LongPolling; l != nil && l.Wait != "" {
			w.because("The attempt timeout grows by what %s asks for.", l.Wait)
			bounded = false
		}
	}
	if s.settings.Mode == retry.Adaptive {
		w.because("The rate limiter of the adaptive mode may hold back any attempt, for as long as it needs.")
		bounded = false
	}
	if w.Attempts == 1 {
		return 0, bounded
	}
	w.because("%d × wait = %s at most.", w.Attempts-1, w.Backoff)
	if len(s.profile.ServerDelayHeaders) == 0 {
		return 0, bounded
	}
	switch s.settings.ServerDelay {
	case retry.Clamp:
		extra = Duration(retry.DefaultClampMargin).times(w.Attempts - 1)
		w.because("The server can lengthen each wait by up to %s, %s in all.", Duration(retry.DefaultClampMargin), extra)
	case retry.Honour:
		for _, d := range delays {
			most := max(d.Transient.Most, d.Throttling.Most)
			extra = extra.plus(max(Duration(retry.MaxServerDelay)-most, 0).times(d.To - d.From + 1))
		}
		w.because("A delay that the server asks for is honoured up to %s before each retry; one that does not fit a deadline ends the call at once.",
			Duration(retry.MaxServerDelay))
	}
	return extra, bounded
}

func (w *WorstCase) because(format string, args ...any) {
	w.Because = append(w.Because, fmt.Sprintf(format, args...))
}

func count(n int) string { return fmt.Sprint(n) }

// timeout is a failure that says Timeout() bool.
var timeout error = context.DeadlineExceeded
