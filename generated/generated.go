// Package generated embeds the source of the demo's client, so that the demo
// can show that what it generates is what it runs. The packages below it are
// made from the definitions in specs.
package generated

// The tag leaves out the demo, which is compiled with one of these clients.
//go:generate go run -tags bootstrap ../cmd/retrygen generate -strict -o dynamodb ../specs/dynamodb.yaml
//go:generate go run -tags bootstrap ../cmd/retrygen generate -strict -o orders -package orders ../specs/orders.yaml
//go:generate go run -tags bootstrap ../cmd/retrygen generate -strict -o ticketdesk ../specs/demo.yaml

import "embed"

// TicketDesk holds the files of package ticketdesk, in a directory of that
// name.
//
//go:embed ticketdesk/*.go
var TicketDesk embed.FS
