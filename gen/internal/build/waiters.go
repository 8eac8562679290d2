package build

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/retrygen/retrygen/gen/internal/model"
)

// Waits between the polls of a waiter that names none.
const (
	waiterDelay    = 2 * time.Second
	waiterMaxDelay = 2 * time.Minute
)

// waiterStates are the states of x-waiter, as the runtime names them.
var waiterStates = map[string]string{"success": "WaitSuccess", "failure": "WaitFailure", "retry": "WaitRetry"}

// waiters names the waiters of an operation.
func (b *builder) waiters(c *call) {
	for _, note := range c.note.Waiters {
		w := note
		name := cmp.Or(exported(w.Name), c.op.GoName)
		w.GoName = b.methods.claim("Wait"+name, "Wait"+c.op.GoName+name)
		w.Descriptor = b.scope.claim(unexported(name), unexported(name)+"Waiter")
		w.Delay = cmp.Or(w.Delay, waiterDelay)
		w.MaxDelay = max(cmp.Or(w.MaxDelay, waiterMaxDelay), w.Delay)
		w.Acceptors = make([]model.Acceptor, len(note.Acceptors))
		for i, a := range note.Acceptors {
			a.State = waiterStates[a.State]
			w.Acceptors[i] = a
		}
		w.Doc = waiterDoc(w, c.op.GoName)
		c.op.Waiters = append(c.op.Waiters, w)
	}
}

// waiterDoc tells what a waiter waits for, and what makes it give up.
func waiterDoc(w model.Waiter, operation string) string {
	text := fmt.Sprintf("%s calls [Client.%s] until %s.", w.GoName, operation, conditions(w, "WaitSuccess"))
	if failure := conditions(w, "WaitFailure"); failure != "" {
		text += " It fails when " + failure + "."
	}
	return text + fmt.Sprintf("\n\nBetween calls it waits %s at first and %s at most.", spoken(w.Delay), spoken(w.MaxDelay))
}

// spoken writes a duration without units of zero: 2m, not 2m0s.
func spoken(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if short, found := strings.CutSuffix(text, zero); found {
			text = short + zero[:1]
		}
	}
	return text
}

// conditions lists what leads to a state.
func conditions(w model.Waiter, state string) string {
	var out []string
	for _, a := range w.Acceptors {
		if a.State != state {
			continue
		}
		switch {
		case a.ErrorCode != "":
			out = append(out, "the call fails with "+a.ErrorCode)
		case a.Status != 0:
			out = append(out, fmt.Sprintf("the status is %d", a.Status))
		default:
			out = append(out, fmt.Sprintf("%s is %s", a.Pointer, a.Equals))
		}
	}
	if len(out) == 0 && state == "WaitSuccess" {
		return "it decides"
	}
	return strings.Join(out, " or ")
}
