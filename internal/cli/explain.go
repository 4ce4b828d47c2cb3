package cli

import (
	"github.com/spf13/cobra"

	"railyard/internal/cli/call"
	"railyard/internal/report"
)

func explainCommand(a *app) *cobra.Command {
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
		Args:              runDirs(1, 2),
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.explain(args, damaged, asJSON)
		},
	}
	damagedFlag(cmd.Flags(), &damaged)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (a *app) explain(args []string, damaged, asJSON bool) error {
	width := a.PageWidth()
	d, err := loadRun(args[0], damaged)
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
