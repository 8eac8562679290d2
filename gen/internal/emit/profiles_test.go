package emit

import (
	"testing"

	awsprofiles "github.com/retrygen/retrygen/runtime/awsprofile"
	http1 "github.com/retrygen/retrygen/runtime/httpapi"
)

// TestProfiles compares the known profiles with those of the runtime, which
// the generator itself does not import.
func TestProfiles(t *testing.T) {
	all := append(awsprofiles.All(), http1.HTTP1)
	for _, p := range all {
		if known, ok := profiles[p.Name]; !ok || known.attempts != p.MaxAttempts {
			t.Errorf("profile %q: got %+v, want %d attempts", p.Name, known, p.MaxAttempts)
		}
	}
	if len(profiles) != len(all) {
		t.Errorf("got %d profiles, want %d", len(profiles), len(all))
	}
}
