package httpapi

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// uncompress makes the body of a gzip answer read as what was compressed, as
// net/http does where the request has no Accept-Encoding of the caller's. An
// answer in another encoding stays as it is.
func uncompress(resp *http.Response) {
	if resp.Uncompressed || contentEncoding(resp.Header) != "gzip" {
		return
	}
	resp.Body = &gzipBody{Closer: resp.Body, compressed: resp.Body}
	resp.Uncompressed, resp.ContentLength = true, -1
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
}

// contentEncoding returns the encoding of an answer in lower case, "" if
// there is none.
func contentEncoding(h http.Header) string {
	encoding := strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ", ")))
	switch encoding {
	case "identity":
		return ""
	case "x-gzip": // RFC 9110, 8.4.1.3
		return "gzip"
	}
	return encoding
}

// gzipBody reads what compressed holds. An empty body is empty.
type gzipBody struct {
	io.Closer
	compressed io.Reader
	reader     *gzip.Reader
	err        error
}

func (b *gzipBody) Read(p []byte) (n int, err error) {
	if b.reader == nil && b.err == nil {
		b.reader, b.err = gzip.NewReader(b.compressed)
	}
	if b.err != nil {
		return 0, b.err
	}
	n, b.err = b.reader.Read(p)
	return n, b.err
}
