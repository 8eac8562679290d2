// Package report shows the results of a simulation: as a table, as CSV and
// JSON, as a picture and as a page.
package report
