package awsprofile

import (
	"slices"
	"time"

	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// What the DynamoDB services change in the standard mode, from the reference
// page on retry behaviour.
const (
	DynamoDBTransientBaseDelay = 25 * time.Millisecond
	DynamoDBMaxAttempts        = 4
)

// AWS2026 is the profile "aws-2026", the standard mode of 2026 of any AWS
// service: any operation may be repeated; a delay asked for in
// x-amz-retry-after, in milliseconds, is kept between the drawn backoff and
// 5 s more; error codes decide before statuses. The mode and the attempts are
// changed by AWS_RETRY_MODE and AWS_MAX_ATTEMPTS or, below them, by
// retry_mode and max_attempts of a profile of the shared config file
// (AWS_CONFIG_FILE, AWS_PROFILE). It looks for codes in all
// places of the AWS protocols; services of one protocol narrow them with the
// tables of this package.
var AWS2026 = httpapi.Profile{
	Name:     "aws-2026",
	Settings: retry.Settings{ServerDelay: retry.Clamp, Replay: retry.ReplayAny}.Over(retry.Defaults()),
	Transient: httpapi.Match{
		Codes: transientCodes,
		Statuses: []httpapi.StatusRange{
			httpapi.Status(500), httpapi.Status(502), httpapi.Status(503), httpapi.Status(504),
		},
	},
	Throttling: httpapi.Match{
		Codes:    throttlingCodes,
		Statuses: []httpapi.StatusRange{httpapi.Status(429)},
	},
	ErrorCode:           slices.Concat(QueryCompatibleCodes, RESTXMLCodes),
	ServerDelayHeaders:  []httpapi.DelayHeader{{Name: "X-Amz-Retry-After", Unit: httpapi.DelayMilliseconds}},
	AttemptHeader:       "Amz-Sdk-Request",
	InvocationHeader:    "Amz-Sdk-Invocation-Id",
	ClockSkew:           clockSkewCodes,
	CertificateFailures: retry.Transient,
	EnvPrefix:           "AWS",
	ConfigFile:          "~/.aws/config",
}

// Profiles of services, over [AWS2026].
var (
	// AWSLegacy is in mode [retry.Legacy]: the numbers are those of
	// [retry.LegacyDefaults], or of a [Scheme] that [retry.WithLegacy] names.
	AWSLegacy = httpapi.Profile{Name: "aws-legacy", Settings: retry.Settings{Mode: retry.Legacy}}.Over(AWS2026)
	// DynamoDB waits 25 ms at first and makes four attempts.
	DynamoDB = dynamoDB("dynamodb")
	// DynamoDBStreams is like [DynamoDB].
	DynamoDBStreams = dynamoDB("dynamodb-streams")
	// SQS is query-compatible.
	SQS = httpapi.Profile{Name: "sqs", ErrorCode: QueryCompatibleCodes}.Over(AWS2026)
	// SFN is that of Step Functions.
	SFN = httpapi.Profile{Name: "sfn", ErrorCode: JSONCodes}.Over(AWS2026)
	// SWF is that of the Simple Workflow Service.
	SWF = httpapi.Profile{Name: "swf", ErrorCode: JSONCodes}.Over(AWS2026)
	// S3 may answer 200 and put an error into the body.
	S3 = httpapi.Profile{Name: "s3", ErrorCode: RESTXMLCodes, ErrorInSuccess: true}.Over(AWS2026)
)

func dynamoDB(name string) httpapi.Profile {
	return httpapi.Profile{
		Name: name,
		Settings: retry.Settings{
			MaxAttempts: DynamoDBMaxAttempts,
			BaseDelay:   retry.BaseDelay{Transient: DynamoDBTransientBaseDelay},
		},
		ErrorCode: JSONCodes,
	}.Over(AWS2026)
}

// All returns the profiles of this package.
func All() []httpapi.Profile {
	return []httpapi.Profile{AWS2026, AWSLegacy, DynamoDB, DynamoDBStreams, S3, SFN, SQS, SWF}
}

// ByName returns the profile of that name.
func ByName(name string) (httpapi.Profile, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return httpapi.Profile{}, false
}
