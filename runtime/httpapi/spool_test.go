package httpapi

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/retrygen/retrygen/runtime/retry"
	"github.com/retrygen/retrygen/runtime/retrytest"
)

// onceOnly is a reader that can be read once.
func onceOnly(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) }

// temporaries are the temporary files that a call left behind.
func temporaries(t *testing.T, dir string) []os.DirEntry {
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestSpool sends bodies of all sizes around the limits three times.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	failed := retrytest.JSON(503, "")
	for _, c := range []struct {
		size        int
		memory, max int64
		sent        bool
	}{
		{0, 4, 8, true}, {3, 4, 8, true}, {4, 4, 8, true}, {5, 4, 8, true}, {8, 4, 8, true}, {9, 4, 8, false},
		{1, 0, 8, true}, {8, 8, 8, true}, {9, 8, 8, false}, {100, 4, 8, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var play []retrytest.Step
			if c.sent {
				play = steps(failed, failed, okay)
			}
			client, transport := script(t, items(), play)
			text := strings.Repeat("x", c.size)
			_, err := Call(t.Context(), client, putFile(), &putIn{onceOnly(text)}, WithSpool(c.memory, c.max))
			if c.sent && err != nil || !c.sent && !errors.Is(err, retry.ErrBodyNotReplayable) {
				t.Errorf("%+v: %v", c, err)
			}
			for _, r := range transport.Requests() {
				if string(r.Body) != text {
					t.Errorf("%+v: sent %q", c, r.Body)
				}
			}
			if left := temporaries(t, dir); len(left) > 0 {
				t.Errorf("%+v: left %v", c, left)
			}
		})
	}
}

// TestSpoolOfKnownLength refuses a body that says how long it is unread.
func TestSpoolOfKnownLength(t *testing.T) {
	b := body{oneShot: true, length: 9, open: func() (io.ReadCloser, error) {
		t.Error("the body was opened")
		return nil, io.EOF
	}}
	if _, err := b.kept(t.Context(), spoolLimits{4, 8}); !errors.Is(err, retry.ErrBodyNotReplayable) {
		t.Error(err)
	}
}

// TestSpoolThatCannotBeRead returns the reader's error and sends nothing.
func TestSpoolThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	lost := errors.New("lost")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		body io.Reader
		want error
	}{
		"at once":        {t.Context(), io.MultiReader(iotest.ErrReader(lost)), lost},
		"in memory":      {t.Context(), io.MultiReader(strings.NewReader("xx"), iotest.ErrReader(lost)), lost},
		"in the file":    {t.Context(), io.MultiReader(strings.NewReader("xxxxxx"), iotest.ErrReader(lost)), lost},
		"after its time": {canceled, onceOnly("xx"), context.Canceled},
	} {
		client, _ := script(t, items(), nil)
		if _, err := Call(c.ctx, client, putFile(), &putIn{c.body}, WithSpool(4, 8)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left := temporaries(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// TestSpoolIsNotNeeded leaves a body alone that is sent once.
func TestSpoolIsNotNeeded(t *testing.T) {
	client, transport := script(t, items(), steps(okay))
	_, err := Call(t.Context(), client, putFile(), &putIn{onceOnly("much too long")}, WithSpool(1, 1), WithRetry(retry.WithMaxAttempts(1)))
	if err != nil || string(transport.Requests()[0].Body) != "much too long" {
		t.Errorf("%v", err)
	}
}

func TestBadSpool(t *testing.T) {
	for _, limits := range [][2]int64{{-1, 8}, {0, 0}, {9, 8}} {
		_, err := NewClient(items(), "https://items.example", WithSpool(limits[0], limits[1]))
		if err == nil || !strings.Contains(err.Error(), "WithSpool") {
			t.Errorf("%v: %v", limits, err)
		}
	}
}
