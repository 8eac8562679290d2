package httpapi

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

func TestNullable(t *testing.T) {
	type patch struct {
		Name Nullable[string]   `json:"name,omitzero"`
		Tags Nullable[[]string] `json:"tags,omitzero"`
		Size Nullable[int]      `json:"size,omitzero"`
	}
	for _, test := range []struct {
		value patch
		json  string
	}{
		{patch{}, `{}`},
		{patch{Name: Null[string](), Tags: Null[[]string]()}, `{"name":null,"tags":null}`},
		{patch{Name: Value(""), Tags: Value([]string{}), Size: Value(0)}, `{"name":"","tags":[],"size":0}`},
	} {
		data, err := marshalJSON(test.value)
		if err != nil || string(data) != test.json {
			t.Errorf("marshal: got %s, %v, want %s", data, err, test.json)
		}
		back := patch{Size: Value(9)}
		back.Size = Nullable[int]{}
		if err := unmarshalJSON([]byte(test.json), &back); err != nil {
			t.Fatal(err)
		}
		again, err := marshalJSON(back)
		if err != nil || string(again) != test.json {
			t.Errorf("round trip: got %s, %v, want %s", again, err, test.json)
		}
	}
	name := Value("x")
	if got, ok := name.Get(); got != "x" || !ok || name.IsNull() || name.IsZero() {
		t.Errorf("value: got %q, %t", got, ok)
	}
	if err := unmarshalJSON([]byte("null"), &name); err != nil || !name.IsNull() {
		t.Errorf("null: got %+v, %v", name, err)
	}
	if got, ok := name.Get(); got != "" || ok {
		t.Errorf("null keeps %q", got)
	}
	if err := unmarshalJSON([]byte("1"), &name); err == nil {
		t.Error("a number as a string: got no error")
	}
}

func TestDate(t *testing.T) {
	for _, s := range []string{"2026-02-28", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := ParseDate(s)
		if err != nil || d.String() != s || DateOf(d.In(time.UTC)) != d {
			t.Errorf("%s: got %s, %v", s, d, err)
		}
		data, err := marshalJSON([]Date{d})
		if err != nil || string(data) != `["`+s+`"]` {
			t.Errorf("%s: marshal: got %s, %v", s, data, err)
		}
		var back []Date
		if err := unmarshalJSON(data, &back); err != nil || back[0] != d {
			t.Errorf("%s: unmarshal: got %v, %v", s, back, err)
		}
	}
	for _, s := range []string{"2026-02-29", "2026-2-3", "2026-02-03T00:00:00Z", "", "26-02-03"} {
		if d, err := ParseDate(s); err == nil {
			t.Errorf("%q: got %s, want an error", s, d)
		}
	}
	for _, d := range []Date{{}, {2026, 2, 30}, {2026, 13, 1}, {10000, 1, 1}, {-1, 1, 1}} {
		if text, err := d.MarshalText(); err == nil {
			t.Errorf("%+v: got %s, want an error", d, text)
		}
	}
	if !(Date{}).IsZero() || (Date{2026, 1, 1}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestUnixTime(t *testing.T) {
	tests := []struct {
		at   time.Time
		text string
	}{
		{time.Unix(0, 0), "0"},
		{time.Unix(1770091506, 0), "1770091506"},
		{time.Unix(1770091506, 7_000_000), "1770091506.007"},
		{time.Unix(1770091506, 1), "1770091506.000000001"},
		{time.Unix(-1, 0), "-1"},
		{time.Unix(-1, 500_000_000), "-0.5"},
		{time.Unix(-2, 750_000_000), "-1.25"},
	}
	for _, test := range tests {
		data, err := marshalJSON(Unix(test.at))
		if err != nil || string(data) != test.text {
			t.Errorf("%s: got %s, %v, want %s", test.at, data, err, test.text)
		}
		var back UnixTime
		if err := unmarshalJSON(data, &back); err != nil || !back.Equal(test.at) {
			t.Errorf("%s: read %s, %v", test.text, back.Time, err)
		}
		if std, err := json.Marshal(map[string]UnixTime{"t": Unix(test.at)}); err != nil || string(std) != `{"t":`+test.text+`}` {
			t.Errorf("in a map: got %s, %v", std, err)
		}
	}
	for text, want := range map[string]time.Time{
		"1.5e9":                  time.Unix(1500000000, 0),
		"1E3":                    time.Unix(1000, 0),
		"1.700000000123456789E9": time.Unix(1700000000, 123456789),
		"1.12345678999":          time.Unix(1, 123456789),
		`"1770091506.5"`:         time.Unix(1770091506, 500_000_000),
		`"2026-02-03T04:05:06Z"`: time.Unix(1770091506, 0),
		"-0.5":                   time.Unix(-1, 500_000_000),
	} {
		var got UnixTime
		if err := unmarshalJSON([]byte(text), &got); err != nil || !got.Equal(want) {
			t.Errorf("%s: got %s, %v, want %s", text, got.Time, err, want)
		}
	}
	for _, text := range []string{"true", `"soon"`, "1e300", "1e999999999", "999999999999999", `"1.-5"`, `"1.+5"`, "{}", `""`} {
		var got UnixTime
		if err := unmarshalJSON([]byte(text), &got); err == nil {
			t.Errorf("%s: got %s, want an error", text, got.Time)
		}
	}
	var null UnixTime
	if err := unmarshalJSON([]byte("null"), &null); err != nil || !null.IsZero() {
		t.Errorf("null: got %s, %v", null.Time, err)
	}
}

func TestDecimal(t *testing.T) {
	for number, want := range map[string]string{
		"12": "12", "-1.50": "-1.50", "1e3": "1000", "2.5E-3": "0.0025", "1e21": "1000000000000000000000",
		"1.700000000123456789E9": "1700000000.123456789", "-1.5e+1": "-15", "0e5": "0", "0.00e-3": "0", "12.50e-1": "1.25", "-0.012e1": "-0.12",
		"1e401": "1e401", "1e99999999999999999999": "1e99999999999999999999", "1e-401": "0",
	} {
		if got := decimal(number); got != want {
			t.Errorf("%s: got %s, want %s", number, got, want)
		}
	}
	if got, err := plainText(reflect.ValueOf(math.MaxFloat32)); err != nil || got != "340282346638528860000000000000000000000" {
		t.Errorf("largest float32: got %s, %v", got, err)
	}
}
