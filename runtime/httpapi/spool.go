package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/retrygen/retrygen/runtime/retry"
)

// WithSpool keeps request bodies that can be read once only, so that they can
// be sent again: up to memory bytes in memory, beyond that in a temporary
// file, which is removed at the end of the call. A body is read to its end
// before the first attempt. One that is longer than max bytes is refused with
// [retry.ErrBodyNotReplayable]; nothing is sent then.
func WithSpool(memory, max int64) CallOption {
	return callOption(func(c *callConfig) {
		if memory < 0 || max < 1 || memory > max {
			c.errs = append(c.errs, fmt.Errorf("httpapi: WithSpool: got %d and %d bytes, want 0 <= memory <= max and max > 0", memory, max))
		}
		c.spool = &spoolLimits{memory, max}
	})
}

// spoolLimits are what of a body is kept, in bytes.
type spoolLimits struct{ memory, max int64 }

// spool makes the body of the call replayable if that was asked for and might
// be needed.
func (x *call) spool(ctx context.Context) error {
	if x.config.spool == nil || !x.request.body.oneShot || x.policy.MaxAttempts(ctx) == 1 {
		return nil
	}
	kept, err := x.request.body.kept(ctx, *x.config.spool)
	if err != nil {
		return fmt.Errorf("httpapi: spool the request body: %w", err)
	}
	x.request.body = kept
	return nil
}

// kept reads b to its end and returns the same body from memory or a file.
func (b body) kept(ctx context.Context, l spoolLimits) (body, error) {
	tooLong := fmt.Errorf("%w: it is longer than the %d bytes that are kept", retry.ErrBodyNotReplayable, l.max)
	if b.length > l.max {
		return body{}, tooLong
	}
	r, err := b.open()
	if err != nil {
		return body{}, err
	}
	defer r.Close()
	source := &untilDone{ctx, io.LimitReader(r, l.max+1)}
	var head bytes.Buffer
	switch n, err := io.CopyN(&head, source, l.memory+1); {
	case n > l.max:
		return body{}, tooLong
	case err == io.EOF:
		return bytesBody(b.contentType, head.Bytes()), nil
	case err != nil:
		return body{}, err
	}
	file, err := newSpoolFile(io.MultiReader(&head, source))
	if err != nil {
		return body{}, err
	}
	if file.size > l.max {
		file.remove()
		return body{}, tooLong
	}
	return body{contentType: b.contentType, length: file.size, patient: true, open: file.open, release: file.remove}, nil
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(p)
}

// spoolFile is a temporary file with a request body.
type spoolFile struct {
	file *os.File
	size int64
}

// newSpoolFile writes what r has. The name is removed at once where the
// system lets it, so that nothing is left behind whatever happens.
func newSpoolFile(r io.Reader) (*spoolFile, error) {
	file, err := os.CreateTemp("", "retrygen-body-")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name())
	s := &spoolFile{file: file}
	if s.size, err = io.Copy(file, r); err != nil {
		s.remove()
		return nil, err
	}
	return s, nil
}

func (s *spoolFile) open() (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(s.file, 0, s.size)), nil
}

func (s *spoolFile) remove() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name()) // it is gone already, but where open files keep their names
}
