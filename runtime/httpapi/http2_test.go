package httpapi

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/retrygen/retrygen/runtime/retry"
)

// Frames of HTTP/2 (RFC 9113, 6), as far as the server below needs them.
const (
	frameHeaders   = 0x1
	frameRSTStream = 0x3
	frameSettings  = 0x4
	framePing      = 0x6
	frameGoAway    = 0x7

	flagAck        = 0x1
	flagEndStream  = 0x1
	flagEndHeaders = 0x4
)

// http2Preface is what a client sends first.
const http2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// status200 is ":status: 200" of the static table of HPACK (RFC 7541, A).
var status200 = []byte{0x88}

// refusingServer is a server of HTTP/2, in clear text, that answers the first
// requests with refuse and all others with a 200.
type refusingServer struct {
	net.Listener
	refuse func(w io.Writer, stream uint32)

	mu       sync.Mutex
	refusals int // left
	requests int
}

func newRefusingServer(t *testing.T, refusals int, refuse func(io.Writer, uint32)) *refusingServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &refusingServer{Listener: l, refuse: refuse, refusals: refusals}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *refusingServer) serve(conn net.Conn) {
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len(http2Preface))); err != nil {
		return
	}
	writeFrame(conn, frameSettings, 0, 0, nil)
	head := make([]byte, 9)
	for {
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(conn, payload); err != nil {
			return
		}
		kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
		switch {
		case kind == frameSettings && flags&flagAck == 0:
			writeFrame(conn, frameSettings, flagAck, 0, nil)
		case kind == framePing && flags&flagAck == 0:
			writeFrame(conn, framePing, flagAck, 0, payload)
		case kind == frameHeaders:
			s.answer(conn, stream)
		}
	}
}

func (s *refusingServer) answer(w io.Writer, stream uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.refusals > 0 {
		s.refusals--
		s.refuse(w, stream)
		return
	}
	writeFrame(w, frameHeaders, flagEndHeaders|flagEndStream, stream, status200)
}

func (s *refusingServer) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func writeFrame(w io.Writer, kind, flags byte, stream uint32, payload []byte) {
	head := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	_, _ = w.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...))
}

// refuseStream says that the stream was not processed.
func refuseStream(w io.Writer, stream uint32) {
	writeFrame(w, frameRSTStream, 0, stream, binary.BigEndian.AppendUint32(nil, http2RefusedStream))
}

// resetStream says nothing of what was done: INTERNAL_ERROR.
func resetStream(w io.Writer, stream uint32) {
	writeFrame(w, frameRSTStream, 0, stream, binary.BigEndian.AppendUint32(nil, 2))
}

// shutDown ends the connection gracefully, before the stream was taken.
func shutDown(w io.Writer, stream uint32) {
	writeFrame(w, frameGoAway, 0, 0, make([]byte, 8))
}

// TestHTTP2Refusals wants refusals of HTTP/2 to be attempts of the history,
// as many as there were requests, and to be repeated whatever the operation.
func TestHTTP2Refusals(t *testing.T) {
	body := new("x")
	for _, c := range []struct {
		name, method string
		body         *string
		key          *IdempotencyKey
		refuse       func(io.Writer, uint32)
		rule         string // "": one that depends on the moment
	}{
		{"refused GET", http.MethodGet, nil, nil, refuseStream, "HTTP/2 stream refused"},
		{"refused DELETE", http.MethodDelete, nil, nil, refuseStream, "HTTP/2 stream refused"},
		{"refused POST without a body", http.MethodPost, nil, nil, refuseStream, "hidden resend"},
		{"refused POST with a key", http.MethodPost, nil, &IdempotencyKey{Header: "Idempotency-Key"}, refuseStream, "hidden resend"},
		{"refused POST", http.MethodPost, body, nil, refuseStream, "HTTP/2 stream refused"},
		{"refused PUT", http.MethodPut, body, nil, refuseStream, "HTTP/2 stream refused"},
		{"shutdown at a GET", http.MethodGet, nil, nil, shutDown, "HTTP/2 shutdown"},
		{"shutdown at a DELETE", http.MethodDelete, nil, nil, shutDown, "HTTP/2 shutdown"},
		{"shutdown at a POST without a body", http.MethodPost, nil, nil, shutDown, "hidden resend"},
		{"shutdown at a POST", http.MethodPost, body, nil, shutDown, "HTTP/2 shutdown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newRefusingServer(t, 2, c.refuse)
			client := clearTextClient(t, server)
			op := &Operation[onceInput, struct{ Metadata }]{Name: "op", Method: c.method, Path: "/", Key: c.key}
			out, err := Call(t.Context(), client, op, &onceInput{Body: c.body})
			if err != nil {
				t.Fatal(err)
			}
			if got := server.seen(); got != 3 || len(out.Attempts) != 2 {
				t.Errorf("%d requests, history %v, want 3 and 2 failures", got, out.Attempts)
			}
			for _, d := range out.Attempts {
				if d.Rule != c.rule {
					t.Errorf("rule %q, want %q", d.Rule, c.rule)
				}
			}
		})
	}
}

// TestHTTP2RefusalsWrapped: where a transport wraps that of net/http, requests
// with a key are attempts as well, of which nothing is proved.
func TestHTTP2RefusalsWrapped(t *testing.T) {
	server := newRefusingServer(t, 2, refuseStream)
	inner := &http.Transport{Protocols: new(http.Protocols)}
	inner.Protocols.SetUnencryptedHTTP2(true)
	defer inner.CloseIdleConnections()
	var result Metadata
	transport, err := NewTransport(wrappedTransport{inner}, WithRetry(retry.WithJitter(func() float64 { return 0 })))
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(ContextWithResult(t.Context(), &result), http.MethodPost, "http://"+server.Addr().String(), nil)
	req.Header.Set("Idempotency-Key", "k")
	if _, _, err := send(t, &http.Client{Transport: transport}, req); err != nil {
		t.Fatal(err)
	}
	if server.seen() != 3 || len(result.Attempts) != 2 {
		t.Errorf("%d requests, history %v, want 3 and 2 failures", server.seen(), result.Attempts)
	}
	for _, d := range result.Attempts {
		if d.Rule != "connection lost" || d.NotActed {
			t.Errorf("rule %q, not acted %t", d.Rule, d.NotActed)
		}
	}
}

// TestHTTP2Reset wants a reset that proves nothing to end a POST.
func TestHTTP2Reset(t *testing.T) {
	server := newRefusingServer(t, 1, resetStream)
	op := &Operation[onceInput, struct{ Metadata }]{Name: "op", Method: http.MethodPost, Path: "/"}
	_, err := Call(t.Context(), clearTextClient(t, server), op, &onceInput{Body: new("x")})
	if !errors.Is(err, retry.ErrOutcomeUnknown) || server.seen() != 1 {
		t.Errorf("%d requests, %v", server.seen(), err)
	}
}

// clearTextClient is a client that speaks HTTP/2 without TLS.
func clearTextClient(t *testing.T, server *refusingServer) *Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	client, err := NewClient(&Service{Name: "test"}, "http://"+server.Addr().String(),
		WithHTTPClient(&http.Client{Transport: transport}), WithRetry(retry.WithJitter(func() float64 { return 0 })))
	if err != nil {
		t.Fatal(err)
	}
	return client
}
