package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// still makes the examples wait for nothing.
var still = retry.WithJitter(func() float64 { return 0 })

func ExampleDo() {
	policy, err := retry.New(still)
	if err != nil {
		fmt.Println(err)
		return
	}
	attempt := 0
	greeting, err := retry.Do(context.Background(), policy, func(ctx context.Context) (string, error) {
		attempt++
		if attempt < 3 {
			return "", retry.MarkTransient(fmt.Errorf("attempt %d: connection lost", attempt))
		}
		return "hello", nil
	})
	fmt.Println(greeting, err, "after", attempt, "attempts")
	// Output: hello <nil> after 3 attempts
}

func ExampleDo_gaveUp() {
	policy, _ := retry.New(still, retry.WithMaxAttempts(2))
	_, err := retry.Do(context.Background(), policy, func(ctx context.Context) (int, error) {
		return 0, retry.MarkTransient(errors.New("connection lost"))
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, retry.ErrMaxAttempts))
	if stop, ok := errors.AsType[*retry.StopError](err); ok {
		for _, decision := range stop.Attempts {
			fmt.Println(decision)
		}
	}
	// Output:
	// connection lost (2 attempts: attempts used up)
	// true
	// attempt 1: transient (marked transient), retry after 0s, quota 486
	// attempt 2: transient (marked transient), stop: attempts used up, quota 486
}

func ExampleNew() {
	_, err := retry.New(retry.WithMaxAttempts(0), retry.WithMaxBackoff(-time.Second))
	fmt.Println(err)
	policy, _ := retry.New(retry.WithMaxAttempts(5))
	fmt.Println(policy.Settings().MaxAttempts, policy.Settings().MaxBackoff)
	// Output:
	// retry: MaxAttempts: got 0, want at least 1
	// retry: MaxBackoff: got -1s, want more than 0s
	// 5 20s
}

func ExamplePolicy_With() {
	policy, _ := retry.New()
	patient, _ := policy.With(retry.WithMaxAttempts(10))
	fmt.Println(patient.Settings().MaxAttempts, patient.Quota() == policy.Quota())
	// Output: 10 true
}

func ExampleMarkTransient() {
	errLocked := errors.New("database is locked")
	err := retry.MarkTransient(errLocked)
	fmt.Println(err, errors.Is(err, errLocked), retry.Classify(err).Class)
	// Output: database is locked true transient
}

// Two policies that draw on one bucket: what one spends, the other lacks.
func ExampleWithQuota() {
	shared := retry.NewQuota(20)
	reads, _ := retry.New(still, retry.WithQuota(shared))
	writes, _ := retry.New(still, retry.WithQuota(shared), retry.WithMaxAttempts(2))
	broken := func(context.Context) (int, error) {
		return 0, retry.MarkTransient(errors.New("out of order"))
	}
	_, err := retry.Do(context.Background(), reads, broken)
	fmt.Println(err, shared.Level())
	_, err = retry.Do(context.Background(), writes, broken)
	fmt.Println(err, shared.Level())
	// Output:
	// out of order (2 attempts: retry quota exceeded) 6
	// out of order (1 attempt: retry quota exceeded) 6
}

// One rate limiter for each table: throttling of one does not slow the other.
func ExampleWithLimiter() {
	policy, _ := retry.New(still, retry.WithMode(retry.Adaptive))
	limiters := map[string]*retry.Limiter{
		"orders": retry.NewLimiter(time.Now()),
		"users":  retry.NewLimiter(time.Now()),
	}
	call := func(table string) error {
		own, err := policy.With(retry.WithLimiter(limiters[table]), retry.WithMaxAttempts(1))
		if err != nil {
			return err
		}
		_, err = retry.Do(context.Background(), own, func(context.Context) (int, error) {
			if table == "orders" {
				return 0, retry.MarkThrottling(errors.New("slow down"))
			}
			return 1, nil
		})
		return err
	}
	fmt.Println(call("orders"), call("users"))
	for _, table := range []string{"orders", "users"} {
		fmt.Println(table, "held back:", limiters[table].State(time.Now()).Enabled)
	}
	// Output:
	// slow down (1 attempt: attempts used up) <nil>
	// orders held back: true
	// users held back: false
}

// A Call decides; the caller keeps the time and does the waiting.
func ExamplePolicy_Begin() {
	policy, _ := retry.New(retry.WithJitter(func() float64 { return 1 }))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	call := policy.Begin(now, retry.CallOptions{Deadline: now.Add(time.Second)})
	for {
		decision := call.Next(retry.Failure{Class: retry.Transient}, now)
		fmt.Println(decision)
		if !decision.Retry() {
			break
		}
		now = now.Add(decision.Delay)
	}
	// Output:
	// attempt 1: transient, retry after 50ms, quota 486
	// attempt 2: transient, retry after 100ms, quota 472
	// attempt 3: transient, stop: attempts used up, quota 472
}
