package retry

import (
	"context"
	"slices"
)

// Layers that retry multiply: three of three attempts each are 27. A call
// that may make more than one attempt therefore marks the context of its
// attempts, and a call under such a mark makes one attempt. Its failure says
// [StopOuter] and keeps its class, so that the outer retry repeats it.

// outerKey is the key of the mark.
type outerKey struct{}

// ContextWithOuter marks ctx as under a retry: calls under it make one attempt
// and leave the rest to the outer layer. [Do] and [Run] do so themselves; it
// is for retry loops of other kinds, also those of another process whose
// request is being served. A nil ctx stays nil, and calls report it.
func ContextWithOuter(ctx context.Context) context.Context {
	if ctx == nil || HasOuter(ctx) {
		return ctx
	}
	return context.WithValue(ctx, outerKey{}, true)
}

// ContextWithoutOuter takes the mark off: calls under ctx retry by themselves,
// although an outer retry may repeat them all. It is for work that merely
// starts under a retry, and is not repeated by it.
func ContextWithoutOuter(ctx context.Context) context.Context {
	if !HasOuter(ctx) {
		return ctx
	}
	return context.WithValue(ctx, outerKey{}, false)
}

// HasOuter reports whether ctx is under a retry.
func HasOuter(ctx context.Context) bool {
	if ctx == nil {
		return false
	}
	marked, _ := ctx.Value(outerKey{}).(bool)
	return marked
}

// MaxAttempts returns how many attempts a call under ctx may make: one where
// an outer retry owns it.
func (p *Policy) MaxAttempts(ctx context.Context) int {
	if !p.retries() || !p.nested && HasOuter(ctx) {
		return 1
	}
	return p.settings.MaxAttempts
}

// WithNested says whether calls retry also under an outer retry. The default
// is false: they make one attempt there.
func WithNested(nested bool) Option {
	return option(func(c *config) { c.nested = nested })
}

// Failure describes a call that was given up, to an outer retry that asks
// [Classify]: with the class of the last failure, so that a transient one is
// repeated, and NotActed if that holds for every attempt. It is terminal where repeating is no one's to decide: the outcome
// may be unknown, the body is spent, or the caller gave up.
func (e *StopError) Failure() Failure {
	f := Failure{Err: e, Rule: e.Stop.String()}
	switch e.Stop {
	case StopTerminal, StopNotIdempotent, StopBody, StopCanceled:
		return f
	}
	if n := len(e.Attempts); n > 0 && e.Attempts[n-1].Class != Terminal {
		last := e.Attempts[n-1]
		return Failure{
			Err: e, Class: last.Class, Rule: last.Rule, Code: last.Code,
			ServerDelay: last.ServerDelay, HasServerDelay: last.HasServerDelay, NotActed: e.notActed(),
		}
	}
	if e.Stop == StopDeadline && (len(e.Attempts) == 0 || !e.unsafe) {
		f.Class = Transient // the inner layer's time was over, not the outer's
	}
	return f
}

// notActed reports whether every attempt certainly did nothing.
func (e *StopError) notActed() bool {
	return !slices.ContainsFunc(e.Attempts, func(d Decision) bool { return !d.NotActed })
}

// retries reports whether the policy allows more than one attempt.
func (p *Policy) retries() bool { return p.settings.Mode != Off && p.settings.MaxAttempts > 1 }
