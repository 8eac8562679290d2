package httpapi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

type putIn struct {
	Body io.Reader `body:"application/octet-stream"`
}

func putFile() *Operation[putIn, struct{}] {
	return &Operation[putIn, struct{}]{Name: "Put", Method: "PUT", Path: "/file"}
}

// past returns r after its first bytes were read.
func past(t *testing.T, r io.Reader, n int64) io.Reader {
	t.Helper()
	if _, err := io.CopyN(io.Discard, r, n); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBodyIsReplayed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(name, []byte("--content"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	opened, closed := 0, 0
	reopen := Reopen(func() (io.ReadCloser, error) {
		opened++
		return closer{strings.NewReader("content"), &closed}, nil
	})
	tests := []struct {
		name   string
		body   io.Reader
		length int64
	}{
		{"strings.Reader", past(t, strings.NewReader("--content"), 2), 7},
		{"bytes.Reader", bytes.NewReader([]byte("content")), 7},
		{"bytes.Buffer", bytes.NewBufferString("content"), 7},
		{"file, from where it stands", past(t, file, 2), 7},
		{"Reopen", reopen, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := readerBody("", tt.body); err != nil || got.length != tt.length {
				t.Errorf("length: got %d, %v, want %d", got.length, err, tt.length)
			}
			synctest.Test(t, func(t *testing.T) {
				c, transport := script(t, items(), steps(retrytest.JSON(503, ""), retrytest.JSON(503, ""), retrytest.JSON(200, "")))
				if _, err := Call(t.Context(), c, putFile(), &putIn{tt.body}); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(retrytest.Bodies(transport.Requests()), ","); got != "content,content,content" {
					t.Errorf("sent %s", got)
				}
			})
		})
	}
	if opened != 3 || closed != 3 {
		t.Errorf("opened %d, closed %d readers, want 3 of 3", opened, closed)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Errorf("the caller's file was closed: %v", err)
	}
}

type closer struct {
	io.Reader
	n *int
}

func (c closer) Close() error { *c.n++; return nil }

func TestOneShotBody(t *testing.T) {
	pipe := func() io.Reader { return io.MultiReader(strings.NewReader("content")) }
	t.Run("refused before the first attempt", func(t *testing.T) {
		c, transport := script(t, items(), nil)
		_, err := Call(t.Context(), c, putFile(), &putIn{pipe()})
		if !errors.Is(err, retry.ErrBodyNotReplayable) || !strings.Contains(err.Error(), "httpapi.Reopen") || len(transport.Requests()) != 0 {
			t.Errorf("got %v", err)
		}
	})
	for _, opt := range []retry.Option{retry.WithMaxAttempts(1), retry.WithMode(retry.Off)} {
		t.Run("sent once", func(t *testing.T) {
			c, transport := script(t, items(), steps(retrytest.JSON(503, "")))
			_, err := Call(t.Context(), c, putFile(), &putIn{pipe()}, WithRetry(opt))
			if _, ok := errors.AsType[*ResponseError](err); !ok {
				t.Errorf("got %v", err)
			}
			if got := string(transport.Requests()[0].Body); got != "content" {
				t.Errorf("sent %q", got)
			}
		})
	}
}

func TestBodyThatFailsIsTerminal(t *testing.T) {
	lost := errors.New("disk is gone")
	for sent, body := range []io.Reader{
		Reopen(func() (io.ReadCloser, error) { return nil, lost }),
		Reopen(func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(lost)), nil }),
	} {
		transport := retrytest.NewTransport(okay)
		c, err := NewClient(items(), "https://items.example", WithHTTPClient(transport.Client()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Call(t.Context(), c, putFile(), &putIn{body})
		stop, ok := errors.AsType[*retry.StopError](err)
		if !ok || !errors.Is(err, lost) || !errors.Is(err, retry.ErrTerminal) || len(stop.Attempts) != sent {
			t.Fatalf("got %v", err)
		}
		if sent > 0 && stop.Attempts[0].Rule != "request body" {
			t.Errorf("got %v", stop.Attempts)
		}
	}
}

func TestPastAttemptLosesTheBody(t *testing.T) {
	b, err := readerBody("", strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, first, 3); err != nil {
		t.Fatal(err)
	}
	second, err := b.open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err != errRewound {
		t.Errorf("first attempt: got %v", err)
	}
	if data, err := io.ReadAll(second); string(data) != "content" || err != nil {
		t.Errorf("second attempt: got %q, %v", data, err)
	}
}

func TestReopenReads(t *testing.T) {
	closed := 0
	r := Reopen(func() (io.ReadCloser, error) { return closer{strings.NewReader("content"), &closed}, nil })
	if data, err := io.ReadAll(r); string(data) != "content" || err != nil || closed != 1 {
		t.Errorf("got %q, %v, %d closed", data, err, closed)
	}
}

func TestNoBody(t *testing.T) {
	c, transport := script(t, items(), steps(retrytest.JSON(200, ""), retrytest.JSON(200, "")))
	for _, body := range []io.Reader{nil, strings.NewReader("")} {
		if _, err := Call(t.Context(), c, putFile(), &putIn{body}); err != nil {
			t.Fatal(err)
		}
	}
	for _, req := range transport.Requests() {
		if len(req.Body) != 0 {
			t.Errorf("sent %q", req.Body)
		}
	}
}
