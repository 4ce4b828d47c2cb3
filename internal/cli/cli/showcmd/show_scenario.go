package showcmd

import (
	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

func showScenarioCommand(a *call.App) *cobra.Command {
	asJSON, asYAML := false, false
	cmd := &cobra.Command{
		Use:   "scenario FILE",
		Short: "Print every value of a scenario and where it comes from",
		Long: `Prints the resolved scenario: every value with its default, its meaning and the source of
the value. * marks what the file sets, + what a preset sets. With --yaml the values are
printed as a scenario file that gives the same run.`,
		Example: "  railyard show scenario examples/digits-8gpu.yaml",
		Args:    call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			sc, err := a.ReadScenario(args[0])
			switch {
			case err != nil:
				return err
			case asJSON && asYAML:
				return call.Misuse("show scenario: --json and --yaml: want one of the two")
			case asYAML:
				return scenarioYAML(a, args[0], sc)
			case asJSON:
				return a.PrintJSON(view.ScenarioData(sc))
			}
			s := a.NewSheet()
			view.ScenarioText(s, sc)
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&asYAML, "yaml", false, "print as a scenario file")
	return cmd
}

// scenarioYAML prints a scenario as a file that runs. What has a meaning may depend on configurations of switches.
func scenarioYAML(a *call.App, file string, sc *scenario.Scenario) error {
	if sc.Fabric.Config.Set {
		p, err := run.NewPlan(sc)
		if err != nil {
			return a.Located(file, sc, err)
		}
		sc = p.Scenario
	}
	_, err := a.Stdout.Write(sc.YAML())
	return err
}
