package perfcmd_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/perfcmd"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccltests"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// checkout is the folder of the repository.
var checkout = filepath.Join("..", "..", "..", "..")

// program is railyard with the commands of this package alone.
type program struct {
	*call.App
	engine call.Engine
}

// perfApp is a program, and what it prints; without simulate it simulates.
func perfApp(simulate func(context.Context, *scenario.Scenario, call.RunOptions) (*result.Summary, error)) (*program,
	*bytes.Buffer) {
	out := &bytes.Buffer{}
	if simulate == nil {
		simulate = func(ctx context.Context, sc *scenario.Scenario, opt call.RunOptions) (*result.Summary, error) {
			return run.Run(ctx, sc, run.Options{Dir: opt.Dir, Progress: opt.Progress, Workers: opt.Workers, Blocks: opt.Blocks})
		}
	}
	return &program{&call.App{Stdin: strings.NewReader(""), Stdout: out, Stderr: &bytes.Buffer{}, Start: time.Now()},
		call.Engine{Run: simulate}}, out
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{Use: "railyard", SilenceErrors: true, SilenceUsage: true, PersistentPreRunE: p.Ready}
	root.PersistentFlags().String(call.ColourFlag, "auto", "")
	root.AddCommand(perfcmd.Command(p.App, p.engine), perfcmd.Import(p.App, p.engine), perfcmd.Commission(p.App, p.engine))
	return root
}

func (p *program) execute(args []string) int {
	root := p.root()
	root.SetArgs(args)
	return p.Report(root.ExecuteContext(context.Background()))
}

// What perf prints is a log of nccl-tests: its reader finds the rows.
func TestPerfPrintsALogOfNcclTests(t *testing.T) {
	a, out := perfApp(nil)
	if code := a.execute([]string{"perf", "reduce_scatter", "--gpus", "2", "-b", "1K", "-e", "1M", "-f", "4"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, a.Stderr)
	}
	table, err := nccltests.Read("stdout", out.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if c, ok := table.Operation(); !ok || c.Collective != coll.ReduceScatter || len(table.Rows) != 6 {
		t.Fatalf("%v, %d rows, want 6 of a reduce-scatter", c, len(table.Rows))
	}
	for _, r := range table.Rows {
		if r.Out != nil || r.In == nil || r.In.Time <= 0 || r.In.BusBW > r.In.AlgBW || r.In.Errors.Checked {
			t.Errorf("%+v: want a time in place and no check", r)
		}
	}
}

// The scenario of --cluster needs no job, whose own is not taken; what else is wrong with it is said.
func TestPerfOnAClusterWithoutAJob(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	for text, want := range map[string]int{"cluster: {hosts: 2, host: {gpus: 1}}": 0, "cluster: {hosts: 2, hots: 1}": 1, "{}": 1} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		a, out := perfApp(nil)
		code := a.execute([]string{"perf", "all_reduce", "--cluster", file, "-b", "1K", "-e", "1K"})
		if code != want || code == 0 && !strings.Contains(out.String(), "2 hosts x 1 GPU") {
			t.Errorf("%s: exit code %d, want %d\n%s%s", text, code, want, out, a.Stderr)
		}
	}
}

// One size has a mean, too, which is its own bus bandwidth.
func TestTheMeanOfOneSize(t *testing.T) {
	a, out := perfApp(nil)
	if code := a.execute([]string{"perf", "all_reduce", "--gpus", "2", "-b", "1M", "-e", "1M"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, a.Stderr)
	}
	if !strings.Contains(out.String(), "# Avg bus bandwidth    : ") {
		t.Errorf("%s", out)
	}
}

// interrupted is what a command prints whose third run is interrupted: it says so by exit code 130, and how many rows there are. Each
// run before took so long.
func interrupted(t *testing.T, took unit.Duration, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	a, out := perfApp(func(ctx context.Context, sc *scenario.Scenario, _ call.RunOptions) (*result.Summary, error) {
		if runs++; runs == 3 {
			cancel()
			return &result.Summary{State: result.Interrupted}, ctx.Err()
		}
		return &result.Summary{
			JobFigures: result.JobFigures{Collectives: []result.Collective{{Bytes: sc.Jobs[0].Collectives[0].Bytes, Time: took}}}}, nil
	})
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var e *call.Exit
	if !errors.As(err, &e) || e.Code != call.Interrupted || !strings.Contains(err.Error(), "after 2 rows") || runs != 3 {
		t.Errorf("%s: %v after %d runs, want an interrupt after 2 rows", args, err, runs)
	}
	return out.String()
}

