package reportcmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/report"
	"railyard/internal/study/sweep"
)

// Compare is railyard compare.
func Compare(a *call.App) *cobra.Command {
	var asJSON, damaged bool
	var page, svg string
	cmd := &cobra.Command{
		Use:   "compare A B [C...] [flags]",
		Short: "Compare runs: what differs, and which causes account for it",
		Long: `Prints runs side by side: first by how much the step time (or the mean completion time)
differs and which cause has most of it, then which keys of their scenarios differ, their
figures, and how much each cause adds to the difference of what is divided among causes.
The causes sum to that difference. The first run is what the others are compared with.
Three runs or more that differ in one key, but for their names, are put in the order of
that key's values, so the first is the one with the least. --html writes the same as a
page with plots, which all have the same scales. For the directory of a sweep there is
railyard report.`,
		Example: "  railyard compare runs/digits-8gpu-1 runs/digits-incast-1\n" +
			"  railyard compare runs/digits-* --html compare.html",
		Args:              call.RunDirs(2, 0),
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			return compareRuns(a, args, page, svg, asJSON, damaged)
		},
	}
	call.DamagedFlag(cmd.Flags(), &damaged)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the comparison and its plots as one JSON object")
	cmd.Flags().StringVar(&page, "html", "", "also write a page with plots to this file")
	cmd.Flags().StringVar(&svg, "svg", "", "also write each plot as an SVG file into this directory")
	return cmd
}

func compareRuns(a *call.App, dirs []string, page, svg string, asJSON, damaged bool) error {
	var runs []*report.Data
	for _, dir := range dirs {
		if sweep.IsDir(dir) {
			return call.Misuse("compare: %s is the directory of a sweep, not of a run: railyard report %s shows it",
				dir, dir)
		}
		d, err := call.LoadRun(dir, damaged)
		if err != nil {
			return err
		}
		runs = append(runs, d)
	}
	c := report.Compare(runs)
	if asJSON {
		if err := a.PrintJSON(c); err != nil {
			return err
		}
		return writePage(a, io.Discard, c.Page(), page, svg)
	}
	if err := c.WriteText(a.Stdout, min(a.OutTerm.Columns(), call.CompareColumns)); err != nil {
		return err
	}
	if page != "" || svg != "" {
		fmt.Fprintln(a.Stdout)
	}
	return writePage(a, a.Stdout, c.Page(), page, svg)
}
