package httpapi

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What is written is strict and the same on each run; what is read may have
// unknown members, members that occur twice (the last counts) and invalid
// UTF-8 (replaced), because a client cannot mend its server.
var (
	writeOptions = json.JoinOptions(json.Deterministic(true))
	readOptions  = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
)

// byteOrderMark may precede JSON; RFC 8259, 8.1 allows parsers to ignore it.
var byteOrderMark = []byte("\uFEFF")

func marshalJSON(v any) ([]byte, error) { return json.Marshal(v, writeOptions) }

func unmarshalJSON(data []byte, v any) error {
	return json.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), v, readOptions)
}

// MarshalJSON writes v as calls do, for the MarshalJSON of a type of which
// package encoding/json would write something else. v has a MarshalJSONTo or
// is of a type without methods.
func MarshalJSON(v any) ([]byte, error) { return marshalJSON(v) }

// UnmarshalJSON reads v, a pointer, as calls do, for the UnmarshalJSON of a
// type that package encoding/json would not fill. v has an UnmarshalJSONFrom
// or points to a type without methods.
func UnmarshalJSON(data []byte, v any) error { return unmarshalJSON(data, v) }
