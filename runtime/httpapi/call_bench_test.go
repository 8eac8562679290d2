package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const itemAnswer = `{"name":"an item of the service","size":12,"tags":["a","b","c"]}`

type itemOut struct {
	Metadata `json:"-"`
	Name     string   `json:"name"`
	Size     int      `json:"size"`
	Tags     []string `json:"tags"`
}

// memory answers every request at once.
type memory struct{}

func (memory) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"r1"}},
		Body:          io.NopCloser(strings.NewReader(itemAnswer)),
		ContentLength: int64(len(itemAnswer)),
		Request:       req,
	}, nil
}

type benchGetIn struct {
	Key   string `path:"key"`
	Limit *int   `query:"limit"`
}

type benchGetOut struct {
	Metadata
	Body *itemOut `body:"200,application/json"`
}

// BenchmarkCall compares a typed GET that succeeds at its first attempt with
// the same exchange written by hand.
func BenchmarkCall(b *testing.B) {
	hc := &http.Client{Transport: memory{}}
	b.Run("httpapi", func(b *testing.B) {
		c, err := NewClient(items(), "https://items.example", WithHTTPClient(hc))
		if err != nil {
			b.Fatal(err)
		}
		op := &Operation[benchGetIn, benchGetOut]{Name: "GetItem", Method: http.MethodGet, Path: "/items/{key}"}
		b.ReportAllocs()
		for b.Loop() {
			if out, err := Call(b.Context(), c, op, &benchGetIn{Key: "k", Limit: new(10)}); err != nil || out.Body.Size != 12 {
				b.Fatal(out, err)
			}
		}
	})
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := byHand(b, hc); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// byHand is the exchange with net/http and encoding/json alone.
func byHand(b *testing.B, hc *http.Client) error {
	address := "https://items.example/items/" + url.PathEscape("k") + "?" + url.Values{"limit": {strconv.Itoa(10)}}.Encode()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "bench/1")
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var out itemOut
	return json.Unmarshal(data, &out)
}
