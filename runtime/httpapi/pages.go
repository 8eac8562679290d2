package httpapi

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// ErrRepeatedCursor says that a server answered with a cursor, or a link to a
// page, that was already used, so that the pages would never end.
var ErrRepeatedCursor = errors.New("httpapi: the server repeats a cursor")

// ErrRepeatedPage says that a server answered with the items of the page before,
// as servers do that ignore the offset or the number of a page, or that there
// is more and with no items twice in a row: the pages would never end.
var ErrRepeatedPage = errors.New("httpapi: the server repeats a page")

// Pages yields the outputs of op page by page. It stops after the last page,
// at the first error (yielded with a nil output), with [ErrRepeatedCursor]
// when the server answers with a cursor that was already used, and with
// [ErrRepeatedPage] instead of a page that has the items of the one before it. Each range begins at the page that in asks for; in is not changed.
// opts apply to every page.
//
// Links to the next page are followed only to the origin (scheme, host and
// port) of the first page, because credentials go with them.
func Pages[In, Out any](ctx context.Context, c *Client, op *Operation[In, Out], p *Pagination, in *In, opts ...CallOption) iter.Seq2[*Out, error] {
	return func(yield func(*Out, error) bool) {
		if err := checkCall(ctx, c, op); err != nil {
			yield(nil, err)
			return
		}
		current := new(In)
		if in != nil {
			*current = *in
		}
		fail := func(err error) {
			yield(nil, &CallError{Operation: c.service.Name + " " + op.Name, Err: fmt.Errorf("pages: %w", err)})
		}
		pages, err := newPager(p, reflect.ValueOf(current).Elem(), op.Document)
		if err != nil {
			fail(err)
			return
		}
		opts := append(opts[:len(opts):len(opts)], withPage(&pages.at))
		for {
			out, err := Call(ctx, c, op, current, opts...)
			if err != nil {
				yield(nil, err)
				return
			}
			if err := pages.arrived(reflect.ValueOf(out)); err != nil {
				fail(err)
				return
			}
			if !yield(out, nil) {
				return
			}
			more, err := pages.next(reflect.ValueOf(out))
			if err != nil {
				fail(err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// pageURL is where a page is.
type pageURL struct {
	next *url.URL // where to send the call; nil: where the input says
	sent *url.URL // where the call was sent
}

// withPage makes a call go to the page at p, and say where it went.
func withPage(p *pageURL) CallOption {
	return callOption(func(c *callConfig) { c.page = p })
}

// pager turns the input of one page into that of the next.
type pager struct {
	*Pagination
	document string
	in       reflect.Value // the input of the current page
	slot     slot
	count    int64 // items seen, or the number of the page
	empty    bool  // the page before had no items
	seen     map[[sha256.Size]byte]bool
	last     [sha256.Size]byte // the items of the page before
	at       pageURL
	origin   *url.URL
}

// newPager begins at the page that in asks for. in is the pager's to change.
func newPager(p *Pagination, in reflect.Value, document string) (*pager, error) {
	pages := &pager{Pagination: p, document: document, in: in, seen: make(map[[sha256.Size]byte]bool)}
	if p == nil {
		return nil, errors.New("nil pagination")
	}
	if pageStyles[p.Style] == nil {
		return nil, fmt.Errorf("unknown page style %d", p.Style)
	}
	if p.Style == LinkPages || p.Style == NextURLPages {
		return pages, nil
	}
	var err error
	if pages.slot, err = slotOf(in.Type(), p.Input, document != ""); err != nil {
		return nil, err
	}
	first := pages.slot.get(in)
	switch {
	case p.Style == CursorPages:
		if !isEnd(first) {
			return pages, pages.use(first)
		}
	case isUnset(first):
		if p.Style == NumberPages {
			pages.count = 1
		}
	default:
		if pages.count, err = wholeNumber(first); err != nil {
			return nil, fmt.Errorf("the %s of the first page: %w", p.Input, err)
		}
	}
	return pages, nil
}

// isUnset reports whether no offset or page number stands in a place: nothing,
// or a text without characters.
func isUnset(v reflect.Value) bool {
	return !v.IsValid() || v.Kind() == reflect.String && v.Len() == 0
}

// wholeNumber returns v, a number or its text, as an integer.
func wholeNumber(v reflect.Value) (int64, error) {
	n, err := nodeOf(v)
	if err != nil {
		return 0, err
	}
	count, err := strconv.ParseInt(n.text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("got %q, want an integer of 64 bits", n.text)
	}
	return count, nil
}

// pageStyles are the ways to the next page; each reports false at the end.
var pageStyles = map[PageStyle]func(p *pager, out, body reflect.Value) (bool, error){
	CursorPages:  (*pager).nextCursor,
	OffsetPages:  (*pager).nextOffset,
	NumberPages:  (*pager).nextNumber,
	LinkPages:    (*pager).nextLink,
	NextURLPages: (*pager).nextURL,
}

// next prepares the input of the page after out, a pointer to an output.
func (p *pager) next(out reflect.Value) (bool, error) {
	if p.origin == nil {
		p.origin = p.at.sent
	}
	body, err := bodyOf(out.Elem(), p.document)
	if err != nil {
		return false, err
	}
	if p.More != "" {
		more := follow(body, p.More)
		if more.IsValid() && more.Kind() != reflect.Bool {
			return false, fmt.Errorf("the value at %s is a %s, want true or false", p.More, more.Type())
		}
		if !more.IsValid() || !more.Bool() {
			return false, nil
		}
	}
	return pageStyles[p.Style](p, out, body)
}

// arrived reports a page with the items of the page before it, for the styles
// that count: nothing else of their pages tells that they repeat.
func (p *pager) arrived(out reflect.Value) error {
	if p.Style != OffsetPages && p.Style != NumberPages {
		return nil
	}
	body, err := bodyOf(out.Elem(), p.document)
	if err != nil {
		return err
	}
	if n, known := p.countItems(body); !known || n == 0 {
		return nil
	}
	data, err := marshalJSON(follow(body, p.Items).Interface())
	if err != nil {
		return nil // such items cannot be compared
	}
	key := sha256.Sum256(data)
	if key == p.last {
		return fmt.Errorf("%w: the items at %q are those of the page before", ErrRepeatedPage, p.Items)
	}
	p.last = key
	return nil
}

// bodyOf returns the body of an output: the output itself where it is a
// document, else the first body field that is set.
func bodyOf(out reflect.Value, document string) (reflect.Value, error) {
	p, err := planOf(out.Type(), outputRole)
	if err != nil {
		return reflect.Value{}, err
	}
	if len(p.bodies) == 0 && document != "" {
		return out, nil
	}
	for _, b := range p.bodies {
		if field := out.Field(b.index); !isAbsent(field) {
			return field, nil
		}
	}
	return reflect.Value{}, nil
}

func (p *pager) nextCursor(_, body reflect.Value) (bool, error) {
	cursor := follow(body, p.Output)
	if isEnd(cursor) {
		return false, nil
	}
	if err := p.use(cursor); err != nil {
		return false, err
	}
	return true, p.slot.set(p.in, cursor)
}

func (p *pager) nextOffset(_, body reflect.Value) (bool, error) {
	items, known := p.countItems(body)
	if !known {
		return false, errors.New("the output has no list of items")
	}
	if items == 0 {
		return false, nil
	}
	return true, p.advance(items)
}

// advance adds n to the offset or page number and puts it into the input. It
// reports a sum that is too large, for itself or for the field.
func (p *pager) advance(n int) error {
	if p.count > math.MaxInt64-int64(n) {
		return fmt.Errorf("the %s of the next page: %d + %d is too large", p.Input, p.count, n)
	}
	p.count += int64(n)
	if err := p.slot.set(p.in, reflect.ValueOf(p.count)); err != nil {
		return fmt.Errorf("the %s of the next page: %w", p.Input, err)
	}
	if kept, err := wholeNumber(p.slot.get(p.in)); err != nil || kept != p.count {
		return fmt.Errorf("the %s of the next page: the field cannot hold %d", p.Input, p.count)
	}
	return nil
}

func (p *pager) nextNumber(_, body reflect.Value) (bool, error) {
	items, known := p.countItems(body)
	if !known && p.More == "" {
		return false, errors.New("the output has no list of items")
	}
	if items == 0 && p.More == "" {
		return false, nil
	}
	empty := known && items == 0
	if empty && p.empty {
		return false, fmt.Errorf("%w: %s is true, and the items at %q are none twice in a row", ErrRepeatedPage, p.More, p.Items)
	}
	p.empty = empty
	return true, p.advance(1)
}

// countItems counts the items of a page; no list is none. It reports false
// if something else stands there.
func (p *pager) countItems(body reflect.Value) (int, bool) {
	items := follow(body, p.Items)
	if items.Kind() == reflect.Slice || items.Kind() == reflect.Array {
		return items.Len(), true
	}
	return 0, !items.IsValid()
}

func (p *pager) nextLink(out, _ reflect.Value) (bool, error) {
	holder, ok := out.Interface().(interface{ metadata() *Metadata })
	if !ok {
		return false, fmt.Errorf("%s embeds no Metadata", out.Type())
	}
	for _, l := range parseLinks(holder.metadata().Header.Values("Link")) {
		if l.hasRel("next") {
			return p.followURL(l.target)
		}
	}
	return false, nil
}

func (p *pager) nextURL(_, body reflect.Value) (bool, error) {
	next := follow(body, p.Output)
	if isEnd(next) {
		return false, nil
	}
	if next.Kind() != reflect.String {
		return false, fmt.Errorf("the next URL at %s is a %s", p.Output, next.Type())
	}
	return p.followURL(next.String())
}

// followURL makes the next page the one at a URL, which may be relative.
func (p *pager) followURL(ref string) (bool, error) {
	u, err := p.at.sent.Parse(ref)
	if err != nil {
		return false, fmt.Errorf("next page: %w", err)
	}
	u.Fragment, u.RawFragment = "", ""
	if !sameOrigin(u, p.origin) || u.User != nil {
		return false, fmt.Errorf("next page %q: want a URL of %s://%s", ref, p.origin.Scheme, p.origin.Host)
	}
	p.at.next = u
	return true, p.use(reflect.ValueOf(u.String()))
}

// sameOrigin compares origins as RFC 6454, section 5 does.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// use notes a cursor and reports one that was used before.
func (p *pager) use(cursor reflect.Value) error {
	data, err := marshalJSON(cursor.Interface())
	if err != nil {
		return fmt.Errorf("cursor: %w", err)
	}
	key := sha256.Sum256(data)
	if p.seen[key] {
		return fmt.Errorf("%w: %s", ErrRepeatedCursor, data)
	}
	p.seen[key] = true
	return nil
}

// isEnd reports whether a cursor says that there is no next page: it is
// absent, null, "", an empty object or list, false, or zero.
func isEnd(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Map, reflect.Slice, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return isZero(v)
	}
	return isPlain(v.Type()) && v.IsZero()
}
