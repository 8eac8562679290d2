package build

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// kindOf is the JSON type of a value of the definition, "" for null.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return openapi3.TypeString
	case bool:
		return openapi3.TypeBoolean
	case []any:
		return openapi3.TypeArray
	case map[string]any:
		return openapi3.TypeObject
	case float64:
		return numberKind(v)
	case float32:
		return numberKind(float64(v))
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return openapi3.TypeNumber
		}
		return openapi3.TypeInteger
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return openapi3.TypeInteger
	}
	return openapi3.TypeString // dates and the like, as YAML reads them
}

func numberKind(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return openapi3.TypeInteger
	}
	return openapi3.TypeNumber
}

// literalOf returns a value as the literal of an enum of the given kind:
// string, int64, float64 or bool.
func literalOf(kind string, v any) any {
	text := valueText(v)
	switch kind {
	case openapi3.TypeInteger:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		return int64(0)
	case openapi3.TypeNumber:
		n, _ := strconv.ParseFloat(text, 64)
		return n
	case openapi3.TypeBoolean:
		return v == true
	}
	return text
}

// valueText is a scalar as text, as a JSON document has it.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		return v.String()
	}
	return fmt.Sprint(v)
}

// fitInt32 reports whether all values are integers of 32 bits.
func fitInt32(values []any) bool {
	for _, v := range values {
		if _, err := strconv.ParseInt(valueText(v), 10, 32); err != nil {
			return false
		}
	}
	return true
}
