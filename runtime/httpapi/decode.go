package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// decodeInfo is what an operation says about its answers.
type decodeInfo struct {
	document  string // Operation.Document
	operation string // for messages
}

// answerError is an answer that could not be read, with what was read of it.
type answerError struct {
	data []byte
	err  error
}

func (e *answerError) Error() string { return e.err.Error() }
func (e *answerError) Unwrap() error { return e.err }

// decode reads a successful answer into out, a pointer to an output. At most
// limit bytes are held in memory; 0 means no limit. It reports whether out
// now owns resp.Body, to be read and closed by the caller. Errors that have
// seen the body are [*answerError]s.
func decode(info decodeInfo, resp *http.Response, out any, limit int64) (streamed bool, err error) {
	v := reflect.ValueOf(out).Elem()
	p, err := planOf(v.Type(), outputRole)
	if err != nil {
		return false, err
	}
	p.decodeHeaders(resp.Header, v)
	if len(p.bodies) == 0 && (info.document == "" || p.empty()) {
		return false, nil // whatever the body is, nothing of it is wanted
	}
	if len(p.bodies) == 0 {
		return false, decodeBuffered(info.document, resp, v, limit)
	}
	field, err := p.choose(resp)
	if err != nil {
		return false, readError(resp, limit, fmt.Errorf("%s: %w", info.operation, err))
	}
	if field == nil {
		return false, nil
	}
	target := v.Field(field.index)
	if isStream(target.Type()) {
		if resp.StatusCode == http.StatusNoContent || resp.Body == nil || resp.Body == http.NoBody {
			return false, nil
		}
		target.Set(reflect.ValueOf(resp.Body))
		return true, nil
	}
	return false, decodeBuffered(field.mediaType, resp, target, limit)
}

// empty reports whether the output is a struct that nothing can be read into.
func (p *plan) empty() bool { return p.typ.Kind() == reflect.Struct && !p.members }

var readCloser = reflect.TypeFor[io.ReadCloser]()

// isStream reports whether a field of t takes the body unread.
func isStream(t reflect.Type) bool {
	return t.Kind() == reflect.Interface && t.NumMethod() > 0 && readCloser.Implements(t)
}

// decodeHeaders sets the fields of response headers that were received. One
// that cannot be read says nothing about the operation: its field stays as it
// is, and the header can be found in the [Metadata].
func (p *plan) decodeHeaders(h http.Header, v reflect.Value) {
	for i := range p.headers {
		param := &p.headers[i]
		values := h.Values(param.name)
		if len(values) == 0 {
			continue
		}
		field := v.Field(param.index)
		if err := param.setHeader(field, values); err != nil {
			field.SetZero() // it may hold a part
		}
	}
}

// choose returns the body field for an answer: of the declared status, else
// of its range, and of the media type that fits best. It returns nil for an
// answer that is declared without a body, and an error for a status or a
// media type that is not declared.
func (p *plan) choose(resp *http.Response) (*bodyField, error) {
	received := resp.Header.Get("Content-Type")
	var best *bodyField
	bestScore, declared := 0, false
	for i := range p.bodies {
		b := &p.bodies[i]
		if !b.status.Contains(resp.StatusCode) {
			continue
		}
		declared = true
		score := b.score(received, resp.StatusCode)
		if score > bestScore {
			best, bestScore = b, score
		}
	}
	switch {
	case best != nil || hasNoBody(resp):
		return best, nil
	case declared:
		return nil, fmt.Errorf("unexpected media type %q, want %s", received, p.accept)
	}
	return nil, fmt.Errorf("status %d is not declared", resp.StatusCode)
}

// hasNoBody reports whether the answer certainly has no body.
func hasNoBody(resp *http.Response) bool {
	return resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusResetContent ||
		resp.ContentLength == 0 || resp.Body == nil || resp.Body == http.NoBody
}

// score says how well b fits an answer of its status; 0 means not at all.
// Exact statuses come before ranges. A JSON body is tried whatever the answer
// calls itself, because it cannot be mistaken; but HTML, which proxies
// answer, is nothing else that was not declared as such.
func (b *bodyField) score(received string, status int) int {
	score := 0
	switch {
	case baseType(b.mediaType) == baseType(received) && received != "":
		score = 5
	case covers(b.mediaType, received):
		score = 4
	case isJSON(b.mediaType) && isJSON(received):
		score = 3
	case received == "":
		score = 2
	case isJSON(b.mediaType) || baseType(received) != "text/html":
		score = 1
	default:
		return 0
	}
	if b.status == Status(status) {
		score += 10
	}
	return score
}

