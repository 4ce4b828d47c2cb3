package devicecmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/collected"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf/dialects"
	"railyard/internal/out/result"
	"railyard/internal/plan/intent"
	"railyard/internal/study/prove"
)

// lintFlags is the flags of `railyard lint`.
type lintFlags struct {
	dialect, scenario, format string
	json, strict, prove       bool
	maps, lldp, hosts         []string
	baseline, before          string
}

// lintCall is a call of railyard lint.
type lintCall struct {
	*call.App
	f lintFlags
}

// Lint is railyard lint.
func Lint(a *call.App) *cobra.Command {
	c := &lintCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "lint FILES... [flags]",
		Short: "Say what is wrong with switches' configurations",
		Long: `Checks the configurations of switches: each by itself, and all against each other. An argument is a
file, the folder of a device, a folder of such folders, as "railyard config render -o" makes, or one of
files that each name another host. With
--scenario they are held against a design: its DSCPs, frames, rates and cables.

Each finding has a rule, Q01 to Q36 (docs/config.md), a line, a reason and a fix. Exit code 1 on
errors, with --strict on warnings too. What rests on the absence of something, where lines that are
not understood may say it, is not known: neither an error nor a warning.

Who is plugged into whom is read from addresses of links and from descriptions. With --lldp it is what
the devices hear, as they print it (lldpctl, show lldp neighbors), held against both and the design.

With --hosts FOLDER, what GPU servers say about themselves (railyard hosts), DSCPs of RoCE data and of
CNPs are those that they write, where no scenario says it.

With --prove a small network is simulated with the configuration as it is, and with that one finding
mended: what it does is seen in the figures of both, those of a bystander too, and which of them pay
for it. A finding that cannot be simulated says why. With --before OLD the scenario's own job is run
with the configurations of OLD and with these: how much slower or faster a step is.`,
		Example: "  railyard lint configs\n  railyard lint leaf1.cfg spine1.cfg --scenario my.yaml --strict\n" +
			"  railyard lint --prove --scenario my.yaml --before configs new-configs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return call.Misuse("%s: missing FILES, configurations of switches: %s", call.Called(cmd), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.lint(cmd.Context(), args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "",
		"platform of all: "+call.List(dialects.Names())+" (default: told from the text)")
	fl.StringVar(&f.scenario, "scenario", "", "scenario whose design they are to follow")
	fl.StringVar(&f.format, "format", "text", "text, json or sarif")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.BoolVar(&f.prove, "prove", false, "simulate what each finding does, with and without its fix")
	fl.StringArrayVar(&f.maps, "map", nil, "HOSTNAME=SWITCH: which switch of the scenario a device is, several times")
	fl.StringArrayVar(&f.lldp, "lldp", nil, "what devices hear by LLDP: a file that is named as one or has its "+
		"prompt, or a folder")
	fl.StringArrayVar(&f.hosts, "hosts", nil, "folder of hosts (railyard hosts): without a scenario DSCPs are those "+
		"that they write")
	fl.StringVar(&f.baseline, "baseline", "",
		"file of findings, of lint --json: only those that are not in it are printed")
	fl.StringVar(&f.before, "before", "", "with --prove and --scenario: configurations as they were, with which its "+
		"job is run too")
	fl.BoolVar(&f.strict, "strict", false, "exit code 1 on warnings too")
	return cmd
}

// check refuses flags that do not go with each other.
func (f *lintFlags) check() error {
	if f.json {
		f.format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		return call.Misuse("lint: --format %q: want text, json or sarif", f.format)
	}
	if f.prove && f.format == "sarif" {
		return call.Misuse("lint: --prove with --format sarif, which has no place for figures: want text or json")
	}
	if f.before != "" && (!f.prove || f.scenario == "") {
		return call.Misuse("lint: --before %s: want --prove and --scenario beside it, whose job is run with both",
			f.before)
	}
	return nil
}

func (a *lintCall) lint(ctx context.Context, args []string) error {
	if err := a.f.check(); err != nil {
		return err
	}
	devices, err := a.devicesOf(args)
	if err != nil {
		return err
	}
	old, err := readBaseline(a.App, a.f.baseline)
	if err != nil {
		return err
	}
	heard, err := collected.LLDP(ctx, devices, a.f.lldp)
	if err != nil {
		return call.Misuse("lint: --lldp: %w", err)
	}
	var design *lint.Design
	if a.f.scenario != "" {
		p, err := a.Plan(a.f.scenario)
		if err != nil {
			return err
		}
		if design, err = intent.Switches(p); err != nil {
			return a.Located(a.f.scenario, p.Scenario, err)
		}
	}
	var written lint.Hosts
	if len(a.f.hosts) > 0 {
		hosts, err := readHosts(a.App, ctx, a.f.hosts)
		if err != nil {
			return err
		}
		written = intent.Written(hosts)
	}
	found := view.FindingsOf(devices, lint.Check(devices, design, written), old)
	found.Heard = heard
	if len(a.f.hosts) > 0 {
		found.Cards = &view.Cards{}
		found.Cards.All, found.Cards.Held = written.Held(devices)
	}
	if a.f.prove {
		if found.Proofs, err = prove.All(ctx, found.All, devices, design); err != nil {
			return err
		}
	}
	if a.f.before != "" {
		if found.Change, err = a.jobChanged(ctx, devices); err != nil {
			return err
		}
	}
	if err := printFindings(a.App, &found, a.f.format, lint.Rules); err != nil {
		return err
	}
	switch {
	case found.Errors > 0:
		return fmt.Errorf("lint: %s, %s", call.Count(found.Errors, "error"), call.Count(found.Warnings, "warning"))
	case a.f.strict && found.Warnings > 0:
		return fmt.Errorf("lint: %s", call.Count(found.Warnings, "warning"))
	}
	return nil
}

// mapped gives devices the names of the design.
func mapped(devices []*lint.Device, maps []string) error {
	for _, m := range maps {
		host, sw, ok := strings.Cut(m, "=")
		if !ok || host == "" || sw == "" {
			return call.Misuse("lint: --map %q: want HOSTNAME=SWITCH", m)
		}
		found := false
		for _, d := range devices {
			if d.Device.Name == host {
				d.Switch, found = sw, true
			}
		}
		if !found {
			var names []string
			for _, d := range devices {
				names = append(names, d.Device.Name)
			}
			return call.Misuse("lint: --map %q: no device %q, want one of %s", m, host, view.ShortList(names))
		}
	}
	return nil
}

// printFindings prints what was found by some rules, in a form.
func printFindings(a *call.App, found view.Found, form string, rules []lint.Rule) error {
	switch form {
	case "json":
		return a.PrintJSON(found.Data())
	case "sarif":
		return a.PrintJSON(lint.SARIF(found.Findings(), rules, result.Version))
	}
	s := a.NewSheet()
	found.Text(s)
	return s.Flush(a.Stdout)
}

// readBaseline reads what lint --json has printed; "": nothing.
func readBaseline(a *call.App, path string) (lint.Baseline, error) {
	if path == "" {
		return nil, nil
	}
	text, err := input.Read(context.Background(), path, collected.MostConfig)
	if err != nil {
		return nil, call.Misuse("cannot read %s: %w", path, err)
	}
	old, err := lint.ParseBaseline(text)
	if err != nil {
		return nil, call.Misuse("lint: --baseline %s: %w", path, err)
	}
	return old, nil
}
