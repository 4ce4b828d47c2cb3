package topocmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
)

// hashFlags is the flags of `railyard hash`. Function to seed are of a file of flows.
type hashFlags struct {
	view.Hashing
	seeds int
	json  bool
}

const mostSeeds = 100_000

// hashCall is a call of railyard hash.
type hashCall struct {
	*call.App
	f hashFlags
}

// Hash is railyard hash.
func Hash(a *call.App) *cobra.Command {
	c := &hashCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "hash FILE [flags]",
		Short: "Say which queue pair lands on which link, and why",
		Long: `Says on which links the switches of a scenario put its queue pairs: the headers, the hash, the
link. How uneven that is, how often other seeds are as bad, and what more queue pairs for each
connection would give. Nothing runs: a connection counts as if all sent at once, each as fast as its
share of both its NICs.

FILE may be a file of flows instead, as a switch shows them: FLOWS.csv with a line of the columns
src,dst,src_port,dst_port and maybe protocol,qp. Then --links says how many equal links there are, and
--function, --fields and --seed how they are chosen; the seed goes into the function as it is.`,
		Example: "  railyard hash examples/leaf-spine.yaml\n" +
			"  railyard hash flows.csv --links 4 --function crc32",
		Args: call.OneFile, ValidArgsFunction: call.CompleteScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			ofFlows := strings.HasSuffix(strings.ToLower(args[0]), ".csv")
			for _, name := range []string{"links", "function", "fields", "seed"} {
				if cmd.Flags().Changed(name) && !ofFlows {
					return call.Misuse("hash: --%s %s is for a file of flows, .csv; of a scenario fabric.hash and seed say it",
						name, cmd.Flags().Lookup(name).Value)
				}
			}
			if f.seeds < 1 || f.seeds > mostSeeds {
				return call.Misuse("hash: --seeds %d: want 1 to %d", f.seeds, mostSeeds)
			}
			if ofFlows && !cmd.Flags().Changed("links") {
				return call.Misuse("hash: a file of flows, .csv, needs --links N: over how many equal links they are spread, 1 to 1024")
			}
			if ofFlows {
				return c.hashFlows(args[0])
			}
			return c.hashScenario(args[0])
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print as JSON, with every queue pair")
	fl.IntVar(&f.seeds, "seeds", 1000, "how many other seeds to try, fewer where there are many queue pairs")
	fl.IntVar(&f.Links, "links", 0, "of a file of flows: how many equal links there are")
	fl.StringVar(&f.Function, "function", "mix", "of a file of flows: "+call.List(call.ChoiceNames(hashFunctions)))
	fl.StringVar(&f.Fields, "fields", "5-tuple", "of a file of flows: "+call.List(call.ChoiceNames(hashFields)))
	fl.Uint64Var(&f.Seed, "seed", 0, "of a file of flows: the start value of a CRC, and so on")
	return cmd
}

func (c *hashCall) hashScenario(file string) error {
	p, err := c.Plan(file)
	if err != nil {
		return err
	}
	if !p.Hashes() {
		return fmt.Errorf("fabric.balance is %s: no hash puts its queue pairs on links; want ecmp, wcmp or resilient",
			p.Scenario.Fabric.Balance)
	}
	d := view.HashOf(p, c.f.seeds)
	if c.f.json {
		return c.PrintJSON(d)
	}
	s := c.NewSheet()
	view.HashText(s, d)
	return s.Flush(c.Stdout)
}
