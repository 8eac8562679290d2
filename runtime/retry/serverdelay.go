package retry

import (
	"fmt"
	"math"
	"time"
)

// ServerDelayPolicy says what becomes of a delay that the server asks for.
type ServerDelayPolicy uint8

const (
	// Clamp keeps the server's delay between the drawn backoff and 5 s more
	// (the AWS SDKs' reading of x-amz-retry-after).
	Clamp ServerDelayPolicy = iota + 1
	// Honour never retries earlier than the server said (RFC 9110, 10.2.3),
	// nor earlier than the drawn backoff. A delay that does not fit the
	// deadline stops the call; one beyond [MaxServerDelay] is no hint.
	Honour
	// Ignore uses the drawn backoff alone.
	Ignore
)

// MaxServerDelay is the longest delay of a server that [Honour] believes: one
// day. What is beyond is a mistake of the server rather than advice: a date
// in the wrong unit, say.
const MaxServerDelay = 24 * time.Hour

func (p ServerDelayPolicy) valid() bool { return p >= Clamp && p <= Ignore }

// String returns "clamp", "honour" or "ignore".
func (p ServerDelayPolicy) String() string {
	switch p {
	case Clamp:
		return "clamp"
	case Honour:
		return "honour"
	case Ignore:
		return "ignore"
	}
	return fmt.Sprintf("ServerDelayPolicy(%d)", uint8(p))
}

// delay combines the drawn backoff with what the server asked for.
func (p ServerDelayPolicy) delay(backoff, asked time.Duration) time.Duration {
	switch p {
	case Clamp:
		return min(max(backoff, asked), saturatingAdd(backoff, DefaultClampMargin))
	case Honour:
		if asked <= MaxServerDelay {
			return max(backoff, asked)
		}
	}
	return backoff
}

// forced is the policy for a wait that no retry follows: what the server asks
// for is clamped, because its end is the caller's to decide.
func (p ServerDelayPolicy) forced() ServerDelayPolicy {
	if p == Honour {
		return Clamp
	}
	return p
}

func saturatingAdd(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
