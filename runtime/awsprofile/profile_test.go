package awsprofile_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

func TestSettings(t *testing.T) {
	for _, p := range awsprofile.All() {
		want := retry.Defaults()
		want.Replay = retry.ReplayAny
		if p.Name == "aws-legacy" {
			want.Mode = retry.Legacy
		}
		if p.Name == "dynamodb" || p.Name == "dynamodb-streams" {
			want.MaxAttempts, want.BaseDelay.Transient = 4, 25*time.Millisecond
		}
		if p.Settings != want {
			t.Errorf("%s: settings %+v, want %+v", p.Name, p.Settings, want)
		}
		if p.CertificateFailures != retry.Transient {
			t.Errorf("%s: certificate failures are %v, want transient", p.Name, p.CertificateFailures)
		}
		if p.EnvPrefix != "AWS" || p.ConfigFile != "~/.aws/config" {
			t.Errorf("%s: prefix %q of environment variables, config file %q", p.Name, p.EnvPrefix, p.ConfigFile)
		}
		if p.AttemptHeader != "Amz-Sdk-Request" || p.InvocationHeader != "Amz-Sdk-Invocation-Id" {
			t.Errorf("%s: headers %q and %q", p.Name, p.AttemptHeader, p.InvocationHeader)
		}
	}
}

func TestByName(t *testing.T) {
	for _, name := range []string{"aws-2026", "aws-legacy", "dynamodb", "dynamodb-streams", "s3", "sfn", "sqs", "swf"} {
		if p, ok := awsprofile.ByName(name); !ok || p.Name != name {
			t.Errorf("ByName(%q) = %q, %v", name, p.Name, ok)
		}
	}
	if p, ok := awsprofile.ByName("http-1"); ok {
		t.Errorf("ByName(http-1) = %q, want none", p.Name)
	}
}

// TestGeneralProfileReadsAllProtocols: a service whose protocol nobody named
// still has its codes found.
func TestGeneralProfileReadsAllProtocols(t *testing.T) {
	answers := map[string]struct {
		header http.Header
		body   string
	}{
		"AWS JSON":         {nil, `{"__type":"com.example#SlowDown"}`},
		"JSON code":        {nil, `{"code":"SlowDown"}`},
		"JSON Code":        {nil, `{"Code":"SlowDown"}`},
		"error type":       {http.Header{"X-Amzn-Errortype": {"SlowDown:http://example/"}}, ""},
		"query-compatible": {http.Header{"X-Amzn-Query-Error": {"SlowDown;Sender"}}, `{"__type":"com.example#Other"}`},
		"REST XML":         {nil, "<Error><Code>SlowDown</Code></Error>"},
		"query":            {nil, "<ErrorResponse><Error><Code>SlowDown</Code></Error></ErrorResponse>"},
	}
	for name, a := range answers {
		f := awsprofile.AWS2026.Classify(&http.Response{StatusCode: 400, Header: a.header}, []byte(a.body), nil)
		if f.Code != "SlowDown" || f.Class != retry.Throttling {
			t.Errorf("%s: code %q, class %v, want SlowDown, throttling", name, f.Code, f.Class)
		}
	}
}

func ExampleByName() {
	p, _ := awsprofile.ByName("dynamodb")
	fmt.Println(p.MaxAttempts, p.BaseDelay.Transient)
	// Output: 4 25ms
}

// A profile of one's own, over that of a service.
func Example() {
	patient := httpapi.Profile{Name: "patient", Settings: retry.Settings{MaxAttempts: 10}}.Over(awsprofile.SQS)
	fmt.Println(patient.MaxAttempts, patient.Throttling.Codes[0])
	// Output: 10 BandwidthLimitExceeded
}
