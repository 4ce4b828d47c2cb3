package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/run"
	"railyard/internal/scenario"
	"railyard/internal/sheet"
)

func showScenarioCommand(a *app) *cobra.Command {
	asJSON, asYAML := false, false
	cmd := &cobra.Command{
		Use:   "scenario FILE",
		Short: "Print every value of a scenario and where it comes from",
		Long: `Prints the resolved scenario: every value with its default, its meaning and the source of
the value. * marks what the file sets, + what a preset sets. With --yaml the values are
printed as a scenario file that gives the same run.`,
		Example: "  railyard show scenario examples/digits-8gpu.yaml",
		Args:    oneFile, ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error {
			sc, err := a.readScenario(args[0])
			switch {
			case err != nil:
				return err
			case asJSON && asYAML:
				return misuse("show scenario: --json and --yaml: want one of the two")
			case asYAML:
				return a.scenarioYAML(args[0], sc)
			case asJSON:
				return a.printJSON(scenarioData(sc))
			}
			s := a.newSheet()
			scenarioText(s, sc)
			return s.Flush(a.stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	cmd.Flags().BoolVar(&asYAML, "yaml", false, "print as a scenario file")
	return cmd
}

// scenarioYAML prints a scenario as a file that runs. What has a meaning may depend on configurations of switches.
func (a *app) scenarioYAML(file string, sc *scenario.Scenario) error {
	if sc.Fabric.Config.Set {
		p, err := run.NewPlan(sc)
		if err != nil {
			return a.located(file, sc, err)
		}
		sc = p.Scenario
	}
	_, err := a.stdout.Write(sc.YAML())
	return err
}

// scenarioText prints a field as its value and default, and below them what it
// means and who says so.
func scenarioText(s *sheet.Sheet, sc *scenario.Scenario) {
	s.Wrap("", fmt.Sprintf("scenario %s: * set by the file, + by a preset, the rest are defaults", sc.Name))
	var rows [][]string
	group := ""
	for _, f := range sc.Fields() {
		if g, _, _ := strings.Cut(f.Path, "."); g != group {
			group = g
			rows = append(rows, nil)
		}
		mark := ""
		switch {
		case f.Origin == "file":
			mark = "*"
		case strings.HasPrefix(f.Origin, "preset "):
			mark = "+"
		}
		rows = append(rows, []string{mark, f.Path, f.Value}, []string{"   " + f.Meaning + "; " + origin(f)})
	}
	s.Grid("llw", rows)
}

// origin says where a value comes from, and what it would be by default.
func origin(f scenario.FieldValue) string {
	switch name, preset := strings.CutPrefix(f.Origin, "preset "); {
	case preset:
		return "preset " + name + ": " + f.Source
	case f.Origin == "file" && f.Default == "required":
		return "required"
	case f.Origin == "file":
		return "default " + f.Default
	case f.Source == f.Default:
		return "default: " + f.Source
	}
	return "source: " + f.Source
}

// A fieldJSON is one field as data.
type fieldJSON struct {
	Path    string `json:"path"`
	Value   string `json:"value"`
	Unit    string `json:"unit,omitempty"`
	Kind    string `json:"kind"`
	Default string `json:"default"`
	Accepts string `json:"accepts"`
	Meaning string `json:"meaning"`
	Source  string `json:"source"`
	Origin  string `json:"origin"`
}

func scenarioData(sc *scenario.Scenario) any {
	all := []fieldJSON{}
	for _, f := range sc.Fields() {
		all = append(all, fieldJSON{f.Path, f.Value, f.Unit, string(f.Kind), f.Default, f.Bounds, f.Meaning,
			f.Source, f.Origin})
	}
	return struct {
		Name   string      `json:"name"`
		Fields []fieldJSON `json:"fields"`
	}{sc.Name, all}
}
