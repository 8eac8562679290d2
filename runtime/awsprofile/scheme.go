package awsprofile

import (
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Scheme is how an AWS SDK retried before 2026, for mode [retry.Legacy]:
//
//	httpapi.WithRetry(retry.WithLegacy(awsprofile.PythonLegacy.For("dynamodb")))
//
// The Go SDK's is the default of that mode.
type Scheme struct {
	// Name is "go-pre2026", say.
	Name string
	// Settings are those of any service. What they leave open is as today.
	Settings retry.Settings
	// DynamoDB, where not zero, are laid over Settings for DynamoDB.
	DynamoDB retry.Settings
}

// For returns the settings for the service of the profile of that name.
func (s Scheme) For(profile string) retry.Settings {
	if profile == DynamoDB.Name || profile == DynamoDBStreams.Name {
		return s.DynamoDB.Over(s.Settings)
	}
	return s.Settings
}

// What most schemes share.
const (
	legacyMaxBackoff    = 20 * time.Second
	legacyQuotaCapacity = 500
)

// Schemes of the SDKs. The numbers are from their sources: aws-sdk-go-v2
// v1.48.0, aws-sdk-java-v2 25787b3, botocore 1.43.67, smithy-typescript core
// 3.33.3; those of C++ and .NET from the announcements of 2026 (aws-sdk-cpp
// issue 3832, aws-sdk-net issue 4411).
var (
	// GoPre2026 is that of aws-sdk-go-v2.
	GoPre2026 = Scheme{Name: "go-pre2026", Settings: retry.LegacyDefaults()}

	// Standard20 is version 2.0 of the standard mode, which most SDKs shared.
	Standard20 = Scheme{Name: "standard-2.0", Settings: retry.Settings{
		MaxAttempts: 3,
		BaseDelay:   retry.BaseDelay{Transient: time.Second, Throttling: time.Second},
		MaxBackoff:  legacyMaxBackoff,
		Jitter:      sameJitter(retry.FullJitter),
		Quota:       quota(5, 10, 5),
		ServerDelay: retry.Ignore,
	}}

	// JavaLegacy is mode legacy of aws-sdk-java-v2: throttling costs nothing.
	JavaLegacy = Scheme{Name: "java-legacy", Settings: retry.Settings{
		MaxAttempts: 4,
		BaseDelay:   retry.BaseDelay{Transient: 100 * time.Millisecond, Throttling: 500 * time.Millisecond},
		MaxBackoff:  legacyMaxBackoff,
		Jitter:      retry.JitterSettings{Transient: retry.FullJitter, Throttling: retry.HalfJitter},
		Quota:       quota(5, 0, retry.Free),
		ServerDelay: retry.Ignore,
	}}

	// JavaStandard is mode standard of aws-sdk-java-v2.
	JavaStandard = Scheme{Name: "java-standard", Settings: retry.Settings{
		MaxAttempts: 3,
		BaseDelay:   retry.BaseDelay{Transient: 100 * time.Millisecond, Throttling: time.Second},
		MaxBackoff:  legacyMaxBackoff,
		Jitter:      sameJitter(retry.FullJitter),
		Quota:       quota(5, 0, 5),
		ServerDelay: retry.Ignore,
	}}

	// PythonLegacy is mode legacy of botocore: no cap and no quota.
	PythonLegacy = Scheme{
		Name: "python-legacy",
		Settings: retry.Settings{
			MaxAttempts: 5,
			BaseDelay:   retry.BaseDelay{Transient: time.Second, Throttling: time.Second},
			MaxBackoff:  retry.NoMaxBackoff,
			Jitter:      sameJitter(retry.FullJitter),
			Quota:       noQuota,
			ServerDelay: retry.Ignore,
		},
		DynamoDB: PythonLegacyDynamoDB.Settings,
	}

	// PythonLegacyDynamoDB is what mode legacy of botocore is for DynamoDB.
	PythonLegacyDynamoDB = Scheme{Name: "python-legacy-dynamodb", Settings: retry.Settings{
		MaxAttempts: 10,
		BaseDelay:   retry.BaseDelay{Transient: 50 * time.Millisecond, Throttling: 50 * time.Millisecond},
		MaxBackoff:  retry.NoMaxBackoff,
		Jitter:      sameJitter(retry.NoJitter),
		Quota:       noQuota,
		ServerDelay: retry.Ignore,
	}}

	// JSStandard is mode standard of aws-sdk-js-v3.
	JSStandard = Scheme{Name: "js-standard", Settings: retry.Settings{
		MaxAttempts: 3,
		BaseDelay:   retry.BaseDelay{Transient: 100 * time.Millisecond, Throttling: 500 * time.Millisecond},
		MaxBackoff:  legacyMaxBackoff,
		Jitter:      sameJitter(retry.FullJitter),
		Quota:       quota(5, 10, 5),
		ServerDelay: retry.Ignore,
	}}

	// CPPLegacy is mode legacy of aws-sdk-cpp: no quota. The announcement
	// says nothing of a cap or a jitter; there is none.
	CPPLegacy = Scheme{Name: "cpp-legacy", Settings: retry.Settings{
		MaxAttempts: 11,
		BaseDelay:   retry.BaseDelay{Transient: 25 * time.Millisecond, Throttling: 25 * time.Millisecond},
		MaxBackoff:  retry.NoMaxBackoff,
		Jitter:      sameJitter(retry.NoJitter),
		Quota:       noQuota,
		ServerDelay: retry.Ignore,
	}}

	// DotNetStandard is mode standard of aws-sdk-net: throttling costs
	// nothing.
	DotNetStandard = Scheme{
		Name: "dotnet-standard",
		Settings: retry.Settings{
			MaxAttempts: 3,
			BaseDelay:   retry.BaseDelay{Transient: time.Second, Throttling: time.Second},
			MaxBackoff:  legacyMaxBackoff,
			Jitter:      sameJitter(retry.FullJitter),
			Quota:       quota(5, 10, retry.Free),
			ServerDelay: retry.Ignore,
		},
		DynamoDB: retry.Settings{MaxAttempts: 10},
	}
)

// noQuota refuses no retry.
var noQuota = retry.QuotaSettings{
	Capacity:      legacyQuotaCapacity,
	TransientCost: retry.Free, TimeoutCost: retry.Free, ThrottlingCost: retry.Free,
	FirstAttemptRefund: 1,
}

// quota is a bucket of the usual capacity with these costs; a timeout that
// costs zero costs as much as other transient failures.
func quota(transient, timeout, throttling int) retry.QuotaSettings {
	return retry.QuotaSettings{
		Capacity:      legacyQuotaCapacity,
		TransientCost: transient, TimeoutCost: timeout, ThrottlingCost: throttling,
		FirstAttemptRefund: 1,
	}
}

func sameJitter(j retry.Jitter) retry.JitterSettings {
	return retry.JitterSettings{Transient: j, Throttling: j}
}

// Schemes returns the schemes of this package.
func Schemes() []Scheme {
	return []Scheme{
		GoPre2026, Standard20, JavaLegacy, JavaStandard, PythonLegacy, PythonLegacyDynamoDB,
		JSStandard, CPPLegacy, DotNetStandard,
	}
}

// SchemeByName returns the scheme of that name.
func SchemeByName(name string) (Scheme, bool) {
	for _, s := range Schemes() {
		if s.Name == name {
			return s, true
		}
	}
	return Scheme{}, false
}
