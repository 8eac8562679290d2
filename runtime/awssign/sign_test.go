package awssign_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/retrygen/retrygen/runtime/awsprofile"
	"github.com/retrygen/retrygen/runtime/awssign"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// The credentials and the time of the examples that AWS publishes.
var (
	example = awssign.Static("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "")
	then    = time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
)

// TestPublishedSignatures compares with the SigV4 test suite (get-vanilla,
// post-vanilla) and with the ListUsers example of the AWS documentation.
func TestPublishedSignatures(t *testing.T) {
	form := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=utf-8"}}
	tests := []struct {
		name, method, url, service string
		header                     http.Header
		signature                  string
	}{
		{"get-vanilla", "GET", "https://example.amazonaws.com/", "service", http.Header{},
			"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"post-vanilla", "POST", "https://example.amazonaws.com/", "service", http.Header{},
			"5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"ListUsers", "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "iam", form,
			"5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := newRequest(t, tt.method, tt.url, "")
			req.Header = tt.header
			if err := awssign.New(example, "us-east-1", tt.service).Sign(t.Context(), req, then); err != nil {
				t.Fatal(err)
			}
			if got := signature(req.Header); got != tt.signature {
				t.Errorf("signature %s, want %s", got, tt.signature)
			}
		})
	}
}

func newRequest(t *testing.T, method, target, body string) *http.Request {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, target, r)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// signature returns what follows Signature= in the Authorization header.
func signature(h http.Header) string {
	_, s, _ := strings.Cut(h.Get("Authorization"), "Signature=")
	return s
}

// TestBodyIsSigned: the signature depends on the body, and the body is still
// there to be sent.
func TestBodyIsSigned(t *testing.T) {
	s := awssign.New(example, "us-east-1", "dynamodb")
	seen := make(map[string]string)
	for _, body := range []string{"", "{}", `{"a":1}`} {
		req := newRequest(t, "POST", "https://dynamodb.us-east-1.amazonaws.com/", body)
		if err := s.Sign(t.Context(), req, then); err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[signature(req.Header)]; ok {
			t.Errorf("bodies %q and %q have one signature", other, body)
		}
		seen[signature(req.Header)] = body
		if req.Header.Get("X-Amz-Content-Sha256") != "" {
			t.Error("the hash is sent, want that for S3 only")
		}
		if body == "" {
			continue
		}
		if sent, err := io.ReadAll(req.Body); string(sent) != body || err != nil {
			t.Errorf("the body is %q after signing (%v), want %q", sent, err, body)
		}
	}
}

// TestSignedAgain: an attempt keeps nothing of the signature before it.
func TestSignedAgain(t *testing.T) {
	session := awssign.New(awssign.Static("AKIDEXAMPLE", "secret", "token"), "us-east-1", "sqs")
	plain := awssign.New(awssign.Static("AKIDEXAMPLE", "secret", ""), "us-east-1", "sqs")
	sign := func(s httpapi.Signer, req *http.Request, at time.Time) string {
		if err := s.Sign(t.Context(), req, at); err != nil {
			t.Fatal(err)
		}
		return signature(req.Header)
	}
	req := newRequest(t, "POST", "https://sqs.us-east-1.amazonaws.com/", "{}")
	first := sign(session, req, then)
	if got := req.Header.Get("X-Amz-Security-Token"); got != "token" {
		t.Errorf("session token %q, want token", got)
	}
	if got := req.Header.Get("X-Amz-Date"); got != "20150830T123600Z" {
		t.Errorf("date %q", got)
	}
	later := sign(session, req, then.Add(10*time.Minute).In(time.FixedZone("", 3600)))
	if later == first {
		t.Error("two times have one signature")
	}
	if got := req.Header.Get("X-Amz-Date"); got != "20150830T124600Z" {
		t.Errorf("date %q, want that of the second attempt in UTC", got)
	}
	if again := sign(session, req, then); again != first {
		t.Errorf("signature %s, want %s as before", again, first)
	}
	if got, fresh := sign(plain, req, then), sign(plain, newRequest(t, "POST", "https://sqs.us-east-1.amazonaws.com/", "{}"), then); got != fresh {
		t.Errorf("signature %s after one with a session, want %s", got, fresh)
	}
}

