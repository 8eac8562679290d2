package annotate

import (
	"strconv"
	"strings"

	"github.com/retrygen/retrygen/gen/internal/diag"
	"github.com/retrygen/retrygen/gen/internal/load"
	"github.com/retrygen/retrygen/gen/internal/model"
)

// Places say where settings stand. The keys are those of x-retry
// ("maxAttempts", "quota.capacity", "serverDelay.headers"); for codes and
// statuses those of [CodeKey] and [StatusKey]; and the names of the other
// extensions ("x-idempotent").
type Places map[string]diag.Position

// CodeKey is the key of an error code in a class: "throttling.codes.busy".
func CodeKey(class, code string) string { return class + ".codes." + code }

// StatusKey is the key of statuses in a class: "throttling.statuses.429", or
// "throttling.statuses.500-599" for a range.
func StatusKey(class string, s model.StatusRange) string {
	key := class + ".statuses." + strconv.Itoa(s.From)
	if s.To != s.From {
		key += "-" + strconv.Itoa(s.To)
	}
	return key
}

// over returns p with what only the farther places have.
func (p Places) over(far Places) Places {
	out := Places{}
	for _, places := range []Places{far, p} {
		for key, at := range places {
			out[key] = at
		}
	}
	return out
}

// places returns where the settings of the level stand.
func (l level) places() Places {
	out := Places{}
	if l.on.object.Node != nil {
		out.add(l.on)
	}
	for _, c := range l.claims() {
		key := CodeKey(c.class, c.a.text())
		if c.kind == "statuses" {
			key = StatusKey(c.class, statuses(c.a.object.Node))
		}
		if _, ok := out[key]; !ok {
			out[key] = c.a.position()
		}
	}
	return out
}

// add adds the parts of x-retry that are no objects, lists as a whole.
func (p Places) add(a annotation) {
	for _, name := range a.object.Node.Names() {
		part, _ := a.get(name)
		if part.object.Node.Kind == load.Map {
			p.add(part)
		} else {
			p[strings.TrimPrefix(part.key, "x-retry.")] = part.position()
		}
	}
}

// operationPlaces are the extensions, beside those of levels, whose places
// are kept.
var operationPlaces = []string{"x-idempotent", "x-long-polling"}

// places returns where the annotations of an operation and of its path stand.
func (r *reader) places(op load.Object, own, path level) Places {
	out := own.places().over(path.places())
	for _, name := range operationPlaces {
		if a, ok := r.find(op, name); ok {
			out[name] = a.position()
		}
	}
	return out
}
