package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sent encodes v as a body of a media type and reads it.
func sent(t *testing.T, mediaType string, v any) (contentType, content string) {
	t.Helper()
	b, err := encodeBody(mediaType, reflect.ValueOf(v))
	if err != nil {
		t.Fatalf("%s of %T: %v", mediaType, v, err)
	}
	return b.contentType, readBody(t, b)
}

func readBody(t *testing.T, b body) string {
	t.Helper()
	r, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if b.length >= 0 && b.length != int64(len(data)) {
		t.Errorf("length: got %d, want that of the content, %d", b.length, len(data))
	}
	return string(data)
}

func TestEncodeBody(t *testing.T) {
	tests := []struct {
		mediaType string
		value     any
		sentType  string
		want      string
	}{
		{"application/json", &mixed, "application/json", `{"R":100,"G":200,"B":150}`},
		{"application/merge-patch+json", map[string]any{"b": nil, "a": 1}, "application/merge-patch+json", `{"a":1,"b":null}`},
		{"application/json", []string{}, "application/json", `[]`},
		{"application/json", "x", "application/json", `"x"`},
		{"application/json; charset=utf-8", true, "application/json; charset=utf-8", `true`},
		{"application/json", strings.NewReader(`{"raw":1}`), "application/json", `{"raw":1}`},
		{"text/plain", "a\nb", "text/plain", "a\nb"},
		{"text/plain", new(level("high")), "text/plain", "high"},
		{"text/csv", 12.5, "text/csv", "12.5"},
		{"application/octet-stream", []byte{0, 1}, "application/octet-stream", "\x00\x01"},
		{"image/*", strings.NewReader("png"), "application/octet-stream", "png"},
		{"application/xml", "<a/>", "application/xml", "<a/>"},
		{"*/*", mixed, "application/json", `{"R":100,"G":200,"B":150}`},
		{"*/*", "x", "text/plain; charset=utf-8", "x"},
		{"application/x-www-form-urlencoded", mixed, "application/x-www-form-urlencoded", "R=100&G=200&B=150"},
		{"application/x-www-form-urlencoded", map[string]string{"b": "2 3", "a": "1"}, "application/x-www-form-urlencoded", "a=1&b=2%203"},
	}
	for _, test := range tests {
		sentType, got := sent(t, test.mediaType, test.value)
		if sentType != test.sentType || got != test.want {
			t.Errorf("%s of %T: got %s %q, want %s %q", test.mediaType, test.value, sentType, got, test.sentType, test.want)
		}
	}
	if b, err := encodeBody("application/xml", reflect.ValueOf(mixed)); err == nil {
		t.Errorf("XML of a struct: got %q, want an error", readBody(t, b))
	}
	if b, err := encodeBody("application/json", reflect.ValueOf("\xff")); err == nil {
		t.Errorf("invalid UTF-8: got %q, want an error", readBody(t, b))
	}
}

type twoBodies struct {
	JSON *rgb      `body:"application/json"`
	Raw  io.Reader `body:"application/octet-stream"`
}

func TestEncodeChosenBody(t *testing.T) {
	op := &Operation[twoBodies, getOrderOutput]{Path: "/"}
	e, err := encode(op, &twoBodies{Raw: strings.NewReader("x")})
	if err != nil || e.body.contentType != "application/octet-stream" || readBody(t, e.body) != "x" {
		t.Errorf("got %s, %v", e.body.contentType, err)
	}
	if e, err = encode(op, nil); err != nil || e.body.open != nil {
		t.Errorf("no body: got %s, %v", e.body.contentType, err)
	}
	if _, err = encode(op, &twoBodies{JSON: &mixed, Raw: strings.NewReader("x")}); err == nil {
		t.Error("both: got no error")
	}
}

func TestEncodeDocument(t *testing.T) {
	type in struct {
		Name *string `json:"name,omitzero"`
	}
	type wrapped struct {
		Body *in `body:"application/json"`
	}
	const amz = "application/x-amz-json-1.0"
	e, err := encode(&Operation[in, getOrderOutput]{Path: "/", Document: amz}, nil)
	if err != nil || e.body.contentType != amz || readBody(t, e.body) != "{}" {
		t.Errorf("empty: got %s, %v", e.body.contentType, err)
	}
	e, err = encode(&Operation[wrapped, getOrderOutput]{Path: "/", Document: amz}, &wrapped{&in{new("x")}})
	if err != nil || e.body.contentType != amz || readBody(t, e.body) != `{"name":"x"}` {
		t.Errorf("body field: got %s, %v", e.body.contentType, err)
	}
	e, err = encode(&Operation[wrapped, getOrderOutput]{Path: "/", Document: amz}, nil)
	if err != nil || readBody(t, e.body) != "{}" {
		t.Errorf("empty body field: got %v", err)
	}
}

type formInput struct {
	Name    string            `json:"name"`
	Expand  []string          `json:"expand,omitzero" form:"style=deepObject,explode=true"`
	Tags    []string          `json:"tags,omitzero"`
	CSV     []int             `json:"csv,omitzero" form:"style=form,explode=false"`
	Pipes   []string          `json:"pipes,omitzero" form:"style=pipeDelimited"`
	Address *rgb              `json:"address,omitzero"`
	Meta    map[string]string `json:"metadata,omitzero" form:"style=deepObject"`
	Lines   []rgb             `json:"lines,omitzero"`
	Zero    *int              `json:"zero,omitzero"`
	Clear   Nullable[string]  `json:"clear,omitzero"`
	Ignored string            `json:"-"`
	Empty   string            `json:"empty,omitzero"`
	Extra   map[string]any    `json:",embed"`
}

