package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/simulate"
	"github.com/retrygen/retrygen/simulate/report"
)

// fixture is a scenario with results of which every figure is told apart.
func fixture() (simulate.Scenario, []simulate.Result) {
	s := simulate.Scenario{
		Name: "a <b> & c", Clients: 3, Window: 10 * time.Millisecond, End: time.Second, Seed: 9,
		Service: simulate.Service{Outages: []simulate.Outage{{To: 10 * time.Millisecond}}},
	}
	full := simulate.Result{
		Strategy: "one <i>", Calls: 20, Successes: 10,
		Failed:   map[retry.StopReason]int64{retry.StopQuota: 2, retry.StopAttempts: 3},
		Requests: 50, InOutage: 6, Limited: 7, TimedOut: 8, Wasted: 9,
		P50: 11234567 * time.Nanosecond, P99: 12 * time.Millisecond, Last: 2 * time.Second,
		Peak: 30, PeakAt: 10 * time.Millisecond, PeakAfter: 29,
		Recovery: simulate.Recovery{Outage: true, Time: 40 * time.Millisecond},
		Windows:  []simulate.Window{{Requests: 20, Failed: 20}, {Requests: 30, Succeeded: 10, Failed: 20}},
	}
	none := simulate.Result{
		Strategy: "two", Calls: 1, Requests: 1, Failed: map[retry.StopReason]int64{retry.StopTerminal: 1},
		Peak: 1, Recovery: simulate.Recovery{Outage: true, Never: true}, Windows: []simulate.Window{{Requests: 1, Failed: 1}},
	}
	return s, []simulate.Result{full, none}
}

// figures are those of the fixture, in the order of the table.
var figures = [][3]string{
	{"calls", "20", "1"}, {"succeeded", "10", "0"}, {"failed", "5", "1"},
	{"failed because of", "attempts used up: 3, retry quota exceeded: 2", "terminal: 1"},
	{"unfinished", "5", "0"}, {"success rate", "50.0 %", "0.0 %"},
	{"requests", "50", "1"}, {"amplification", "2.50", "1.00"},
	{"in outage", "6", "0"}, {"limited", "7", "0"}, {"timed out", "8", "0"}, {"wasted", "9", "0"},
	{"p50", "11.2ms", "-"}, {"p99", "12ms", "-"}, {"last success", "2s", "-"},
	{"peak", "30", "1"}, {"peak at", "10ms", "0s"}, {"peak after outage", "29", "0"}, {"recovery", "40ms", "never"},
}

var gap = regexp.MustCompile(` {2,}`)

