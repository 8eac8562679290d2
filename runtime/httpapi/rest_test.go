package httpapi

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retrytest"
)

type upFile struct {
	Path    string    `path:"path"`
	Mode    []string  `query:"mode"`
	Session *string   `cookie:"session"`
	Body    *fileForm `body:"multipart/form-data"`
}

type fileForm struct {
	Note string `json:"note"`
	File *File  `json:"file,omitzero"`
}

type upFileOut struct {
	Metadata
	Body     *rgb    `body:"201,application/json"`
	Location *string `header:"Location"`
}

// TestCallREST sends one request of REST twice: every place is filled, and
// the second attempt sends what the first did.
func TestCallREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := script(t, items(), steps(
			retrytest.JSON(503, ""),
			retrytest.Respond(201, http.Header{"Content-Type": {"application/json"}, "Location": {"/f/1"}}, `{"R":1}`),
		))
		op := &Operation[upFile, upFileOut]{Name: "PutFile", Method: http.MethodPut, Path: "/files/{path}/content"}
		content := bytes.NewReader([]byte("HEADcontent"))
		if _, err := content.Seek(4, 0); err != nil {
			t.Fatal(err)
		}
		out, err := Call(t.Context(), c, op, &upFile{
			Path: "a/b c%", Mode: []string{"x&y", "z"}, Session: new("s=1"),
			Body: &fileForm{Note: "n", File: &File{Name: "f", Content: content}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Status != 201 || out.Body == nil || out.Body.R != 1 || out.Location == nil || *out.Location != "/f/1" {
			t.Errorf("got %+v", out)
		}
		requests := transport.Requests()
		first := requests[0]
		if want := "https://items.example/base/files/a%2Fb%20c%25/content?mode=x%26y&mode=z"; first.URL != want {
			t.Errorf("URL: got %s, want %s", first.URL, want)
		}
		if got := first.Header.Get("Cookie"); got != "session=s%3D1" {
			t.Errorf("Cookie: got %s", got)
		}
		want := []part{{"note", "", "", "n"}, {"file", "f", "application/octet-stream", "content"}}
		if got := readParts(t, first.Header.Get("Content-Type"), string(first.Body)); !reflect.DeepEqual(got, want) {
			t.Errorf("parts: got %q, want %q", got, want)
		}
		second := requests[1]
		if !bytes.Equal(first.Body, second.Body) || !reflect.DeepEqual(first.Header, second.Header) || first.URL != second.URL {
			t.Errorf("the second attempt differs: %+v", second)
		}
	})
}

// TestCallSeesPages checks that a page of HTML is an error with a snippet.
func TestCallSeesPages(t *testing.T) {
	c, _ := script(t, items(), steps(
		retrytest.Respond(200, http.Header{"Content-Type": {"text/html"}}, "<html>Log in</html>")))
	out, err := Call(t.Context(), c, list(http.MethodGet), nil)
	if out != nil || err == nil || !strings.Contains(err.Error(), "<html>Log in</html>") || !strings.Contains(err.Error(), "text/html") {
		t.Errorf("got %+v, %v", out, err)
	}
}

type rawIn struct {
	Body io.Reader `body:"application/octet-stream"`
}

// hashing reads the body to sign it.
type hashing struct{}

func (hashing) Sign(_ context.Context, req *http.Request, _ time.Time) error {
	body, err := req.GetBody()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(body)
	req.Header.Set("X-Signed", string(data))
	return err
}

// TestCallSignsSoughtBody checks that signing does not spend the one reader
// that all attempts share.
func TestCallSignsSoughtBody(t *testing.T) {
	c, transport := script(t, items(), steps(retrytest.JSON(204, "")), WithSigner(hashing{}))
	op := &Operation[rawIn, getOrderOutput]{Name: "Put", Method: http.MethodPut, Path: "/"}
	if _, err := Call(t.Context(), c, op, &rawIn{strings.NewReader("abc")}); err != nil {
		t.Fatal(err)
	}
	if sent := transport.Requests()[0]; string(sent.Body) != "abc" || sent.Header.Get("X-Signed") != "abc" {
		t.Errorf("sent %s, signed %s", sent.Body, sent.Header.Get("X-Signed"))
	}
}

// TestAccept checks that the output's media types are asked for, unless an
// option asks for others.
func TestAccept(t *testing.T) {
	for want, opts := range map[string][]Option{
		"application/json":             nil,
		"application/vnd.example+json": {WithHeader("Accept", "application/vnd.example+json")},
	} {
		c, transport := script(t, items(), steps(retrytest.JSON(200, "{}")), opts...)
		if _, err := Call(t.Context(), c, list(http.MethodGet), nil); err != nil {
			t.Fatal(err)
		}
		if got := transport.Requests()[0].Header.Get("Accept"); got != want {
			t.Errorf("Accept: got %s, want %s", got, want)
		}
	}
}
