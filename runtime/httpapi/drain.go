package httpapi

import (
	"io"
	"net/http"
)

const (
	// maxErrorBody is how much of an error answer is kept.
	maxErrorBody = 64 << 10
	// maxDrain is how much of an answer that nobody wants is read so that its
	// connection can be used again.
	maxDrain = 256 << 10
)

// answerBody is the body of an answer under the limits of its attempt. It
// remembers how it failed.
type answerBody struct {
	body    io.ReadCloser
	limit   attemptLimit
	failure error // of reading; not io.EOF
}

func (b *answerBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if err != nil && err != io.EOF {
		err = b.limit.cause(err)
		b.failure = err
	}
	return n, err
}

// Close closes the answer and ends its attempt.
func (b *answerBody) Close() error {
	err := b.body.Close()
	b.limit.end()
	return err
}

// finish reads what is left, up to a bound, and closes the answer.
func (b *answerBody) finish() {
	_, _ = io.CopyN(io.Discard, b.body, maxDrain)
	_ = b.Close()
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
