package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/diag"
)

// fetchTimeout bounds the reading of one file from the network.
const fetchTimeout = 30 * time.Second

// files are the files of one definition, read when a reference first needs
// them.
type files struct {
	ctx     context.Context
	opts    Options
	start   string // the definition itself
	read    map[string]*file
	allowed map[string]error       // what allow said
	targets map[[2]string]resolved // by file and reference
	bundle  *bundle
	depth   int // of references that lead through references
}

type file struct {
	root    *Node
	diags   diag.List
	err     error             // why root is nil, without diags
	anchors map[string]Object // by $anchor; made when the first is looked for
}

// resolved is what a reference leads to.
type resolved struct {
	object Object
	err    error
}

// root returns the definition itself as an object.
func (f *files) root() Object {
	n := f.read[f.start].root
	return Object{Node: n, File: f.start, Key: diag.Position{File: f.start, Line: n.Line, Column: n.Column}}
}

// locate splits a reference that stands in the file base into the file that it
// leads to and the fragment: a JSON pointer or an anchor.
func locate(base, ref string) (name, fragment string, err error) {
	u, err := url.Parse(ref)
	if err != nil {
		return "", "", errors.New("not a URL")
	}
	fragment = u.Fragment
	u.Fragment, u.RawFragment = "", ""
	switch {
	case u.Scheme == "http" || u.Scheme == "https":
		name = u.String()
	case u.Scheme != "" && u.Scheme != "file":
		return "", "", fmt.Errorf("scheme %s is not supported", u.Scheme)
	case u.Path == "":
		name = base
	case isURL(base):
		b, err := url.Parse(base)
		if err != nil {
			return "", "", errors.New("not a URL")
		}
		name = b.ResolveReference(u).String()
	case path.IsAbs(u.Path):
		name = path.Clean(u.Path)
	default:
		name = path.Join(path.Dir(base), u.Path)
	}
	return name, fragment, nil
}

func isURL(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// resolve returns the object that a reference in the file base leads to.
// Further references on the way are followed.
func (f *files) resolve(base, ref string) (Object, error) {
	key := [2]string{base, ref}
	if known, ok := f.targets[key]; ok {
		return known.object, known.err
	}
	o, err := f.target(base, ref)
	if err != nil {
		err = fmt.Errorf("$ref %q: %w", ref, err)
	}
	f.targets[key] = resolved{o, err}
	return o, err
}

func (f *files) target(base, ref string) (Object, error) {
	name, fragment, err := locate(base, ref)
	if err != nil {
		return Object{}, err
	}
	if err := f.allow(name); err != nil {
		return Object{}, err
	}
	file := f.open(name)
	if file.root == nil {
		return Object{}, file.err
	}
	o := Object{Node: file.root, File: name, Key: diag.Position{File: name, Line: file.root.Line, Column: file.root.Column}}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return file.anchor(o, fragment)
	}
	pointer := Tokens(fragment)
	for i, token := range pointer {
		o = f.through(o, token)
		next, key := o.Node.child(token)
		if next == nil {
			return Object{}, fmt.Errorf("%s has no %s%s", name, Pointer(pointer[:i+1]...),
				diag.DidYouMean(token, o.Node.Names()))
		}
		o = o.child(token, key, next)
	}
	return o, nil
}

// anchor returns the schema that has the $anchor in the file with that root.
func (f *file) anchor(root Object, name string) (Object, error) {
	if f.anchors == nil {
		f.anchors = map[string]Object{}
		f.collectAnchors(root, map[*Node]bool{})
	}
	o, ok := f.anchors[name]
	if !ok {
		return Object{}, fmt.Errorf("%s has no $anchor %s", root.File, name)
	}
	return o, nil
}

func (f *file) collectAnchors(o Object, seen map[*Node]bool) {
	if seen[o.Node] {
		return
	}
	seen[o.Node] = true
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name := o.Node.Str(key); name != "" {
			f.anchors[name] = o
		}
	}
	for i, v := range o.Node.Values {
		token, key := strconv.Itoa(i), Key{Line: v.Line, Column: v.Column}
		if o.Node.Kind == Map {
			key = o.Node.Keys[i]
			token = key.Name
		}
		f.collectAnchors(o.child(token, key, v), seen)
	}
}

// maxReferences is how many references in a row are followed.
const maxReferences = 32

// through returns o, or what o refers to if only that has a member token.
func (f *files) through(o Object, token string) Object {
	for range maxReferences {
		if next, _ := o.Node.child(token); next != nil || o.Node.Ref() == "" || f.depth > maxReferences {
			break
		}
		f.depth++
		target, err := f.resolve(o.File, o.Node.Ref())
		f.depth--
		if err != nil {
			break
		}
		o = target
	}
	return o
}

// allow reports whether the file may be read.
func (f *files) allow(name string) error {
	err, ok := f.allowed[name]
	if !ok {
		err = f.permit(name)
		f.allowed[name] = err
	}
	return err
}

func (f *files) permit(name string) error {
	if isURL(name) {
		if !f.opts.AllowNetwork {
			return errors.New("references to the network are refused, unless -allow-network is given")
		}
		return nil
	}
	if isURL(f.start) {
		return errors.New("a definition from the network cannot refer to local files")
	}
	if !f.opts.AllowOutside && !within(path.Dir(f.start), name) {
		return errors.New("references to files outside of the definition's directory are refused, unless -allow-outside is given")
	}
	return nil
}

// within reports whether the file name is in the directory dir, symbolic
// links followed.
func within(dir, name string) bool {
	rel, err := filepath.Rel(real(dir), real(name))
	return err == nil && filepath.IsLocal(rel)
}

// real returns the absolute name without symbolic links, as far as the file
// exists.
func real(name string) string {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		return resolved
	}
	if dir := filepath.Dir(abs); dir != abs {
		return filepath.Join(real(dir), filepath.Base(abs))
	}
	return abs
}

// open reads and parses a file, once.
func (f *files) open(name string) *file {
	if known, ok := f.read[name]; ok {
		return known
	}
	opened := &file{}
	f.read[name] = opened
	data, err := f.bytes(name)
	if err != nil {
		opened.err = err
		return opened
	}
	opened.root, opened.diags = parse(name, data)
	if opened.root == nil {
		opened.err = errors.New("the file cannot be read as YAML or JSON")
	}
	return opened
}

func (f *files) bytes(name string) ([]byte, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	if isURL(name) {
		return f.fetch(name)
	}
	local := filepath.FromSlash(name)
	switch info, err := os.Stat(local); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no such file: %s", name)
	case err != nil:
		return nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory, want a file", name)
	}
	r, err := os.Open(local)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	defer r.Close()
	return readAll(r, name)
}

// cause strips the operation and the path, which the message has already.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func (f *files) fetch(name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(f.ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, name, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: status %s", name, resp.Status)
	}
	return readAll(resp.Body, name)
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, maxFileSize>>20)
	}
	return data, nil
}
