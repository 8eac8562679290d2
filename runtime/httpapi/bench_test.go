package httpapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type benchIn struct {
	ID     string  `path:"id"`
	Limit  *int    `query:"limit"`
	Filter string  `query:"filter"`
	Tenant *string `header:"X-Tenant"`
	Body   *rgb    `body:"application/json"`
}

func BenchmarkEncode(b *testing.B) {
	op := &Operation[benchIn, getOrderOutput]{Method: http.MethodPut, Path: "/items/{id}"}
	in := &benchIn{ID: "a/1", Limit: new(10), Filter: "x y", Tenant: new("t"), Body: &mixed}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(op, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	const content = `{"R":100,"G":200,"B":150}`
	resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(content))}
	reader := strings.NewReader(content)
	resp.Body = io.NopCloser(reader)
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset(content)
		var out getOrderOutput
		if _, err := decode(decodeInfo{operation: "Op"}, resp, &out, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}
