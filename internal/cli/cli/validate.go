package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/validate"
)

func validateCommand(a *app) *cobra.Command {
	var asJSON, markdown, quiet bool
	var seeds int
	cmd := &cobra.Command{
		Use:   "validate [flags]",
		Short: "Compare the packet engine with known results",
		Long: `Runs the experiments whose results are known - rows and time series of the HPCC authors'
ns-3 model, closed forms, figures that papers print - and prints each known figure with
Railyard's beside it, the deviation and the bound. Exit code 1 if a figure is out of bounds.`,
		Args: call.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if seeds < 10 || seeds > 10_000 {
				return call.Misuse("--seeds %d: want 10 to 10000", seeds)
			}
			ctx, stop := a.Interruptible(cmd.Context())
			defer stop()
			p := a.StartProgress(quiet, "validating")
			rows, err := validate.Run(ctx, validate.Options{Seeds: seeds, Progress: func(done, total int) {
				p.Update(result.Progress{Phase: "experiments", Done: int64(done), Total: int64(total)})
			}})
			p.Stop()
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				enc := json.NewEncoder(a.Stdout)
				enc.SetIndent("", "  ")
				err = enc.Encode(rows)
			case markdown:
				err = validate.WriteMarkdown(a.Stdout, rows)
			default:
				err = validate.WriteText(a.Stdout, rows)
			}
			if err != nil {
				return err
			}
			return outOfBounds(rows)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&seeds, "seeds", 100, "seeds of each random experiment, at least 10")
	fl.BoolVar(&asJSON, "json", false, "print the rows as JSON")
	fl.BoolVar(&markdown, "markdown", false, "print the rows as Markdown tables")
	fl.BoolVarP(&quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

// outOfBounds is the error that names the rows out of bounds, nil if there are none.
func outOfBounds(rows []validate.Row) error {
	var bad []string
	for _, r := range rows {
		if !r.OK() {
			bad = append(bad, fmt.Sprintf("%s, %s: %s", r.Group, r.Name, r.Quantity))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d figures are out of bounds: %s", len(bad), len(rows), strings.Join(bad, "; "))
}
