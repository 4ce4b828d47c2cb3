package devicecmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/plan/intent"
	"railyard/internal/plan/plan"
	"railyard/internal/study/prove"
)

// hostsLintFlags is the flags of `railyard hosts lint`.
type hostsLintFlags struct {
	quiet                      bool
	scenario, format, baseline string
	json, strict, prove        bool
	maps                       []string
}

// hostsLintCall is a call of railyard hosts lint.
type hostsLintCall struct {
	*call.App
	f hostsLintFlags
}

func hostsLintCommand(a *call.App) *cobra.Command {
	c := &hostsLintCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "lint FOLDER... [flags]",
		Short: "Say what is wrong with GPU servers",
		Long: `Checks what GPU servers say about themselves: each by itself, and all against each other. An argument
is the folder of a host, as the script of "railyard hosts collect" fills it, or a folder of such
folders. With --scenario they are held against its design: DSCPs, MTU, priorities, leaves and cables.

Each finding has a rule, H01 to H29 (docs/hosts.md), a line, a reason and a fix. Exit code 1 on
errors, with --strict on warnings too. What was not collected is never taken as wrong: it is listed.

With --prove the job of --scenario is run as designed and with what each finding says, by keys of the
scenario (docs/hosts.md): step times and bus bandwidths stand side by side. Equal findings run once.

With --map a folder, or a switch that hosts hear, is another one of the scenario: --map gpu-017=host1.`,
		Example: "  railyard hosts lint host1\n  railyard hosts lint racks/r1 --scenario my.yaml --strict",
		Args:    someFolders,
		RunE:    func(cmd *cobra.Command, args []string) error { return c.hostsLint(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.scenario, "scenario", "", "scenario whose design they are to follow")
	fl.StringVar(&f.format, "format", "text", "text, json or sarif")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.StringVar(&f.baseline, "baseline", "",
		"file of findings, of hosts lint --json: only those that are not in it are printed")
	fl.StringArrayVar(&f.maps, "map", nil, "NAME=NAME: which host or switch of the scenario a folder, or a switch that hosts "+
		"hear, is; several times")
	fl.BoolVar(&f.prove, "prove", false, "run the job of --scenario as designed and with each finding")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.BoolVar(&f.strict, "strict", false, "exit code 1 on warnings too")
	return cmd
}

func (c *hostsLintCall) hostsLint(cmd *cobra.Command, args []string) error {
	if c.f.json {
		c.f.format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, c.f.format) {
		return call.Misuse("hosts lint: --format %q: want text, json or sarif", c.f.format)
	}
	if c.f.prove && c.f.format == "sarif" {
		return call.Misuse("hosts lint: --prove with --format sarif, which has no place for figures: want text or json")
	}
	if c.f.prove && c.f.scenario == "" {
		return call.Misuse("hosts lint: --prove: want --scenario beside it, whose job is run")
	}
	hosts, err := readHosts(c.App, cmd.Context(), args)
	if err != nil {
		return err
	}
	if err := mappedHosts(hosts, c.f.maps); err != nil {
		return err
	}
	old, err := readBaseline(c.App, c.f.baseline)
	if err != nil {
		return err
	}
	var design *hostlint.Design
	var p *plan.Plan
	if c.f.scenario != "" {
		if p, err = c.Plan(c.f.scenario); err != nil {
			return err
		}
		if design, err = intent.Hosts(p); err != nil {
			return c.Located(c.f.scenario, p.Scenario, err)
		}
	}
	found := view.HostFindingsOf(hosts, hostlint.Check(hosts, design), old)
	ctx, stop := c.Interruptible(cmd.Context())
	defer stop()
	if c.f.prove {
		if found.Proofs, err = c.hostProofs(ctx, c.f.scenario, p, found.All, hosts, c.f.quiet); err != nil {
			return err
		}
	}
	if err := printFindings(c.App, &found, c.f.format, hostlint.Rules); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted before all findings were proved")}
	case found.Errors > 0:
		return fmt.Errorf("hosts lint: %s, %s", call.Count(found.Errors, "error"), call.Count(found.Warnings,
			"warning"))
	case c.f.strict && found.Warnings > 0:
		return fmt.Errorf("hosts lint: %s", call.Count(found.Warnings, "warning"))
	}
	return nil
}

// mappedHosts gives hosts and the switches that they hear the names of the design, all at once.
func mappedHosts(hosts []*hostinfo.Host, given []string) error {
	names := map[string]bool{}
	for _, h := range hosts {
		names[h.Name] = true
		for i := range h.Heard {
			if sw := shortSystem(h.Heard[i].System); sw != "" {
				names[sw] = true
			}
		}
	}
	to := map[string]string{}
	for _, m := range given {
		name, of, ok := strings.Cut(m, "=")
		if !ok || name == "" || of == "" {
			return call.Misuse("hosts lint: --map %q: want NAME=NAME, of a folder or a switch and of the scenario's", m)
		}
		if !names[name] {
			return call.Misuse("hosts lint: --map %q: no host and no switch that one hears is %q, want one of %s", m,
				name,
				view.ShortList(slices.Sorted(maps.Keys(names))))
		}
		to[name] = of
	}
	seen := map[string]string{}
	for _, h := range hosts {
		name := h.Name
		if of := to[name]; of != "" {
			h.Name = of
		}
		if first, twice := seen[h.Name]; twice {
			return call.Misuse("hosts lint: --map: %s and %s are both %s, want one", first, name, h.Name)
		}
		seen[h.Name] = name
		for i := range h.Heard {
			if of := to[shortSystem(h.Heard[i].System)]; of != "" {
				h.Heard[i].System = of
			}
		}
	}
	return nil
}

// shortSystem is the name of a switch without its domain.
func shortSystem(name string) string {
	name, _, _ = strings.Cut(name, ".")
	return name
}

// hostProofs runs a scenario's job as designed and with each finding. What that costs is said first.
func (c *hostsLintCall) hostProofs(ctx context.Context, file string, design *plan.Plan, all []lint.Finding,
	hosts []*hostinfo.Host, quiet bool) (p prove.Proofs, err error) {
	sc := design.Scenario
	costs := prove.NewCosts(sc, design, all, hosts)
	if n := costs.Runs(); n > 0 {
		e, err := prove.Forecast(ctx, sc)
		if err != nil {
			return p, c.Located(file, sc, err)
		}
		c.Tell(fmt.Sprintf("%d runs of the job of %s, each of about %s packet-hops", n, file, unit.Count(e.PacketHops)))
	}
	bar := c.StartProgress(quiet, "proving")
	defer bar.Stop()
	each, first, err := costs.Prove(ctx, bar.Update)
	if err != nil {
		return p, c.Located(file, sc, err)
	}
	return prove.Shared(each, first), nil
}
