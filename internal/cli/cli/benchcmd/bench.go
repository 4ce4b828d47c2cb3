package benchcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/bench"
)

// benchFlags is the flags of `railyard bench`.
type benchFlags struct {
	cases   []string
	workers int
	json    bool
	quiet   bool
	here    bool
	fit     bool
}

// benchCall is a call of railyard bench.
type benchCall struct {
	*call.App
	f benchFlags
}

// Command is railyard bench.
func Command(a *call.App) *cobra.Command {
	c := &benchCall{App: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "bench [flags]",
		Short: "Measure the packet engine's speed on a fixed set of runs",
		Long:  benchText(),
		Example: "  railyard bench\n  railyard bench --case perm1024 --json\n" +
			"  railyard bench --case 'perm*-100g' --case train64",
		Args: call.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.workers < 1 {
				return call.Misuse("bench: --workers %d: want 1 or more", f.workers)
			}
			cases, err := bench.Match(f.cases)
			if err != nil {
				return call.Misuse("bench: --case %w", err)
			}
			ctx, stop := a.Interruptible(cmd.Context())
			defer stop()
			switch {
			case f.fit:
				return c.benchForecast(ctx, cases)
			case f.here:
				row, err := benchHere(ctx, cases, f)
				if err != nil {
					return err
				}
				return a.PrintJSON(row)
			}
			return c.bench(ctx, cases)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.cases, "case", nil, "only the cases of this name, which may have * and ?; may be repeated")
	fl.IntVar(&f.workers, "workers", 1, "cores for the event loop of each run")
	fl.BoolVar(&f.json, "json", false, "print the figures as a JSON list")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.BoolVar(&f.fit, "forecast", false, "beside what each case took print what check says of it, and costs that fit better")
	fl.BoolVar(&f.here, "here", false, "run one case in this process and print its figures as JSON")
	_ = fl.MarkHidden("here") // it fails only for a flag that is not there
	cmd.AddCommand(benchTrainCommand(a))
	return cmd
}

// benchText is the command's description, with the cases.
func benchText() string {
	var b strings.Builder
	b.WriteString(`Runs each case of a fixed set in a process of its own, one after the other, and prints
what it cost: packet-hops (a packet or frame that leaves one link), events, CPU time (user and
system, of the event loop alone), set-up (CPU time before the loop), the most memory that the
process held, and packet-hops per second of CPU time. Nothing else should run on the machine; CPU time
stands still while others have the cores, but caches and memory are shared.

`)
	set, apart, settings := bench.Describe()
	list := func(lines [][2]string) {
		for _, s := range lines {
			fmt.Fprintf(&b, "  %-12s %s\n", s[0], s[1])
		}
	}
	list(set)
	b.WriteString("\nThese run where --case names them:\n")
	list(apart)
	b.WriteString("\nEach is there twice, collectives at 400 Gb/s alone:\n")
	for _, s := range settings {
		fmt.Fprintf(&b, "  -%-11s %s\n", s[0], s[1])
	}
	b.WriteString(`
The set takes a minute or two. Flows have sizes of 16, 4 and 1 MB: large networks take the small
ones. Ctrl-C ends the set; the cases that are done are printed.`)
	return b.String()
}

// bench is `railyard bench`.
func (a *benchCall) bench(ctx context.Context, cases []bench.Case) error {
	rows := []bench.Row{}
	var failed []error
	if !a.f.json {
		fmt.Fprintf(a.Stdout, benchHead, "case", "hosts", "hops", "events", "CPU s", "set-up", "memory", "Mhop/s")
	}
	for i := range cases {
		row, err := a.benchOne(ctx, &cases[i], fmt.Sprintf("%s, %d of %d", cases[i].Name, i+1, len(cases)))
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("bench: %s: %w", cases[i].Name, err))
			continue
		}
		rows = append(rows, row)
		if !a.f.json {
			fmt.Fprintf(a.Stdout, benchRow, row.Case, unit.Count(int64(row.Hosts)), unit.Count(row.PacketHops),
				unit.Count(row.Events), row.CPU, row.Setup, row.Peak.Human(), row.Rate/1e6)
		}
	}
	if a.f.json {
		if err := a.PrintJSON(rows); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted after %s of %d", call.Count(len(rows),
			"case"), len(cases))}
	}
	return errors.Join(failed...)
}

const (
	benchHead = "%-16s %6s %11s %11s %7s %7s %8s %6s\n"
	benchRow  = "%-16s %6s %11s %11s %7.2f %7.2f %8s %6.2f\n"
)

// benchOne runs a case in a process of its own.
func (a *benchCall) benchOne(ctx context.Context, c *bench.Case, what string) (row bench.Row, err error) {
	p := a.StartNext(a.f.quiet, what)
	defer p.Stop()
	program, err := os.Executable()
	if err != nil {
		return row, err
	}
	cmd := exec.CommandContext(ctx, program, "bench", "--here", "--case", c.Name, fmt.Sprint("--workers=", a.f.workers))
	cmd.Args[0] = os.Args[0] // one program may have several names
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(strings.TrimPrefix(wrong.String(), "railyard: ")); text != "" {
			return row, errors.New(text)
		}
		return row, err
	}
	return row, json.Unmarshal(out.Bytes(), &row)
}

// benchHere runs one case in this process.
func benchHere(ctx context.Context, cases []bench.Case, f *benchFlags) (row bench.Row, err error) {
	if len(cases) != 1 {
		return row, call.Misuse("bench: --here with %d cases, want one", len(cases))
	}
	return cases[0].Run(ctx, bench.Options{Workers: f.workers, Progress: func(result.Progress) {}})
}