func TestS3(t *testing.T) {
	req := newRequest(t, "PUT", "https://bucket.s3.amazonaws.com/a%20b", "x")
	if err := awssign.New(example, "us-east-1", "s3").Sign(t.Context(), req, then); err != nil {
		t.Fatal(err)
	}
	// SHA-256 of "x".
	const hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	if got := req.Header.Get("X-Amz-Content-Sha256"); got != hash {
		t.Errorf("hash %q, want %q", got, hash)
	}
	if !strings.Contains(req.Header.Get("Authorization"), "x-amz-content-sha256") {
		t.Error("the hash is not signed")
	}
}

type broken struct{ error }

func (b broken) Read([]byte) (int, error) { return 0, b.error }
func (broken) Close() error               { return nil }

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	noCredentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, cause })
	tests := []struct {
		name        string
		credentials aws.CredentialsProvider
		change      func(*http.Request)
		want        error
	}{
		{"credentials", noCredentials, func(*http.Request) {}, cause},
		{"body that can be read once", example, func(r *http.Request) { r.GetBody = nil }, awssign.ErrBodyNotReplayable},
		{"body that cannot be had", example, func(r *http.Request) { r.GetBody = func() (io.ReadCloser, error) { return nil, cause } }, cause},
		{"body that cannot be read", example, func(r *http.Request) { r.GetBody = func() (io.ReadCloser, error) { return broken{cause}, nil } }, cause},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := newRequest(t, "POST", "https://service.example/", "{}")
			tt.change(req)
			err := awssign.New(tt.credentials, "us-east-1", "service").Sign(t.Context(), req, then)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if req.Header.Get("Authorization") != "" {
				t.Error("the request is signed")
			}
		})
	}
}

// TestAttemptsAreSignedApart sends a call whose first attempt tells that the
// clock is wrong: the second is signed with the corrected time.
func TestAttemptsAreSignedApart(t *testing.T) {
	t.Setenv("AWS_MAX_ATTEMPTS", "") // which the profile heeds
	t.Setenv("AWS_RETRY_MODE", "")
	synctest.Test(t, func(t *testing.T) {
		server := time.Now().Add(10 * time.Minute)
		transport := retrytest.NewTransport(
			retrytest.Respond(403, http.Header{"Date": {server.UTC().Format(http.TimeFormat)}}, `{"__type":"RequestTimeTooSkewed"}`),
			retrytest.Respond(200, nil, "{}"),
		)
		client, err := httpapi.NewClient(&httpapi.Service{Name: "dynamodb", Profile: awsprofile.DynamoDB}, "https://dynamodb.us-east-1.amazonaws.com",
			httpapi.WithHTTPClient(transport.Client()),
			httpapi.WithSigner(awssign.New(example, "us-east-1", "dynamodb")),
			httpapi.WithRetry(retry.WithJitter(func() float64 { return 1 })))
		if err != nil {
			t.Fatal(err)
		}
		op := &httpapi.Operation[struct{}, struct{}]{Name: "ListTables", Method: "POST", Path: "/", Document: "application/x-amz-json-1.0"}
		begin := time.Now()
		if _, err := httpapi.Call(t.Context(), client, op, nil); err != nil {
			t.Fatal(err)
		}
		transport.Check(t)
		var dates []string
		signatures := make(map[string]bool)
		for _, r := range transport.Requests() {
			dates = append(dates, r.Header.Get("X-Amz-Date"))
			signatures[signature(r.Header)] = true
			if !strings.Contains(r.Header.Get("Authorization"), "amz-sdk-invocation-id;amz-sdk-request") {
				t.Errorf("the headers of the attempt are not signed: %s", r.Header.Get("Authorization"))
			}
		}
		want := []string{
			begin.UTC().Format("20060102T150405Z"),
			begin.Add(10*time.Minute + 25*time.Millisecond).UTC().Format("20060102T150405Z"),
		}
		if strings.Join(dates, " ") != strings.Join(want, " ") || len(signatures) != 2 {
			t.Errorf("signed at %v with %d signatures, want %v with 2", dates, len(signatures), want)
		}
	})
}

func ExampleNew() {
	credentials := awssign.Static("AKIDEXAMPLE", "secret", "")
	_, err := httpapi.NewClient(&httpapi.Service{Name: "dynamodb", Profile: awsprofile.DynamoDB},
		"https://dynamodb.eu-west-1.amazonaws.com",
		httpapi.WithSigner(awssign.New(credentials, "eu-west-1", "dynamodb")))
	if err != nil {
		panic(err)
	}
	// Output:
}
