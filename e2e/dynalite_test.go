package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// startDynalite runs a dynalite of its own for t and returns its endpoint.
func startDynalite(t *testing.T) string {
	t.Helper()
	cli := filepath.Join("node_modules", "dynalite", "cli.js")
	if _, err := os.Stat(cli); err != nil {
		t.Fatalf("dynalite is not installed, run npm ci in e2e: %v", err)
	}
	port := freePort(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "node", cli, "--host", "127.0.0.1", "--port", port,
		"--createTableMs", "100", "--deleteTableMs", "100", "--updateTableMs", "100")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening") {
			return "http://127.0.0.1:" + port
		}
	}
	t.Fatal("dynalite ended before it was listening")
	return ""
}

// freePort returns a port that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
