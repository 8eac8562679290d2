package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/retrygen/retrygen/simulate"
)

// tableRows is the most windows that a table shows; more are added up.
const tableRows = 60

// Table writes the figures, a column for each strategy, and the histogram.
func Table(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	var out bytes.Buffer
	tab := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(title string, cell func(simulate.Result) string) {
		fmt.Fprint(tab, title, "\t")
		for _, r := range results {
			fmt.Fprint(tab, cell(r), "\t")
		}
		fmt.Fprintln(tab)
	}
	row("", func(r simulate.Result) string { return r.Strategy })
	for _, c := range columns {
		row(c.title, c.text)
	}
	b := newBins(s, results, tableRows)
	fmt.Fprintln(tab, strings.Repeat("\t", len(results)+1))
	fmt.Fprint(tab, "requests per ", b.width, strings.Repeat("\t", len(results)+1), "\n")
	for i := range b.count {
		fmt.Fprint(tab, b.begin(i), "\t")
		for j := range results {
			fmt.Fprint(tab, b.of[j].at(i).Requests, "\t")
		}
		fmt.Fprintln(tab)
	}
	tab.Flush() // a Buffer takes everything
	for line := range strings.Lines(out.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// CSV writes the figures, a row for each strategy. Times are milliseconds; a
// figure that does not exist is empty, and so is the time of a recovery that
// never came.
func CSV(w io.Writer, results []simulate.Result) error {
	out := csv.NewWriter(w)
	header := []string{"strategy"}
	for _, c := range columns {
		header = append(header, c.key)
	}
	out.Write(header) // errors stay in out until the end
	for _, r := range results {
		row := []string{r.Strategy}
		for _, c := range columns {
			row = append(row, c.plain(r))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// WindowsCSV writes the histograms, a row for each strategy and window.
func WindowsCSV(w io.Writer, s simulate.Scenario, results []simulate.Result) error {
	out := csv.NewWriter(w)
	out.Write([]string{"strategy", "beginMs", "requests", "succeeded", "failed"})
	for _, r := range results {
		b := newBins(s, []simulate.Result{r}, len(r.Windows))
		for i, win := range r.Windows {
			out.Write([]string{
				r.Strategy, milliseconds(b.begin(i)),
				strconv.FormatInt(win.Requests, 10), strconv.FormatInt(win.Succeeded, 10), strconv.FormatInt(win.Failed, 10),
			})
		}
	}
	out.Flush()
	return out.Error()
}
