package retry

import "time"

// capsBase reports whether MaxBackoff leaves room for a base delay. The cap
// may cut a base that nobody chose: a maximum of 200 ms says enough, without
// saying that the throttling base of 1 s becomes 200 ms too.
func (s *Settings) capsBase(base, unchosen time.Duration) bool {
	return s.MaxBackoff <= 0 || base <= s.MaxBackoff || base == unchosen
}
