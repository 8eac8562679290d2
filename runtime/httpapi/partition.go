package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
)

// maxPartitions is how many rate limiters a client keeps beside its own.
const maxPartitions = 1024

// Limiter returns the rate limiter that calls wait for in mode
// [retry.Adaptive]: with "" the client's own, else that of a partition, which
// is a value of what [Profile].Partition names.
//
// A client keeps up to 1024 partitions. Beyond that, it forgets the one that
// was used least recently: it starts anew, without a limit, and calls that
// are under way keep the old one. With a [retry.WithLimiter] among the
// client's options there are no partitions.
func (c *Client) Limiter(partition string) *retry.Limiter {
	if partition == "" || c.partitions.off {
		return c.limiter
	}
	return c.partitions.of(partition)
}

// partitions are the rate limiters of a client by the value that chose them.
type partitions struct {
	off   bool
	mu    sync.Mutex
	byKey map[string]*partition
	clock uint64 // counts uses
}

type partition struct {
	limiter *retry.Limiter
	used    uint64
}

// of returns the limiter of key, a new one if there is none.
func (p *partitions) of(key string) *retry.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.byKey[key]
	if !ok {
		if p.byKey == nil {
			p.byKey = make(map[string]*partition)
		}
		if len(p.byKey) >= maxPartitions {
			p.forgetOldest()
		}
		found = &partition{limiter: retry.NewLimiter(time.Now())}
		p.byKey[key] = found
	}
	p.clock++
	found.used = p.clock
	return found.limiter
}

func (p *partitions) forgetOldest() {
	oldest := slices.MinFunc(slices.Collect(maps.Keys(p.byKey)), func(a, b string) int {
		return cmp.Compare(p.byKey[a].used, p.byKey[b].used)
	})
	delete(p.byKey, oldest)
}

// partitionSlot finds the value that chooses the rate limiter of a call with
// an input of type t, nil if there is none.
func partitionSlot(t reflect.Type, p, own *Profile, document bool) (*slot, error) {
	if p.Partition == "" {
		return nil, nil
	}
	found, err := slotOf(t, p.Partition, document)
	switch {
	case err == nil:
		return &found, nil
	case own != nil && own.Partition != "":
		return nil, fmt.Errorf("partition: %w", err)
	}
	return nil, nil
}

// limiter is the rate limiter of a call with input in, nil for the policy's.
func (x *call) limiter(in reflect.Value) *retry.Limiter {
	if x.op.partition == nil || x.policy.Settings().Mode != retry.Adaptive || x.policy.Limiter() != x.client.limiter {
		return nil
	}
	value := x.op.partition.get(in)
	switch {
	case !value.IsValid():
		return nil
	case value.Kind() == reflect.String:
		return x.client.Limiter(value.String())
	}
	return x.client.Limiter(fmt.Sprint(value))
}
