package httpapi

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxErrorBody is how much of an error answer is kept.
	maxErrorBody = 64 << 10
	// maxDrain is how much of an answer that nobody wants is read so that its
	// connection can be used again.
	maxDrain = 256 << 10
)

const (
	// maxDrainTime is how long an answer that nobody wants is read. A kept
	// connection is not worth more.
	maxDrainTime = 500 * time.Millisecond
	// maxErrorTime is how long the beginning of an error answer is read. Its
	// status says already that the operation failed.
	maxErrorTime = 5 * time.Second
)

// answerBody is the body of an answer under the limits of its attempt. It
// remembers how it failed.
type answerBody struct {
	body    io.ReadCloser
	limit   attemptLimit
	lent    *loan       // of the request's body, nil if there is none
	failure error       // of reading; not io.EOF
	ended   bool        // all was read
	expired atomic.Bool // it was cut off by within
	closing sync.Once
	closed  error // what closing returned
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	switch {
	case err == io.EOF:
		b.ended = true
	case err != nil:
		err = b.limit.cause(err)
		b.failure = err
	}
	return n, err
}

// Close closes the answer and ends its attempt.
func (b *answerBody) Close() error {
	err := b.closeBody()
	b.limit.end()
	b.lent.end()
	return err
}

func (b *answerBody) closeBody() error {
	b.closing.Do(func() { b.closed = b.body.Close() })
	return b.closed
}

// finish reads what is left, up to a bound of size and time, and closes the
// answer.
func (b *answerBody) finish() {
	if !b.ended && b.failure == nil && b.body != http.NoBody {
		b.within(maxDrainTime, func() { _, _ = io.CopyN(io.Discard, b, maxDrain) })
	}
	_ = b.Close()
}

// within reads for a time. Then it closes the answer, which ends a read that
// is under way.
func (b *answerBody) within(d time.Duration, read func()) {
	timer := time.AfterFunc(d, func() {
		b.expired.Store(true)
		_ = b.closeBody()
	})
	defer timer.Stop()
	read()
}

// beginning reads the beginning of an error answer from r, which reads b, and
// says whether there is, or may be, more. An answer that does not come to its
// end in time, or in that of the attempt, or is not what it was encoded as, is
// taken for what it is so far: its status is known.
func (b *answerBody) beginning(r io.Reader) (data []byte, more bool, err error) {
	b.within(maxErrorTime, func() { data, more, err = readBeginning(r, maxErrorBody) })
	if err != nil && (b.expired.Load() || b.failure == nil || b.failure == errAttemptTimeout) {
		return data, true, nil
	}
	return data, more, err
}

// readBeginning reads up to n bytes and says whether more follow.
func readBeginning(r io.Reader, n int64) (data []byte, more bool, err error) {
	data, err = io.ReadAll(io.LimitReader(r, n+1))
	if int64(len(data)) > n {
		return data[:n], true, err
	}
	return data, false, err
}

// peek reads the beginning of an answer and puts it back.
func peek(resp *http.Response, n int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(resp.Body, n))
	if err != nil {
		return nil, err
	}
	resp.Body = &peeked{Closer: resp.Body, data: data, rest: resp.Body}
	return data, nil
}

type peeked struct {
	io.Closer
	data []byte
	rest io.Reader
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return p.rest.Read(b)
	}
	n := copy(b, p.data)
	p.data = p.data[n:]
	return n, nil
}
