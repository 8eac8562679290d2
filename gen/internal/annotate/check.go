package annotate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// Numbers of the profiles, for what a document leaves to them; the runtime
// has the same.
const (
	defaultCapacity       = 500
	defaultTransientCost  = 14
	defaultThrottlingCost = 5
	defaultMaxBackoff     = 20 * time.Second
)

// leastTransientBase is the base delay of a profile. That of a definition
// which names none may be DynamoDB's.
func leastTransientBase(profile string) time.Duration {
	if profile == "" || strings.HasPrefix(profile, "dynamodb") {
		return 25 * time.Millisecond
	}
	return 50 * time.Millisecond
}

// checkLevels checks the settings of a level against each other and against
// those of the levels under it. It reports only what the nearest sets.
func (r *reader) checkLevels(levels ...level) {
	var all model.Retry
	for _, l := range slices.Backward(levels) {
		all = Over(l.retry, all)
	}
	near := levels[0]
	maxBackoff := cmp.Or(all.MaxBackoff, defaultMaxBackoff)
	r.checkOrder(near, "maxBackoff", maxBackoff, "baseDelay.transient", cmp.Or(all.BaseTransient, leastTransientBase(all.Profile)))
	r.checkOrder(near, "maxBackoff", maxBackoff, "baseDelay.throttling", all.BaseThrottling)
	r.checkOrder(near, "totalTimeout", all.TotalTimeout, "attemptTimeout", all.AttemptTimeout)
	r.checkHeaders(near, all)
	if quota, ok := near.at("quota"); ok {
		r.checkQuota(quota, all.Quota)
	}
}

// checkOrder reports a large setting that is smaller than a small one, at the
// one that the level sets.
func (r *reader) checkOrder(l level, largeKey string, large time.Duration, smallKey string, small time.Duration) {
	if large == 0 || small == 0 || large >= small {
		return
	}
	if a, ok := l.at(largeKey); ok {
		r.errorf(a, "got %s, want at least %s, %s", large, smallKey, small)
	} else if a, ok := l.at(strings.Split(smallKey, ".")...); ok {
		r.errorf(a, "got %s, want at most %s, %s", small, largeKey, large)
	}
}

// checkQuota reports a bucket that cannot pay for one retry.
func (r *reader) checkQuota(a annotation, q model.Quota) {
	capacity := cmp.Or(q.Capacity, defaultCapacity)
	for _, cost := range []struct {
		key    string
		tokens int
	}{
		{"transientCost", cmp.Or(q.TransientCost, defaultTransientCost)},
		{"throttlingCost", cmp.Or(q.ThrottlingCost, defaultThrottlingCost)},
	} {
		if capacity >= cost.tokens {
			continue
		}
		if at, ok := a.get("capacity"); ok {
			r.errorf(at, "got %d, want at least %s, %d: no such retry could be paid for", capacity, cost.key, cost.tokens)
		} else if at, ok := a.get(cost.key); ok {
			r.errorf(at, "got %d, want at most capacity, %d: no such retry could be paid for", cost.tokens, capacity)
		}
	}
}

// checkClasses reports codes and statuses that one level puts into two
// classes.
func (r *reader) checkClasses(l level) {
	type claim struct{ kind, text string }
	first := map[claim]string{}
	for _, entry := range l.claims() {
		c := claim{kind: entry.kind, text: entry.a.text()}
		class, ok := first[c]
		if !ok {
			first[c] = entry.class
		} else if class != entry.class {
			r.errorf(entry.a, "%s is in the class %s too", describe(entry.a.object.Node), class)
		}
	}
}

// claimed is an element of a list that puts a code or a status into a class.
type claimed struct {
	a           annotation
	class, kind string
}

// claims returns the elements of all lists of the level, in the order of
// classes.
func (l level) claims() []claimed {
	var out []claimed
	add := func(class, kind string, elements []annotation) {
		for _, e := range elements {
			k := kind
			if k == "" {
				k = "codes"
				if isStatus(e.object.Node) {
					k = "statuses"
				}
			}
			out = append(out, claimed{e, class, k})
		}
	}
	for _, class := range []string{"transient", "throttling", "terminal"} {
		if part, ok := l.at(class); ok {
			add(class, "codes", part.list("codes"))
			add(class, "statuses", part.list("statuses"))
		}
	}
	if l.throttle.object.Node != nil {
		add("throttling", "", l.throttle.elements())
		add("throttling", "codes", l.throttle.list("codes"))
		add("throttling", "statuses", l.throttle.list("statuses"))
	}
	return out
}

// partition checks x-retry.adaptive.partition of an operation, and reports
// whether the operation has the parameter or property that it or the nearest
// level above it names.
func (r *reader) partition(s *scope, own level, above ...level) bool {
	if a, ok := own.at("adaptive", "partition"); ok {
		r.input(s, a)
		return true
	}
	for _, l := range above {
		a, ok := l.at("adaptive", "partition")
		if !ok {
			continue
		}
		if _, has := s.input(a.text()); has {
			r.used[a.object.Node] = true
			return true
		}
		return false
	}
	return false
}

// unusedPartition reports a partition above the operations that none of them
// has.
func (r *reader) unusedPartition(l level) {
	if a, ok := l.at("adaptive", "partition"); ok && !r.used[a.object.Node] {
		r.errorf(a, "no operation has a parameter or property %q", a.text())
	}
}
