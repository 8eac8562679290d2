package annotate

import (
	"net/http"
	"slices"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// reservedHeaders are the request headers that have a meaning of their own or
// that something else sets; the runtime has the same.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type",
	"Cookie", "Expect", "Host", "If-Match", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "User-Agent",
}

// keyHeaders are what idempotency keys are usually called. Nothing else is
// written there.
var keyHeaders = []string{"Idempotency-Key", "X-Idempotency-Key"}

// retryHeaders are the keys of x-retry that name a request header.
var retryHeaders = []string{"attemptHeader", "deadlineHeader"}

// taken says by what a request header is set already, "" if by nothing.
func (r *reader) taken(header string) string {
	if slices.Contains(reservedHeaders, http.CanonicalHeaderKey(header)) {
		return "which has a meaning of its own"
	}
	start := r.doc.Start()
	schemes, ok := start.Child("securityDefinitions") // 2.0
	if components, found := start.Child("components"); found && !ok {
		schemes, _ = components.Child("securitySchemes")
	}
	for _, scheme := range members(r.doc, schemes) {
		if in, name := r.own(scheme.Object, "in"), r.own(scheme.Object, "name"); in == "header" && strings.EqualFold(name, header) {
			return "which carries the API key of the security scheme " + scheme.name
		}
	}
	return ""
}

// own returns the text of a member of o, or of what o refers to.
func (r *reader) own(o load.Object, key string) string {
	for _, on := range r.doc.Follow(o) {
		if v, ok := on.Child(key); ok {
			return v.Node.Text
		}
	}
	return ""
}

// checkHeaders reports the headers that the nearest level names and that are
// taken, also by a level under it.
func (r *reader) checkHeaders(near level, all model.Retry) {
	for _, key := range retryHeaders {
		a, ok := near.at(key)
		if !ok {
			continue
		}
		switch by := r.taken(a.text()); {
		case by != "":
			r.errorf(a, "got %s, %s", a.text(), by)
		case slices.Contains(keyHeaders, http.CanonicalHeaderKey(a.text())):
			r.errorf(a, "got %s, which is for idempotency keys", a.text())
		}
	}
	if a, ok := near.at("deadlineHeader"); ok && strings.EqualFold(a.text(), all.AttemptHeader) {
		r.errorf(a, "got %s, which is the attemptHeader too", a.text())
	} else if a, ok := near.at("attemptHeader"); ok && strings.EqualFold(a.text(), all.DeadlineHeader) {
		r.errorf(a, "got %s, which is the deadlineHeader too", a.text())
	}
}

// checkKeyHeader reports an idempotency key in a header that is taken: it
// would not arrive, and the operation would be repeated all the same.
func (r *reader) checkKeyHeader(key *model.Key, at annotation, retry model.Retry) {
	if key == nil || key.Header == "" {
		return
	}
	if header, ok := at.get("header"); ok {
		at = header
	}
	by := r.taken(key.Header)
	for i, other := range []string{retry.AttemptHeader, retry.DeadlineHeader} {
		if strings.EqualFold(other, key.Header) {
			by = "which is the " + retryHeaders[i] + " too"
		}
	}
	if by != "" {
		r.errorf(at, "got %s, %s", key.Header, by)
	}
}
