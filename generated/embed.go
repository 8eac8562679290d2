// Package generated embeds the source of the demo's client, so that the demo
// can show that what it generates is what it runs.
package generated

import "embed"

// TicketDesk holds the files of package ticketdesk, in a directory of that
// name.
//
//go:embed ticketdesk/*.go
var TicketDesk embed.FS
