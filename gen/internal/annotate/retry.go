package annotate

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// level is what one object of the document says about retrying.
type level struct {
	retry    model.Retry
	on       annotation // x-retry
	throttle annotation // x-throttle-codes
}

// at returns the part of x-retry at the keys, if it is there.
func (l level) at(keys ...string) (annotation, bool) {
	a, ok := l.on, l.on.object.Node != nil
	for _, k := range keys {
		if ok {
			a, ok = a.get(k)
		}
	}
	return a, ok
}

// level reads x-retry and x-throttle-codes of o.
func (r *reader) level(o load.Object) level {
	var l level
	if on, ok := r.find(o, "x-retry"); ok {
		l.on = on
		l.retry = r.retry(on)
	}
	if codes, ok := r.find(o, "x-throttle-codes"); ok {
		l.throttle = codes
		l.retry.Throttling = union(l.retry.Throttling, throttleCodes(codes))
	}
	r.checkClasses(l)
	return l
}

func (r *reader) retry(a annotation) model.Retry {
	out := model.Retry{
		Profile: a.str("profile"), Mode: a.str("mode"), MaxAttempts: r.count(a, "maxAttempts"),
		MaxBackoff: r.duration(a, "maxBackoff"), AttemptTimeout: r.duration(a, "attemptTimeout"),
		TotalTimeout: r.duration(a, "totalTimeout"), MinAttemptTime: r.duration(a, "minAttemptTime"),
		AttemptHeader: a.str("attemptHeader"), DeadlineHeader: a.str("deadlineHeader"),
		ShouldRetryHeader: a.str("shouldRetryHeader"), EnvPrefix: a.str("envPrefix"),
		Transient: match(a, "transient"), Throttling: match(a, "throttling"), Terminal: match(a, "terminal"),
	}
	if base, ok := a.get("baseDelay"); ok {
		out.BaseTransient, out.BaseThrottling = r.duration(base, "transient"), r.duration(base, "throttling")
	}
	if adaptive, ok := a.get("adaptive"); ok {
		out.Partition = adaptive.str("partition")
	}
	if quota, ok := a.get("quota"); ok {
		out.Quota = model.Quota{
			Capacity: r.count(quota, "capacity"), TransientCost: r.count(quota, "transientCost"),
			ThrottlingCost: r.count(quota, "throttlingCost"), FirstAttemptRefund: r.count(quota, "firstAttemptRefund"),
		}
	}
	if delay, ok := a.get("serverDelay"); ok {
		out.ServerDelay = delay.str("policy")
		for _, h := range delay.list("headers") {
			out.DelayHeaders = append(out.DelayHeaders, model.DelayHeader{Name: h.str("name"), Pointer: h.str("pointer"), Unit: cmp.Or(h.str("unit"), "http")})
		}
	}
	if when, ok := a.get("errorWhen"); ok {
		out.ErrorWhen = &model.BodyCondition{Pointer: when.str("pointer")}
		if equals, ok := when.get("equals"); ok {
			out.ErrorWhen.Equals = equals.text()
		}
	}
	for _, c := range a.list("errorCode") {
		out.ErrorCode = append(out.ErrorCode, model.CodeSource{Header: c.str("header"), Pointer: c.str("pointer"), XML: c.str("xml")})
	}
	return out
}

// count returns a whole number that the schema has let through.
func (r *reader) count(a annotation, key string) int {
	n, ok := a.get(key)
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(n.text(), 64)
	switch {
	case err != nil || f > math.MaxInt32:
		r.errorf(n, "got %s, want at most %d", n.text(), math.MaxInt32)
		return 0
	case f < 1:
		r.errorf(n, "got %s, want at least 1: zero is not supported by this version", n.text())
	}
	return int(f)
}

// duration returns a duration, which must be more than zero.
func (r *reader) duration(a annotation, key string) time.Duration {
	n, ok := a.get(key)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(n.text())
	switch {
	case err != nil:
		r.errorf(n, "got %s, want a shorter duration", n.text())
	case d <= 0:
		r.errorf(n, "got %s, want more than 0s", n.text())
	}
	return d
}

