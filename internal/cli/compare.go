package cli

import (
	"github.com/spf13/cobra"

	"railyard/internal/report"
)

func (a *app) compareCommand() *cobra.Command {
	var asJSON, damaged bool
	cmd := &cobra.Command{
		Use:   "compare A B [C...] [flags]",
		Short: "Compare runs: what differs, and which causes account for it",
		Long: `Prints runs side by side: first by how much the step time (or the mean completion time)
differs and which cause has most of it, then which keys of their scenarios differ, their
figures, and how much each cause adds to the difference of what is divided among causes.
The causes sum to that difference. The first run is what the others are compared with.
Three runs or more that differ in one key, but for their names, are put in the order of
that key's values, so the first is the one with the least.`,
		Example:           "  railyard compare runs/digits-8gpu-1 runs/digits-incast-1",
		Args:              runDirs(2, 0),
		ValidArgsFunction: completeDirs,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.compareRuns(args, asJSON, damaged)
		},
	}
	damagedFlag(cmd.Flags(), &damaged)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the comparison as one JSON object")
	return cmd
}

func (a *app) compareRuns(dirs []string, asJSON, damaged bool) error {
	var runs []*report.Data
	for _, dir := range dirs {
		d, err := loadRun(dir, damaged)
		if err != nil {
			return err
		}
		runs = append(runs, d)
	}
	c := report.Compare(runs)
	if !asJSON {
		return c.WriteText(a.stdout, min(a.outTerm.columns(), compareColumns))
	}
	return a.printJSON(c)
}
