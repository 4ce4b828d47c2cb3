package showcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/sheet"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/devicecmd"
	"railyard/internal/cli/view"
	"railyard/internal/job/coll"
	"railyard/internal/plan/plan"
)

// A view is a value of the pipeline, as text and as data.
type showing struct {
	name, short, long string
	text              func(s *sheet.Sheet, p *plan.Plan,
		j *plan.Job) error // nil: a schedule's, which is written as it comes
	data func(p *plan.Plan, j *plan.Job) (any, error)
}

var views = []showing{
	{"topo", "Print hosts, switches, ports and tiers",
		"Prints the graph: hosts with their NICs, switches with their ports, rates and delays, the\ncapacity and " +
			"oversubscription of each tier, and the bisection. Then in numbers: ports in use, cuts, what\nhalves can " +
			"exchange, switches and ways between NICs and between ranks, what each single failure cuts\noff, and whether " +
			"buffers may wait for each other in a circle.",
		view.TopoText, view.TopoData},
	{"inventory", "Print names, ports, addresses, VLANs and AS numbers",
		"Prints what the network is called by: for each switch its AS number and loopback, for each rail on it\nthe VLAN, " +
			"the subnet and the gateway, the addresses of links and NICs, the ports that cables are plugged\ninto, and the " +
			"groups of equal next hops. The keys are fabric.routing and fabric.addresses.",
		view.InventoryText, view.InventoryData},
	{"placement", "Print where ranks run and which paths queue pairs take",
		"Prints the host, GPU, rail and NIC of each rank, the ring of each channel, and the path\nof each queue pair " +
			"through the fabric.",
		view.PlacementText, view.PlacementData},
	{"dag", "Print the operations of a training step",
		"Prints the operations of one step of one rank in issue order: stream, what each waits\nfor, how long it " +
			"takes; and the collectives with the bytes they sum.",
		view.DagText, view.DagData},
	{"groups", "Print what each group of ranks sends, and over which links",
		"Prints the groups of a job: ranks, hosts, the payload of a step, what of it stays on NVLink,\nwhat enters the " +
			"network by which rail, and what crosses a spine.",
		view.GroupsText, view.GroupsData},
	{"memory", "Print what each rank's GPU holds, term by term",
		"Prints the memory of each rank by formula: weights, gradients, the optimiser's state,\nactivations in flight, " +
			"errors, staging; beside the letters of the book's figure 8-1.",
		view.MemoryText, view.MemoryData},
	{"model", "Print the layers of a network, and how ranks share them",
		"Prints each layer of the network that a job trains: its tensors and their shapes, parameters,\narithmetic and " +
			"what it keeps of a row, the stage it is on, and what tensor-parallel ranks have of it.\nIn place of FILE the name " +
			"of a large model prints its parameters, the FLOP of a token and the bytes of its\ngradients: " +
			decoderNames() + ".",
		view.ModelText, view.ModelData},
	{"corpus", "Print the tokens of a training's text, and how well it can be predicted",
		"Prints how many tokens and windows a training's text has, the vocabulary, the beginning of the test\ntext, the " +
			"loss of who knows only how often each token comes, and for a grammar's text its entropy:\nthe mean of -log p " +
			"of the test windows' labels under the grammar.",
		view.CorpusText, view.CorpusData},
	{"schedule", "Print who sends what to whom in a collective",
		"Prints the all-reduce op by op. The text can be edited and given back to a scenario as\njob: {collective: " +
			"{schedule: FILE}}; one that does not sum is refused, and why.",
		nil, view.ScheduleData},
}

// Command is railyard show.
func Command(a *call.App, e call.Engine) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Print what a scenario comes to",
		Long:  "Prints one of the values between a scenario and its run, as text or as data.",
		Args:  call.SubcommandOnly,
		RunE:  call.NeedSubcommand,
	}
	cmd.AddCommand(showScenarioCommand(a))
	for _, v := range views {
		cmd.AddCommand(viewCommand(a, v))
	}
	cmd.AddCommand(devicecmd.RIB(a), devicecmd.Host(a), timelineCommand(a, e), eventsCommand(a), captureCommand(a))
	return cmd
}

func viewCommand(a *call.App, v showing) *cobra.Command {
	asJSON, name := false, ""
	cmd := &cobra.Command{
		Use: v.name + " FILE", Short: v.short, Long: v.long, Example: "  railyard show " + v.name +
			" examples/digits-8gpu.yaml",
		Args: call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			if v.name == "model" && isDecoder(args[0]) {
				return showDecoder(a, args[0], asJSON)
			}
			p, err := a.Plan(args[0])
			if err != nil {
				return err
			}
			j, err := jobNamed(p, name)
			if err != nil {
				return err
			}
			if !asJSON {
				return a.Located(args[0], p.Scenario, viewText(a, v, p, j))
			}
			d, err := v.data(p, j)
			if err != nil {
				return a.Located(args[0], p.Scenario, err)
			}
			return a.PrintJSON(d)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	if v.name != "topo" && v.name != "inventory" {
		cmd.Flags().StringVar(&name, "job", "", "of several jobs the one with this NAME, instead of the first")
	}
	return cmd
}

// viewText prints a view of a job.
func viewText(a *call.App, v showing, p *plan.Plan, j *plan.Job) error {
	if v.text == nil {
		schedule, err := view.ScheduleOf(j)
		if err != nil {
			return err
		}
		return coll.WriteText(a.Stdout, schedule)
	}
	s := a.NewSheet()
	if err := v.text(s, p, j); err != nil {
		return err
	}
	return s.Flush(a.Stdout)
}

// noJob refuses the name of a job, beside those that there are. In a summary a job that is alone has
// none.
func noJob(name string, names []string) error {
	if len(names) == 1 && names[0] == "" {
		return call.Misuse("show: --job %s: there is one job alone: leave the flag out", name)
	}
	return call.Misuse("show: --job %s: no job has that name, want one of: %s", name, strings.Join(names, ", "))
}

// jobNamed returns the job with a name; "": the first.
func jobNamed(p *plan.Plan, name string) (*plan.Job, error) {
	var names []string
	for i := range p.Jobs {
		if j := &p.Jobs[i]; name == "" || j.Spec.Name == name {
			return j, nil
		}
		names = append(names, p.Jobs[i].Spec.Name)
	}
	return nil, noJob(name, names)
}
