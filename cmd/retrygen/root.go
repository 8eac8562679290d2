package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retrygen/retrygen/gen"
)

// optional are the commands that a build tag leaves out.
var optional []func() *cobra.Command

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "retrygen",
		Short:         "Generate Go clients that retry as their API wants it",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.SetVersionTemplate("retrygen {{.Version}}\n")
	root.AddCommand(generateCommand(), checkCommand(), explainCommand(), simulateCommand(), versionCommand())
	for _, command := range optional {
		root.AddCommand(command())
	}
	for _, c := range root.Commands() {
		markFailures(c)
	}
	return root
}

// failure is an error of a command that was called as it should be.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// markFailures makes the errors of c's work failures, so that every other
// error is one of the command line.
func markFailures(c *cobra.Command) {
	work := c.RunE
	if work == nil {
		return
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := work(cmd, args); err != nil {
			return failure{err}
		}
		return nil
	}
}

// status is the exit status for an error: 2 for a wrong command line, values
// of flags included, else 1.
func status(err error) int {
	if _, ok := errors.AsType[*gen.ConfigError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return 2
	}
	if _, ok := errors.AsType[failure](err); ok {
		return 1
	}
	return 2
}

// definitions wants at least one argument.
func definitions(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s: no definition is given, want at least one: %s", cmd.CommandPath(), cmd.UseLine())
	}
	return nil
}

// doubleDashes lets long flags be written as Go's tools have them, with one
// dash: -package becomes --package. Only flags that some command has are
// changed.
func doubleDashes(root *cobra.Command, args []string) []string {
	known := map[string]bool{"help": true, "version": true}
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	}
	out := make([]string, len(args))
	for i, arg := range args {
		if arg == "--" {
			copy(out[i:], args[i:])
			break
		}
		out[i] = arg
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && len(name) > 1 && known[name] {
			out[i] = "-" + arg
		}
	}
	return out
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of retrygen",
		Args:  cobra.NoArgs,
		Run:   func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "retrygen", version()) },
	}
}

// version is that of the module, as the build recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
