package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/netconf"
	"railyard/internal/netconf/dialects"
)

// diffFlags is the flags of `railyard config diff`.
type diffFlags struct {
	dialect string
	json    bool
}

func (a *app) configDiffCommand() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B [flags]",
		Short: "Compare two switches' configurations, or one with the design",
		Long: `Compares what two configurations mean, whatever their platforms. A or B may be a scenario, .yaml: then
the other one is compared with the switch of its name in it. What one of the platforms has no command
for is left out. Exit code 1 if anything differs.`,
		Example: "  railyard config diff configs/leaf1 configs/leaf2\n  railyard config diff my.yaml configs/leaf1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return misuse("%s: %d arguments, want A and B: %s", called(cmd), len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.configDiff(args[0], args[1], f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "", "platform of both: "+strings.Join(dialects.Names(), ", ")+
		" (default: told from the text)")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	return cmd
}

func isScenario(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}

func (a *app) configDiff(pathA, pathB string, f diffFlags) error {
	if isScenario(pathA) && isScenario(pathB) {
		return misuse("config diff: two scenarios, want at least one configuration")
	}
	var sides [2]*configured
	for i, path := range []string{pathA, pathB} {
		if isScenario(path) {
			continue
		}
		c, err := a.readDevice(path, f.dialect)
		if err != nil {
			return err
		}
		a.renderConfig(c)
		sides[i] = c
	}
	for i, path := range []string{pathA, pathB} {
		if sides[i] != nil {
			continue
		}
		d, err := a.designed(path, sides[1-i].Device.Name)
		if err != nil {
			return err
		}
		sides[i] = &configured{Parsed: &netconf.Parsed{Device: d}, dialect: sides[1-i].dialect}
	}
	var devices [2]*netconf.Device
	for i, c := range sides {
		devices[i], _ = dialects.All[c.dialect].Fit(c.Device)
		devices[i], _ = dialects.All[sides[1-i].dialect].Fit(devices[i])
	}
	all := netconf.Diff(devices[0], devices[1])
	if f.json {
		if err := a.printJSON(struct {
			Differences []netconf.Difference `json:"differences"`
		}{append([]netconf.Difference{}, all...)}); err != nil {
			return err
		}
	} else {
		s := a.newSheet()
		for _, d := range all {
			of := "the device"
			if len(d.Ports) > 0 {
				of = shortList(d.Ports)
			}
			s.Hang("", "  ", fmt.Sprintf("%s of %s:", d.What, of))
			s.Hang("  - ", "    ", d.A)
			s.Hang("  + ", "    ", d.B)
		}
		if len(all) == 0 {
			s.Wrap("", "Both say the same of what both platforms have words for.")
		}
		if err := s.Flush(a.stdout); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		return fmt.Errorf("%s and %s: %s", pathA, pathB, count(len(all), "difference"))
	}
	return nil
}

// designed is a scenario's switch of a name.
func (a *app) designed(file, name string) (*netconf.Device, error) {
	p, err := a.plan(file)
	if err != nil {
		return nil, err
	}
	devices, err := p.Devices()
	if err != nil {
		return nil, a.located(file, p.Scenario, err)
	}
	for i := range devices {
		if devices[i].Name == name {
			return &devices[i], nil
		}
	}
	return nil, misuse("%s: no switch %q, want one of %s", file, name, shortList(namesOf(devices)))
}
