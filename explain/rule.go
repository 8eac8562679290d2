package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// none is the value of a rule that is not set.
const none = "none"

// setting shows one setting of a profile; "" if it is not set, which then
// reads as unset says.
type setting struct {
	name  string
	unset string
	show  func(*subject) string
}

// settings are all but the tables of codes and statuses, which
// [Classification] has.
var settings = []setting{
	{"mode", none, func(s *subject) string { return s.settings.Mode.String() }},
	{"maxAttempts", none, func(s *subject) string { return strconv.Itoa(s.settings.MaxAttempts) }},
	{"baseDelay.transient", none, func(s *subject) string { return span(s.settings.BaseDelay.Transient) }},
	{"baseDelay.throttling", none, func(s *subject) string { return span(s.settings.BaseDelay.Throttling) }},
	{"maxBackoff", none, func(s *subject) string { return span(s.settings.MaxBackoff) }},
	{"jitter.transient", none, func(s *subject) string { return s.settings.Jitter.Transient.String() }},
	{"jitter.throttling", none, func(s *subject) string { return s.settings.Jitter.Throttling.String() }},
	{"attemptTimeout", none, func(s *subject) string { return span(s.settings.AttemptTimeout) }},
	{"totalTimeout", none, func(s *subject) string { return span(s.settings.TotalTimeout) }},
	{"minAttemptTime", none, func(s *subject) string { return span(s.settings.MinAttemptTime) }},
	{"quota.capacity", none, func(s *subject) string { return strconv.Itoa(s.settings.Quota.Capacity) }},
	{"quota.transientCost", none, func(s *subject) string { return cost(s.settings.Quota.TransientCost) }},
	{"quota.timeoutCost", "as transientCost", func(s *subject) string { return cost(s.settings.Quota.TimeoutCost) }},
	{"quota.throttlingCost", none, func(s *subject) string { return cost(s.settings.Quota.ThrottlingCost) }},
	{"quota.firstAttemptRefund", none, func(s *subject) string { return strconv.Itoa(s.settings.Quota.FirstAttemptRefund) }},
	{"serverDelay.policy", none, func(s *subject) string { return s.settings.ServerDelay.String() }},
	{"serverDelay.headers", none, func(s *subject) string { return join(each(s.profile.ServerDelayHeaders, delayHeader)) }},
	{"errorCode", none, func(s *subject) string { return join(each(s.profile.ErrorCode, codeSource)) }},
	{"replay", none, func(s *subject) string { return replays[s.settings.Replay] }},
	{"clockSkew", none, func(s *subject) string { return join(s.profile.ClockSkew) }},
	{"errorInSuccess", none, func(s *subject) string { return flag(s.profile.ErrorInSuccess) }},
	{"errorWhen", none, func(s *subject) string { return condition(s.profile.ErrorWhen) }},
	{"shouldRetryHeader", none, func(s *subject) string { return s.profile.ShouldRetryHeader }},
	{"adaptive.partition", "one for the client", func(s *subject) string { return s.profile.Partition }},
	{"attemptHeader", none, func(s *subject) string { return s.profile.AttemptHeader }},
	{"invocationHeader", none, func(s *subject) string { return s.profile.InvocationHeader }},
	{"deadlineHeader", none, func(s *subject) string { return s.profile.DeadlineHeader }},
	{"envPrefix", none, func(s *subject) string { return s.profile.EnvPrefix }},
	{"configFile", none, func(s *subject) string { return s.profile.ConfigFile }},
}

var replays = map[retry.ReplayRule]string{
	retry.ReplaySafe: "idempotent operations", retry.ReplayAny: "any operation",
}

func (s *subject) rules() []Rule {
	rules := []Rule{{"profile", s.base, s.profileSource()}}
	for _, one := range settings {
		value := one.show(s)
		source := s.source(one.name, value != "")
		value = cmp.Or(value, one.unset)
		rules = append(rules, Rule{one.name, value, source})
	}
	return append(rules, s.longPolling())
}

// profileSource is where the service's profile is named.
func (s *subject) profileSource() string {
	if at, ok := s.document["profile"]; ok {
		return at
	}
	return "default"
}

func (s *subject) longPolling() Rule {
	r := Rule{Name: "x-long-polling", Value: none, Source: "default"}
	l := s.definition.LongPolling
	if l == nil {
		return r
	}
	r.Value, r.Source = "yes", "profile "+s.base
	if l.Wait != "" {
		r.Value = "as long as " + l.Wait + " says"
	}
	if at, ok := s.definition.Places[r.Name]; ok {
		r.Source = at
	}
	return r
}

func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return Duration(d).String()
}

// cost shows the tokens that a retry costs.
func cost(tokens int) string {
	switch tokens {
	case 0:
		return ""
	case retry.Free:
		return "free"
	}
	return strconv.Itoa(tokens)
}

func condition(c httpapi.BodyCondition) string {
	if c.Equals == "" {
		return c.Pointer
	}
	return c.Pointer + " is " + strconv.Quote(c.Equals)
}

func flag(set bool) string {
	if set {
		return "yes"
	}
	return ""
}

// delayNames are the units of delays, for people.
var delayNames = [...]string{
	httpapi.DelayHTTP: "http", httpapi.DelaySeconds: "s", httpapi.DelayMilliseconds: "ms",
	httpapi.DelayEpoch: "epoch", httpapi.DelayEpochMilliseconds: "epoch in ms", httpapi.DelayRateLimit: "rate limit",
}

func delayHeader(h httpapi.DelayHeader) string {
	return cmp.Or(h.Pointer, h.Name) + " (" + delayNames[h.Unit] + ")"
}

func codeSource(c httpapi.CodeSource) string {
	switch {
	case c.Header != "":
		return "header " + c.Header
	case c.XML != "":
		return "XML " + c.XML
	}
	return c.Pointer
}

func each[T, U any](list []T, show func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = show(v)
	}
	return out
}

// statuses shows a range: "503" or "500-599".
func statuses(r httpapi.StatusRange) string {
	if r.From == r.To {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}
