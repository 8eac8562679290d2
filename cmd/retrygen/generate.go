package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/gen"
)

func generateCommand() *cobra.Command {
	var cfg gen.Config
	c := &cobra.Command{
		Use:   "generate [flags] spec...",
		Short: "Write the client of each definition",
		Long: `Generate writes a Go client for each OpenAPI definition (2.0 to 3.2, YAML or JSON).

It writes all clients or, if a definition is wrong, none. It replaces and removes
only files that it has written itself. Constructs that it cannot support are left
out and listed.`,
		Example: "  retrygen generate -o internal/orders specs/orders.yaml\n" +
			"  retrygen generate -o generated specs/orders.yaml specs/dynamodb.yaml",
		Args: definitions,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.Specs = args
			report, err := gen.Run(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			show(cmd, report)
			return nil
		},
	}
	configFlags(c, &cfg)
	return c
}

func checkCommand() *cobra.Command {
	var cfg gen.Config
	c := &cobra.Command{
		Use:   "check [flags] spec...",
		Short: "Fail if generated clients are not what generate would write now",
		Long: `Check generates in memory, with the same flags as generate, and compares.

It writes nothing. If a file is missing, differs or is stale, it lists them and
exits with status 1.`,
		Args: definitions,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.Specs = args
			report, err := gen.Check(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			show(cmd, report)
			return nil
		},
	}
	configFlags(c, &cfg)
	return c
}

// configFlags adds the flags that generate and check share.
func configFlags(c *cobra.Command, cfg *gen.Config) {
	f := c.Flags()
	f.StringVarP(&cfg.Output, "output", "o", "", "directory of the client, or of all clients if there are several (default: named for the package)")
	f.StringVar(&cfg.Package, "package", "", "name of the Go package (default: from the definition)")
	f.BoolVar(&cfg.Strict, "strict", false, "treat warnings and skipped constructs as errors")
	f.BoolVar(&cfg.AllowNetwork, "allow-network", false, "read definitions and references from the network")
	f.BoolVar(&cfg.AllowOutside, "allow-outside", false, "follow references to files outside of the definition's directory")
}

// show prints what a run did: a line for each client and each construct that
// was skipped; warnings go to standard error.
func show(cmd *cobra.Command, report *gen.Report) {
	out := escaped{cmd.OutOrStdout()}
	for _, client := range report.Clients {
		fmt.Fprintln(out, client)
		for _, line := range client.Skipped {
			fmt.Fprintln(out, line)
		}
		for _, line := range client.Warnings {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	}
}
