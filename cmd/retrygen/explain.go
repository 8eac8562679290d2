package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/retrygen/retrygen/explain"
	"github.com/retrygen/retrygen/gen"
)

// reportFormats write a report, by the name of the format.
var reportFormats = map[string]func(io.Writer, *explain.Report) error{
	"text": func(w io.Writer, r *explain.Report) error { return r.Text(escaped{w}) },
	"json": func(w io.Writer, r *explain.Report) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	},
}

func explainCommand() *cobra.Command {
	var cfg gen.Config
	var format, page, layers string
	c := &cobra.Command{
		Use:   "explain [flags] spec [operation]",
		Short: "Tell how operations are retried, and where each rule comes from",
		Long: `Explain works out the retry policy of each operation of a definition, or of one:
every rule with its place in the definition or its profile, the order of
classification, the delays, the worst case, what happens to an operation that is
not idempotent, and what the retry quota grants.

Options of a program and environment variables stand above the definition and are
not regarded.`,
		Example: "  retrygen explain specs/orders.yaml createOrder\n" +
			"  retrygen explain -layers 3x3 -html retries.html specs/orders.yaml",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := reportFormats[format]
			if !ok {
				return fmt.Errorf("-format: got %q, want text or json", format)
			}
			outer, err := explain.ParseLayers(layers)
			if err != nil {
				return fmt.Errorf("-%w", err)
			}
			cfg.Specs = args[:1]
			if page != "" {
				if err := checkOutputs(cfg.Specs[0], page); err != nil {
					return fmt.Errorf("-html: %w", err)
				}
			}
			report, err := explained(cmd, cfg, args[1:], outer)
			if err != nil {
				return err
			}
			if page != "" {
				if err := writeFile(page, report.HTML); err != nil {
					return err
				}
			}
			return write(cmd.OutOrStdout(), report)
		},
	}
	f := c.Flags()
	f.StringVar(&format, "format", "text", "format of the output: text or json")
	f.StringVar(&page, "html", "", "write the report to this file too, as an HTML page")
	f.StringVar(&layers, "layers", "", "attempts of retries around the client, outermost first, such as 3x3")
	f.BoolVar(&cfg.AllowNetwork, "allow-network", false, "read definitions and references from the network")
	f.BoolVar(&cfg.AllowOutside, "allow-outside", false, "follow references to files outside of the definition's directory")
	return c
}

// explained is the report on all operations or on the one that is named.
func explained(cmd *cobra.Command, cfg gen.Config, operation []string, outer []int) (*explain.Report, error) {
	d, err := gen.Describe(cmd.Context(), cfg)
	if err != nil {
		return nil, err
	}
	for _, line := range d.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	report, err := explain.New(d, outer)
	if err != nil || len(operation) == 0 {
		return report, err
	}
	return report, report.Only(operation[0])
}

// writeFile writes a new file, or replaces an old one.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