// decodeBuffered reads the whole body into v. An empty body leaves v as it
// is.
func decodeBuffered(mediaType string, resp *http.Response, v reflect.Value, limit int64) error {
	data, err := readAll(resp, limit)
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return nil
	}
	if encoding := contentEncoding(resp.Header); encoding != "" {
		return &answerError{data, fmt.Errorf("unsupported content encoding %q", encoding)}
	}
	received := resp.Header.Get("Content-Type")
	if err := setBody(v, mediaType, received, data); err != nil {
		return &answerError{data, err}
	}
	return nil
}

// setBody reads a body of a media type into v.
func setBody(v reflect.Value, mediaType, received string, data []byte) error {
	if kindOf(mediaType) == anyMedia && received != "" {
		mediaType = received
	}
	if v.Type() == bytesType && !isJSON(mediaType) {
		v.SetBytes(data)
		return nil
	}
	if isJSON(mediaType) {
		err := unmarshalJSON(data, v.Addr().Interface())
		if err != nil && received != "" && !isJSON(received) {
			err = fmt.Errorf("unexpected media type %q: %w", received, err)
		}
		return err
	}
	target := v.Type()
	if target.Kind() == reflect.Pointer {
		target = target.Elem()
	}
	switch {
	case target.Kind() == reflect.Interface && target.NumMethod() == 0:
		return setAny(v, mediaType, received, data)
	case isPlain(target) || kindOf(mediaType) == textMedia && !isRecord(target):
		text, err := fromCharset(charsetOf(received, mediaType), data)
		if err != nil {
			return err
		}
		return setText(v, text)
	case target == bytesType:
		v.Set(reflect.ValueOf(&data))
		return nil
	}
	return unmarshalJSON(data, v.Addr().Interface())
}

// setAny reads a body that is declared without a type.
func setAny(v reflect.Value, mediaType, received string, data []byte) error {
	if kindOf(mediaType) != textMedia {
		v.Set(reflect.ValueOf(data))
		return nil
	}
	text, err := fromCharset(charsetOf(received, mediaType), data)
	if err != nil {
		return err
	}
	v.Set(reflect.ValueOf(strings.ToValidUTF8(text, "\uFFFD")))
	return nil
}

// readAll reads the body, up to limit.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	if resp.Body == nil {
		return nil, nil
	}
	var buf bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= maxPresize && (limit <= 0 || n <= limit) {
		buf.Grow(int(n) + bytes.MinRead)
	}
	source := io.Reader(resp.Body)
	if limit > 0 {
		source = io.LimitReader(resp.Body, limit+1)
	}
	if _, err := buf.ReadFrom(source); err != nil {
		return nil, err
	}
	if limit > 0 && int64(buf.Len()) > limit {
		return nil, &answerError{buf.Bytes(), fmt.Errorf("the body is larger than %d bytes", limit)}
	}
	return buf.Bytes(), nil
}

// maxPresize is the largest buffer that is made on the word of a
// Content-Length, in bytes.
const maxPresize = 1 << 20

// readError adds the beginning of the body to err.
func readError(resp *http.Response, limit int64, err error) error {
	data, readErr := readAll(resp, limit)
	if large, ok := errors.AsType[*answerError](readErr); ok {
		data = large.data
	}
	return &answerError{data, err}
}

// decodeError reads an error document into an error of the specification:
// into the field tagged body:"error" if it has one, else into the struct. An
// answer that is not JSON is only read by fields for text or bytes.
func decodeError(data []byte, contentType string, into error) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("error type %T is not a pointer to a struct", into)
	}
	v = v.Elem()
	p, err := planOf(v.Type(), errorRole)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if len(p.bodies) == 0 {
		return unmarshalJSON(data, into)
	}
	mediaType := contentType
	target := v.Field(p.bodies[0].index)
	if !isPlain(target.Type()) && target.Type() != bytesType {
		mediaType = "application/json"
	}
	return setBody(target, mediaType, contentType, data)
}
