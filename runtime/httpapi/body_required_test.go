package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// sentOf makes a call with a zero input and returns the body that was sent, or
// the error.
func sentOf[In any](t *testing.T, document string) string {
	t.Helper()
	op := &Operation[In, struct{}]{Name: "Create", Method: http.MethodPost, Path: "/", Document: document}
	var sent string
	wire := roundTrip(func(req *http.Request) (*http.Response, error) {
		sent = req.Header.Get("Content-Type") + ": "
		if req.Body != nil {
			data, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			sent += string(data)
		}
		return okay.RoundTrip(req)
	})
	c, err := NewClient(items(), "https://items.example", WithHTTPClient(&http.Client{Transport: wire}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Call(t.Context(), c, op, nil); err != nil {
		return sent + err.Error()
	}
	return sent
}

type createOrder struct {
	Body *rgb `body:"application/json,required"`
}

// TestRequiredBody: a required body that is not set is an error before the
// first attempt, where nil does not stand for a value.
func TestRequiredBody(t *testing.T) {
	type optional struct {
		Body *rgb `body:"application/json"`
	}
	type list struct {
		Body []rgb `body:"application/json,required"`
	}
	type object struct {
		Body map[string]int `body:"application/json,required"`
	}
	type nullable struct {
		Body *rgb `body:"application/json,nullable,required"`
	}
	type free struct {
		Body any `body:"application/json,nullable,required"`
	}
	type stream struct {
		Body io.Reader `body:"image/png,required"`
	}
	type form struct {
		Body *rgb `body:"application/x-www-form-urlencoded,required"`
	}
	const missing = "items Create: the body is required: "
	for _, tt := range []struct{ name, got, want string }{
		{"struct", sentOf[createOrder](t, ""), missing + "createOrder.Body is nil"},
		{"reader", sentOf[stream](t, ""), missing + "stream.Body is nil"},
		{"form", sentOf[form](t, ""), missing + "form.Body is nil"},
		{"of a document", sentOf[createOrder](t, "application/x-amz-json-1.0"), missing + "createOrder.Body is nil"},
		{"list", sentOf[list](t, ""), "application/json: []"},
		{"object", sentOf[object](t, ""), "application/json: {}"},
		{"nullable", sentOf[nullable](t, ""), "application/json: null"},
		{"any", sentOf[free](t, ""), "application/json: null"},
		{"optional", sentOf[optional](t, ""), ": "},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

// TestRequiredBodyIsSet: the option is not taken for a part of the media type.
func TestRequiredBodyIsSet(t *testing.T) {
	e, err := encode(&Operation[createOrder, struct{}]{Path: "/"}, &createOrder{&mixed})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readBody(t, e.body), `{"R":100,"G":200,"B":150}`; got != want || e.body.contentType != "application/json" {
		t.Errorf("got %s as %s, want %s", got, e.body.contentType, want)
	}
	type bad struct {
		Body *string `body:"text/plain,nullable"`
	}
	if _, err := encode(&Operation[bad, struct{}]{Path: "/"}, &bad{}); err == nil || !strings.Contains(err.Error(), "nullable") {
		t.Errorf("nullable text: got %v", err)
	}
}
