package httpapi

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

type largeOut struct {
	Metadata
	Body *struct {
		Items []string `json:"items"`
	} `body:"200,application/json"`
}

// secondPage asks for the pages from first, of which one has two items, and
// returns the query of the second request, or the error.
func secondPage[T any](t *testing.T, style PageStyle, first T) string {
	t.Helper()
	type in struct {
		At T `query:"at"`
	}
	transport := retrytest.NewTransport(
		retrytest.JSON(200, `{"items":["a","b"]}`), retrytest.JSON(200, `{"items":[]}`))
	c, err := NewClient(items(), "https://items.example", WithHTTPClient(transport.Client()))
	if err != nil {
		t.Fatal(err)
	}
	op := &Operation[in, largeOut]{Name: "List", Method: http.MethodGet, Path: "/"}
	for _, err := range Pages(t.Context(), c, op, &Pagination{Style: style, Input: "at", Items: "/items"}, &in{first}) {
		if err != nil {
			return err.Error()
		}
	}
	_, query, _ := strings.Cut(transport.Requests()[1].URL, "?")
	return query
}

// TestLargeOffsets: offsets are integers, not floating-point numbers, which
// would be off from 2^53 on; what does not fit is an error.
func TestLargeOffsets(t *testing.T) {
	const large = 1<<53 + 1
	for _, tt := range []struct{ name, got, want string }{
		{"int64", secondPage(t, OffsetPages, int64(large)), "at=9007199254740995"},
		{"pointer", secondPage(t, OffsetPages, new(int64(large))), "at=9007199254740995"},
		{"nullable", secondPage(t, OffsetPages, Value(int64(large))), "at=9007199254740995"},
		{"any", secondPage(t, OffsetPages, any(int64(large))), "at=9007199254740995"},
		{"text", secondPage(t, OffsetPages, "9007199254740993"), "at=9007199254740995"},
		{"number", secondPage(t, NumberPages, int64(large)), "at=9007199254740994"},
		{"float64", secondPage(t, OffsetPages, 20.0), "at=22"},
		{"no text", secondPage(t, OffsetPages, ""), "at=2"},
		{"no number", secondPage(t, NumberPages, ""), "at=2"},
		{"last", secondPage(t, OffsetPages, int64(math.MaxInt64-2)), "at=9223372036854775807"},
		{"beyond int64", secondPage(t, OffsetPages, int64(math.MaxInt64-1)), "!9223372036854775806 + 2 is too large"},
		{"page beyond int64", secondPage(t, NumberPages, int64(math.MaxInt64)), "!9223372036854775807 + 1 is too large"},
		{"beyond the field", secondPage(t, OffsetPages, int32(math.MaxInt32)), "!want a int32"},
		{"beyond the precision", secondPage(t, NumberPages, float64(1<<53)), "!cannot hold 9007199254740993"},
		{"first beyond int64", secondPage(t, OffsetPages, uint64(math.MaxUint64)), "!the at of the first page"},
		{"first is a fraction", secondPage(t, OffsetPages, 1.5), `!the at of the first page: got "1.5"`},
	} {
		part, fails := strings.CutPrefix(tt.want, "!")
		if fails && !strings.Contains(tt.got, part) || !fails && tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
