package devicecmd

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/cli/cli/call"
	"railyard/internal/net/board"
	"railyard/internal/plan/scenario"
)

// notOfRuns says how a scenario comes to a board that is no cluster.host.preset, or that none does; empty for the others.
func notOfRuns(name string) string {
	var presets []string
	for _, c := range scenario.HostPresets {
		switch name {
		case c.Name:
			return ""
		case c.Name + "-shared":
			return "Of a scenario it is the host with cluster.host.preset: " + c.Name + " and cluster.nic.shared_by: 2."
		}
		presets = append(presets, c.Name)
	}
	return "No scenario has such a host: cluster.host.preset is " + strings.Join(presets, ", ") + "."
}

// Host is railyard show host.
func Host(a *call.App) *cobra.Command {
	asJSON := false
	names := slices.Sorted(maps.Keys(board.Presets))
	cmd := &cobra.Command{
		Use: "host PRESET", Short: "Print what is inside a host: GPUs, switches, CPUs, NICs and the links between them",
		Long: "Prints the parts of a host and the links between them with their rates, from data sheets. A run\nhas the " +
			"rates of cluster.host. PRESET is one of\n" + strings.Join(names[:len(names)/2], ", ") + ",\n" +
			strings.Join(names[len(names)/2:], ", ") + ".",
		Example: "  railyard show host hgx-h100",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return call.Misuse("%s: %d arguments, want one PRESET: %s", call.Called(cmd), len(args), cmd.UseLine())
			case board.Presets[args[0]] == nil:
				return call.Misuse("show host: %q: no such host, want one of: %s%s", args[0], strings.Join(names, ", "),
					call.Meant(args[0], names))
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			b := board.Presets[args[0]]()
			if asJSON {
				return a.PrintJSON(b)
			}
			s := a.NewSheet()
			s.Wrap("", b.Source)
			s.Blank()
			s.Grid("llrrw", b.Rows())
			for _, text := range b.Sums() {
				s.Wrap("  ", text)
			}
			if text := notOfRuns(args[0]); text != "" {
				s.Wrap("  ", text)
			}
			return s.Flush(a.Stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
