package awsprofile_test

import (
	"fmt"
	"testing"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// TestSchemes: each is complete, so that nothing of today's numbers is mixed
// in, and valid for every service.
func TestSchemes(t *testing.T) {
	for _, s := range awsprofile.Schemes() {
		if found, ok := awsprofile.SchemeByName(s.Name); !ok || found != s {
			t.Errorf("SchemeByName(%q) = %+v, %v", s.Name, found, ok)
		}
		for _, service := range []string{"", "dynamodb", "dynamodb-streams"} {
			p, err := retry.New(retry.WithMode(retry.Legacy), retry.WithLegacy(s.For(service)))
			if err != nil {
				t.Errorf("%s for %q: %v", s.Name, service, err)
				continue
			}
			want := s.For(service)
			want.Mode, want.Replay = retry.Legacy, retry.ReplaySafe
			if got := p.Settings(); got != want {
				t.Errorf("%s for %q: %+v, want %+v", s.Name, service, got, want)
			}
		}
	}
	if s, ok := awsprofile.SchemeByName("go"); ok {
		t.Errorf("SchemeByName(go) = %+v, want none", s)
	}
	if got, want := awsprofile.PythonLegacy.For("dynamodb"), awsprofile.PythonLegacyDynamoDB.Settings; got != want {
		t.Errorf("python-legacy for DynamoDB: %+v, want %+v", got, want)
	}
}

// A client that retries as botocore did before 2026.
func ExampleScheme() {
	client, err := httpapi.NewClient(&httpapi.Service{Name: "dynamodb", Profile: awsprofile.AWSLegacy}, "http://localhost:8000",
		httpapi.WithRetry(retry.WithLegacy(awsprofile.PythonLegacy.For("dynamodb")), retry.WithMaxAttempts(6)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, setting := range client.RetrySettings()[:5] {
		fmt.Println(setting)
	}
	// Output:
	// profile: aws-legacy (definition)
	// mode: legacy (profile aws-legacy)
	// maxAttempts: 6 (client option)
	// baseDelay.transient: 50ms (mode legacy)
	// baseDelay.throttling: 50ms (mode legacy)
}
