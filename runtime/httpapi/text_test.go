package httpapi

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestTextRoundTrip writes values as parameters and reads them back.
func TestTextRoundTrip(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC)
	for _, value := range []any{
		"", "x, y", new("x"), true, int8(-8), uint16(9), 1e300, float32(1.5), level("high"), flags(3),
		at, &at, Date{2026, 2, 3}, Unix(at), []byte{1, 2, 0xff}, Value(3), Value("3"), new(level("low")),
	} {
		text := expandParam(t, inHeader, "v", "", value)
		back := reflect.New(reflect.TypeOf(value))
		if err := setText(back.Elem(), text); err != nil || !reflect.DeepEqual(back.Elem().Interface(), value) {
			t.Errorf("%T %v: sent %s, read %v, %v", value, value, text, back.Elem(), err)
		}
	}
	for _, test := range []struct {
		into any
		text string
	}{
		{new(int8), "200"}, {new(uint), "-1"}, {new(bool), "yes"}, {new(float32), "1e99"}, {new(time.Time), "2026"},
		{new(Date), "today"}, {new([]byte), "?"}, {new(Nullable[int]), "x"}, {new(*int), ""},
	} {
		into := reflect.ValueOf(test.into).Elem()
		if err := setText(into, test.text); err == nil {
			t.Errorf("%q as %s: got %v, want an error", test.text, into.Type(), into)
		}
	}
}

func TestUnixTimeInOtherEncodings(t *testing.T) {
	at := Unix(time.Unix(12, 500_000_000).UTC())
	data, err := json.Marshal(at)
	if err != nil || string(data) != "12.5" {
		t.Errorf("encoding/json: got %s, %v", data, err)
	}
	var back UnixTime
	if err := json.Unmarshal(data, &back); err != nil || !back.Equal(at.Time) {
		t.Errorf("encoding/json: read %s, %v", back.Time, err)
	}
	if text, err := at.MarshalText(); err != nil || string(text) != "12.5" {
		t.Errorf("text: got %s, %v", text, err)
	}
	if text, err := at.AppendText([]byte("t=")); err != nil || string(text) != "t=12.5" {
		t.Errorf("appended text: got %s, %v", text, err)
	}
}

func TestQuotedNames(t *testing.T) {
	type in struct {
		List string `query:"'a,b',allowReserved"`
		Tick string `query:"'it\\'s \"x\"'"`
		Body *struct {
			Comma string `json:"'c,d'"`
			Plain string `json:"e f,omitzero"`
			Empty string `json:",omitzero"`
		} `body:"application/x-www-form-urlencoded"`
	}
	input := in{List: "1:2", Tick: "3"}
	input.Body = new(struct {
		Comma string `json:"'c,d'"`
		Plain string `json:"e f,omitzero"`
		Empty string `json:",omitzero"`
	})
	input.Body.Comma, input.Body.Plain, input.Body.Empty = "4", "5", "6"
	e, err := encode(&Operation[in, getOrderOutput]{Path: "/p?acl"}, &input)
	if err != nil {
		t.Fatal(err)
	}
	if want := "acl&a%2Cb=1:2&it%27s%20%22x%22=3"; e.path != "/p" || e.query != want {
		t.Errorf("got %s?%s, want %s", e.path, e.query, want)
	}
	if got, want := readBody(t, e.body), "c%2Cd=4&e%20f=5&Empty=6"; got != want {
		t.Errorf("body: got %s, want %s", got, want)
	}
	for _, tag := range []string{"'a", `'a\'`, `'\x'`} {
		if name, _, err := cutName(tag); err == nil {
			t.Errorf("%s: got %q, want an error", tag, name)
		}
	}
}

// TestAssign has cursors of another type than the input's.
func TestAssign(t *testing.T) {
	type key struct {
		ID string `json:"id"`
	}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	tests := []struct{ into, value, want any }{
		{new(string), "x", "x"},
		{new(*string), "x", new("x")},
		{new(*level), "x", new(level("x"))},
		{new(string), int64(5), "5"},
		{new(string), at, "2026-02-03T04:05:06Z"},
		{new(*time.Time), "2026-02-03T04:05:06Z", &at},
		{new(string), map[string]any{"id": 1}, `{"id":1}`},
		{new(int32), int64(7), int32(7)},
		{new(*int64), 7.0, new(int64(7))},
		{new(*key), map[string]any{"id": "a"}, &key{"a"}},
		{new(map[string]any), key{"a"}, map[string]any{"id": "a"}},
		{new(Nullable[int]), int64(3), Value(3)},
		{new(any), "x", "x"},
	}
	for _, test := range tests {
		into := reflect.ValueOf(test.into).Elem()
		if err := assign(into, reflect.ValueOf(test.value)); err != nil || !reflect.DeepEqual(into.Interface(), test.want) {
			t.Errorf("%T into %s: got %v, %v, want %v", test.value, into.Type(), into, err, test.want)
		}
	}
	for _, test := range []struct{ into, value any }{
		{new(int32), "x"}, {new(*int), 1.5}, {new(*key), "x"}, {new(map[string]int), "x"}, {new(int8), int64(1000)},
	} {
		into := reflect.ValueOf(test.into).Elem()
		if err := assign(into, reflect.ValueOf(test.value)); err == nil {
			t.Errorf("%v into %s: got %v, want an error", test.value, into.Type(), into)
		}
	}
}
