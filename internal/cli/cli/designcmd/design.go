package designcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/out/result"
	"railyard/internal/plan/design"
	"railyard/internal/plan/scenario"
)

// designFlags is the flags of `railyard design`.
type designFlags struct {
	out, design string
	json        bool
	simulate    bool
	quiet       bool
}

// designCall is a call of railyard design.
type designCall struct {
	*call.App
	engine call.Engine
	f      designFlags
}

// Command is railyard design.
func Command(a *call.App, e call.Engine) *cobra.Command {
	c := &designCall{App: a, engine: e}
	f := &c.f
	var names []string
	for _, c := range scenario.RequiredDesigns {
		names = append(names, c.Name)
	}
	cmd := &cobra.Command{
		Use:   "design FILE [flags]",
		Short: "Size the networks of a cluster from what it must do",
		Long: `Reads a requirement (how many GPUs now and later, the NICs, models of switches, how much
oversubscription, racks) and lays designs side by side: switches, cables, hops, power, cost, and
what each failure takes away. A design whose ports do not add up is refused with the sum. Of one of
them, --design or the first that closes, it prints tiers, growth, the bill of materials of four
networks (backend, frontend, storage, out of band) and what does not fit.

With -o DIR it writes scenario.yaml, which railyard check and run take, bill.csv, cables.csv (a line
for each cable: devices, ports, length, medium, label), racks.txt and design.json. DIR must be new
or empty. --simulate plays an all-reduce and an all-to-all on a slice of each design.

What the catalogue does not know is printed as unknown, never guessed. Exit code 1 if no design
closes, or something does not fit. FILE may be -, standard input.`,
		Example: "  railyard design examples/design/pod-1024.yaml\n" +
			"  railyard design examples/design/pod-1024.yaml --design rail-optimized -o my-cluster\n" +
			"  railyard design examples/design/pod-1024.yaml --simulate --json",
		Args:              call.OneFile,
		ValidArgsFunction: call.CompleteScenario,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.design != "" && !slices.Contains(names, f.design) {
				return call.Misuse("design: --design %s: no such design, want one of: %s", f.design,
					strings.Join(names, ", "))
			}
			return c.design(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "directory to write the files of one design to; new or empty")
	fl.StringVar(&f.design, "design", "", "the design of which all is printed and written (default: the first that closes)")
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.BoolVar(&f.simulate, "simulate", false, "play an all-reduce and an all-to-all on a slice of each design")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

// design is `railyard design`.
func (c *designCall) design(ctx context.Context, file string) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	s, err := c.study(ctx, file)
	if err != nil {
		return err
	}
	if c.f.simulate {
		if err := c.playSlices(ctx, s); err != nil {
			return err
		}
	}
	if c.f.out != "" && s.Chosen >= 0 {
		if err := writeStudy(s, c.f.out); err != nil {
			return err
		}
	}
	if c.f.json {
		err = c.PrintJSON(s.Data())
	} else {
		err = c.designText(s, c.f.out)
	}
	if err != nil {
		return err
	}
	return verdict(s, c.f)
}

// study reads a requirement, sizes and lays out its designs.
func (c *designCall) study(ctx context.Context, file string) (*view.Study, error) {
	src, err := c.ReadFile(ctx, file)
	if err != nil {
		return nil, call.Misuse("cannot read requirement %s: %w", file, err)
	}
	r, err := scenario.ParseRequirement(file, src)
	if err != nil {
		var problems located.Problems
		if !errors.As(err, &problems) {
			return nil, err
		}
		problems.Render(c.Stderr, src)
		return nil, fmt.Errorf("%s: %s", file, call.Count(len(problems), "problem"))
	}
	s := &view.Study{Requirement: r, File: file, Source: src, Options: design.Study(r), Chosen: -1}
	if c.f.design != "" && !slices.Contains(r.Designs, c.f.design) {
		return nil, call.Misuse("design: --design %s: %s names %s", c.f.design, file, strings.Join(r.Designs, ", "))
	}
	for i, o := range s.Options {
		if ctx.Err() != nil {
			return nil, &call.Exit{Code: call.Interrupted, Err: errors.New("design: interrupted")}
		}
		var l *design.Layout
		if o.Refused == "" {
			if l, err = design.Lay(r, o); err != nil {
				o.Refused = err.Error()
			}
		}
		s.Layouts = append(s.Layouts, l)
		if l != nil && (s.Chosen < 0 && c.f.design == "" || o.Design == c.f.design) {
			s.Chosen = i
		}
	}
	return s, nil
}

// verdict is the error of what does not close or fit.
func verdict(s *view.Study, f designFlags) error {
	l := s.Layout()
	if l == nil {
		if f.design != "" {
			return fmt.Errorf("%s: %s does not close", s.File, f.design)
		}
		return fmt.Errorf("%s: no design closes", s.File)
	}
	wrong := 0
	for _, p := range l.Findings {
		if !p.Warning {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%s: %s", s.File, call.Count(wrong, "finding"))
	}
	return nil
}

// chosenScenario is the file of the design that was chosen. It plays an all-reduce: an all-to-all has a pair of queues
// for every two ranks, and would ask for a machine of its own.
func chosenScenario(s *view.Study) []byte {
	l := s.Layout()
	return design.Scenario(s.Requirement, l.Option, l.Lengths(), s.Requirement.Simulate.Bytes, "all-reduce")
}

// writeStudy writes the files of the design that was chosen into a directory that is new or empty. All are made before
// the first is written.
func writeStudy(s *view.Study, dir string) error {
	l, text := s.Layout(), chosenScenario(s)
	if _, err := scenario.Parse("scenario.yaml", text); err != nil {
		return fmt.Errorf("design: a scenario has no room for this design: %w", err)
	}
	files := []struct {
		name string
		make func(*strings.Builder) error
		text strings.Builder
	}{
		{name: "scenario.yaml", make: func(b *strings.Builder) error { b.Write(text); return nil }},
		{name: "bill.csv", make: func(b *strings.Builder) error { return design.WriteBill(b, l.Bill()) }},
		{name: "cables.csv", make: func(b *strings.Builder) error { return l.WriteCables(b) }},
		{name: "racks.txt", make: func(b *strings.Builder) error { return l.WriteRacks(b) }},
		{name: "design.json", make: func(b *strings.Builder) error { return result.EncodeJSON(b, s.Data()) }},
	}
	for i := range files {
		if err := files[i].make(&files[i].text); err != nil {
			return fmt.Errorf("design: %s: %w", files[i].name, err)
		}
	}
	folder, err := call.NewFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	for i := range files {
		if err := folder.Write(files[i].name, []byte(files[i].text.String())); err != nil {
			return fmt.Errorf("design: %w", err)
		}
	}
	return nil
}
