// Package awsprofile holds the retry profiles of AWS services, as data for
// package httpapi: the standard mode of 2026, and what single services change
// in it.
//
// The numbers, the tables of error codes and the statuses are those of the
// AWS reference page on retry behaviour
// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html);
// where the page is silent they follow aws-sdk-go-v2 v1.48.0. A [Scheme] is
// what an SDK did before 2026.
//
// # Settings
//
// A client with one of these profiles reads, when it is made, AWS_RETRY_MODE
// and AWS_MAX_ATTEMPTS and, below them, retry_mode and max_attempts of the
// shared config file: ~/.aws/config or the file that AWS_CONFIG_FILE names,
// in section [profile x] if AWS_PROFILE is x, else in [default]. A file that
// is missing counts as empty; a profile that AWS_PROFILE names must be in it
// or, as [x], in ~/.aws/credentials or the file that
// AWS_SHARED_CREDENTIALS_FILE names, from which no setting is read.
// The file of credentials is not read.
package awsprofile
