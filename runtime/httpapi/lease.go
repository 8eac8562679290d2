package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// errRewound is what is read of a body after its attempt. A transport may
// still be sending when it has already returned an answer.
var errRewound = errors.New("httpapi: the body was taken back: its attempt is over")

// loan is what one attempt has of the body of a call: the readers that were
// opened for it. All are taken back at its end.
type loan struct {
	body body
	mu   sync.Mutex
	held []*lease
	over bool
}

// open returns a fresh reader.
func (l *loan) open() (io.ReadCloser, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errRewound
	}
	source, err := l.body.open()
	if err != nil {
		return nil, err
	}
	held := &lease{source: source, left: l.body.length, patient: l.body.patient, turn: make(chan struct{}, 1)}
	l.held = append(l.held, held)
	return held, nil
}

// end takes the readers back. No transport reads them when it has returned.
func (l *loan) end() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.over = true
	held := l.held
	l.held = nil
	l.mu.Unlock()
	for _, r := range held {
		r.revoke()
	}
}

// attach gives req a fresh reader of the body. req.GetBody is set for signing
// and for redirects.
func (l *loan) attach(req *http.Request) error {
	b := l.body
	if b.open == nil {
		return nil
	}
	if b.contentType != "" && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", b.contentType)
	}
	if b.length == 0 {
		req.Body, req.ContentLength = http.NoBody, 0
		req.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
		return nil
	}
	r, err := l.open()
	if err != nil {
		return err
	}
	req.Body, req.ContentLength = r, b.length
	if !b.oneShot {
		req.GetBody = l.open
	}
	return nil
}

// lease is a reader that can be taken back from whoever reads it.
type lease struct {
	source  io.ReadCloser
	left    int64         // bytes to the end; negative: unknown
	patient bool          // see body.patient
	turn    chan struct{} // full while somebody uses source
	over    atomic.Bool   // closed or taken back
	closed  bool          // source is; under turn
}

func (l *lease) Read(p []byte) (int, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	switch {
	case !l.over.Load():
	case l.left == 0:
		return 0, io.EOF // all was sent: a look for more is no failure
	default:
		return 0, errRewound
	}
	n, err := l.source.Read(p)
	if l.left > 0 {
		l.left = max(l.left-int64(n), 0)
	}
	if l.over.Load() {
		l.closeSource()
	}
	return n, wrapBodyError(err)
}

// Close ends the reading. While another goroutine reads, that is left to it,
// or to revoke.
func (l *lease) Close() error {
	l.over.Store(true)
	select {
	case l.turn <- struct{}{}:
		l.closeSource()
		<-l.turn
	default:
	}
	return nil
}

func (l *lease) closeSource() {
	if !l.closed {
		l.closed = true
		_ = l.source.Close()
	}
}

// maxLastRead is how long the end of an attempt waits for a read of the
// caller's reader that is under way, if nothing says that it ends by itself.
const maxLastRead = time.Second

// revoke closes l and waits for a read that is under way. One that blocks, as
// of a pipe that nobody writes to, is left behind: it is the last.
func (l *lease) revoke() {
	l.over.Store(true)
	select {
	case l.turn <- struct{}{}:
	default:
		if !l.await() {
			return
		}
	}
	l.closeSource()
	<-l.turn
}

// await waits for its turn. It reports false if that did not come.
func (l *lease) await() bool {
	if l.patient {
		l.turn <- struct{}{}
		return true
	}
	timer := time.NewTimer(maxLastRead)
	defer timer.Stop()
	select {
	case l.turn <- struct{}{}:
		return true
	case <-timer.C:
		_ = l.source.Close() // which ends what was opened for the attempt
		return false
	}
}
