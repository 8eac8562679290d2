package build

import (
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// awsFacts are facts about services, by x-serviceName, that their definitions
// do not tell. Sources: JSON versions, idempotency tokens, waiters and binary
// shapes are those of the service models of aws-sdk-go-v2 (core v1.48.0), as
// its serializers, addIdempotencyToken middleware, waiters and []byte members
// show.
var awsFacts = map[string]awsService{
	"dynamodb": {
		profile: "dynamodb", document: "application/x-amz-json-1.0",
		tokens: map[string]string{
			"TransactWriteItems": "ClientRequestToken", "ExecuteTransaction": "ClientRequestToken",
			"ExportTableToPointInTime": "ClientToken", "ImportTable": "ClientToken",
		},
		waiters: map[string][]model.Waiter{"DescribeTable": {
			{
				Name: "TableExists", Delay: 20 * time.Second, MaxDelay: 2 * time.Minute,
				Acceptors: []model.Acceptor{
					{State: "success", Pointer: "/Table/TableStatus", Equals: "ACTIVE"},
					{State: "retry", ErrorCode: "ResourceNotFoundException"},
				},
			},
			{
				Name: "TableNotExists", Delay: 20 * time.Second, MaxDelay: 2 * time.Minute,
				Acceptors: []model.Acceptor{{State: "success", ErrorCode: "ResourceNotFoundException"}},
			},
		}},
		blobs: []string{"BinaryAttributeValue"},
	},
	"streams.dynamodb": {
		name: "dynamodbstreams", signingName: "dynamodb",
		profile: "dynamodb-streams", document: "application/x-amz-json-1.0",
	},
	"sqs": {
		profile: "sqs", document: "application/x-amz-json-1.0",
		blobs: []string{"Binary"},
	},
	"kinesis": {blobs: []string{"Data"}},
	"states": {
		name: "sfn", profile: "sfn", document: "application/x-amz-json-1.0",
	},
	"swf": {
		profile: "swf", document: "application/x-amz-json-1.0",
	},
}
