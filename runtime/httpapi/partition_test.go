package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

type tableInput struct {
	Table string    `json:"Table"`
	Shard *int      `json:"Shard,omitzero"`
	Key   *tableKey `json:"Key,omitzero"`
}

type tableKey struct {
	Name string `json:"Name"`
}

type tableOutput struct {
	Metadata `json:"-"`
}

var putTable = &Operation[tableInput, tableOutput]{Name: "Put", Method: http.MethodPost, Path: "/", Document: "application/json"}

// tableClient calls a service that throttles whatever is hot.
func tableClient(t *testing.T, partition string, opts ...Option) *Client {
	t.Helper()
	wire := roundTrip(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		status, answer := http.StatusOK, "{}"
		if strings.Contains(string(body), "hot") {
			status = http.StatusTooManyRequests
		}
		h := http.Header{"Content-Type": {"application/json"}}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(answer)), Request: req}, nil
	})
	service := &Service{Name: "tables", Profile: Profile{
		Settings: retry.Settings{Mode: retry.Adaptive, MaxAttempts: 1}, Partition: partition,
	}}
	opts = append([]Option{WithHTTPClient(&http.Client{Transport: wire})}, opts...)
	c, err := NewClient(service, "http://localhost", opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waits returns how long a call is held back.
func waits(t *testing.T, c *Client, in *tableInput, opts ...CallOption) time.Duration {
	t.Helper()
	start := time.Now()
	if _, err := Call(t.Context(), c, putTable, in, opts...); err != nil && !errors.Is(err, retry.ErrMaxAttempts) {
		t.Fatal(err)
	}
	return time.Since(start)
}

// TestPartition: a throttled table holds its own calls back and no others.
func TestPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := tableClient(t, "Table")
		time.Sleep(time.Second)
		for range 2 {
			waits(t, c, &tableInput{Table: "hot"})
		}
		if got := waits(t, c, &tableInput{Table: "hot"}); got == 0 {
			t.Error("the throttled table was not held back")
		}
		for _, table := range []string{"cold", ""} {
			if got := waits(t, c, &tableInput{Table: table}); got != 0 {
				t.Errorf("table %q: held back for %v", table, got)
			}
		}
		now := time.Now()
		if !c.Limiter("hot").State(now).Enabled || c.Limiter("cold").State(now).Enabled || c.Limiter("").State(now).Enabled {
			t.Error("the states are not those of the tables")
		}
		if got := waits(t, c, &tableInput{Table: "hot"}, WithRetry(retry.WithLimiter(retry.NewLimiter(now)))); got != 0 {
			t.Errorf("a limiter of the call's own: held back for %v", got)
		}
	})
}

// TestPartitionByPlace: the value may be a number or stand deep in the body.
func TestPartitionByPlace(t *testing.T) {
	tests := []struct {
		partition, value string
		in               tableInput
	}{
		{"Shard", "7", tableInput{Table: "hot", Shard: new(7)}},
		{"/Key/Name", "k", tableInput{Table: "hot", Key: &tableKey{"k"}}},
		{"/Key/Name", "", tableInput{Table: "hot"}},
		{"Shard", "", tableInput{Table: "hot"}},
		{"Missing", "", tableInput{Table: "hot"}},
		{"", "", tableInput{Table: "hot"}},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			c := tableClient(t, test.partition)
			waits(t, c, &test.in)
			if !c.Limiter(test.value).State(time.Now()).Enabled {
				t.Errorf("%q: the limiter of %q was not told", test.partition, test.value)
			}
			if test.value != "" && c.limiter.State(time.Now()).Enabled {
				t.Errorf("%q: the limiter of the client was told", test.partition)
			}
		})
	}
}

// TestPartitionOff: a limiter that an option names serves all calls.
func TestPartitionOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := retry.NewLimiter(time.Now())
		c := tableClient(t, "Table", WithRetry(retry.WithLimiter(shared)))
		waits(t, c, &tableInput{Table: "hot"})
		if !shared.State(time.Now()).Enabled || c.Limiter("hot") != shared {
			t.Error("the calls do not use the limiter that was given")
		}
		standard := tableClient(t, "Table", WithRetry(retry.WithMode(retry.Standard)))
		waits(t, standard, &tableInput{Table: "hot"})
		if len(standard.partitions.byKey) != 0 {
			t.Error("mode standard keeps limiters")
		}
	})
}

// TestPartitionOfOperation: what an operation itself names must be there.
func TestPartitionOfOperation(t *testing.T) {
	op := *putTable
	op.Retry = &Profile{Partition: "Tabel"}
	_, err := Call(t.Context(), tableClient(t, ""), &op, nil)
	if err == nil || !strings.Contains(err.Error(), `partition: httpapi.tableInput has no parameter or member "Tabel"`) {
		t.Errorf("got error %v", err)
	}
}

// TestPartitionsAreBounded: the one used least recently is forgotten.
func TestPartitionsAreBounded(t *testing.T) {
	var p partitions
	first, second := p.of("0"), p.of("1")
	for i := range maxPartitions {
		p.of(strconv.Itoa(i))
	}
	p.of("0")
	p.of("one more")
	if len(p.byKey) != maxPartitions {
		t.Errorf("%d partitions, want %d", len(p.byKey), maxPartitions)
	}
	if p.of("0") != first {
		t.Error("the one that was used was forgotten")
	}
	if p.of("1") == second {
		t.Error("the one that was not used for longest is still there")
	}
}
