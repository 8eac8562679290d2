package explain

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Text writes the report for people.
func (r *Report) Text(out io.Writer) error {
	var p page
	p.line("%s %s, profile %s (%s)", r.Service, r.Version, r.Profile, r.Spec)
	if len(r.Operations) > 1 {
		p.line("")
		p.table(append([][]string{{"operation", "", "attempts", "replay class", "after an unknown outcome"}}, each(r.Operations, summary)...))
	}
	for _, op := range r.Operations {
		p.operation(op)
	}
	if len(r.Skipped) > 0 {
		p.line("")
		for _, line := range r.Skipped {
			p.line("%s", line)
		}
	}
	_, err := io.WriteString(out, p.String())
	return err
}

func summary(op Operation) []string {
	return []string{op.Name, op.Method + " " + op.Path, count(op.Attempts), op.Replay.Class, op.Replay.UnknownOutcome}
}

// page is text that is being written.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) head(title string) { p.line("\n  %s", title) }

// table writes rows with aligned columns, indented.
func (p *page) table(rows [][]string) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, "    "+strings.Join(row, "\t"))
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		p.line("%s", strings.TrimRight(line, " \n"))
	}
}

func (p *page) operation(op Operation) {
	p.line("\n%s: %s %s (%s)", op.Name, op.Method, op.Path, op.Source)
	p.head("Rules")
	p.table(each(op.Rules, func(r Rule) []string { return []string{r.Name, wrap(r.Value), r.Source} }))
	p.head("Answers: the first line that matches decides")
	p.table(each(op.Classification.Answers, Answer.row))
	p.head("Failures without an answer")
	p.table(each(op.Classification.Errors, IOError.row))
	p.delays(op)
	p.head("Worst case")
	for _, line := range op.WorstCase.lines() {
		p.line("    %s", line)
	}
	p.head("Replay")
	for _, line := range op.Replay.lines() {
		p.line("    %s", line)
	}
	p.head("Retry quota, shared by all calls of a client")
	for _, line := range op.Quota.lines() {
		p.line("    %s", line)
	}
	if op.Layers != nil {
		p.head("Layers")
		for _, line := range op.Layers.lines(op.Attempts) {
			p.line("    %s", line)
		}
	}
}

func (p *page) delays(op Operation) {
	p.head("Delays, drawn evenly from a range")
	if len(op.Delays) == 0 {
		p.line("    none: a call is one attempt")
		return
	}
	rows := [][]string{{"before", "transient", "mean", "throttling", "mean"}}
	for _, d := range op.Delays {
		rows = append(rows, []string{d.name(), d.Transient.String(), d.Transient.Mean.String(), d.Throttling.String(), d.Throttling.Mean.String()})
	}
	p.table(rows)
}

func (a Answer) row() []string {
	what := a.By
	if len(a.Match) > 0 {
		what += " " + join(a.Match)
	}
	var remarks []string
	if a.If != "" {
		remarks = append(remarks, "if "+a.If)
	}
	if a.NotActed {
		remarks = append(remarks, notActed)
	}
	return []string{wrap(what), a.Class, a.Source, strings.Join(remarks, "; ")}
}

const notActed = "proves that the server did not act"

// maxMatch is how much of a long list of codes is shown in text.
const maxMatch = 90

// wrap shortens a list that would make a table too wide.
func wrap(list string) string {
	if len(list) <= maxMatch {
		return list
	}
	cut := strings.LastIndex(list[:maxMatch], ", ")
	if cut < 0 {
		return list
	}
	return fmt.Sprintf("%s and %d more", list[:cut], strings.Count(list[cut:], ", "))
}

func (e IOError) row() []string {
	if e.NotActed {
		return []string{e.Name, e.Class, notActed}
	}
	return []string{e.Name, e.Class}
}

// String returns "0s to 50ms", or one duration if the range is that.
func (r Range) String() string {
	if r.Least == r.Most {
		return r.Most.String()
	}
	return r.Least.String() + " to " + r.Most.String()
}

