package generated_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retrygen/retrygen/generated/orders"
	"github.com/retrygen/retrygen/runtime/httpapi"
	"github.com/retrygen/retrygen/runtime/retry"
)

func upload(t *testing.T, d *desk, body io.Reader, opts ...httpapi.CallOption) (*orders.UploadImageOutput, error) {
	t.Helper()
	return d.UploadImage(t.Context(), &orders.UploadImageInput{Sku: "s", Body: body}, opts...)
}

// oneShot can be read once only.
func oneShot(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

// TestOrdersUploadIsSentAgain rewinds to where the reader stood at first.
func TestOrdersUploadIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := strings.Repeat("\x00\xffimage", 10000)
		body := bytes.NewReader([]byte("skipped" + image))
		body.Seek(7, io.SeekStart)
		d := openDesk(t, answers(bare(503), hangUp, bare(204)))
		out, err := upload(t, d, body)
		if err != nil {
			t.Fatal(err)
		}
		wantSame(t, "status", out.Status, 204)
		wantSame(t, "number of failures", len(out.Attempts), 2)
		for i, got := range d.visits() {
			if got.body != image || got.ContentLength != int64(len(image)) {
				t.Errorf("attempt %d: got %d bytes, announced %d, want %d", i+1, len(got.body), got.ContentLength, len(image))
			}
			wantSame(t, "Content-Type", got.Header.Get("Content-Type"), "application/octet-stream")
		}
	})
}

func TestOrdersUploadOfOneShot(t *testing.T) {
	d := openDesk(t, answers(bare(204)))
	if _, err := upload(t, d, oneShot("x")); !errors.Is(err, retry.ErrBodyNotReplayable) {
		t.Errorf("got %v, want %v", err, retry.ErrBodyNotReplayable)
	}
	if n := len(d.visits()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
	if _, err := upload(t, d, oneShot("image"), httpapi.WithRetry(retry.WithMaxAttempts(1))); err != nil {
		t.Error(err)
	}
	wantSame(t, "body", d.only().body, "image")
}

func TestOrdersUploadReopened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		body := httpapi.Reopen(func() (io.ReadCloser, error) {
			opened++
			return io.NopCloser(oneShot("image")), nil
		})
		d := openDesk(t, answers(bare(500), bare(204)))
		if _, err := upload(t, d, body); err != nil {
			t.Fatal(err)
		}
		for _, got := range d.visits() {
			wantSame(t, "body", got.body, "image")
		}
		wantSame(t, "number of readers", opened, 2)
	})
}

// TestOrdersUploadStreams wants the server to read the beginning of a body
// whose end is not there yet.
func TestOrdersUploadStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body, rest := io.Pipe()
		client := serveDesk(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			beginning := make([]byte, 9)
			io.ReadFull(r.Body, beginning)
			go func() {
				io.WriteString(rest, " and end")
				rest.Close()
			}()
			end, _ := io.ReadAll(r.Body)
			wantSame(t, "body", string(beginning)+string(end), "beginning and end")
			w.WriteHeader(204)
		}))
		go io.WriteString(rest, "beginning")
		in := &orders.UploadImageInput{Sku: "s", Body: body}
		if _, err := client.UploadImage(t.Context(), in, httpapi.WithRetry(retry.WithMaxAttempts(1))); err != nil {
			t.Error(err)
		}
	})
}

// TestOrdersUploadTimeout: the definition gives each attempt a minute, and the
// call a minute and a half.
func TestOrdersUploadTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hang, hang))
		start := time.Now()
		_, err := upload(t, d, strings.NewReader("image"))
		if !errors.Is(err, retry.ErrDeadline) {
			t.Errorf("got %v, want %v", err, retry.ErrDeadline)
		}
		wantSame(t, "wait", d.waits(), []time.Duration{time.Minute + 50*time.Millisecond})
		wantSame(t, "time of the call", time.Since(start), 90*time.Second)
	})
}

func TestOrdersUploadTooLarge(t *testing.T) {
	d := openDesk(t, answers(problem(413, `{"title":"Too large"}`)))
	_, err := upload(t, d, strings.NewReader("image"))
	wantSame(t, "title", wantError[*orders.Problem](t, err).Title, new("Too large"))
	wantAnswer(t, err, 413, "Too large", 1)
}

// TestOrdersDownloadStreams wants the client to read the beginning of an
// answer whose end is not there yet.
func TestOrdersDownloadStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		more := make(chan struct{})
		client := serveDesk(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Header().Set("X-Image-Created", "2026-02-28T23:59:59.123456789+01:00")
			io.WriteString(w, "beginning\x00")
			w.(http.Flusher).Flush()
			<-more
			io.WriteString(w, "end")
		}))
		out, err := client.DownloadImage(t.Context(), &orders.DownloadImageInput{Sku: "s"})
		if err != nil {
			t.Fatal(err)
		}
		beginning := make([]byte, 10)
		io.ReadFull(out.Body, beginning)
		close(more)
		end, err := io.ReadAll(out.Body)
		if string(beginning)+string(end) != "beginning\x00end" || err != nil || out.Body.Close() != nil {
			t.Errorf("got %q and %q, %v", beginning, end, err)
		}
		if out.XImageCreated == nil || !out.XImageCreated.Equal(night) {
			t.Errorf("X-Image-Created: got %v, want %v", out.XImageCreated, night)
		}
	})
}

// TestOrdersDownloadBreaksOff wants an answer that is cut off to be an error
// of the reader, and no second attempt.
func TestOrdersDownloadBreaksOff(t *testing.T) {
	d := openDesk(t, answers(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		io.WriteString(w, "beginning")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})))
	out, err := d.DownloadImage(t.Context(), &orders.DownloadImageInput{Sku: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	got, err := io.ReadAll(out.Body)
	if string(got) != "beginning" || err == nil {
		t.Errorf("got %q and %v, want an error after the beginning", got, err)
	}
	d.only()
}

func TestOrdersDownloadIsRetriedBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := openDesk(t, answers(hangUp, typed(200, "application/octet-stream", "image")))
		out, err := d.DownloadImage(t.Context(), &orders.DownloadImageInput{Sku: "s"})
		if err != nil {
			t.Fatal(err)
		}
		defer out.Body.Close()
		if got, err := io.ReadAll(out.Body); string(got) != "image" || err != nil {
			t.Errorf("got %q and %v", got, err)
		}
	})
}
