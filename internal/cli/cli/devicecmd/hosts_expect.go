package devicecmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/net/topo"
	"railyard/internal/plan/intent"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
)

func hostsExpectCommand(a *call.App) *cobra.Command {
	host, asJSON := "", false
	cmd := &cobra.Command{
		Use:   "expect FILE [flags]",
		Short: "Say what a host of a scenario is to say about itself",
		Long: `Says what one host of a scenario is to say about itself: its NICs in the order of rails with leaf, MTU,
address and cable, quality of service and NCCL's traffic class, what railyard commission expects of it,
and what nvidia-smi topo -m says of its board. "railyard hosts lint --scenario FILE" holds hosts against it.`,
		Example: "  railyard hosts expect my.yaml\n  railyard hosts expect my.yaml --host host7",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("%s: %s, want one FILE: %s", call.Called(cmd), call.Count(len(args), "argument"),
					cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return hostsExpect(a, args[0], host, asJSON) },
	}
	cmd.Flags().StringVar(&host, "host", "", "which host (default: the first)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func hostsExpect(a *call.App, file, host string, asJSON bool) error {
	p, err := a.Plan(file)
	if err != nil {
		return err
	}
	h, err := expected(p, host)
	if err != nil {
		return a.Located(file, p.Scenario, err)
	}
	if asJSON {
		return a.PrintJSON(h)
	}
	s := a.NewSheet()
	s.Wrap("", fmt.Sprintf("%s of %s, as it is to say of itself", h.Host, file))
	view.MeantText(s, h)
	return s.Flush(a.Stdout)
}

// expected is what a host of a plan is to say; host is its name, "" the first.
func expected(p *plan.Plan, host string) (*intent.Host, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	at := 0
	if host != "" {
		if at = slices.IndexFunc(p.Graph.Hosts, func(h topo.Host) bool { return h.Name == host }); at < 0 {
			var names []string
			for i := range p.Graph.Hosts {
				names = append(names, p.Graph.Hosts[i].Name)
			}
			return nil, call.Misuse("hosts expect: --host %q: no host of the scenario, want one of %s%s", host,
				view.ShortList(names),
				call.Meant(host, names))
		}
	}
	return intent.HostOf(p, in, at)
}
