package build

import (
	"cmp"
	"mime"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// mediaKind groups media types by how the runtime writes and reads them. The
// order is that of preference.
type mediaKind int

const (
	jsonMedia mediaKind = iota
	formMedia
	multipartMedia
	streamMedia // server-sent events, JSON lines
	textMedia
	binaryMedia
	xmlMedia
)

// baseMedia returns a media type without parameters, in lower case.
func baseMedia(mediaType string) string {
	if base, _, err := mime.ParseMediaType(mediaType); err == nil {
		return base
	}
	base, _, _ := strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(base))
}

// mediaKindOf says how bodies of a media type are written.
func mediaKindOf(mediaType string) mediaKind {
	base := baseMedia(mediaType)
	switch {
	case base == "application/json", base == "text/json", strings.HasSuffix(base, "+json"),
		strings.HasPrefix(base, "application/x-amz-json-"):
		return jsonMedia
	case base == "application/x-www-form-urlencoded":
		return formMedia
	case base == "multipart/form-data":
		return multipartMedia
	case base == "application/xml", base == "text/xml", strings.HasSuffix(base, "+xml") && base != "image/svg+xml":
		return xmlMedia
	case slices.Contains(streams, base):
		return streamMedia
	case strings.HasPrefix(base, "text/") && !strings.Contains(base, "*"):
		return textMedia
	}
	return binaryMedia
}

// streams are media types of documents without an end: they are read as they
// come.
var streams = []string{
	"text/event-stream", "application/jsonl", "application/x-jsonl", "application/x-ndjson", "application/ndjson",
	"application/json-seq", "application/stream+json",
}

// media is a chosen media type.
type media struct {
	name string // as tags say it
	key  string // as the definition writes it
	kind mediaKind
	typ  *openapi3.MediaType
}

// choose returns the media type of content that a client prefers.
func choose(content openapi3.Content) (media, bool) {
	all, _ := ranked(content)
	if len(all) == 0 {
		return media{}, false
	}
	return all[0], true
}

// ranked lists the media types of content, the preferred first: JSON,
// application/json before other JSON, then in the order of mediaKind. Of those
// that differ by parameters alone, or only by being ranges, it has one, that
// without parameters if it is there; the others are twins.
func ranked(content openapi3.Content) (all []media, twins []leftMedia) {
	names := sortedKeys(content)
	inexact := func(name string) int {
		if strings.Contains(name, "*") {
			return 2
		}
		return min(1, strings.Count(name, ";"))
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(inexact(x), inexact(y)) })
	for _, name := range names {
		typ := content[name]
		if typ == nil {
			typ = &openapi3.MediaType{}
		}
		m := media{name: baseMedia(name), key: name, kind: mediaKindOf(name), typ: typ}
		if m.kind == binaryMedia && strings.HasPrefix(m.name, "*/") || m.name == "application/*" {
			m = wildcard(m)
		}
		if i := slices.IndexFunc(all, func(o media) bool { return o.name == m.name }); i >= 0 {
			twins = append(twins, leftMedia{name, all[i].key + " is used"})
			continue
		}
		all = append(all, m)
	}
	other := func(m media) int {
		if m.kind == jsonMedia && m.name != "application/json" {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(x, y media) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(other(x), other(y)))
	})
	return all, twins
}

// wildcard decides what any media type means: JSON for what only JSON can
// carry, bytes for the rest.
func wildcard(m media) media {
	m.name = "application/octet-stream"
	if m.typ.Schema != nil && m.typ.Schema.Value != nil {
		if s := m.typ.Schema.Value; !s.Type.Is(openapi3.TypeString) {
			m.name, m.kind = "application/json", jsonMedia
		}
	}
	return m
}