// An interrupt keeps the rows that there are, in the table and as data.
func TestAnInterruptedSweepKeepsItsRows(t *testing.T) {
	for format, named := range map[string]int{"--json": 2, "--quiet": 1} {
		out := interrupted(t, unit.Microsecond, "perf", "broadcast", "-b", "8", "-e", "1K", "-f", "2", format)
		if strings.Count(out, "chain") != named || !strings.Contains(out, "16") || strings.Contains(out, " 32 ") {
			t.Errorf("%s: the rows of 8 and 16 bytes are not there:\n%s", format, out)
		}
	}
}

// A run that fails ends the sweep with its size.
func TestAFailedRowNamesItsSize(t *testing.T) {
	a, out := perfApp(func(context.Context, *scenario.Scenario, call.RunOptions) (*result.Summary, error) {
		return nil, errors.New("no luck")
	})
	errs := &bytes.Buffer{}
	a.Stderr = errs
	if code := a.execute([]string{"perf", "all_reduce", "-b", "64K", "-e", "64K", "-q"}); code != call.Failed {
		t.Errorf("exit code %d", code)
	}
	if text := errs.String(); !strings.Contains(text, "perf: 64KiB: no luck") ||
		strings.Contains(out.String(), "Avg") {
		t.Errorf("%s\n%s", text, out)
	}
}

// The same of a measured sweep: what was compared so far stays.
func TestAnInterruptedComparisonKeepsItsRows(t *testing.T) {
	log := filepath.Join(checkout, "examples", "nccl-tests.log")
	for format, want := range map[string]string{"--json": `"size_bytes": 1048576`, "--quiet": "\nerror: 18.9 % over 2 sizes"} {
		out := interrupted(t, 25280*unit.Nanosecond, "import", "nccl-tests", log, format)
		if !strings.Contains(out, want) || strings.Contains(out, "16MiB") || strings.Contains(out, "16777216") {
			t.Errorf("%s: want the rows of 32 KiB and 1 MiB alone:\n%s", format, out)
		}
	}
}

// A size that fails is named, and ends the sweep.
func TestAFailedSizeOfAComparison(t *testing.T) {
	a, out := perfApp(func(context.Context, *scenario.Scenario, call.RunOptions) (*result.Summary, error) {
		return nil, errors.New("no luck")
	})
	log := filepath.Join(checkout, "examples", "nccl-tests.log")
	errs := &bytes.Buffer{}
	a.Stderr = errs
	if code := a.execute([]string{"import", "nccl-tests", log, "-q"}); code != call.Failed {
		t.Errorf("exit code %d", code)
	}
	if text := errs.String(); !strings.Contains(text, "import nccl-tests: 32KiB: no luck") ||
		strings.Contains(out.String(), "error:") {
		t.Errorf("%s\n%s", text, out)
	}
}

// The comparison that docs/perf.md shows is what the sample log gives; RAILYARD_UPDATE=1 rewrites it.
func TestTheComparisonInTheDocuments(t *testing.T) {
	t.Chdir(checkout)
	a, out := perfApp(nil)
	const log = "examples/nccl-tests.log"
	if code := a.execute([]string{"import", "nccl-tests", log, "-q"}); code != call.OK {
		t.Fatalf("exit code %d: %s", code, a.Stderr)
	}
	doc, err := os.ReadFile("docs/perf.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(doc), "$ railyard import nccl-tests "+log+"\n")
	shown, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("docs/perf.md does not show it")
	}
	if shown == out.String() {
		return
	}
	if os.Getenv("RAILYARD_UPDATE") == "" {
		t.Fatalf("docs/perf.md shows\n%s\nit is\n%s", shown, out)
	}
	text := before + "$ railyard import nccl-tests " + log + "\n" + out.String() + "```\n" + after
	if err := os.WriteFile("docs/perf.md", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
