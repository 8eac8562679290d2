package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// slowReader takes a second of virtual time for each byte. Its count is not
// guarded: a read after the call is a race.
type slowReader struct {
	pause time.Duration
	reads int
}

func (r *slowReader) Read(p []byte) (int, error) {
	r.reads++
	time.Sleep(r.pause)
	p[0] = 'x'
	return 1, nil
}

// slowFile is a slowReader that can be sought.
type slowFile struct{ *slowReader }

func (slowFile) Seek(offset int64, whence int) (int64, error) { return offset + int64(whence)*50, nil }

type uploadIn struct {
	Raw  io.Reader `body:"application/octet-stream"`
	Form *struct {
		File File `json:"file"`
	} `body:"multipart/form-data"`
}

func multipartIn(r io.Reader) uploadIn {
	in := uploadIn{Form: new(struct {
		File File `json:"file"`
	})}
	in.Form.File = File{Name: "f", Content: r}
	return in
}

// uploads are the ways to give a reader.
var uploads = map[string]func(r *slowReader) uploadIn{
	"seekable":           func(r *slowReader) uploadIn { return uploadIn{Raw: slowFile{r}} },
	"one-shot":           func(r *slowReader) uploadIn { return uploadIn{Raw: r} },
	"Reopen":             func(r *slowReader) uploadIn { return uploadIn{Raw: Reopen(opening(r))} },
	"multipart seekable": func(r *slowReader) uploadIn { return multipartIn(slowFile{r}) },
	"multipart one-shot": func(r *slowReader) uploadIn { return multipartIn(r) },
	"multipart Reopen":   func(r *slowReader) uploadIn { return multipartIn(Reopen(opening(r))) },
}

func opening(r io.Reader) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(r), nil }
}

// earlyAnswer answers while another goroutine goes on reading the body, as
// the connections of net/http do. failed gets how that ended.
func earlyAnswer(status int, failed chan<- error) *http.Client {
	return &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		go func(body io.ReadCloser) {
			_, err := io.Copy(io.Discard, body)
			failed <- err
		}(req.Body)
		synctest.Wait() // it reads
		return datedAnswer(status, http.Header{}, ""), nil
	})}
}

// TestReaderIsTheCallersAgain: when a call has returned, nobody reads the
// caller's reader, although the server answered before it had the body.
func TestReaderIsTheCallersAgain(t *testing.T) {
	for name, upload := range uploads {
		for _, status := range []int{204, 503} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					failed := make(chan error, 1)
					c, err := NewClient(items(), "https://items.example", WithHTTPClient(earlyAnswer(status, failed)), WithRetry(retry.WithMaxAttempts(1)))
					if err != nil {
						t.Fatal(err)
					}
					source := &slowReader{pause: 700 * time.Millisecond}
					in := upload(source)
					start := time.Now()
					_, err = Call(t.Context(), c, &Operation[uploadIn, struct{}]{Name: "Put", Method: "PUT", Path: "/f"}, &in)
					if (err == nil) != (status == 204) {
						t.Error(err)
					}
					if time.Since(start) != 700*time.Millisecond {
						t.Errorf("the call returned after %s, want the end of the read under way", time.Since(start))
					}
					source.reads++ // ours
					if err := <-failed; err == nil || !strings.Contains(err.Error(), errRewound.Error()) {
						t.Errorf("the connection read on: %v", err)
					}
					if source.reads != 2 {
						t.Errorf("%d reads, want one by the connection", source.reads-1)
					}
				})
			})
		}
	}
}

// TestBlockedReaderHoldsNoCall: a read that does not end is left behind; a
// reader that was opened for the attempt is closed.
func TestBlockedReaderHoldsNoCall(t *testing.T) {
	for name, wrap := range map[string]func(r *io.PipeReader) io.Reader{
		"one-shot": func(r *io.PipeReader) io.Reader { return io.MultiReader(r) },
		"Reopen": func(r *io.PipeReader) io.Reader {
			return Reopen(func() (io.ReadCloser, error) { return r, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := make(chan error, 1)
				c, err := NewClient(items(), "https://items.example", WithHTTPClient(earlyAnswer(204, failed)), WithRetry(retry.WithMaxAttempts(1)))
				if err != nil {
					t.Fatal(err)
				}
				r, w := io.Pipe()
				start := time.Now()
				if _, err := Call(t.Context(), c, putFile(), &putIn{wrap(r)}); err != nil {
					t.Error(err)
				}
				if time.Since(start) != maxLastRead {
					t.Errorf("returned after %s", time.Since(start))
				}
				if _, err := w.Write([]byte("x")); (err == nil) != (name == "one-shot") {
					t.Errorf("write: %v", err)
				}
				if err := <-failed; err == nil {
					t.Error("the connection read to the end")
				}
			})
		})
	}
}

// TestReaderOfAStreamedAnswer: the exchange ends when the answer is closed.
func TestReaderOfAStreamedAnswer(t *testing.T) {
	var body io.Reader
	hc := &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
		body = req.Body
		return datedAnswer(200, http.Header{"Content-Type": {"text/plain"}}, "content"), nil
	})}
	c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc))
	if err != nil {
		t.Fatal(err)
	}
	type streamOut struct {
		Body io.ReadCloser `body:"200,text/plain"`
	}
	op := &Operation[putIn, streamOut]{Name: "Echo", Method: "PUT", Path: "/echo"}
	out, err := Call(t.Context(), c, op, &putIn{strings.NewReader("abc")})
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if _, err := body.Read(one); err != nil || one[0] != 'a' {
		t.Errorf("before the end: %q, %v", one, err)
	}
	if err := out.Body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := body.Read(one); err != errRewound {
		t.Errorf("after the end: %v", err)
	}
}

// TestSentBodyEnds: a connection that looks whether more follows than was
// announced finds the end, also after the attempt.
func TestSentBodyEnds(t *testing.T) {
	lent := &loan{body: bytesBody("", []byte("abc"))}
	r, err := lent.open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	lent.end()
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("got %v", err)
	}
	if _, err := lent.open(); err != errRewound {
		t.Errorf("opened after the end: %v", err)
	}
}

// TestReadersThatAreNone: what looks like a body and is none.
func TestReadersThatAreNone(t *testing.T) {
	c, transport := script(t, items(), steps(retrytest.JSON(200, "")))
	if _, err := Call(t.Context(), c, putFile(), &putIn{http.NoBody}); err != nil {
		t.Error(err)
	}
	if r := transport.Requests()[0]; len(r.Body) != 0 {
		t.Errorf("sent %q", r.Body)
	}
	for _, tt := range []struct {
		want string
		r    io.Reader
	}{
		{"the reader is a nil *bytes.Buffer", (*bytes.Buffer)(nil)},
		{"the reader is a nil *io.PipeReader", (*io.PipeReader)(nil)},
		{"httpapi.Reopen: the function is nil", Reopen(nil)},
		{"httpapi.Reopen: the function is nil", io.MultiReader(Reopen(nil))},
		{"neither a reader nor an error", Reopen(func() (io.ReadCloser, error) { return nil, nil })},
	} {
		for _, in := range []uploadIn{{Raw: tt.r}, multipartIn(tt.r)} {
			hc := &http.Client{Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
				_, err := io.Copy(io.Discard, req.Body)
				return nil, err
			})}
			c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc), WithRetry(retry.WithMaxAttempts(1)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Call(t.Context(), c, &Operation[uploadIn, struct{}]{Name: "Put", Method: "PUT", Path: "/f"}, &in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		}
	}
}
