package devicecmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/netconf"
	"railyard/internal/config/rib"
	"railyard/internal/plan/configs"
)

// RIB is railyard show rib.
func RIB(a *call.App) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use: "rib FILE SWITCH", Short: "Print what a switch knows by BGP, and what it tells its neighbours",
		Long: `Prints how routes come about on a switch: its connected subnets; its sessions; BGP's routes
with all paths, the best first, and a * where packets take one; then what it advertises. It is worked
out from the configuration of all switches (railyard config render), for what is true once nothing
changes any more.`,
		Example: "  railyard show rib examples/leaf-spine.yaml leaf1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return call.Misuse("%s: %s, want FILE and SWITCH: %s", call.Called(cmd),
					unit.CountOf(int64(len(args)), "argument"), cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: call.CompleteScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.Plan(args[0])
			if err != nil {
				return err
			}
			_, devices, err := configs.Routers(p)
			if err != nil {
				return a.Located(args[0], p.Scenario, err)
			}
			at := slices.IndexFunc(devices, func(d netconf.Device) bool { return d.Name == args[1] })
			if at < 0 {
				names := namesOf(devices)
				return call.Misuse("show rib: %q is no switch of this network%s", args[1], call.DidYouMean(args[1],
					names, between(names)))
			}
			n := rib.New(devices, func(d int) bool { return d == at })
			if asJSON {
				return a.PrintJSON(view.RibData(n, at))
			}
			s := a.NewSheet()
			view.RibText(s, p, n, at)
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// between names the first and the last of the switches that there are.
func between(names []string) string {
	switch len(names) {
	case 0:
		return "it has none"
	case 1:
		return "want " + names[0]
	}
	return fmt.Sprintf("want one of %s to %s", names[0], names[len(names)-1])
}

func namesOf(devices []netconf.Device) (names []string) {
	for i := range devices {
		names = append(names, devices[i].Name)
	}
	return names
}
