package devicecmd

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/sheet"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/collected"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
)

// diffFlags is the flags of `railyard config diff`.
type diffFlags struct {
	dialect string
	json    bool
}

// diffCall is a call of railyard config diff.
type diffCall struct {
	*call.App
	f diffFlags
}

func configDiffCommand(a *call.App) *cobra.Command {
	c := &diffCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "diff A B [flags]",
		Short: "Compare two switches' configurations, or one with the design",
		Long: `Compares what two configurations mean, whatever their platforms. A or B may be a scenario, .yaml: then
the other one is compared with the switch of its name in it. Of two folders of devices, as "railyard
config render -o" makes, those of one host name are compared. What one of the platforms has no command
for is left out. Exit code 1 if anything differs.`,
		Example: "  railyard config diff configs/leaf1 configs/leaf2\n  railyard config diff my.yaml configs/leaf1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return call.Misuse("%s: %d arguments, want A and B: %s", call.Called(cmd), len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return c.configDiff(args[0], args[1]) },
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

func (a *diffCall) configDiff(pathA, pathB string) error {
	if isScenario(pathA) && isScenario(pathB) {
		return call.Misuse("config diff: two scenarios, want at least one configuration")
	}
	if inA, inB := foldersOf(pathA), foldersOf(pathB); inA != nil && inB != nil {
		return a.diffFolders([2]string{pathA, pathB}, [2][]string{inA, inB})
	}
	var sides [2]*collected.Device
	for i, path := range []string{pathA, pathB} {
		if isScenario(path) {
			continue
		}
		c, err := readDevice(a.App, path, a.f.dialect)
		if err != nil {
			return err
		}
		renderConfig(a.App, c)
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
		sides[i] = &collected.Device{Parsed: &netconf.Parsed{Device: d}, Dialect: sides[1-i].Dialect}
	}
	all := differences(sides)
	if a.f.json {
		if err := a.PrintJSON(struct {
			Differences []netconf.Difference `json:"differences"`
		}{append([]netconf.Difference{}, all...)}); err != nil {
			return err
		}
	} else {
		s := a.NewSheet()
		differencesText(s, all)
		if len(all) == 0 {
			s.Wrap("", "Both say the same of what both platforms have words for.")
		}
		if err := s.Flush(a.Stdout); err != nil {
			return err
		}
	}
	if len(all) > 0 {
		return fmt.Errorf("%s and %s: %s", pathA, pathB, call.Count(len(all), "difference"))
	}
	return nil
}

// differences are what two devices say otherwise, of what both platforms have words for.
func differences(sides [2]*collected.Device) []netconf.Difference {
	var devices [2]*netconf.Device
	for i, c := range sides {
		devices[i], _ = dialects.All[c.Dialect].Fit(c.Device)
		devices[i], _ = dialects.All[sides[1-i].Dialect].Fit(devices[i])
	}
	return netconf.Diff(devices[0], devices[1])
}

func differencesText(s *sheet.Sheet, all []netconf.Difference) {
	for _, d := range all {
		of := "the device"
		if len(d.Ports) > 0 {
			of = view.ShortList(d.Ports)
		}
		s.Hang("", "  ", fmt.Sprintf("%s of %s:", d.What, of))
		s.Hang("  - ", "    ", d.A)
		s.Hang("  + ", "    ", d.B)
	}
}

// foldersOf are the devices of a folder of folders; nil: it is something else.
func foldersOf(path string) []string {
	all, err := collected.Paths(path)
	if err != nil || len(all) == 1 && all[0] == path {
		return nil
	}
	return all
}

// A deviceDiff is what a device of two folders says otherwise.
type deviceDiff struct {
	Device      string               `json:"device"`
	Differences []netconf.Difference `json:"differences"`
}

// diffFolders compares the devices of two folders, by their host names.
func (a *diffCall) diffFolders(names [2]string, paths [2][]string) error {
	var of [2]map[string]*collected.Device
	for i := range paths {
		of[i] = map[string]*collected.Device{}
		for _, path := range paths[i] {
			c, err := readDevice(a.App, path, a.f.dialect)
			if err != nil {
				return err
			}
			name := cmp.Or(c.Device.Name, filepath.Base(path))
			if of[i][name] != nil {
				return call.Misuse("config diff: %s: a second device %q", path, name)
			}
			of[i][name] = c
		}
	}
	var all []deviceDiff
	var only [2][]string
	n := 0
	for i := range of {
		for _, name := range slices.Sorted(maps.Keys(of[i])) {
			switch {
			case of[1-i][name] == nil:
				only[i] = append(only[i], name)
				n++
			case i == 0:
				if x := differences([2]*collected.Device{of[0][name], of[1][name]}); len(x) > 0 {
					all = append(all, deviceDiff{name, x})
					n += len(x)
				}
			}
		}
	}
	if err := a.printFolders(names, all, only); err != nil {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s and %s: %s", names[0], names[1], call.Count(n, "difference"))
	}
	return nil
}

func (a *diffCall) printFolders(names [2]string, all []deviceDiff, only [2][]string) error {
	if a.f.json {
		return a.PrintJSON(struct {
			Devices []deviceDiff `json:"devices"`
			OnlyA   []string     `json:"only_a,omitempty"`
			OnlyB   []string     `json:"only_b,omitempty"`
		}{append([]deviceDiff{}, all...), only[0], only[1]})
	}
	s := a.NewSheet()
	for i := range only {
		if len(only[i]) > 0 {
			s.Hang("", "  ", fmt.Sprintf("only in %s: %s", names[i], view.ShortList(only[i])))
		}
	}
	for _, d := range all {
		s.Title(d.Device)
		differencesText(s, d.Differences)
	}
	if len(all)+len(only[0])+len(only[1]) == 0 {
		s.Wrap("", "All devices say the same of what both platforms have words for.")
	}
	return s.Flush(a.Stdout)
}

// designed is a scenario's switch of a name.
func (a *diffCall) designed(file, name string) (*netconf.Device, error) {
	p, err := a.Plan(file)
	if err != nil {
		return nil, err
	}
	devices, err := configs.Devices(p)
	if err != nil {
		return nil, a.Located(file, p.Scenario, err)
	}
	for i := range devices {
		if devices[i].Name == name {
			return &devices[i], nil
		}
	}
	return nil, call.Misuse("%s: no switch %q, want one of %s", file, name, view.ShortList(namesOf(devices)))
}