func TestForm(t *testing.T) {
	_, got := sent(t, "application/x-www-form-urlencoded", &formInput{
		Name: "A & B", Expand: []string{"x", "y"}, Tags: []string{"1", "2"}, CSV: []int{3, 4}, Pipes: []string{"p", "q"},
		Address: &mixed, Meta: map[string]string{"k 2": "=", "k1": ""}, Lines: []rgb{{1, 2, 3}},
		Zero: new(0), Clear: Null[string](), Extra: map[string]any{"z": true},
	})
	want := strings.Join([]string{
		"name=A%20%26%20B", "expand%5B0%5D=x", "expand%5B1%5D=y", "tags=1", "tags=2", "csv=3,4", "pipes=p%7Cq",
		"address=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D",
		"metadata%5Bk%202%5D=%3D", "metadata%5Bk1%5D=",
		"lines=%7B%22R%22%3A1%2C%22G%22%3A2%2C%22B%22%3A3%7D", "zero=0", "clear=", "z=true",
	}, "&")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

type upload struct {
	Title  string    `json:"title"`
	At     time.Time `json:"at"`
	Count  *int      `json:"count,omitzero"`
	Tags   []string  `json:"tags,omitzero"`
	Meta   *rgb      `json:"meta,omitzero"`
	Rows   string    `json:"rows,omitzero" part:"text/csv"`
	IDs    []int     `json:"ids,omitzero" part:"application/json"`
	Photo  *File     `json:"photo,omitzero" part:"image/png, image/jpeg"`
	Files  []File    `json:"files,omitzero"`
	Stream io.Reader `json:"stream,omitzero"`
}

type part struct{ name, file, mediaType, content string }

func readParts(t *testing.T, contentType, content string) []part {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	r := multipart.NewReader(strings.NewReader(content), params["boundary"])
	for {
		p, err := r.NextPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(data)})
	}
}

func TestMultipart(t *testing.T) {
	in := &upload{
		Title: "a b", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Count: new(2), Tags: []string{"x", "y"},
		Meta: &mixed, Rows: "1,2\n", IDs: []int{1, 2},
		Photo:  &File{Name: `my "photo".png`, Content: strings.NewReader("PNG")},
		Files:  []File{{Name: "a.txt", ContentType: "text/plain", Content: strings.NewReader("A")}, {Name: "b", Content: bytes.NewReader([]byte("B"))}},
		Stream: strings.NewReader("S"),
	}
	b, err := encodeBody("multipart/form-data", reflect.ValueOf(in))
	if err != nil {
		t.Fatal(err)
	}
	content := readBody(t, b)
	want := []part{
		{"title", "", "", "a b"},
		{"at", "", "", "2026-01-02T03:04:05Z"},
		{"count", "", "", "2"},
		{"tags", "", "", "x"},
		{"tags", "", "", "y"},
		{"meta", "", "application/json", `{"R":100,"G":200,"B":150}`},
		{"rows", "", "text/csv", "1,2\n"},
		{"ids", "", "application/json", "[1,2]"},
		{"photo", `my "photo".png`, "image/png", "PNG"},
		{"files", "a.txt", "text/plain", "A"},
		{"files", "b", "application/octet-stream", "B"},
		{"stream", "stream", "application/octet-stream", "S"},
	}
	if got := readParts(t, b.contentType, content); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if b.oneShot || b.length < 0 {
		t.Errorf("got one shot %t, length %d; all parts can be sought", b.oneShot, b.length)
	}
	if again := readBody(t, b); again != content {
		t.Errorf("a second attempt sends %q, the first %q", again, content)
	}
}

func TestMultipartOneShot(t *testing.T) {
	file := File{Name: "f", Content: io.MultiReader(strings.NewReader("a"), strings.NewReader("b"))}
	b, err := encodeBody("multipart/form-data", reflect.ValueOf(map[string]any{"f": file, "n": 1}))
	if err != nil {
		t.Fatal(err)
	}
	if !b.oneShot || b.length != -1 {
		t.Errorf("got one shot %t, length %d; the length is unknown", b.oneShot, b.length)
	}
	want := []part{{"f", "f", "application/octet-stream", "ab"}, {"n", "", "", "1"}}
	if got := readParts(t, b.contentType, readBody(t, b)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMultipartRefuses(t *testing.T) {
	for name, in := range map[string]any{
		"no content": upload{Photo: &File{Name: "x"}},
		"line break": upload{Photo: &File{ContentType: "a/b\r\nX: 1", Content: strings.NewReader("")}},
		"no members": []string{"a"},
	} {
		if b, err := encodeBody("multipart/form-data", reflect.ValueOf(in)); err == nil {
			t.Errorf("%s: got %q, want an error", name, readBody(t, b))
		}
	}
}

func TestMultipartReadError(t *testing.T) {
	broken := errors.New("disk")
	file := File{Content: io.MultiReader(strings.NewReader("a"), errReader{broken})}
	b, err := encodeBody("multipart/form-data", reflect.ValueOf(map[string]any{"f": file}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
