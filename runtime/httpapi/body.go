package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
)

// body is the source of a request's body. Its zero value is no body.
type body struct {
	contentType string
	length      int64 // in bytes, -1 if unknown
	// open returns a fresh reader for one attempt. Nil: there is no body.
	open func() (io.ReadCloser, error)
	// oneShot is set when open works once only.
	oneShot bool
	// patient is set when no read waits for anybody, as of memory and files,
	// so that the end of one can be waited for.
	patient bool
	// release, if any, is called at the end of the call.
	release func()
}

// bytesBody is a body that is held in memory.
func bytesBody(contentType string, data []byte) body {
	return body{
		contentType: contentType,
		length:      int64(len(data)),
		patient:     true,
		open: func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(data)), nil
		},
	}
}

// readerBody is a body that the caller gave as a reader. It is replayable if
// r can be sought, can be reopened (a method GetBody, as that of
// [http.Request]) or is a [bytes.Buffer]; else it is a one-shot. The reader
// is never closed: who opened it closes it. A nil pointer is an error.
func readerBody(contentType string, r io.Reader) (body, error) {
	if v := reflect.ValueOf(r); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return body{}, fmt.Errorf("the reader is a nil %T", r)
	}
	b := body{contentType: contentType, length: lengthOf(r)}
	switch r := r.(type) {
	case *bytes.Buffer:
		return bytesBody(contentType, r.Bytes()), nil
	case *reopened:
		if r.open == nil {
			return body{}, errors.New("httpapi.Reopen: the function is nil")
		}
	}
	if r == io.Reader(http.NoBody) {
		return bytesBody(contentType, nil), nil
	}
	switch r := r.(type) {
	case interface {
		GetBody() (io.ReadCloser, error)
	}:
		b.open = func() (io.ReadCloser, error) { return guarded(r.GetBody()) }
		return b, nil
	case io.Seeker:
		if start, err := r.Seek(0, io.SeekCurrent); err == nil {
			source := &seekSource{reader: r.(io.ReadSeeker), start: start}
			b.length, b.open, b.patient = source.length(), source.open, true
			return b, nil
		}
	}
	b.oneShot = true
	b.open = func() (io.ReadCloser, error) { return guarded(io.NopCloser(r), nil) }
	return b, nil
}

// lengthOf asks readers that know how much they hold.
func lengthOf(r io.Reader) int64 {
	if l, ok := r.(interface{ Len() int }); ok {
		return int64(l.Len())
	}
	return -1
}

// Reopen returns a reader for request bodies that open makes anew for every
// attempt, so that the body can be sent again. Each reader is closed at the
// end of its attempt. Reading from Reopen's result itself opens once.
func Reopen(open func() (io.ReadCloser, error)) io.Reader {
	return &reopened{open: open}
}

type reopened struct {
	open  func() (io.ReadCloser, error)
	first io.ReadCloser
}

func (r *reopened) GetBody() (io.ReadCloser, error) { return r.open() }

func (r *reopened) Read(p []byte) (int, error) {
	if r.first == nil {
		if r.open == nil {
			return 0, errors.New("httpapi.Reopen: the function is nil")
		}
		first, err := r.open()
		if err == nil && first == nil {
			err = errNoReader
		}
		if err != nil {
			return 0, err
		}
		r.first = first
	}
	n, err := r.first.Read(p)
	if err == io.EOF {
		r.first.Close()
	}
	return n, err
}

// seekSource shares one seekable reader among the readers of a call: the
// latest opened one has it, earlier ones read errRewound.
type seekSource struct {
	mu     sync.Mutex
	reader io.ReadSeeker
	start  int64
	turn   int
}

// length is the distance from the starting position to the end, -1 if the
// reader does not tell.
func (s *seekSource) length() int64 {
	end, err := s.reader.Seek(0, io.SeekEnd)
	if err != nil {
		return -1
	}
	if _, err := s.reader.Seek(s.start, io.SeekStart); err != nil {
		return -1
	}
	return max(end-s.start, 0)
}

func (s *seekSource) open() (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.reader.Seek(s.start, io.SeekStart); err != nil {
		return nil, &bodyError{err}
	}
	s.turn++
	return &seekBody{source: s, turn: s.turn}, nil
}

type seekBody struct {
	source *seekSource
	turn   int
}

func (b *seekBody) Read(p []byte) (int, error) {
	b.source.mu.Lock()
	defer b.source.mu.Unlock()
	if b.turn != b.source.turn {
		return 0, errRewound
	}
	n, err := b.source.reader.Read(p)
	return n, wrapBodyError(err)
}

func (b *seekBody) Close() error { return nil }

// bodyError is a failure to read the caller's request body, which is not the
// network's failure.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return "read request body: " + e.err.Error() }
func (e *bodyError) Unwrap() error { return e.err }

func wrapBodyError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &bodyError{err}
}

var errNoReader = errors.New("opening it returned neither a reader nor an error")

// guarded marks the read errors of a caller's reader.
func guarded(r io.ReadCloser, err error) (io.ReadCloser, error) {
	if err == nil && r == nil {
		err = errNoReader
	}
	if err != nil {
		return nil, &bodyError{err}
	}
	return &guardedBody{r}, nil
}

type guardedBody struct{ io.ReadCloser }

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	return n, wrapBodyError(err)
}

// reopen gives a signed request a fresh reader: a signer that has read
// req.GetBody has taken a reader that can be sought from req.Body.
func reopen(req *http.Request) (err error) {
	if req.GetBody == nil || req.Body == nil {
		return nil
	}
	req.Body.Close()
	req.Body, err = req.GetBody()
	return err
}
