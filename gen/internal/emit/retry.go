package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// profile is a known profile: its variable in the runtime, and the most
// attempts that it makes.
type profile struct {
	path, name string
	attempts   int
}

// profiles are the known profiles, by the name that x-retry.profile gives
// them. The attempts are those of the AWS reference page on retry behaviour:
// 4 for DynamoDB, 3 elsewhere.
var profiles = map[string]profile{
	"http-1":           {httpapi, "HTTP1", 3},
	"aws-2026":         {awsprofile, "AWS2026", 3},
	"aws-legacy":       {awsprofile, "AWSLegacy", 3},
	"dynamodb":         {awsprofile, "DynamoDB", 4},
	"dynamodb-streams": {awsprofile, "DynamoDBStreams", 4},
	"s3":               {awsprofile, "S3", 3},
	"sqs":              {awsprofile, "SQS", 3},
	"sfn":              {awsprofile, "SFN", 3},
	"swf":              {awsprofile, "SWF", 3},
}

// Words of a policy, in the model and in the runtime.
var (
	modes = map[string]string{"standard": "Standard", "adaptive": "Adaptive", "legacy": "Legacy", "off": "Off"}

	serverDelays = map[string]string{"clamp": "Clamp", "honour": "Honour", "ignore": "Ignore"}

	// delayUnits has no name for http, the zero value.
	delayUnits = map[string]string{
		"http": "", "s": "DelaySeconds", "ms": "DelayMilliseconds",
		"epoch": "DelayEpoch", "epochMs": "DelayEpochMilliseconds", "rateLimit": "DelayRateLimit",
	}

	classes = map[string]string{"transient": "Transient", "throttling": "Throttling", "terminal": "Terminal"}
)

// knownProfile returns the profile under a service's retry settings.
func knownProfile(name string) profile {
	p, ok := profiles[name]
	if !ok {
		bugf("retry profile %q is not known", name)
	}
	return p
}

// serviceProfile is the known profile, or what the definition lays over it.
func serviceProfile(r model.Retry) *jen.Statement {
	known := knownProfile(r.Profile)
	base := jen.Qual(known.path, known.name)
	fields := profileFields(r)
	if len(fields) == 0 {
		return base
	}
	return compact(runtime("Profile"), fields...).Dot("Over").Call(base)
}

// operationProfile is what an operation lays over the client's profile.
func operationProfile(r *model.Retry) jen.Code {
	if r == nil {
		return nil
	}
	fields := profileFields(*r)
	if len(fields) == 0 {
		return nil
	}
	return field("Retry", compact(runtimePointer("Profile"), fields...))
}

// profileFields are the fields of an httpapi.Profile that r sets.
func profileFields(r model.Retry) []jen.Code {
	return present(
		settings(r),
		match("Transient", r.Transient),
		match("Throttling", r.Throttling),
		match("Terminal", r.Terminal),
		list("ErrorCode", runtime("CodeSource"), r.ErrorCode, codeSource),
		list("ServerDelayHeaders", runtime("DelayHeader"), r.DelayHeaders, delayHeader),
		text("Partition", r.Partition),
		bodyCondition("ErrorWhen", r.ErrorWhen),
		text("AttemptHeader", r.AttemptHeader),
		text("DeadlineHeader", r.DeadlineHeader),
		text("ShouldRetryHeader", r.ShouldRetryHeader),
		text("EnvPrefix", r.EnvPrefix),
	)
}

// settings is the field Settings, nil if r sets none of them.
func settings(r model.Retry) jen.Code {
	fields := present(
		choice("Mode", modes, r.Mode),
		number("MaxAttempts", r.MaxAttempts),
		group("BaseDelay", "BaseDelay",
			span("Transient", r.BaseTransient),
			span("Throttling", r.BaseThrottling),
		),
		span("MaxBackoff", r.MaxBackoff),
		span("AttemptTimeout", r.AttemptTimeout),
		span("TotalTimeout", r.TotalTimeout),
		span("MinAttemptTime", r.MinAttemptTime),
		group("Quota", "QuotaSettings",
			number("Capacity", r.Quota.Capacity),
			number("TransientCost", r.Quota.TransientCost),
			number("ThrottlingCost", r.Quota.ThrottlingCost),
			number("FirstAttemptRefund", r.Quota.FirstAttemptRefund),
		),
		choice("ServerDelay", serverDelays, r.ServerDelay),
	)
	if len(fields) == 0 {
		return nil
	}
	return field("Settings", compact(jen.Qual(retry, "Settings"), fields...))
}

// group is a field that is a struct of the retry core on one line, nil if
// none of its fields is set.
func group(name, typ string, fields ...jen.Code) jen.Code {
	set := present(fields...)
	if len(set) == 0 {
		return nil
	}
	return field(name, inline(jen.Qual(retry, typ), set...))
}

// choice is a field with a constant of the retry core.
func choice(name string, names map[string]string, value string) jen.Code {
	if value == "" {
		return nil
	}
	return constant(name, retry, word(name, names, value))
}

func match(name string, m model.Match) jen.Code {
	fields := present(
		texts("Codes", m.Codes),
		statuses(m.Statuses),
	)
	if len(fields) == 0 {
		return nil
	}
	return field(name, compact(runtime("Match"), fields...))
}

// statuses is a list of ranges on one line.
func statuses(ranges []model.StatusRange) jen.Code {
	if len(ranges) == 0 {
		return nil
	}
	return field("Statuses", inline(jen.Index().Add(runtime("StatusRange")), each(ranges, func(r model.StatusRange) *jen.Statement {
		return statusRange(elided(), r)
	})...))
}

// statusRange is one status, or a literal of typ.
func statusRange(typ *jen.Statement, r model.StatusRange) *jen.Statement {
	if r.From == r.To {
		return runtime("Status").Call(jen.Lit(r.From))
	}
	return inline(typ, number("From", r.From), number("To", r.To))
}

func codeSource(c model.CodeSource) *jen.Statement {
	return inline(elided(), text("Header", c.Header), text("Pointer", c.Pointer), text("XML", c.XML))
}

func delayHeader(h model.DelayHeader) *jen.Statement {
	return inline(elided(), text("Name", h.Name), text("Pointer", h.Pointer), constant("Unit", httpapi, word("delay unit", delayUnits, h.Unit)))
}

func bodyCondition(name string, c *model.BodyCondition) jen.Code {
	if c == nil {
		return nil
	}
	return field(name, inline(runtime("BodyCondition"), text("Pointer", c.Pointer), text("Equals", c.Equals)))
}

// compact writes a literal on one line if it has one field.
func compact(typ *jen.Statement, fields ...jen.Code) *jen.Statement {
	if len(fields) == 1 {
		return inline(typ, fields...)
	}
	return literal(typ, fields...)
}

// present drops the fields that are not set.
func present(fields ...jen.Code) []jen.Code {
	var out []jen.Code
	for _, f := range fields {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}
