package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// throttler stands before a server and answers by script before it lets
// requests through. It keeps what it saw, so that tests assert on the
// server's side of the wire.
type throttler struct {
	*httptest.Server
	upstream *httputil.ReverseProxy

	mu     sync.Mutex
	script map[string][]answer // by operation
	seen   []seen
}

// answer is a scripted response. A zero status passes the request on.
type answer struct {
	status  int
	code    string            // __type of the error
	body    string            // instead of an error document
	headers map[string]string // more response headers
}

// seen is one request as the server saw it.
type seen struct {
	operation  string
	attempt    string // amz-sdk-request
	invocation string // amz-sdk-invocation-id
	signedAt   string // X-Amz-Date
	signature  string // Authorization
	body       string
	at         time.Time
}

func startThrottler(t *testing.T, upstream string) *throttler {
	t.Helper()
	target, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	p := &throttler{upstream: httputil.NewSingleHostReverseProxy(target), script: map[string][]answer{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// answerWith scripts the answers to the next requests for operation.
func (p *throttler) answerWith(operation string, answers ...answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script[operation] = answers
	p.seen = nil
}

// requests returns what was seen of operation since the last answerWith.
func (p *throttler) requests(operation string) []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []seen
	for _, s := range p.seen {
		if s.operation == operation {
			out = append(out, s)
		}
	}
	return out
}

func (p *throttler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	a := p.next(r, body)
	if a.status == 0 {
		p.upstream.ServeHTTP(w, r)
		return
	}
	for name, value := range a.headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	w.Header().Set("X-Amzn-Requestid", "SCRIPTED")
	w.WriteHeader(a.status)
	if a.body == "" {
		a.body = fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"by script"}`, a.code)
	}
	_, _ = io.WriteString(w, a.body)
}

// next records the request and takes the answer to it from the script.
func (p *throttler) next(r *http.Request, body []byte) answer {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, seen{
		operation:  operation,
		attempt:    r.Header.Get("Amz-Sdk-Request"),
		invocation: r.Header.Get("Amz-Sdk-Invocation-Id"),
		signedAt:   r.Header.Get("X-Amz-Date"),
		signature:  r.Header.Get("Authorization"),
		body:       string(body),
		at:         time.Now(),
	})
	script := p.script[operation]
	if len(script) == 0 {
		return answer{}
	}
	p.script[operation] = script[1:]
	return script[0]
}
