package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Latency is a distribution of durations. The zero value is no latency at all.
type Latency struct {
	Shape LatencyShape
	// A and B are the shape's parameters; see the constants.
	A, B time.Duration
}

// LatencyShape names a distribution.
type LatencyShape uint8

const (
	// Always is the duration A.
	Always LatencyShape = iota
	// Uniform is anything from A to B.
	Uniform
	// Exponentially is distributed exponentially with mean A.
	Exponentially
	// LogNormal has the median A and the 99th percentile B.
	LogNormal
)

// latencyForms has the name and the number of parameters of each shape.
var latencyForms = []struct {
	name   string
	params int
}{Always: {"constant", 1}, Uniform: {"uniform", 2}, Exponentially: {"exp", 1}, LogNormal: {"lognormal", 2}}

// quantile99 is the 99th percentile of the standard normal distribution.
const quantile99 = 2.3263478740408408

// ParseLatency reads "10ms", "uniform:5ms..15ms", "exp:10ms" (the mean) or
// "lognormal:10ms..80ms" (median and 99th percentile).
func ParseLatency(s string) (Latency, error) {
	name, params, ok := strings.Cut(s, ":")
	if !ok {
		name, params = "constant", s
	}
	for shape, form := range latencyForms {
		if form.name != name {
			continue
		}
		d, err := parseDurations(params)
		if err != nil || len(d) != form.params {
			break
		}
		l := Latency{Shape: LatencyShape(shape), A: d[0]}
		if len(d) == 2 {
			l.B = d[1]
		}
		var c checker
		if l.check(&c); len(c.errs) > 0 {
			return Latency{}, c.errs[0]
		}
		return l, nil
	}
	return Latency{}, fmt.Errorf(`latency: got %q, want "10ms", "uniform:5ms..15ms", "exp:10ms" or "lognormal:10ms..80ms"`, s)
}

// parseDurations reads durations that ".." separates.
func parseDurations(s string) ([]time.Duration, error) {
	var out []time.Duration
	for part := range strings.SplitSeq(s, "..") {
		d, err := time.ParseDuration(part)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// String returns what [ParseLatency] reads.
func (l Latency) String() string {
	form := latencyForms[min(int(l.Shape), len(latencyForms)-1)]
	switch {
	case l.Shape == Always:
		return l.A.String()
	case form.params == 1:
		return fmt.Sprintf("%s:%s", form.name, l.A)
	}
	return fmt.Sprintf("%s:%s..%s", form.name, l.A, l.B)
}

func (l Latency) check(c *checker) {
	c.want(int(l.Shape) < len(latencyForms), "Service.Latency.Shape", l.Shape, "constant, uniform, exp or lognormal")
	c.want(l.A >= 0, "Service.Latency", l.A, "at least 0s")
	switch l.Shape {
	case Uniform:
		c.want(l.B >= l.A, "Service.Latency", l, "the shorter one first")
	case LogNormal:
		c.want(l.A > 0 && l.B >= l.A, "Service.Latency", l, "a median of more than 0s and a 99th percentile that is not less")
	}
}

// sampler draws durations.
type sampler struct {
	Latency
	sigma float64 // of the logarithms of a LogNormal
}

func newSampler(l Latency) sampler {
	s := sampler{Latency: l}
	if l.Shape == LogNormal {
		s.sigma = math.Log(float64(l.B)/float64(l.A)) / quantile99
	}
	return s
}

// draw draws one duration.
func (l *sampler) draw(r *rand.Rand) time.Duration {
	switch l.Shape {
	case Uniform:
		return l.A + time.Duration(r.Float64()*float64(l.B-l.A))
	case Exponentially:
		return time.Duration(r.ExpFloat64() * float64(l.A))
	case LogNormal:
		return time.Duration(min(float64(l.A)*math.Exp(l.sigma*r.NormFloat64()), math.MaxInt64/2))
	}
	return l.A
}
