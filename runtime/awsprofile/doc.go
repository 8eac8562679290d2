// Package awsprofile holds the retry profiles of AWS services, as data for
// package httpapi: the standard mode of 2026, and what single services change
// in it.
//
// The numbers, the tables of error codes and the statuses are those of the
// AWS reference page on retry behaviour
// (https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html);
// where the page is silent they follow aws-sdk-go-v2 v1.48.0.
package awsprofile
