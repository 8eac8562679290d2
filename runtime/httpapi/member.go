package httpapi

import (
	"reflect"
	"strings"
	"sync"
)

// member is one member of the JSON object that a struct is.
type member struct {
	name     string
	index    []int
	omitzero bool
	fallback bool   // an embedded map of members without a field
	form     format // form:"…"
	part     string // part:"…", the media type of a multipart part
}

type memberList struct {
	members []member
	err     error
}

var memberLists sync.Map // reflect.Type → memberList

// membersOf returns the members of struct type t as its json tags name them,
// in the order of the fields.
func membersOf(t reflect.Type) ([]member, error) {
	if v, ok := memberLists.Load(t); ok {
		list := v.(memberList)
		return list.members, list.err
	}
	members, err := compileMembers(t, nil)
	memberLists.Store(t, memberList{members, err})
	return members, err
}

func compileMembers(t reflect.Type, prefix []int) ([]member, error) {
	var members []member
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("json") == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		m, embedded, err := compileMember(t, f)
		if err != nil {
			return nil, err
		}
		m.index = append(append([]int(nil), prefix...), i)
		if !embedded || f.Type.Kind() != reflect.Struct {
			m.fallback = embedded
			members = append(members, m)
			continue
		}
		inner, err := compileMembers(f.Type, m.index)
		if err != nil {
			return nil, err
		}
		members = append(members, inner...)
	}
	return members, nil
}

// compileMember reads the tags of one field. It reports whether the members
// of the field's value are those of the struct.
func compileMember(t reflect.Type, f reflect.StructField) (m member, embedded bool, err error) {
	name, options, err := cutName(f.Tag.Get("json"))
	if err != nil {
		return m, false, tagError(t, f, "json", err)
	}
	m.name = name
	embedded = f.Anonymous && name == ""
	for _, option := range options {
		m.omitzero = m.omitzero || option == "omitzero" || option == "omitempty"
		embedded = embedded || option == "embed"
	}
	if name == "" && !embedded {
		m.name = f.Name
	}
	return m, embedded, m.readTags(t, f)
}

// readTags reads what form and part tags say about the member.
func (m *member) readTags(t reflect.Type, f reflect.StructField) error {
	var options []string
	if tag := f.Tag.Get("form"); tag != "" {
		options = strings.Split(tag, ",")
	}
	form, err := parseFormat(inQuery, options)
	if err != nil {
		return tagError(t, f, "form", err)
	}
	m.form = form
	m.part = f.Tag.Get("part")
	return nil
}

// memberNamed returns the member called name.
func memberNamed(t reflect.Type, name string) (member, bool) {
	members, err := membersOf(t)
	if err != nil {
		return member{}, false
	}
	for _, m := range members {
		if !m.fallback && m.name == name {
			return m, true
		}
	}
	return member{}, false
}
