package cli

import (
	"github.com/spf13/cobra"

	"railyard/internal/coll"
	"railyard/internal/plan"
)

// lookCommands are the commands that look at things and run nothing, or little.
func (a *app) lookCommands() []*cobra.Command {
	return []*cobra.Command{a.showCommand(), a.checkCommand(), a.listCommand(), a.schemaCommand(),
		a.completionCommand(), a.manCommand()}
}

// A view is a value of the pipeline, as text and as data.
type view struct {
	name, short, long string
	text              func(a *app, p *plan.Plan) error
	data              func(p *plan.Plan) (any, error)
}

var views = []view{
	{"topo", "Print hosts, switches, ports and tiers",
		"Prints the graph: hosts with their NICs, switches with their ports, rates and delays, the\ncapacity and " +
			"oversubscription of each tier, and the bisection.",
		func(a *app, p *plan.Plan) error { return p.Graph.WriteText(a.stdout) }, topoData},
	{"placement", "Print where ranks run and which paths queue pairs take",
		"Prints the host, GPU, rail and NIC of each rank, the ring of each channel, and the path\nof each queue pair " +
			"through the fabric.",
		placementText, placementData},
	{"dag", "Print the operations of a training step",
		"Prints the operations of one step of one rank in issue order: stream, what each waits\nfor, how long it " +
			"takes; and the collectives with the bytes they sum.",
		dagText, dagData},
	{"schedule", "Print who sends what to whom in a collective",
		"Prints the all-reduce op by op. The text can be edited and given back to a scenario as\njob: {collective: " +
			"{schedule: FILE}}; one that does not sum is refused, and why.",
		scheduleText, scheduleData},
}

func (a *app) showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print what a scenario comes to",
		Long:  "Prints one of the values between a scenario and its run, as text or as data.",
		Args:  subcommandOnly,
		RunE:  needSubcommand,
	}
	cmd.AddCommand(a.showScenarioCommand())
	for _, v := range views {
		cmd.AddCommand(a.viewCommand(v))
	}
	cmd.AddCommand(a.timelineCommand())
	return cmd
}

func (a *app) viewCommand(v view) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: v.name + " FILE", Short: v.short, Long: v.long, Example: "  railyard show " + v.name +
			" examples/digits-8gpu.yaml",
		Args: oneFile, ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.plan(args[0])
			if err != nil {
				return err
			}
			if !asJSON {
				return v.text(a, p)
			}
			d, err := v.data(p)
			if err != nil {
				return err
			}
			return a.printJSON(d)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// completeScenario completes names of scenario files in a shell.
func completeScenario(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

func scheduleText(a *app, p *plan.Plan) error {
	s, err := scheduleOf(p)
	if err != nil {
		return err
	}
	return coll.WriteText(a.stdout, s)
}
