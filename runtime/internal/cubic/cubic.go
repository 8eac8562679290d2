// Package cubic is the growth curve of the adaptive rate limiter: after a
// throttle the rate falls to seven tenths and then follows a cubic function,
// steep far from the rate that was too much, flat near it. Times are seconds
// on any one scale, rates are requests per second.
package cubic

import "math"

// Numbers of the AWS SDKs' adaptive mode, as in aws-sdk-go-v2 v1.48.0.
const (
	// Beta is what a throttle leaves of the rate.
	Beta = 0.7
	// Scale is the steepness of the curve.
	Scale = 0.4
)

// Curve is the state of one curve. The zero value grows from rate 0 at time 0.
type Curve struct {
	MaxRate  float64 // the rate at the last throttle, before the cut
	Throttle float64 // when that was
	Rate     float64 // the last result
}

// Window returns the seconds after a throttle until the curve is back at
// MaxRate.
func (c *Curve) Window() float64 {
	return math.Cbrt(c.MaxRate * (1 - Beta) / Scale)
}

// Grow returns the rate at time t after an answer that was no throttle.
func (c *Curve) Grow(t float64) float64 {
	c.Rate = Scale*math.Pow(t-c.Throttle-c.Window(), 3) + c.MaxRate
	return c.Rate
}

// Cut returns the rate after a throttle at time t, when requests were sent at
// rate.
func (c *Curve) Cut(t, rate float64) float64 {
	c.MaxRate, c.Throttle, c.Rate = rate, t, rate*Beta
	return c.Rate
}
