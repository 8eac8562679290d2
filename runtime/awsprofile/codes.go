package awsprofile

import "github.com/retrygen/retrygen/runtime/httpapi"

// Where the AWS protocols put the error code of a response, best place first.
// As in aws-sdk-go-v2 v1.48.0, a header is preferred to the body and __type to
// code.
var (
	// JSONCodes are the places of AWS JSON 1.0 and 1.1 and of REST JSON.
	JSONCodes = []httpapi.CodeSource{
		{Header: "X-Amzn-Errortype", Format: httpapi.ShapeCode},
		{Pointer: "/__type", Format: httpapi.ShapeCode},
		{Pointer: "/code", Format: httpapi.ShapeCode},
		{Pointer: "/Code", Format: httpapi.ShapeCode},
	}
	// QueryCompatibleCodes are the places of services that moved from the
	// query protocol to JSON and still name their old codes (SQS, say).
	QueryCompatibleCodes = append([]httpapi.CodeSource{
		{Header: "X-Amzn-Query-Error", Format: httpapi.FirstFieldCode},
	}, JSONCodes...)
	// RESTXMLCodes are the places of REST XML (S3, say).
	RESTXMLCodes = []httpapi.CodeSource{
		{XML: "Error/Code"},
		{XML: "ErrorResponse/Error/Code"},
	}
	// QueryCodes are the places of the query protocol (STS, say).
	QueryCodes = []httpapi.CodeSource{
		{XML: "ErrorResponse/Error/Code"},
	}
)

// throttlingCodes are the codes that the reference page lists as throttling.
var throttlingCodes = []string{
	"BandwidthLimitExceeded",
	"EC2ThrottledException",
	"LimitExceededException",
	"PriorRequestNotComplete",
	"ProvisionedThroughputExceededException",
	"RequestLimitExceeded",
	"RequestThrottled",
	"RequestThrottledException",
	"SlowDown",
	"ThrottledException",
	"Throttling",
	"ThrottlingException",
	"TooManyRequestsException",
	"TransactionInProgressException",
}

// transientCodes are the codes that the reference page lists as transient.
var transientCodes = []string{
	"IDPCommunicationError",
	"InternalError",
	"RequestTimeout",
	"RequestTimeoutException",
}

// clockSkewCodes are the codes after which aws-sdk-go-v2 v1.48.0 compares the
// clocks.
var clockSkewCodes = []string{
	"AccessDeniedException",
	"AuthFailure",
	"InvalidSignatureException",
	"RequestTimeTooSkewed",
	"SignatureDoesNotMatch",
}