// match returns the codes and statuses of the class under key.
func match(a annotation, key string) model.Match {
	part, ok := a.get(key)
	if !ok {
		return model.Match{}
	}
	return matchOf(part)
}

func matchOf(a annotation) model.Match {
	var m model.Match
	for _, c := range a.list("codes") {
		m.Codes = append(m.Codes, c.text())
	}
	for _, s := range a.list("statuses") {
		m.Statuses = append(m.Statuses, statuses(s.object.Node))
	}
	return m
}

// statuses returns the range that 503 or 5XX stands for.
func statuses(n *load.Node) model.StatusRange {
	if hundreds, ok := strings.CutSuffix(n.Text, "XX"); ok {
		from, _ := strconv.Atoi(hundreds)
		return model.StatusRange{From: from * 100, To: from*100 + 99}
	}
	f, _ := strconv.ParseFloat(n.Text, 64)
	return model.StatusRange{From: int(f), To: int(f)}
}

// throttleCodes reads x-throttle-codes in either form.
func throttleCodes(a annotation) model.Match {
	if a.object.Node.Kind == load.Map {
		return matchOf(a)
	}
	var m model.Match
	for _, e := range a.elements() {
		if isStatus(e.object.Node) {
			m.Statuses = append(m.Statuses, statuses(e.object.Node))
		} else {
			m.Codes = append(m.Codes, e.text())
		}
	}
	return m
}

// isStatus reports whether an element of a mixed list is a status or a range
// of them.
func isStatus(n *load.Node) bool {
	return n.Kind == load.Number || len(n.Text) == 3 && n.Text[0] >= '1' && n.Text[0] <= '5' && n.Text[1:] == "XX"
}

// Over returns near laid over far: set fields of near win, one by one. Codes
// and statuses add up; one that near names leaves far's other classes.
func Over(near, far model.Retry) model.Retry {
	out := far
	to := reflect.ValueOf(&out).Elem()
	for _, s := range settings(near) {
		to.FieldByIndex(s.index).Set(s.value)
	}
	out.Transient = union(near.Transient, without(far.Transient, near.Throttling, near.Terminal))
	out.Throttling = union(near.Throttling, without(far.Throttling, near.Transient, near.Terminal))
	out.Terminal = union(near.Terminal, without(far.Terminal, near.Transient, near.Throttling))
	return out
}

type setting struct {
	index []int
	value reflect.Value
}

// settings returns the fields of retry that are set, those of its quota and
// its matches on their own.
func settings(retry model.Retry) []setting {
	var out []setting
	v := reflect.ValueOf(retry)
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Type.Kind() != reflect.Struct {
			if value := v.FieldByIndex(f.Index); !value.IsZero() {
				out = append(out, setting{f.Index, value})
			}
			continue
		}
		for _, inner := range reflect.VisibleFields(f.Type) {
			index := slices.Concat(f.Index, inner.Index)
			if value := v.FieldByIndex(index); !value.IsZero() {
				out = append(out, setting{index, value})
			}
		}
	}
	return out
}

// union returns what is in a, then what is only in b.
func union(a, b model.Match) model.Match {
	return model.Match{Codes: merge(a.Codes, b.Codes), Statuses: merge(a.Statuses, b.Statuses)}
}

func merge[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// without returns m without what the others have.
func without(m model.Match, others ...model.Match) model.Match {
	out := model.Match{Codes: slices.Clone(m.Codes), Statuses: slices.Clone(m.Statuses)}
	for _, o := range others {
		out.Codes = slices.DeleteFunc(out.Codes, func(c string) bool { return slices.Contains(o.Codes, c) })
		out.Statuses = slices.DeleteFunc(out.Statuses, func(s model.StatusRange) bool { return slices.Contains(o.Statuses, s) })
	}
	return out
}
