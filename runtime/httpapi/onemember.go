package httpapi

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MarshalOneMember writes v, a struct of optional members or a pointer to
// one, as an object with the one member that is set. None or several are an
// error that names them.
func MarshalOneMember(enc *jsontext.Encoder, v any) error {
	var names []string
	var set reflect.Value
	value := reflect.ValueOf(v)
	if isAbsent(value) {
		return enc.WriteToken(jsontext.Null)
	}
	err := eachMember(value, func(m member, v reflect.Value) error {
		if isZero(v) && v.Kind() != reflect.Slice && v.Kind() != reflect.Map {
			return nil
		}
		names, set = append(names, m.name), v
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return errors.New("no member is set, want exactly one")
	case len(names) > 1:
		return fmt.Errorf("members %s are set, want exactly one", strings.Join(names, ", "))
	}
	for _, token := range []jsontext.Token{jsontext.BeginObject, jsontext.String(names[0])} {
		if err := enc.WriteToken(token); err != nil {
			return err
		}
	}
	if err := json.MarshalEncode(enc, addressed(set)); err != nil {
		return err
	}
	return enc.WriteToken(jsontext.EndObject)
}