func TestTable(t *testing.T) {
	s, results := fixture()
	var b strings.Builder
	if err := report.Table(&b, s, results); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for line := range strings.Lines(b.String()) {
		got = append(got, gap.Split(strings.TrimSpace(line), -1))
	}
	want := [][]string{{"one <i>", "two"}}
	for _, f := range figures {
		want = append(want, f[:])
	}
	want = append(want, []string{""}, []string{"requests per 10ms"}, []string{"0s", "20", "1"}, []string{"10ms", "30", "0"})
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestLongHistogram: windows are added up until they fit, and none is lost.
func TestLongHistogram(t *testing.T) {
	s, results := fixture()
	results[0].Windows = slices.Repeat([]simulate.Window{{Requests: 1}}, 1234)
	var b strings.Builder
	if err := report.Table(&b, s, results); err != nil {
		t.Fatal(err)
	}
	head, rows, ok := strings.Cut(b.String(), "requests per 500ms\n")
	if !ok {
		t.Fatalf("no histogram of 500 ms:\n%s", b.String())
	}
	sum := 0
	for line := range strings.Lines(rows) {
		n, err := strconv.Atoi(strings.Fields(line)[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if n := strings.Count(rows, "\n"); sum != 1234 || n != 25 || !strings.Contains(head, "recovery") {
		t.Errorf("%d requests in %d rows, want 1234 in 25", sum, n)
	}
}

func TestCSV(t *testing.T) {
	_, results := fixture()
	var b bytes.Buffer
	if err := report.CSV(&b, results); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"strategy", "calls", "succeeded", "failed", "failedBecause", "unfinished", "successRate", "requests", "amplification", "inOutage", "limited", "timedOut", "wasted", "p50Ms", "p99Ms", "lastSuccessMs", "peak", "peakAtMs", "peakAfterOutage", "recoveryMs"},
		{"one <i>", "20", "10", "5", "attempts used up: 3, retry quota exceeded: 2", "5", "0.5", "50", "2.5", "6", "7", "8", "9", "11.234567", "12", "2000", "30", "10", "29", "40"},
		{"two", "1", "0", "1", "terminal: 1", "0", "0", "1", "1", "0", "0", "0", "0", "", "", "", "1", "0", "0", ""},
	}
	if !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("got\n%q\nwant\n%q", rows, want)
	}
}

func TestWindowsCSV(t *testing.T) {
	s, results := fixture()
	var b strings.Builder
	if err := report.WindowsCSV(&b, s, results); err != nil {
		t.Fatal(err)
	}
	want := "strategy,beginMs,requests,succeeded,failed\none <i>,0,20,0,20\none <i>,10,30,10,20\ntwo,0,1,0,1\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestJSON(t *testing.T) {
	s, results := fixture()
	var b bytes.Buffer
	if err := report.JSON(&b, s, results); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scenario   map[string]any
		Strategies []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"strategy": "one <i>", "calls": 20.0, "succeeded": 10.0, "failed": 5.0, "unfinished": 5.0, "successRate": 0.5,
		"requests": 50.0, "amplification": 2.5, "inOutage": 6.0, "limited": 7.0, "timedOut": 8.0, "wasted": 9.0,
		"p50Ms": 11.234567, "p99Ms": 12.0, "lastSuccessMs": 2000.0, "peak": 30.0, "peakAtMs": 10.0, "peakAfterOutage": 29.0,
		"recovered": true, "recoveryMs": 40.0,
	} {
		if got.Strategies[0][key] != want {
			t.Errorf("%s: got %v, want %v", key, got.Strategies[0][key], want)
		}
	}
	for key, want := range map[string]any{"p50Ms": nil, "lastSuccessMs": nil, "recovered": false, "recoveryMs": nil} {
		if v, ok := got.Strategies[1][key]; !ok || v != want {
			t.Errorf("no success: %s: got %v, want %v", key, v, want)
		}
	}
	if w := got.Strategies[0]["windows"].([]any); len(w) != 2 || w[1].(map[string]any)["succeeded"] != 10.0 {
		t.Errorf("windows: got %v", w)
	}
	if got.Scenario["clients"] != 3.0 || got.Scenario["seed"] != 9.0 || got.Scenario["latency"] != "0s" {
		t.Errorf("scenario: got %v", got.Scenario)
	}
}

