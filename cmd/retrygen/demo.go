//go:build !bootstrap

package main

import (
	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/cmd/retrygen/internal/demo"
)

// The demo is compiled with a generated client. The tag bootstrap leaves it
// out, so that clients can be generated while that one does not compile.
func init() { optional = append(optional, demoCommand) }

func demoCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show what a generated client does with a faulty server",
		Long: `Demo generates a client from an embedded definition, starts a faulty server on
the loopback interface, makes calls with that client, and prints for each attempt
its class, the rule that matched, the wait and what is left of the retry quota.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo.Run(cmd.Context(), cmd.OutOrStdout(), dir)
		},
	}
	c.Flags().StringVarP(&dir, "output", "o", "", "keep the definition and the client in this directory (default: a temporary one)")
	return c
}
