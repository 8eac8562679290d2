package awsprofile_test

import (
	"os"
	"testing"
)

// TestMain keeps the settings of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	for _, name := range []string{"AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS", "AWS_PROFILE"} {
		os.Unsetenv(name)
	}
	os.Setenv("AWS_CONFIG_FILE", os.DevNull)
	m.Run()
}
