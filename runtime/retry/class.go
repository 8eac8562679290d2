package retry

import "fmt"

// Class says what kind a failure is, and so whether a retry can help.
type Class uint8

const (
	// Terminal failures are not retried. It is the zero value: a failure that
	// nothing recognises is terminal.
	Terminal Class = iota
	// Transient failures are stumbles of the service or of the network.
	Transient
	// Throttling failures are the service's request for less traffic.
	Throttling
)

var classNames = [...]string{Terminal: "terminal", Transient: "transient", Throttling: "throttling"}

// String returns "terminal", "transient" or "throttling".
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("Class(%d)", uint8(c))
}

// ParseClass is the inverse of [Class.String].
func ParseClass(s string) (Class, error) {
	for c, name := range classNames {
		if s == name {
			return Class(c), nil
		}
	}
	return Terminal, fmt.Errorf("retry: class %q: want terminal, transient or throttling", s)
}
