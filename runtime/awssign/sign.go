// Package awssign signs requests with AWS Signature Version 4, on the signer
// of aws-sdk-go-v2: each attempt is signed anew, with the time that the client
// corrected for the observed clock skew.
package awssign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/retrygen/retrygen/runtime/httpapi"
)

// ErrBodyNotReplayable says that a request has a body that can be read only
// once: it could be hashed or sent, not both. Give the request a GetBody.
var ErrBodyNotReplayable = errors.New("awssign: the body cannot be read again to be signed")

// New returns a signer for service (its signing name, such as "dynamodb") in
// region. The signature covers a SHA-256 hash of the body. Credentials are
// retrieved for each attempt; wrap a slow provider in
// [aws.NewCredentialsCache]. The signer is safe for concurrent use if
// credentials is.
func New(credentials aws.CredentialsProvider, region, service string) httpapi.Signer {
	s3 := service == "s3" || strings.HasPrefix(service, "s3-")
	return &signer{
		credentials: credentials,
		region:      region,
		service:     service,
		s3:          s3,
		v4:          v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = s3 }),
	}
}

// Static provides the same credentials for ever. session may be empty.
func Static(accessKey, secret, session string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{
			AccessKeyID: accessKey, SecretAccessKey: secret, SessionToken: session, Source: "awssign.Static",
		}, nil
	})
}

type signer struct {
	credentials     aws.CredentialsProvider
	region, service string
	s3              bool
	v4              *v4.Signer
}

// The signer of aws-sdk-go-v2 replaces the headers of an earlier signature,
// except a session token that is no longer wanted; and it leaves the hash to
// its caller.
const (
	tokenHeader = "X-Amz-Security-Token"
	hashHeader  = "X-Amz-Content-Sha256"
)

// Sign implements [httpapi.Signer].
func (s *signer) Sign(ctx context.Context, req *http.Request, at time.Time) error {
	credentials, err := s.credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("awssign: credentials: %w", err)
	}
	hash, err := bodyHash(req)
	if err != nil {
		return err
	}
	req.Header.Del(tokenHeader)
	if s.s3 {
		req.Header.Set(hashHeader, hash) // S3 wants the hash beside the signature
	}
	if err := s.v4.SignHTTP(ctx, credentials, req, hash, s.service, s.region, at.UTC()); err != nil {
		return fmt.Errorf("awssign: %w", err)
	}
	return nil
}

// bodyHash returns the SHA-256 of the request's body in hexadecimal. It reads
// a copy of the body and leaves the request as it was.
func bodyHash(req *http.Request) (string, error) {
	hash := sha256.New()
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return "", ErrBodyNotReplayable
		}
		body, err := req.GetBody()
		if err != nil {
			return "", fmt.Errorf("awssign: body: %w", err)
		}
		defer body.Close()
		if _, err := io.Copy(hash, body); err != nil {
			return "", fmt.Errorf("awssign: body: %w", err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
