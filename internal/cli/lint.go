package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"railyard/internal/input"
	"railyard/internal/intent"
	"railyard/internal/lint"
	"railyard/internal/netconf"
	"railyard/internal/netconf/dialects"
	"railyard/internal/prove"
	"railyard/internal/result"
	"railyard/internal/sheet"
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
	*app
	f lintFlags
}

func lintCommand(a *app) *cobra.Command {
	c := &lintCall{app: a}
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
				return misuse("%s: missing FILES, configurations of switches: %s", called(cmd), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.lint(cmd.Context(), args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dialect, "dialect", "", "platform of all: "+list(dialects.Names())+" (default: told from the text)")
	fl.StringVar(&f.scenario, "scenario", "", "scenario whose design they are to follow")
	fl.StringVar(&f.format, "format", "text", "text, json or sarif")
	fl.BoolVar(&f.json, "json", false, "the same as --format json")
	fl.BoolVar(&f.prove, "prove", false, "simulate what each finding does, with and without its fix")
	fl.StringArrayVar(&f.maps, "map", nil, "HOSTNAME=SWITCH: which switch of the scenario a device is, several times")
	fl.StringArrayVar(&f.lldp, "lldp", nil, "what devices hear by LLDP: a file that is named as one or has its "+
		"prompt, or a folder")
	fl.StringArrayVar(&f.hosts, "hosts", nil, "folder of hosts (railyard hosts): without a scenario DSCPs are those "+
		"that they write")
	fl.StringVar(&f.baseline, "baseline", "", "file of findings, of lint --json: only those that are not in it are printed")
	fl.StringVar(&f.before, "before", "", "with --prove and --scenario: configurations as they were, with which its "+
		"job is run too")
	fl.BoolVar(&f.strict, "strict", false, "exit code 1 on warnings too")
	return cmd
}

// devicePaths are the devices that an argument names.
func devicePaths(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil { // a file, or nothing: reading it says which
		return []string{path}, nil
	}
	var all []string
	for _, e := range entries {
		if !e.IsDir() {
			return oneEach(path, entries), nil
		}
		if e.Name() == "etc" { // a device whose files lie deeper
			return []string{path}, nil
		}
		all = append(all, filepath.Join(path, e.Name()))
	}
	if len(all) == 0 {
		return nil, misuse("lint: %s: an empty folder, want configurations", path)
	}
	return all, nil
}

// calledHost is the line in which a configuration names its device.
var calledHost = regexp.MustCompile(`(?m)^\s*(?:hostname|set system host-name|(?:nv )?set system hostname)\s+(\S+)\s*$`)

// oneEach is the folder as a device; of files that each name another host, the files.
func oneEach(path string, entries []os.DirEntry) (all []string) {
	hosts := map[string]bool{}
	for _, e := range entries {
		if e.IsDir() || len(all) == mostFiles {
			return []string{path}
		}
		file := filepath.Join(path, e.Name())
		text, err := input.Read(context.Background(), file, mostConfig)
		m := calledHost.FindSubmatch(text)
		if err != nil || m == nil || hosts[string(m[1])] {
			return []string{path}
		}
		hosts[string(m[1])] = true
		all = append(all, file)
	}
	if len(all) < 2 {
		return []string{path}
	}
	return all
}

// check refuses flags that do not go with each other.
func (f *lintFlags) check() error {
	if f.json {
		f.format = "json"
	}
	if !slices.Contains([]string{"text", "json", "sarif"}, f.format) {
		return misuse("lint: --format %q: want text, json or sarif", f.format)
	}
	if f.prove && f.format == "sarif" {
		return misuse("lint: --prove with --format sarif, which has no place for figures: want text or json")
	}
	if f.before != "" && (!f.prove || f.scenario == "") {
		return misuse("lint: --before %s: want --prove and --scenario beside it, whose job is run with both", f.before)
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
	old, err := a.readBaseline(a.f.baseline)
	if err != nil {
		return err
	}
	heard, err := readHeard(ctx, devices, a.f.lldp)
	if err != nil {
		return err
	}
	var design *lint.Design
	if a.f.scenario != "" {
		p, err := a.plan(a.f.scenario)
		if err != nil {
			return err
		}
		if design, err = intent.Switches(p); err != nil {
			return a.located(a.f.scenario, p.Scenario, err)
		}
	}
	var written lint.Hosts
	if len(a.f.hosts) > 0 {
		hosts, err := a.readHosts(ctx, a.f.hosts)
		if err != nil {
			return err
		}
		written = intent.Written(hosts)
	}
	all := lint.Check(devices, design, written)
	all, known := old.without(all)
	n := tallied(all)
	n.known, n.heard = known, heard
	if len(a.f.hosts) > 0 {
		n.cards = &cards{}
		n.cards.All, n.cards.Held = written.Held(devices)
	}
	for _, d := range devices {
		n.lines.Understood += d.Lines.Understood
		n.lines.Known += d.Lines.Known
		n.lines.Unread += d.Lines.Unread
	}
	var proofs proofs
	if a.f.prove {
		if proofs, err = proveAll(ctx, all, devices, design); err != nil {
			return err
		}
	}
	var change *prove.Change
	if a.f.before != "" {
		if change, err = a.jobChanged(ctx, devices); err != nil {
			return err
		}
	}
	if err := a.printFindings(all, proofs, change, len(devices), n, a.f.format); err != nil {
		return err
	}
	switch {
	case n.errs > 0:
		return fmt.Errorf("lint: %s, %s", count(n.errs, "error"), count(n.warnings, "warning"))
	case a.f.strict && n.warnings > 0:
		return fmt.Errorf("lint: %s", count(n.warnings, "warning"))
	}
	return nil
}

// printFindings prints what was found.
func (a *lintCall) printFindings(all []lint.Finding, proofs proofs, change *prove.Change, devices int, n tally,
	format string) error {
	switch format {
	case "json":
		return a.printJSON(struct {
			Devices  int            `json:"devices"`
			Errors   int            `json:"errors"`
			Warnings int            `json:"warnings"`
			Unknown  int            `json:"unknown"`
			Lines    netconf.Lines  `json:"lines"`
			Heard    *heard         `json:"lldp,omitempty"`
			Cards    *cards         `json:"nics,omitempty"`
			Findings []lint.Finding `json:"findings"`
			Proofs   []*prove.Proof `json:"proofs,omitempty"`
			Change   *prove.Change  `json:"change,omitempty"`
		}{devices, n.errs, n.warnings, n.unknown, n.lines, n.heard, n.cards, append([]lint.Finding{}, all...), proofs.all, change})
	case "sarif":
		return a.printJSON(lint.SARIF(all, lint.Rules, result.Version))
	}
	s := a.newSheet()
	s.Wrap("", fmt.Sprintf("%s: %s", count(devices, "device"), n))
	if n.heard != nil {
		s.Wrap("", n.heard.String())
	}
	if n.cards != nil {
		s.Wrap("", n.cards.String())
	}
	findingsText(s, all, proofs)
	changeText(s, change)
	return s.Flush(a.stdout)
}

func findingsText(s *sheet.Sheet, all []lint.Finding, proofs proofs) {
	for i, f := range all {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		s.Blank()
		s.Line(fmt.Sprintf("%s: %s %s", place, f.Severity, f.Rule))
		s.Hang("  ", "  ", f.Text)
		s.Hang("  why: ", "       ", f.Reason)
		s.Hang("  fix: ", "       ", f.Fix)
		proofs.print(s, i)
	}
}
