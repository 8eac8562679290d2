// Command retrygen generates Go clients from annotated OpenAPI definitions.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run executes the command line and returns the exit status: 0, 1 for an
// error, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	stderr = escaped{stderr}
	root := rootCommand()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(doubleDashes(root, args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if status(err) == 2 {
		fmt.Fprintln(stderr, "Run 'retrygen help' for usage.")
	}
	return status(err)
}
