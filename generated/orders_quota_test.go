package generated_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

// levels are the costs and the levels of the quota that err tells.
func levels(t *testing.T, err error) (costs, quota []int) {
	t.Helper()
	for _, a := range wantError[*retry.StopError](t, err).Attempts {
		costs, quota = append(costs, a.Cost), append(quota, a.Quota)
	}
	return costs, quota
}

// TestOrdersQuotaCosts takes 10 tokens of 300 for a transient failure and 5
// for a throttling one.
func TestOrdersQuotaCosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(bare(500), failure(400, "busy"), bare(520), bare(404)))
		costs, quota := levels(t, readOrder(t, d))
		wantSame(t, "costs", costs, []int{10, 5, 10, 0})
		wantSame(t, "levels", quota, []int{290, 285, 275, 275})
	})
}

// TestOrdersQuotaRunsOut: ten calls of four attempts spend the 300 tokens; the
// next call, of any operation, is not retried.
func TestOrdersQuotaRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, append(times(10*4, bare(500)), bare(500)))
		for range 10 {
			if err := readOrder(t, d); !errors.Is(err, retry.ErrMaxAttempts) {
				t.Fatalf("got %v, want %v", err, retry.ErrMaxAttempts)
			}
		}
		_, err := d.ListSettings(t.Context(), &orders.ListSettingsInput{CustomerID: 1})
		if !errors.Is(err, retry.ErrQuotaExceeded) {
			t.Errorf("got %v, want %v", err, retry.ErrQuotaExceeded)
		}
		_, quota := levels(t, err)
		wantSame(t, "level", quota, []int{0})
	})
}

// TestOrdersQuotaRefunds: a success at the first attempt adds one token, and
// another gives back what its last retry cost.
func TestOrdersQuotaRefunds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quota := retry.NewQuotaAt(300, 100)
		shared := httpapi.WithRetry(retry.WithQuota(quota))
		done := document(200, anOrder("placed"))
		d := openDesk(t, answers(done, bare(500), bare(429), done, done))
		for _, want := range []int{101, 91, 92} { // + 1; - 10 - 5 + 5; + 1
			wantSame(t, "error", readOrder(t, d, shared), error(nil))
			wantSame(t, "level", quota.Level(), want)
		}
	})
}
