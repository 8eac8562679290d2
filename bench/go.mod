module github.com/retrygen/retrygen/bench

go 1.26.0

replace github.com/retrygen/retrygen => ../

require (
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/aws/smithy-go v1.28.9
	github.com/go-json-experiment/json v1.27.2
	github.com/retrygen/retrygen v0.0.0-00010101000000-000000000000
)
