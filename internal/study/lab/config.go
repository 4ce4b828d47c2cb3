package lab

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/config/netconf"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// Config is what a switch of the lab's scenario is told, as railyard config render has it.
type Config struct {
	Name  string   `json:"name"`  // as the place has it: dialect/switch
	Lines []string `json:"lines"` // of its files, one after another
	Left  []string `json:"left"`  // what the platform has no words for
}

// configs renders what the places of the text ask for.
func (l *Lab) configs(sc *scenario.Scenario) (all []Config, problems located.Problems) {
	var devices []netconf.Device
	for _, b := range l.text.blocks {
		if b.kind != place || b.place.Text != "config" {
			continue
		}
		if devices == nil {
			var err error
			if devices, err = devicesOf(sc); err != nil {
				return nil, located.Problems{problemAt(readmeFile, b.place, "%v", err)}
			}
		}
		c, err := configOf(devices, b.name)
		if err != nil {
			problems = append(problems, problemAt(readmeFile, b.place, "%v", err))
			continue
		}
		all = append(all, c)
	}
	return all, problems
}

func devicesOf(sc *scenario.Scenario) ([]netconf.Device, error) {
	if sc == nil {
		return nil, fmt.Errorf("there is no %s, whose switches could be configured", scenarioFile)
	}
	p, err := plan.New(sc, plan.Files{}, nil)
	if err != nil {
		return nil, err
	}
	return configs.Devices(p)
}

func configOf(devices []netconf.Device, name string) (c Config, err error) {
	words, at, _ := strings.Cut(name, "/")
	dialect, known := dialects.All[words]
	var switches []string
	for i := range devices {
		switches = append(switches, devices[i].Name)
	}
	i := slices.Index(switches, at)
	if !known || i < 0 {
		return c, fmt.Errorf("there is no %s, want one of %s, a / and one of %s", located.Shown(name),
			located.OneOf(dialects.Names()), located.OneOf(switches))
	}
	fitted, left := dialect.Fit(&devices[i])
	files, err := dialect.Render(fitted)
	c = Config{Name: name, Left: left}
	for _, f := range files {
		c.Lines = append(c.Lines, strings.Split(strings.TrimSuffix(string(f.Text), "\n"), "\n")...)
	}
	return c, err
}