// TestPictures: well-formed, with a panel for each strategy.
func TestPictures(t *testing.T) {
	s, results := fixture()
	var svg, pixels bytes.Buffer
	if err := errors.Join(report.SVG(&svg, s, results), report.PNG(&pixels, s, results)); err != nil {
		t.Fatal(err)
	}
	var text []string
	for dec := xml.NewDecoder(bytes.NewReader(svg.Bytes())); ; {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := token.(xml.CharData); ok {
			text = append(text, strings.TrimSpace(string(data)))
		}
	}
	for _, want := range []string{
		"one <i>: 50 requests, 50.0 % of 20 calls succeeded, recovery: 40ms",
		"two: 1 requests, 0.0 % of 1 calls succeeded, recovery: never", "seconds", "per 10ms", "outage",
	} {
		if !slices.Contains(text, want) {
			t.Errorf("no text %q in %q", want, text)
		}
	}
	image, err := png.Decode(&pixels)
	if err != nil {
		t.Fatal(err)
	}
	colors := map[[3]uint32]int{}
	for y := range image.Bounds().Dy() {
		for x := range image.Bounds().Dx() {
			r, g, b, _ := image.At(x, y).RGBA()
			colors[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	// Requests, successes and outage are areas, not lines.
	for _, c := range [][3]uint32{{0xd9, 0x7b, 0x4f}, {0x2a, 0x6f, 0x97}, {0xe8, 0xe8, 0xe8}} {
		if colors[c] < 1000 {
			t.Errorf("%d pixels of colour %x, want an area", colors[c], c)
		}
	}
}

// TestBigNumbers: the scale of a million requests has short labels.
func TestBigNumbers(t *testing.T) {
	for most, label := range map[int64]string{2_750_000: "2.5M", 43_000: "40k", 2_000: "2000"} {
		s, results := fixture()
		results[0].Windows[0].Requests = most
		var svg strings.Builder
		if err := report.SVG(&svg, s, results); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(svg.String(), ">"+label+"<") || strings.Contains(svg.String(), "0.00<") {
			t.Errorf("%d requests: no label %s", most, label)
		}
	}
}

// TestPage: all figures are there, nothing comes from elsewhere, and names
// are text.
func TestPage(t *testing.T) {
	s, results := fixture()
	var b strings.Builder
	if err := report.HTML(&b, s, results); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, f := range figures {
		if row := "<tr><th>" + f[0] + "</th><td>" + f[1] + "</td><td>" + f[2] + "</td></tr>"; !strings.Contains(page, row) {
			t.Errorf("no row %s", row)
		}
	}
	for _, want := range []string{"<svg ", "one &lt;i&gt;", "a &lt;b&gt; &amp; c", "3 clients with a call each, at once", "&#34;requests&#34;: 50"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, bad := range []string{"<b>", "one <i>", "<?xml", "<script", "<link", "<img", "src=", "href=", "url(", "@import"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
}

func TestDescribe(t *testing.T) {
	s := simulate.Scenario{
		Clients: 5, Timeout: time.Second, Deadline: 2 * time.Second, End: time.Minute, Seed: 4,
		Arrival: simulate.Arrival{Pattern: simulate.Ramp, Rate: 1, FinalRate: 9, For: 3 * time.Second, Calls: 7},
		Service: simulate.Service{
			Outages:  []simulate.Outage{{To: time.Second}, {From: 2 * time.Second, To: 3 * time.Second, Frozen: true}},
			Capacity: 8, Per: time.Second, Overload: simulate.Queue, QueueLimit: 6, RetryAfter: time.Second,
			Latency: simulate.Latency{A: time.Millisecond},
		},
	}
	want := []string{
		"5 clients with 1 to 9 calls per second, at most 7 each, for 3s",
		"the service is down from 0s to 1s", "the service is frozen from 2s to 3s",
		"it serves 8 requests per 1s, first in first out, and holds 6",
		"a refusal asks for a delay of 1s", "latency 1ms",
		"an attempt is left after 1s", "a call is given up after 2s", "1m0s simulated, seed 4",
	}
	if got := report.Describe(s); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for want, a := range map[string]simulate.Arrival{
		"5 clients with a call each, at once":                         {},
		"5 clients with 3 calls each, one after the other":            {Calls: 3},
		"5 clients with 3 calls each, 1s between them":                {Calls: 3, Pause: time.Second},
		"5 clients with 2.5 calls per second, for 1s":                 {Pattern: simulate.Constant, Rate: 2.5, For: time.Second},
		"5 clients with 2 calls per second at random, at most 1 each": {Pattern: simulate.Poisson, Rate: 2, Calls: 1},
	} {
		if got := report.Describe(simulate.Scenario{Clients: 5, Arrival: a})[0]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// failing is a writer that takes nothing.
type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	s, results := fixture()
	for name, err := range map[string]error{
		"table": report.Table(failing{}, s, results), "csv": report.CSV(failing{}, results),
		"windows": report.WindowsCSV(failing{}, s, results), "json": report.JSON(failing{}, s, results),
		"svg": report.SVG(failing{}, s, results), "png": report.PNG(failing{}, s, results), "html": report.HTML(failing{}, s, results),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want %v", name, err, errFull)
		}
	}
}
