package httpapi

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// payment is a union as generated code has it, with a discriminator.
type payment struct{ Value paymentValue }

type paymentValue interface{ isPayment() }

type card struct {
	Kind   string `json:"kind"`
	Number string `json:"number"`
}

type invoice struct {
	Number int `json:"number"`
}

type paymentUnknown jsontext.Value

func (*card) isPayment()                         {}
func (*invoice) isPayment()                      {}
func (paymentUnknown) isPayment()                {}
func (u paymentUnknown) RawJSON() jsontext.Value { return jsontext.Value(u) }
func (p payment) MarshalJSONTo(enc *jsontext.Encoder) error {
	return MarshalUnion(enc, p.Value, payments)
}
func (p *payment) UnmarshalJSONFrom(dec *jsontext.Decoder) (err error) {
	p.Value, err = payments.Unmarshal(dec)
	return err
}

var payments = &UnionTable[paymentValue]{
	Discriminator: "kind",
	Variants: []Variant[paymentValue]{
		{Values: []string{"card", "creditcard"}, Decode: PointerVariant[card, paymentValue]()},
		{Values: []string{"invoice"}, Decode: PointerVariant[invoice, paymentValue]()},
	},
	Unknown: func(raw jsontext.Value) paymentValue { return paymentUnknown(raw) },
}

func TestUnionWithDiscriminator(t *testing.T) {
	tests := []struct {
		json  string
		value paymentValue
		back  string // "": as read
	}{
		{`{"kind":"card","number":"4"}`, &card{"card", "4"}, ""},
		{`{"number":"4","kind":"creditcard"}`, &card{"creditcard", "4"}, `{"kind":"creditcard","number":"4"}`},
		{`{"number":7,"kind":"invoice"}`, &invoice{7}, `{"kind":"invoice","number":7}`},
		{`{"kind":"cash","coins":[1,{"a":null}]}`, paymentUnknown(`{"kind":"cash","coins":[1,{"a":null}]}`), ""},
		{`{"kind":null}`, paymentUnknown(`{"kind":null}`), ""},
		{`{}`, paymentUnknown(`{}`), ""},
		{`[1]`, paymentUnknown(`[1]`), ""},
		{`null`, nil, ""},
	}
	for _, test := range tests {
		var got []payment
		if err := unmarshalJSON([]byte("["+test.json+"]"), &got); err != nil || !reflect.DeepEqual(got[0].Value, test.value) {
			t.Errorf("%s: got %#v, %v, want %#v", test.json, got, err, test.value)
			continue
		}
		want := test.back
		if want == "" {
			want = test.json
		}
		if test.value == nil {
			continue // see TestUnionWithoutVariant
		}
		if data, err := marshalJSON(got); err != nil || string(data) != "["+want+"]" {
			t.Errorf("%s: written as %s, %v, want %s", test.json, data, err, want)
		}
	}
	var p payment
	if err := unmarshalJSON([]byte(`{"kind":"invoice","number":"x"}`), &p); err == nil {
		t.Errorf("a bad invoice: got %#v, want an error", p.Value)
	}
}

func TestUnionFillsDiscriminator(t *testing.T) {
	for value, want := range map[paymentValue]string{
		&card{Number: "4"}: `{"kind":"card","number":"4"}`,
		&invoice{7}:        `{"kind":"invoice","number":7}`,
	} {
		if data, err := marshalJSON(payment{value}); err != nil || string(data) != want {
			t.Errorf("%#v: got %s, %v, want %s", value, data, err, want)
		}
	}
}

