package reportcmd

import (
	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/out/report"
)

// Explain is railyard explain.
func Explain(a *call.App) *cobra.Command {
	var damaged, asJSON bool
	cmd := &cobra.Command{
		Use:   "explain DIR [FLOW]",
		Short: "Explain where the time of a run, or of one of its flows, went",
		Long: `Prints what limited a run and all that there is to say of it, then the causes of its step
time or completion time in words, largest first.
With FLOW, the name or id of a flow or message, it prints how that one's completion
time divides among the causes, its path, and who shared its ports. Of a run that failed or
is unfinished it says why, how far it got, and the last that happened to what is left open.`,
		Example:           "  railyard explain runs/digits-8gpu-1\n  railyard explain runs/incast-1 flow3",
		Args:              call.RunDirs(1, 2),
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			return explain(a, args, damaged, asJSON)
		},
	}
	call.DamagedFlag(cmd.Flags(), &damaged)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func explain(a *call.App, args []string, damaged, asJSON bool) error {
	width := a.PageWidth()
	d, err := call.LoadRun(args[0], damaged)
	if err != nil {
		return err
	}
	if len(args) == 1 && asJSON {
		return a.PrintJSON(report.ExplanationOf(d))
	}
	if len(args) == 1 {
		return report.WriteCauses(a.Stdout, d, width)
	}
	f, err := d.Flow(args[1])
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(report.FlowExplanationOf(f))
	}
	return report.WriteFlow(a.Stdout, f, width)
}
