// Package conformance reads retry vectors, which are facts about retrying as
// data, and holds the runtime against them: calls go through package httpapi
// and a scripted transport, in virtual time.
//
// It reads two forms: "retry-vectors/1", in which every vector is an object,
// and "retrygen-vectors/1", in which the vectors of a file are tables; see
// testdata/vectors/README.md.
package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// File is one group of vectors.
type File struct {
	Path    string
	Group   string
	Vectors []Vector
}

// Vector is one fact, or one story of several steps. What Given, Expect and
// the items of Steps, Ops or Events hold depends on Kind.
type Vector struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Source string `json:"source"`
	// Oracle says whether aws-sdk-go-v2 v1.48.0 does the same: "agrees",
	// "differs" or "inexpressible". It does not matter to the result.
	Oracle string            `json:"oracle"`
	Note   string            `json:"note,omitempty"`
	Given  json.RawMessage   `json:"given,omitempty"`
	Steps  []json.RawMessage `json:"steps,omitempty"`
	Ops    []json.RawMessage `json:"ops,omitempty"`
	Events []json.RawMessage `json:"events,omitempty"`
	Expect json.RawMessage   `json:"expect,omitempty"`
}

// response is the answer to one attempt, or the lack of one.
type response struct {
	Status      int               `json:"status"`
	Code        string            `json:"code"`
	Headers     map[string]string `json:"headers"`
	Body        *string           `json:"body"`
	Protocol    string            `json:"protocol"`
	Modeled     bool              `json:"modeled"`
	IO          string            `json:"io"`
	BodyIO      string            `json:"body_io"`
	DateOffsetS *float64          `json:"date_offset_s"`
	LatencyMS   float64           `json:"latency_ms"`
}

// jitter is what random draws yield: one number, or a list of which each draw
// takes the next and the last repeats.
type jitter []float64

func (j *jitter) UnmarshalJSON(data []byte) error {
	var one float64
	if json.Unmarshal(data, &one) == nil {
		*j = jitter{one}
		return nil
	}
	return json.Unmarshal(data, (*[]float64)(j))
}

// source returns a source of draws; without numbers it yields 1.
func (j jitter) source() func() float64 {
	next := 0
	return func() float64 {
		if len(j) == 0 {
			return 1
		}
		next++
		return j[min(next, len(j))-1]
	}
}

// decode reads raw into v, strictly: a member that v does not know is an
// error, because it would be a condition that is not met. Nothing reads as {}.
func decode(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// decodeAll reads a list of items.
func decodeAll[T any](raw []json.RawMessage) ([]T, error) {
	items := make([]T, len(raw))
	for i, item := range raw {
		if err := decode(item, &items[i]); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	return items, nil
}
