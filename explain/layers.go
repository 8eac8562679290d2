package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits of layers.
const (
	maxLayers        = 8
	maxLayerAttempts = 1000
)

// ParseLayers reads the attempts of outer layers, outermost first: "3x3".
func ParseLayers(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var outer []int
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > maxLayerAttempts || len(outer) == maxLayers {
			return nil, fmt.Errorf("layers: got %q, want up to %d numbers from 1 to %d, such as 3x3", text, maxLayers, maxLayerAttempts)
		}
		outer = append(outer, n)
	}
	return outer, nil
}

// newLayers multiplies; nil if there are no outer layers. With the guard, a
// layer under one that retries makes one attempt, so that the outermost layer
// that retries decides.
func newLayers(outer []int, attempts int) *Layers {
	if len(outer) == 0 {
		return nil
	}
	l := &Layers{Outer: outer, WithoutGuard: 1, WithGuard: 1}
	for _, n := range append(append([]int{}, outer...), attempts) {
		if l.WithoutGuard > math.MaxInt/n {
			l.WithoutGuard = math.MaxInt
		} else {
			l.WithoutGuard *= n
		}
		if l.WithGuard == 1 {
			l.WithGuard = n
		}
	}
	return l
}
