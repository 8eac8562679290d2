package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// startToxiproxy runs a toxiproxy before upstream and returns it with its
// endpoint.
func startToxiproxy(t *testing.T, upstream string) (*toxiproxy.Proxy, string) {
	t.Helper()
	log := zerolog.Nop()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), log)
	proxy := toxiproxy.NewProxy(server, "dynamodb", "127.0.0.1:0", strings.TrimPrefix(upstream, "http://"))
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	return proxy, "http://" + proxy.Listen
}

// toxic is a fault of the network between client and server.
type toxic struct {
	Name       string         `json:"name"`
	Type       string         `json:"type"`
	Stream     string         `json:"stream"` // upstream or downstream
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]any `json:"attributes"`
}

// poison adds a toxic to proxy and returns a function that removes it.
func poison(t *testing.T, proxy *toxiproxy.Proxy, tox toxic) (remove func()) {
	t.Helper()
	tox.Name, tox.Toxicity = tox.Type, 1
	data, err := json.Marshal(tox)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(string(data))); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := proxy.Toxics.RemoveToxic(t.Context(), tox.Name); err != nil {
			t.Error(err)
		}
	}
}
