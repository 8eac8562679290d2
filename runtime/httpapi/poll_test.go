package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// queue is a service that answers each request with the next number, 20 s
// later.
type queue struct {
	mu      sync.Mutex
	n       int
	flying  int
	most    int // requests at once
	refuses func(n int) bool
}

func (q *queue) RoundTrip(req *http.Request) (*http.Response, error) {
	q.mu.Lock()
	q.n++
	n := q.n
	q.flying++
	q.most = max(q.most, q.flying)
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.flying--
		q.mu.Unlock()
	}()
	if q.refuses != nil && q.refuses(n) {
		return retrytest.JSON(403, `{"code":"Denied"}`).RoundTrip(req)
	}
	return retrytest.JSON(200, fmt.Sprintf(`{"name":"%d"}`, n)).Delay(20 * time.Second).RoundTrip(req)
}

func (q *queue) client(t *testing.T, opts ...Option) *Client {
	t.Helper()
	c, err := NewClient(items(), "https://items.example", append(opts, WithHTTPClient(&http.Client{Transport: q}))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPoll: outputs come one after the other until the loop is left. That no
// goroutine is left with it, the bubble sees to.
func TestPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		start := time.Now()
		var got []string
		for out, err := range Poll(t.Context(), q.client(t), getItem(), nil, Polling{}) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, out.Name); len(got) == 3 {
				break
			}
		}
		if !slices.Equal(got, []string{"1", "2", "3"}) || time.Since(start) != time.Minute || q.most != 1 {
			t.Errorf("got %q after %s, %d polls at once", got, time.Since(start), q.most)
		}
	})
}

func TestPollConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		start, seen := time.Now(), 0
		for _, err := range Poll(t.Context(), q.client(t), getItem(), nil, Polling{Concurrency: 5}) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == 15 {
				break
			}
		}
		if q.most != 5 || time.Since(start) != time.Minute {
			t.Errorf("%d polls at once, 15 outputs after %s", q.most, time.Since(start))
		}
	})
}

// TestPollDrain: at the end of the context, polls under way may end within
// the time to drain, and are cut off after it.
func TestPollDrain(t *testing.T) {
	for _, tt := range []struct {
		drain, took time.Duration
		outputs     int
	}{
		{0, 25 * time.Second, 3},
		{10 * time.Second, 35 * time.Second, 3},
		{30 * time.Second, 40 * time.Second, 6},
	} {
		for _, deadline := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var q queue
				ctx, cancel := context.WithCancel(t.Context())
				if deadline {
					ctx, cancel = context.WithTimeout(t.Context(), 25*time.Second)
				} else {
					time.AfterFunc(25*time.Second, cancel)
				}
				defer cancel()
				start, seen := time.Now(), 0
				for _, err := range Poll(ctx, q.client(t), getItem(), nil, Polling{Concurrency: 3, Drain: tt.drain}) {
					if err != nil {
						t.Error(err)
					}
					seen++
				}
				if seen != tt.outputs || time.Since(start) != tt.took || q.n != 6 {
					t.Errorf("drain %s: %d outputs of %d polls after %s, want %d after %s", tt.drain, seen, q.n, time.Since(start), tt.outputs, tt.took)
				}
			})
		}
	}
}

// TestPollSlowLoop: an output that was received is not lost to a slow loop,
// however long after the context's end, and no further poll begins.
func TestPollSlowLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
		defer cancel()
		seen := 0
		for range Poll(ctx, q.client(t), getItem(), nil, Polling{Concurrency: 3}) {
			time.Sleep(time.Hour)
			seen++
		}
		// The worker whose output came first has begun another poll.
		if seen != 3 || q.n != 4 {
			t.Errorf("%d outputs of %d polls", seen, q.n)
		}
	})
}

// TestPollErrors: failures are yielded, and polls after them wait longer and
// longer, up to the cap; a success ends that.
func TestPollErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := queue{refuses: func(n int) bool { return n <= 8 || n == 10 }}
		var waits []time.Duration
		last := time.Now()
		for out, err := range Poll(t.Context(), q.client(t), getItem(), nil, Polling{}) {
			if failed, ok := errors.AsType[*ResponseError](err); (out == nil) != ok || ok && failed.Code != "Denied" {
				t.Fatalf("got %v, %v", out, err)
			}
			waits = append(waits, time.Since(last))
			last = time.Now()
			if len(waits) == 11 {
				break
			}
		}
		terms := []int{0, 1, 2, 4, 8, 16, 20, 20, 20 + 20, 0, 1 + 20} // seconds; outputs take 20
		if len(waits) != len(terms) {
			t.Fatalf("%d polls", len(waits))
		}
		for i, term := range terms {
			extra := 0
			if i == 8 || i == 10 {
				extra = 20
			}
			most := time.Duration(term) * time.Second
			least := time.Duration(extra)*time.Second + (most-time.Duration(extra)*time.Second)/2
			if waits[i] < least || waits[i] > most {
				t.Errorf("poll %d came after %s, want %s to %s", i+1, waits[i], least, most)
			}
		}
	})
}

// TestPollPanic: a panic of the loop passes and leaves nothing behind.
func TestPollPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		defer func() {
			if recover() != "loop" {
				t.Error("the panic did not pass")
			}
			if q.flying != 0 {
				t.Errorf("%d polls are left", q.flying)
			}
		}()
		for range Poll(t.Context(), q.client(t), getItem(), nil, Polling{Concurrency: 4}) {
			panic("loop")
		}
	})
}

func TestPollRefuses(t *testing.T) {
	var q queue
	for _, err := range Poll(t.Context(), q.client(t), getItem(), nil, Polling{}, WithRetry(retry.WithMaxAttempts(-1))) {
		if err == nil || !strings.Contains(err.Error(), "MaxAttempts: got -1") {
			t.Errorf("got %v", err)
		}
	}
	for want, p := range map[string]Polling{
		"Polling.Concurrency: got -1":   {Concurrency: -1},
		"Polling.Concurrency: got 1025": {Concurrency: MaxPolls + 1},
		"Polling.Drain: got -1s":        {Drain: -time.Second},
		"WithResult":                    {Concurrency: 2},
	} {
		n := 0
		for _, err := range Poll(t.Context(), q.client(t), getItem(), nil, p, WithResult(new(Metadata))) {
			if n++; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		if n != 1 || q.n != 0 {
			t.Errorf("%d errors, %d polls", n, q.n)
		}
	}
}

// TestPollUnderOuterRetry: polls under a retry leave retrying to it.
func TestPollUnderOuterRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c, err := NewClient(items(), "https://items.example", WithHTTPClient(counted(&requests)))
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range Poll(retry.ContextWithOuter(t.Context()), c, getItem(), nil, Polling{}) {
			if !errors.Is(err, retry.ErrOuterRetry) {
				t.Errorf("got %v", err)
			}
			break
		}
		if requests != 1 {
			t.Errorf("%d requests, want 1", requests)
		}
	})
}
