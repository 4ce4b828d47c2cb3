package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/netconf"
	"railyard/internal/netconf/dialects"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Render switch configurations",
		Long:  "Renders what switches are told, from the names and addresses of a scenario's network.",
		Args:  subcommandOnly,
		RunE:  needSubcommand,
	}
	cmd.AddCommand(a.renderCommand())
	return cmd
}

func dialectNames() []string { return slices.Sorted(maps.Keys(dialects.All)) }

func (a *app) renderCommand() *cobra.Command {
	dialect, out := "frr", ""
	var about strings.Builder
	for _, name := range dialectNames() {
		fmt.Fprintf(&about, "\n  %s  %s", name, dialects.All[name].Meaning)
	}
	cmd := &cobra.Command{
		Use: "render FILE [SWITCH...]", Short: "Render the configuration of switches",
		Long: `Renders interfaces, VLANs, addresses and BGP of the switches of a scenario, or of some of them.
Files are printed, each below its name, or written below DIR/SWITCH. Dialects:` + about.String(),
		Example: "  railyard config render examples/leaf-spine.yaml leaf1\n" +
			"  railyard config render examples/leaf-spine.yaml --dialect frr -o configs",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return misuse("render: missing FILE, the scenario to read: %s", cmd.UseLine())
			case dialects.All[dialect].Dialect == nil:
				return misuse("config render: --dialect %q: no such dialect, want one of: %s", dialect,
					strings.Join(dialectNames(), ", "))
			}
			return nil
		},
		ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.plan(args[0])
			if err != nil {
				return err
			}
			devices, err := configured(p)
			if err != nil {
				return a.located(args[0], p.Scenario, err)
			}
			if devices, err = chosenDevices(devices, args[1:]); err != nil {
				return err
			}
			return a.render(dialects.All[dialect], devices, out)
		},
	}
	cmd.Flags().StringVar(&dialect, "dialect", dialect, "language: "+strings.Join(dialectNames(), ", "))
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder to write to, new or empty")
	return cmd
}

// chosenDevices are those with some names, in the order of names; all without any.
func chosenDevices(all []netconf.Device, names []string) (some []netconf.Device, err error) {
	if len(names) == 0 {
		return all, nil
	}
	known := make([]string, len(all))
	for i := range all {
		known[i] = all[i].Name
	}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			err = errors.Join(err, fmt.Errorf("%q is no switch of this network%s", name, didYouMean(name, known, between(known))))
			continue
		}
		some = append(some, all[i])
	}
	if err != nil {
		return nil, misuse("config render: %w", err)
	}
	return some, nil
}

// render writes the files of devices below a folder, or prints them. All are rendered before the first is written.
func (a *app) render(dialect netconf.Dialect, devices []netconf.Device, dir string) error {
	rendered := make([][]netconf.File, len(devices))
	var wrong error
	for i := range devices {
		files, err := dialect.Render(&devices[i])
		rendered[i], wrong = files, errors.Join(wrong, err)
	}
	if wrong != nil {
		return wrong
	}
	if dir != "" {
		if err := emptyFolder(dir); err != nil {
			return err
		}
	}
	for i := range devices {
		for k, f := range rendered[i] {
			if dir != "" {
				if err := writeBelow(filepath.Join(dir, devices[i].Name), f); err != nil {
					return err
				}
				continue
			}
			if i+k > 0 {
				fmt.Fprintln(a.stdout)
			}
			if _, err := fmt.Fprintf(a.stdout, "# %s: %s\n%s", devices[i].Name, f.Name, f.Text); err != nil {
				return err
			}
		}
	}
	return nil
}

// emptyFolder refuses a folder that holds something: what stands there would be mixed with what is
// written.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s: not empty, want a new or empty folder", dir)
	}
	return nil
}

func writeBelow(dir string, f netconf.File) error {
	path := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, f.Text, 0o666)
}
