package httpapi

import (
	stdjson "encoding/json"
	"math"
	"reflect"
	"testing"
)

// TestNullableInEncodingJSON: package encoding/json tells absent, null and
// value apart as well.
func TestNullableInEncodingJSON(t *testing.T) {
	type document struct {
		A Nullable[int64]             `json:"a,omitzero"`
		P Nullable[*string]           `json:"p,omitzero"`
		M Nullable[map[string]*int64] `json:"m,omitzero"`
		L []Nullable[Date]            `json:"l,omitzero"`
	}
	for _, tt := range []struct {
		value document
		want  string
	}{
		{document{}, `{}`},
		{document{A: Null[int64](), P: Null[*string](), M: Null[map[string]*int64]()}, `{"a":null,"p":null,"m":null}`},
		{document{A: Value[int64](math.MaxInt64), P: Value(new("x"))}, `{"a":9223372036854775807,"p":"x"}`},
		{document{M: Value(map[string]*int64{"x": nil})}, `{"m":{"x":null}}`},
		{document{L: []Nullable[Date]{Null[Date](), Value(Date{2026, 2, 28})}}, `{"l":[null,"2026-02-28"]}`},
	} {
		data, err := stdjson.Marshal(tt.value)
		if err != nil || string(data) != tt.want {
			t.Errorf("wrote %s, %v, want %s", data, err, tt.want)
		}
		var read document
		if err := stdjson.Unmarshal([]byte(tt.want), &read); err != nil || !reflect.DeepEqual(read, tt.value) {
			t.Errorf("%s: read %+v, %v", tt.want, read, err)
		}
	}
	var n Nullable[int64]
	if err := stdjson.Unmarshal([]byte(`"1"`), &n); err == nil {
		t.Errorf("a string became %+v", n)
	}
}
