package demo

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// desk is the box office on its bad day: it answers each operation by a
// script, and remembers the idempotency keys that it saw.
type desk struct {
	mu     sync.Mutex
	script []reply
	keys   []string
}

// reply is one scripted answer. A zero status breaks the connection.
type reply struct {
	status  int
	body    string
	headers map[string]string
}

var (
	crash       = reply{status: 500, body: "boom"}
	unavailable = reply{status: 503, body: "<html><body>back soon</body></html>"}
	busy        = reply{status: 400, body: `{"error":{"code":"box_office_busy","message":"one at a time"}}`}
	broken      = reply{}
	show        = reply{status: 200, body: `{"id":"hamlet","title":"Hamlet","seatsLeft":12}`}
	reserved    = reply{status: 201, body: `{"id":"r-1001"}`}
	noShow      = reply{status: 404, body: `{"error":{"code":"no_such_show","message":"never heard of it"}}`}
)

// waitHeader is r with a Retry-After of seconds.
func (r reply) retryAfter(seconds int) reply {
	r.headers = map[string]string{"Retry-After": fmt.Sprint(seconds)}
	return r
}

// start serves the desk on a loopback port.
func (d *desk) start() *httptest.Server { return httptest.NewServer(d) }

// play sets the answers to the next requests. The last one repeats.
func (d *desk) play(script ...reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.script, d.keys = script, nil
}

// seenKeys returns the idempotency keys of the requests since play.
func (d *desk) seenKeys() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.keys
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := d.next(r.Header.Get("Idempotency-Key"))
	if answer.status == 0 {
		hangUp(w)
		return
	}
	contentType := "application/json"
	switch {
	case strings.HasPrefix(answer.body, "<"):
		contentType = "text/html"
	case !strings.HasPrefix(answer.body, "{"):
		contentType = "text/plain"
	}
	w.Header().Set("Content-Type", contentType)
	for name, value := range answer.headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(answer.status)
	fmt.Fprint(w, answer.body)
}

func (d *desk) next(key string) reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys = append(d.keys, key)
	answer := d.script[0]
	if len(d.script) > 1 {
		d.script = d.script[1:]
	}
	return answer
}

// hangUp closes the connection with a reset, as a crashed server does.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
