package httpapi

import (
	"io"
	"sync"
	"time"
)

// readingAhead reads the beginning of an answer before its reader does, who
// loses nothing of it. Beside the reading ahead there is one reader.
type readingAhead struct {
	body io.ReadCloser
	idle chan struct{} // closed when the reading ahead has ended

	mu   sync.Mutex
	data []byte // read, and not taken yet
	err  error  // how reading ended, io.EOF at the answer's end
	over bool   // the time is; the read that is under way is the last
}

// readAhead reads up to n bytes of body for a time. A read that is under way
// then is left to the reader, or to Close.
func readAhead(body io.ReadCloser, n int, d time.Duration) *readingAhead {
	r := &readingAhead{body: body, idle: make(chan struct{})}
	go r.fill(n)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.idle:
	case <-timer.C:
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
	}
	return r
}

func (r *readingAhead) fill(n int) {
	defer close(r.idle)
	chunk := make([]byte, min(n, 4<<10))
	for n > 0 {
		got, err := r.body.Read(chunk[:min(len(chunk), n)])
		n -= got
		if r.add(chunk[:got], err) {
			return
		}
	}
}

// add keeps what was read and reports whether that was the last.
func (r *readingAhead) add(data []byte, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, data...)
	r.err = err
	return r.over || err != nil
}

// seen returns what came so far and was not taken, and how it ended.
func (r *readingAhead) seen() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.data)
	return r.data[:n:n], r.err
}

// take reads what came already. It reports false if that is nothing.
func (r *readingAhead) take(p []byte) (n int, ok bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.data) == 0 {
		return 0, r.err != nil, r.err
	}
	n = copy(p, r.data)
	r.data = r.data[n:]
	return n, true, nil
}

// Read reads what came already, then what follows.
func (r *readingAhead) Read(p []byte) (int, error) {
	if n, ok, err := r.take(p); ok {
		return n, err
	}
	<-r.idle
	if n, ok, err := r.take(p); ok {
		return n, err
	}
	return r.body.Read(p)
}

// Close closes the answer, which ends a read that is under way.
func (r *readingAhead) Close() error { return r.body.Close() }
