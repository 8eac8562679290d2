package httpapi

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"reflect"
	"strings"
	"sync"
)

// multipartBody writes a struct or a map as multipart/form-data: files and
// readers as they are read, scalars as text, lists as one part for each item,
// objects as JSON. The boundary is the same on each attempt.
func multipartBody(v reflect.Value) (body, error) {
	form := formData{boundary: rand.Text()}
	if err := eachMember(v, form.addMember); err != nil {
		return body{}, err
	}
	form.text("--" + form.boundary + "--\r\n")
	return form.body(), nil
}

// formData is a multipart body under construction: what is sent, in order.
type formData struct {
	boundary string
	sections []body
}

// text adds a section that is held in memory.
func (f *formData) text(s string) { f.sections = append(f.sections, bytesBody("", []byte(s))) }

// add adds a part.
func (f *formData) add(disposition, mediaType string, content body) {
	header := "--" + f.boundary + "\r\nContent-Disposition: " + disposition + "\r\n"
	if mediaType != "" {
		header += "Content-Type: " + mediaType + "\r\n"
	}
	f.text(header + "\r\n")
	f.sections = append(f.sections, content)
	f.text("\r\n")
}

var (
	fileType  = reflect.TypeFor[File]()
	bytesType = reflect.TypeFor[[]byte]()
)

// addMember adds the part or the parts of one member.
func (f *formData) addMember(m member, v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.Pointer && !v.Type().Implements(reader) {
		v = v.Elem()
	}
	switch {
	case v.Type() == fileType:
		return f.addFile(m, v.Interface().(File))
	case v.Type().Implements(reader):
		return f.addFile(m, File{Name: m.name, Content: v.Interface().(io.Reader)})
	case v.Kind() == reflect.Slice && v.Type() != bytesType && !isJSON(m.part):
		for i := range v.Len() {
			if item := v.Index(i); !isAbsent(item) {
				if err := f.addMember(m, item); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return f.addValue(m, v)
}

func (f *formData) addFile(m member, file File) error {
	if file.Content == nil {
		return errors.New("the file has no content")
	}
	mediaType := file.ContentType
	if mediaType == "" {
		first, _, _ := strings.Cut(m.part, ",")
		mediaType = concrete(strings.TrimSpace(first), "application/octet-stream")
	}
	if strings.ContainsAny(mediaType, "\r\n") {
		return fmt.Errorf("media type %q has a line break", mediaType)
	}
	content, err := readerBody("", file.Content)
	if err != nil {
		return err
	}
	f.add(multipart.FileContentDisposition(m.name, file.Name), mediaType, content)
	return nil
}

// addValue adds a part with a value that is not a file.
func (f *formData) addValue(m member, v reflect.Value) error {
	n, err := nodeOf(v)
	if err != nil {
		return err
	}
	mediaType, text := m.part, n.text
	switch {
	case isJSON(m.part):
		data, err := marshalJSON(v.Interface())
		if err != nil {
			return err
		}
		text = string(data)
	case n.kind != scalarNode && mediaType == "":
		mediaType = "application/json"
	}
	f.add(fieldDisposition(m.name), mediaType, bytesBody("", []byte(text)))
	return nil
}

// fieldDisposition is the Content-Disposition of a part that is not a file.
func fieldDisposition(name string) string {
	disposition, _, _ := strings.Cut(multipart.FileContentDisposition(name, ""), "; filename=")
	return disposition
}

// body joins the sections.
func (f *formData) body() body {
	whole := body{contentType: "multipart/form-data; boundary=" + f.boundary, patient: true}
	for _, section := range f.sections {
		whole.patient = whole.patient && section.patient
		whole.oneShot = whole.oneShot || section.oneShot
		if section.length < 0 || whole.length < 0 {
			whole.length = -1
			continue
		}
		whole.length += section.length
	}
	sections := f.sections
	whole.open = func() (io.ReadCloser, error) { return &sectionReader{rest: sections}, nil }
	return whole
}

// sectionReader reads sections one after the other, each opened when it is
// reached. Close may be called while another goroutine reads.
type sectionReader struct {
	mu      sync.Mutex // not held while a section is read
	current io.ReadCloser
	rest    []body
}

// Read reads from the current section.
func (r *sectionReader) Read(p []byte) (int, error) {
	for {
		section, err := r.section()
		if err != nil {
			return 0, err
		}
		n, err := section.Read(p)
		if err == io.EOF {
			err = r.closeCurrent()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// section returns the current section, or [io.EOF] after the last.
func (r *sectionReader) section() (io.ReadCloser, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		return r.current, nil
	}
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	opened, err := r.rest[0].open()
	if err != nil {
		return nil, err
	}
	r.current, r.rest = opened, r.rest[1:]
	return opened, nil
}

func (r *sectionReader) closeCurrent() error {
	r.mu.Lock()
	current := r.current
	r.current = nil
	r.mu.Unlock()
	if current == nil {
		return nil
	}
	return current.Close()
}

// Close closes the current section; no other is opened.
func (r *sectionReader) Close() error {
	r.mu.Lock()
	r.rest = nil
	r.mu.Unlock()
	return r.closeCurrent()
}
