package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

func TestErrorCode(t *testing.T) {
	aws := []CodeSource{
		{Header: "X-Amzn-Query-Error", Format: FirstFieldCode},
		{Header: "X-Amzn-Errortype", Format: ShapeCode},
		{Pointer: "/__type", Format: ShapeCode},
		{Pointer: "/code"},
		{Pointer: "/errors/1/code"},
		{Pointer: "/a~1b"},
		{XML: "Error/Code"},
		{XML: "ErrorResponse/Error/Code"},
	}
	tests := []struct{ header, value, body, want string }{
		{"", "", `{"__type":"com.example#Throttled:http://x#y"}`, "Throttled"},
		{"X-Amzn-Errortype", "Slow:http://x", `{"__type":"Other"}`, "Slow"},
		{"X-Amzn-Errortype", "", `{"__type":"Other"}`, "Other"},
		{"X-Amzn-Query-Error", "Old;Sender", `{"__type":"Other"}`, "Old"},
		{"", "", `{"__type":null,"code":"C"}`, "C"},
		{"", "", `{"__type":12,"code":1305}`, "1305"},
		{"", "", `{"code":{"deep":1},"errors":[{"code":"A"},{"code":"B"}]}`, "B"},
		{"", "", `{"errors":[{"code":"A"}]}`, ""},
		{"", "", `{"a/b":"escaped"}`, "escaped"},
		{"", "", `{"code":"C","rest":"cut of`, "C"},
		{"", "", `{"x":"cut of`, ""},
		{"", "", `[]`, ""},
		{"", "", `"code"`, ""},
		{"", "", ``, ""},
		{"", "", `<html><body>busy</body></html>`, ""},
		{"", "", `<?xml version="1.0" encoding="latin1"?><Error xmlns="u"><!-- c --><Message>m</Message><Code> C<!-- c -->D </Code>`, "CD"},
		{"", "", `<ErrorResponse><Error><Type>Sender</Type><Code>C</Code></Error></ErrorResponse>`, "C"},
		{"", "", `<Errors><Error><Code>C</Code></Error></Errors>`, ""},
		{"", "", `<Error><Inner><Code>C</Code></Inner></Error>`, ""},
		{"", "", `<Error></Error></Error><Code>C</Code>`, ""},
		{"", "", strings.Repeat("<Error>", 10000) + "<Code>C", ""},
		{"", "", "<Error>" + strings.Repeat("<x/>", 10000) + "<Code>C</Code>", ""},
	}
	for _, tt := range tests {
		p := Profile{ErrorCode: aws}
		h := http.Header{}
		h.Set(tt.header, tt.value)
		if got := p.errorCode(h, []byte(tt.body)); got != tt.want {
			t.Errorf("%s: %s, body %.80s: got %q, want %q", tt.header, tt.value, tt.body, got, tt.want)
		}
	}
}

func TestErrorMessage(t *testing.T) {
	for body, want := range map[string]string{
		`{"message":"m","title":"t"}`:      "m",
		`{"Message":"m"}`:                  "m",
		`{"error":{"message":"m"}}`:        "m",
		`{"title":"t","detail":"d"}`:       "d",
		`{"error":"e"}`:                    "e",
		`{"error":"e","message":5}`:        "e",
		`[{"message":"m"}]`:                "",
		`message`:                          "",
		``:                                 "",
		"\n<Error><Message>m</Message>":    "m",
		"<html><title>t</title></html>":    "",
		`{"error_description":"d","x":{}}`: "d",
	} {
		if got := errorMessage([]byte(body)); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// FuzzErrorCode holds that no answer breaks the search for code and message.
func FuzzErrorCode(f *testing.F) {
	f.Add("/a/0/code", `{"a":[{"code":"C"}]}`)
	f.Add("Error/Code", "<Error><Code>C</Code></Error>")
	f.Fuzz(func(t *testing.T, place, body string) {
		p := Profile{ErrorCode: []CodeSource{{Pointer: place}, {XML: place}, {Pointer: place, Format: ShapeCode}}}
		code := p.errorCode(nil, []byte(body))
		if code != strings.TrimSpace(code) {
			t.Errorf("got %q with space around it", code)
		}
		errorMessage([]byte(body))
	})
}