func (d Delay) name() string {
	if d.From == d.To {
		return "retry " + count(d.From)
	}
	return fmt.Sprintf("retries %d to %d", d.From, d.To)
}

func (w WorstCase) lines() []string {
	out := []string{plural(w.Attempts, "attempt") + ", " + w.bound()}
	if w.Attempts > 1 {
		out = append(out, fmt.Sprintf("Waits: %s at most; on average %s if all failures are transient, %s if throttling.",
			w.Backoff, w.MeanBackoff.Transient, w.MeanBackoff.Throttling))
	}
	return append(out, w.Because...)
}

func (w WorstCase) bound() string {
	if !w.Bounded {
		return "no bound on the time"
	}
	return w.Time.String()
}

func (r Replay) lines() []string {
	out := []string{fmt.Sprintf("%s: %s (%s)", r.Class, r.Because, r.Source)}
	if r.IfMatch && r.UnknownOutcome == outcomeUnknown {
		out = append(out, "With an If-Match of one strong entity tag, which the server must honour, a request is repeated like one that is idempotent.")
	}
	if r.Key != "" {
		out = append(out, "A call makes its own key unless the caller gives one; errors carry it, and a later call can use it again.")
	}
	switch r.UnknownOutcome {
	case retried:
		return append(out, "A retryable failure is retried, whether the server may have acted or not.")
	case returned:
		return append(out, "Nothing is retried: a call is one attempt.")
	}
	out = append(out, "A retryable failure after which the server may have acted ends the call with ErrOutcomeUnknown.")
	if len(r.OnlyAfter) == 0 {
		return append(out, "Nothing is retried: a call is one attempt.")
	}
	out = append(out, "Retried are only:")
	for _, f := range r.OnlyAfter {
		out = append(out, "  "+f)
	}
	return out
}

func (q Quota) lines() []string {
	if len(q.Drains) == 0 {
		return []string{"A call is one attempt and costs nothing."}
	}
	out := []string{fmt.Sprintf("%d tokens; a success at the first attempt adds %d, one after a retry pays that retry back.",
		q.Capacity, q.FirstAttemptRefund)}
	for _, d := range q.Drains {
		out = append(out, d.lines()...)
	}
	return out
}

func (d Drain) lines() []string {
	if d.Cost == 0 {
		return []string{d.Failure + ": a retry is free, nothing limits retries"}
	}
	out := []string{
		fmt.Sprintf("%s: a retry costs %d", d.Failure, d.Cost),
		fmt.Sprintf("  total outage: %s until the bucket is empty, after %s", retries(d.OutageRetries), plural(d.OutageCalls, "call")),
	}
	if d.RecoverySuccesses == 0 {
		return append(out, "  recovery: nothing refills an empty bucket")
	}
	return append(out,
		fmt.Sprintf("  recovery: %s at the first attempt buy one retry", successes(d.RecoverySuccesses)),
		fmt.Sprintf("  drains above %s of attempts failing independently (%.2f attempts a call then), or %s of calls failing whole",
			percent(d.AttemptFailureRate), d.LoadAtRate, percent(d.CallFailureRate)))
}

func retries(n int) string {
	if n == 1 {
		return "1 retry"
	}
	return count(n) + " retries"
}

func successes(n int) string {
	if n == 1 {
		return "1 success"
	}
	return count(n) + " successes"
}

func percent(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) }

func (l *Layers) lines(attempts int) []string {
	factors := strings.Join(append(each(l.Outer, count), count(attempts)), " × ")
	return []string{
		fmt.Sprintf("Without the guard: %s = up to %s for one call of the outermost layer.", factors, plural(l.WithoutGuard, "attempt")),
		fmt.Sprintf("With it: up to %s. The outermost layer that retries marks its context, and clients under it make one attempt each.", plural(l.WithGuard, "attempt")),
	}
}
