package explain

import (
	"fmt"
	"slices"

	"github.com/retrygen/retrygen/gen"
	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// named returns the profile of that name.
func named(name string) (httpapi.Profile, error) {
	if name == httpapi.HTTP1.Name {
		return httpapi.HTTP1, nil
	}
	p, ok := awsprofile.ByName(name)
	if !ok {
		return p, fmt.Errorf("retry profile %q is not known", name)
	}
	return p, nil
}

// Words of a definition, and what they are in the runtime.
var (
	modes        = []retry.Mode{retry.Standard, retry.Adaptive, retry.Legacy, retry.Off}
	serverDelays = []retry.ServerDelayPolicy{retry.Clamp, retry.Honour, retry.Ignore}
	delayUnits   = map[string]httpapi.DelayUnit{
		"http": httpapi.DelayHTTP, "s": httpapi.DelaySeconds, "ms": httpapi.DelayMilliseconds,
		"epoch": httpapi.DelayEpoch, "epochMs": httpapi.DelayEpochMilliseconds, "rateLimit": httpapi.DelayRateLimit,
	}
)

// meant returns the value whose name is word, the zero value if none is.
func meant[T fmt.Stringer](word string, values []T) T {
	var unset T
	if i := slices.IndexFunc(values, func(v T) bool { return v.String() == word }); i >= 0 {
		return values[i]
	}
	return unset
}

// overlay returns what r lays over a profile, as generated code does.
func overlay(r *gen.Retry) httpapi.Profile {
	if r == nil {
		return httpapi.Profile{}
	}
	p := httpapi.Profile{
		Settings: retry.Settings{
			Mode: meant(r.Mode, modes), MaxAttempts: r.MaxAttempts,
			BaseDelay:  retry.BaseDelay{Transient: r.BaseTransient, Throttling: r.BaseThrottling},
			MaxBackoff: r.MaxBackoff, AttemptTimeout: r.AttemptTimeout, TotalTimeout: r.TotalTimeout,
			MinAttemptTime: r.MinAttemptTime,
			Quota: retry.QuotaSettings{
				Capacity: r.Quota.Capacity, TransientCost: r.Quota.TransientCost,
				ThrottlingCost: r.Quota.ThrottlingCost, FirstAttemptRefund: r.Quota.FirstAttemptRefund,
			},
			ServerDelay: meant(r.ServerDelay, serverDelays),
		},
		Transient: match(r.Transient), Throttling: match(r.Throttling), Terminal: match(r.Terminal),
		Partition: r.Partition, AttemptHeader: r.AttemptHeader, DeadlineHeader: r.DeadlineHeader,
		ShouldRetryHeader: r.ShouldRetryHeader, EnvPrefix: r.EnvPrefix,
	}
	if r.ErrorWhen != nil {
		p.ErrorWhen = httpapi.BodyCondition(*r.ErrorWhen)
	}
	for _, c := range r.ErrorCode {
		p.ErrorCode = append(p.ErrorCode, httpapi.CodeSource{Header: c.Header, Pointer: c.Pointer, XML: c.XML})
	}
	for _, h := range r.DelayHeaders {
		p.ServerDelayHeaders = append(p.ServerDelayHeaders, httpapi.DelayHeader{Name: h.Name, Unit: delayUnits[h.Unit], Pointer: h.Pointer})
	}
	return p
}

func match(m gen.Match) httpapi.Match {
	out := httpapi.Match{Codes: m.Codes}
	for _, s := range m.Statuses {
		out.Statuses = append(out.Statuses, httpapi.StatusRange(s))
	}
	return out
}
