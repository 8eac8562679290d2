package httpapi

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
)

func gzipped(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type encodedIn struct {
	Accept *string `header:"Accept-Encoding"`
	Case   string  `path:"case"`
}

type encodedOut struct {
	Metadata
	JSON *getOut       `body:"200,application/json"`
	Text io.ReadCloser `body:"200,text/plain"`
}

// TestContentEncoding: an Accept-Encoding of the caller's makes net/http leave
// the answer compressed.
func TestContentEncoding(t *testing.T) {
	const document, refusal = `{"name":"n"}`, `{"code":"Broken","message":"m"}`
	long := `{"name":"` + strings.Repeat("n", 1000) + `"}`
	answers := map[string]struct {
		status                        int
		encoding, mediaType, sent     string
		name, text, failure, failCode string
	}{
		"gzip":     {200, "gzip", "application/json", gzipped(t, document), "n", "", "", ""},
		"x-gzip":   {200, "X-Gzip", "application/json", gzipped(t, document), "n", "", "", ""},
		"identity": {200, "identity", "application/json", document, "n", "", "", ""},
		"stream":   {200, "gzip", "text/plain", gzipped(t, "text"), "", "text", "", ""},
		"other":    {200, "br", "application/json", document, "", "", `unsupported content encoding "br"`, ""},
		"twice":    {200, "gzip, gzip", "application/json", document, "", "", `unsupported content encoding "gzip, gzip"`, ""},
		"raw":      {200, "br", "text/plain", "raw", "", "raw", "", ""}, // for the caller to read
		"corrupt":  {200, "gzip", "application/json", document, "", "", "gzip: invalid header", ""},
		"large":    {200, "gzip", "application/json", gzipped(t, long), "", "", "larger than 500 bytes", ""},
		"error":    {400, "gzip", "application/json", gzipped(t, refusal), "", "", "status 400 Broken: m", "Broken"},
		"garbled":  {400, "gzip", "application/json", refusal, "", "", "status 400", ""},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Path[1:]]
		w.Header().Set("Content-Encoding", a.encoding)
		w.Header().Set("Content-Type", a.mediaType)
		w.Header().Set("Content-Length", strconv.Itoa(len(a.sent)))
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.sent)
	}))
	defer server.Close()
	c, err := NewClient(items(), server.URL, WithMaxResponseBytes(500), WithRetry(retry.WithMaxAttempts(1)))
	if err != nil {
		t.Fatal(err)
	}
	op := &Operation[encodedIn, encodedOut]{Name: "Get", Method: "GET", Path: "/{case}"}
	for name, a := range answers {
		t.Run(name, func(t *testing.T) {
			out, err := Call(t.Context(), c, op, &encodedIn{new("gzip, br"), name})
			if a.failure != "" {
				if err == nil || !strings.Contains(err.Error(), a.failure) {
					t.Errorf("got %v, want %s", err, a.failure)
				}
				if failed, ok := errors.AsType[*ResponseError](err); ok && failed.Code != a.failCode {
					t.Errorf("code %q", failed.Code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if a.name != "" && (out.JSON == nil || out.JSON.Name != a.name) {
				t.Errorf("got %+v", out.JSON)
			}
			if a.text != "" {
				text, err := io.ReadAll(out.Text)
				if err != nil || string(text) != a.text || out.Text.Close() != nil {
					t.Errorf("got %q, %v", text, err)
				}
			}
			if got := contentEncoding(out.Header); (got != "") != (name == "raw") {
				t.Errorf("the headers still say %q", got)
			}
		})
	}
}

// TestEmptyGzip: no content is not compressed.
func TestEmptyGzip(t *testing.T) {
	c, _ := script(t, items(), nil)
	c.http = doer(func(*http.Request) (*http.Response, error) {
		return datedAnswer(200, http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}, ""), nil
	})
	out, err := Call(t.Context(), c, &Operation[struct{}, encodedOut]{Name: "Get", Method: "GET", Path: "/"}, nil)
	if err != nil || out.JSON != nil {
		t.Errorf("got %+v, %v", out, err)
	}
}