// TestUnionWithoutVariant: what has no variant is not sent as null, which
// only a pointer or a Nullable stands for.
func TestUnionWithoutVariant(t *testing.T) {
	type order struct {
		Payment payment `json:"payment"`
	}
	for _, value := range []paymentValue{nil, (*card)(nil)} {
		data, err := marshalJSON(order{payment{value}})
		if err == nil || !strings.Contains(err.Error(), "/payment") || !strings.Contains(err.Error(), "paymentValue: no variant is set") {
			t.Errorf("%#v: got %s, %v", value, data, err)
		}
	}
	type optional struct {
		Absent   *payment          `json:"absent,omitzero"`
		Required *payment          `json:"required"`
		Null     Nullable[payment] `json:"null,omitzero"`
	}
	data, err := marshalJSON(optional{Null: Null[payment]()})
	if want := `{"required":null,"null":null}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v, want %s", data, err, want)
	}
}

// shapeValue is a union that is told apart by what values look like.
type shapeValue interface{ isShape() }

type (
	shapeName  string
	shapeSize  float64
	shapeCount int64
	shapeList  []string
	circle     struct {
		Radius float64 `json:"radius"`
	}
	ring struct {
		Radius float64 `json:"radius"`
		Inner  float64 `json:"inner"`
	}
	anything struct {
		Note string `json:"note,omitzero"`
	}
)

func (shapeName) isShape()  {}
func (shapeSize) isShape()  {}
func (shapeCount) isShape() {}
func (shapeList) isShape()  {}
func (*circle) isShape()    {}
func (*ring) isShape()      {}
func (*anything) isShape()  {}

var shapes = &UnionTable[shapeValue]{
	Variants: []Variant[shapeValue]{
		{Kinds: []string{"string"}, Decode: ValueVariant[shapeName, shapeValue]()},
		{Kinds: []string{"integer"}, Decode: ValueVariant[shapeCount, shapeValue]()},
		{Kinds: []string{"number"}, Decode: ValueVariant[shapeSize, shapeValue]()},
		{Kinds: []string{"array"}, Decode: ValueVariant[shapeList, shapeValue]()},
		{Decode: PointerVariant[anything, shapeValue]()},
		{Required: []string{"radius"}, Decode: PointerVariant[circle, shapeValue]()},
		{Required: []string{"radius", "inner"}, Decode: PointerVariant[ring, shapeValue]()},
	},
}

func TestUnionByAppearance(t *testing.T) {
	for text, want := range map[string]shapeValue{
		`"a"`:                      shapeName("a"),
		`3`:                        shapeCount(3),
		`3.5`:                      shapeSize(3.5),
		`1e2`:                      shapeSize(100),
		`99999999999999999999`:     shapeSize(99999999999999999999),
		`["a"]`:                    shapeList{"a"},
		`{"radius":1}`:             &circle{1},
		`{"inner":2,"radius":1}`:   &ring{1, 2},
		`{"radius":"not a float"}`: &anything{},
		`{"note":"n"}`:             &anything{"n"},
		`null`:                     nil,
	} {
		got, err := shapes.Unmarshal(jsontext.NewDecoder(strings.NewReader(text)))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", text, got, err, want)
		}
	}
	for _, text := range []string{`true`, `[1]`} {
		if got, err := shapes.Unmarshal(jsontext.NewDecoder(strings.NewReader(text))); err == nil || !strings.Contains(err.Error(), "shapeValue") {
			t.Errorf("%s: got %#v, error %v", text, got, err)
		}
	}
}

// attribute is a struct with exactly one member.
type attribute struct {
	S    *string              `json:"S,omitzero"`
	N    *string              `json:"N,omitzero"`
	L    []attribute          `json:"L,omitzero"`
	M    map[string]attribute `json:"M,omitzero"`
	Bool *bool                `json:"BOOL,omitzero"`
}

func (a attribute) MarshalJSONTo(enc *jsontext.Encoder) error { return MarshalOneMember(enc, a) }

func TestMarshalOneMember(t *testing.T) {
	for _, test := range []struct {
		value attribute
		want  string
	}{
		{attribute{S: new("")}, `{"S":""}`},
		{attribute{Bool: new(false)}, `{"BOOL":false}`},
		{attribute{L: []attribute{}}, `{"L":[]}`},
		{attribute{M: map[string]attribute{"a": {N: new("1")}, "b": {L: []attribute{{S: new("x")}}}}},
			`{"M":{"a":{"N":"1"},"b":{"L":[{"S":"x"}]}}}`},
	} {
		if data, err := marshalJSON(test.value); err != nil || string(data) != test.want {
			t.Errorf("got %s, %v, want %s", data, err, test.want)
		}
	}
	for want, value := range map[string]any{
		"no member": attribute{},
		"S, BOOL":   &attribute{S: new("a"), Bool: new(true)},
		"attribute": []attribute{{}},
	} {
		if data, err := marshalJSON(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %s, error %v, want one with %s", value, data, err, want)
		}
	}
}

// FuzzDiscriminator checks that the discriminator is found where a whole
// decode finds it, and that unions never panic.
func FuzzDiscriminator(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"card"}`, `{"a":{"kind":"x"},"kind":"card"}`, `{"kind":1}`, `{"kind":{"kind":"card"}}`, `{"\u006bind":"card"}`, `{"kind":"a","kind":"b"}`, `{`, `"kind"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = shapes.Unmarshal(jsontext.NewDecoder(strings.NewReader(text)))
		var p payment
		err := unmarshalJSON([]byte(text), &p)
		var whole struct {
			Kind jsontext.Value `json:"kind"`
		}
		if err != nil || unmarshalJSON([]byte(text), &whole) != nil || strings.Count(text, "kind")+strings.Count(text, `\`) > 1 {
			return
		}
		if got, ok := p.Value.(*card); ok && string(whole.Kind) != `"`+got.Kind+`"` {
			t.Errorf("%s: took the kind for %q, it is %s", text, got.Kind, whole.Kind)
		}
	})
}
