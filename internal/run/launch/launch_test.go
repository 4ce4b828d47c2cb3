//go:build unix

package launch_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// What the test program is elsewhere, for tests that want Linux; nil: there are none.
var (
	launchNode func(node int, at string)
	launchInto func(dir string)
)

// The test program is also that of the ranks.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "launch-and-wait" { // a launcher that a test kills
		cfg := config(must(scenario.Parse("t.yaml", []byte(training(1, 4, long)))))
		cfg.Run.Progress = func(p result.Progress) {
			if p.Phase == "training" && p.Done > 0 {
				fmt.Println("under way")
			}
		}
		_, err := launch.Run(context.Background(), cfg)
		fmt.Println(err)
		os.Exit(1)
	}
	if len(os.Args) == 4 && os.Args[1] == "launch-node" && launchNode != nil {
		launchNode(must(strconv.Atoi(os.Args[2])), os.Args[3])
	}
	if len(os.Args) == 3 && os.Args[1] == "launch-into" && launchInto != nil {
		launchInto(os.Args[2])
	}
	if len(os.Args) == 2 && os.Args[1] == "launch-rank" {
		if m := mutants[os.Getenv("MUTANT")]; m != nil && os.Getenv("RANK") == "1" {
			launch.Mend(m)
		}
		if err := launch.Rank(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "launch") // digits are drawn once, below it
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		panic(err)
	}
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		must(0, flag.Set("rapid.checks", "10")) // processes take their time
	} else {
		layouts = must(strconv.Atoi(f.Value.String()))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// training is a scenario of a small training, in a folder of its own.
func training(hosts, gpus int, job string) string {
	return fmt.Sprintf(`name: t
cluster: {hosts: %d, host: {gpus: %d}}
job:
  train:
    data: {digits: {dir: digits, train: 256, test: 64, seed: 3}}
    lr: 0.1
%s`, hosts, gpus, job)
}

const plain = `    layers: [784, 16, 10]
    batch: 8
    epochs: 1
`

func scenarioOf(text string) (*scenario.Scenario, error) {
	return scenario.Parse("t.yaml", []byte(text))
}

func parse(t testing.TB, text string) *scenario.Scenario {
	t.Helper()
	sc, err := scenario.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err, "\n", text)
	}
	return sc
}

func config(sc *scenario.Scenario) launch.Config {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return launch.Config{Scenario: sc, Name: "t.yaml", Program: program, Args: []string{"railyard", "launch-rank"},
		Transport: launch.Shared, Nodes: 1, ID: "t", Timeout: 30 * time.Second, Version: "1", Say: func(string) {},
		Run: run.Options{Progress: func(result.Progress) {}}}
}

func newDir(t testing.TB) *result.Dir {
	t.Helper()
	dir, err := result.Create(filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func simulated(t testing.TB, text string) *result.Summary {
	t.Helper()
	sum, err := run.Run(context.Background(), parse(t, text), run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// same holds a launched run against the simulated one.
func same(t testing.TB, got, want *result.Summary) {
	t.Helper()
	switch {
	case got.Network != result.NetworkReal || got.Steps != want.Steps || want.WeightsSHA256 == "":
		t.Fatalf("%d steps over network %q, want %d over processes", got.Steps, got.Network, want.Steps)
	case got.WeightsSHA256 != want.WeightsSHA256:
		t.Fatalf("weights %s, want %s", got.WeightsSHA256, want.WeightsSHA256)
	case *got.TestAccuracy != *want.TestAccuracy || *got.FinalLoss != *want.FinalLoss:
		t.Fatalf("accuracy %v and loss %v, want %v and %v", *got.TestAccuracy, *got.FinalLoss, *want.TestAccuracy, *want.FinalLoss)
	case got.StepTime <= 0 || got.PacketHops != 0 || got.Diagnosis != nil || got.CriticalPath != nil:
		t.Fatalf("step time %v, %d packet-hops, diagnosis %v", got.StepTime, got.PacketHops, got.Diagnosis)
	}
}

// Processes end with the weights of simulated ranks, bit for bit, over each transport.
func TestWeightsAreThoseOfTheSimulator(t *testing.T) {
	for _, transport := range launch.Transports() {
		for _, c := range []struct {
			name, text string
		}{
			{"one rank", training(1, 1, plain)},
			{"two ranks", training(1, 2, plain)},
			{"four ranks on two hosts", training(2, 2, plain)},
			{"eight ranks, a bucket a layer", training(2, 4, strings.Replace(plain, "    batch", "    bucket: layer\n    batch", 1))},
		} {
			t.Run(transport+", "+c.name, func(t *testing.T) {
				want := simulated(t, c.text)
				cfg := config(parse(t, c.text))
				cfg.Transport = transport
				sum, err := launch.Run(context.Background(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				same(t, sum, want)
			})
		}
	}
}

// drawnLayout is a training with parts of layers, stages, shards and micro-batches, of 1 to 8 ranks, whose messages are small,
// or so large that ranks of a host read them in each other's memory: of a perceptron, or one in four of a transformer.
var drawnLayout = rapid.Custom(func(t *rapid.T) string {
	tp := rapid.SampledFrom([]int{1, 2}).Draw(t, "tp")
	pp := rapid.SampledFrom([]int{1, 2}).Draw(t, "pp")
	dp := rapid.SampledFrom([]int{1, 2, 4, 8}[:4-(tp*pp)/2]).Draw(t, "dp")
	world := tp * pp * dp
	gpus := world
	hosts := 1
	if world > 1 && rapid.Bool().Draw(t, "two hosts") {
		hosts, gpus = 2, world/2
	}
	layout := fmt.Sprintf("{tp: %d, pp: %d", tp, pp)
	if pp > 1 {
		layout += fmt.Sprintf(", micro_batches: %d", rapid.SampledFrom([]int{2, 4}).Draw(t, "micro-batches"))
	}
	if dp > 1 {
		layout += fmt.Sprintf(", zero: %d", rapid.IntRange(0, 3).Draw(t, "zero"))
	}
	model := fmt.Sprintf("layers: [784, %d, 12, 10]\n    batch: 8", rapid.SampledFrom([]int{16, 128}).Draw(t, "width"))
	data := "digits: {dir: digits, train: 256, test: 64, seed: 3}"
	if rapid.IntRange(0, 3).Draw(t, "transformer") == 0 {
		model = "model: gpt\n    gpt: {size: 16, blocks: 2, heads: 2, factor: 2}\n    batch: 4"
		data = "text: {window: 8, grammar: {train: 400, test: 20}}"
	}
	return fmt.Sprintf("name: t\ncluster: {hosts: %d, host: {gpus: %d}}\njob:\n  train:\n    data: {%s}\n    lr: 0.1\n    %s\n"+
		"    epochs: 1\n    steps: %d\n    %s\n  parallel: %s}\n", hosts, gpus, data, model, 24/(4+dp),
		rapid.SampledFrom([]string{"momentum: 0.5", "optimiser: adam"}).Draw(t, "optimiser"), layout)
})

// layouts is how many are drawn, or -rapid.checks.
var layouts = 40

// Each drawn layout ends with the weights of the simulator over each transport.
func TestDrawnLayouts(t *testing.T) {
	for i := range layouts {
		text := drawnLayout.Example(i)
		t.Logf("%s", strings.ReplaceAll(text, "\n", " "))
		want := simulated(t, text)
		for _, transport := range launch.Transports() {
			cfg := config(parse(t, text))
			cfg.Transport = transport
			sum, err := launch.Run(context.Background(), cfg)
			if err != nil {
				t.Fatalf("over %s: %v\n%s", transport, err, text)
			}
			if sum.WeightsSHA256 != want.WeightsSHA256 || want.WeightsSHA256 == "" {
				t.Fatalf("over %s: weights %s, want %s\n%s", transport, sum.WeightsSHA256, want.WeightsSHA256, text)
			}
		}
	}
}

// A transformer ends with the simulator's weights too, so do batch norms, and so does arithmetic with fused multiply-adds,
// on one processor.
func TestTransformerAndFusedKernel(t *testing.T) {
	if err := os.WriteFile("normed.txt", []byte(normed), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, job := range map[string]string{
		"gpt": `    model: gpt
    gpt: {size: 16, blocks: 2, heads: 2, factor: 2}
    data: {text: {window: 8, grammar: {train: 400, test: 20}}}
    batch: 4
    steps: 4
    epochs: 9
    lr: 0.2
    kernel: portable
  parallel: {dp: 2, pp: 2, micro_batches: 2}
`,
		"batch norm": `    model: file
    network: normed.txt
    data: {digits: {dir: digits, train: 256, test: 64, seed: 3}}
    batch: 4
    epochs: 1
    steps: 4
    lr: 0.1
    momentum: 0.9
  parallel: {dp: 4, zero: 2, micro_batches: 2}
`,
		"fma": `    layers: [784, 16, 10]
    data: {digits: {dir: digits, train: 256, test: 64, seed: 3}}
    batch: 8
    epochs: 1
    lr: 0.1
    kernel: fma
`,
	} {
		for _, transport := range launch.Transports() {
			t.Run(name+" over "+transport, func(t *testing.T) {
				text := "name: t\ncluster: {hosts: 2, host: {gpus: 2}}\njob:\n  train:\n" + job
				want := simulated(t, text)
				cfg := config(parse(t, text))
				cfg.Transport = transport
				sum, err := launch.Run(context.Background(), cfg)
				if err != nil {
					t.Fatal(err)
				}
				same(t, sum, want)
			})
		}
	}
}

// normed is a network whose layers sum over replicas.
const normed = "image\nconv2d filters=3 stride=4 bias=no\nbatch-norm activation=relu\nresidual\nconv2d filters=3 padding=1 bias=no\n" +
	"batch-norm\nadd activation=relu\nflatten\ndense units=10\n"

// Collectives leave on real buffers what they must, over each transport and over more than one host.
func TestCollectives(t *testing.T) {
	for _, transport := range launch.Transports() {
		text := "name: t\ncluster: {hosts: 2, host: {gpus: 2}}\njob:\n  collectives:\n"
		rows := []string{"all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce", "gather", "scatter", "all-to-all",
			"send-receive"}
		for _, op := range append(rows, "all-reduce, algorithm: double-tree, protocol: simple, channels: 2, warmup: 0",
			"all-gather, algorithm: hypercube", "all-reduce, algorithm: hierarchical", "all-to-all, skew: 3") {
			text += fmt.Sprintf("    - {op: %s, bytes: 300KiB, iterations: 3}\n", op)
		}
		cfg := config(parse(t, text))
		cfg.Transport = transport
		sum, err := launch.Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(sum.Collectives) != len(rows)+4 {
			t.Errorf("%d rows, want %d", len(sum.Collectives), len(rows)+4)
		}
		for i, c := range sum.Collectives {
			if c.Time <= 0 || c.Count != 3 || c.Wrong == nil || *c.Wrong != 0 {
				t.Errorf("%s, row %d over %s: %+v", c.Name, i, transport, c)
			}
		}
	}
}

// A run directory of processes is one that can be read: each step of each rank, and its operations.
func TestRunDirectory(t *testing.T) {
	text := training(1, 2, plain) + "output: {operations: true}\n"
	cfg := config(parse(t, text))
	cfg.Run.Dir = newDir(t)
	sum, err := launch.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := cfg.Run.Dir.Finish(sum); err != nil {
		t.Fatal(err)
	}
	r, err := result.Open(cfg.Run.Dir.Path())
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, f := range r.Summary.Tables {
		tables = append(tables, f.Name)
	}
	got := strings.Join(tables, " ")
	if !strings.Contains(got, "steps") || !strings.Contains(got, "operations") || strings.Contains(got, "links") {
		t.Errorf("tables %s: want steps and operations, and none of a network", got)
	}
	if _, err := os.Stat(filepath.Join(cfg.Run.Dir.Path(), "weights.safetensors")); err != nil {
		t.Error(err)
	}
}

// long is a training that does not end by itself in the time of a test.
const long = `    layers: [784, 16, 10]
    batch: 8
    epochs: 1000000
`

// disturb runs a long training, has something happen to the process of a rank once it is under way, and returns why the run
// ended.
func disturb(t *testing.T, job string, do func(pids []int)) (*result.Summary, error) {
	t.Helper()
	cfg := config(parse(t, training(1, 4, job)))
	cfg.Run.Dir = newDir(t)
	under := make(chan struct{})
	var once sync.Once
	cfg.Run.Progress = func(p result.Progress) {
		if p.Phase == "training" && p.Done > 3 {
			once.Do(func() { close(under) })
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-under
		do(children(t))
	}()
	sum, err := launch.Run(context.Background(), cfg)
	once.Do(func() { close(under) }) // it ended before anything could happen to it
	<-done
	if left := children(t); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	return sum, err
}

// children are the processes that this one has started, in the order of their starts: of ranks.
func children(t *testing.T) (pids []int) { return childrenOf(t, os.Getpid()) }

func childrenOf(t *testing.T, of int) (pids []int) {
	t.Helper()
	all, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", of))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		b, _ := os.ReadFile(f)
		for _, s := range strings.Fields(string(b)) {
			var pid int
			fmt.Sscan(s, &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// A rank that is killed is named, with where it was; no process is left.
func TestKilledRank(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	pid := 0
	sum, err := disturb(t, long, func(pids []int) {
		if len(pids) != 4 {
			t.Errorf("%d processes, want 4", len(pids))
			return
		}
		pid = pids[2]
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	if err == nil || sum == nil || sum.State != result.Failed || len(sum.Aborts) != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := fmt.Sprintf("pid %d) was killed by signal 9 in step ", pid)
	if text := err.Error(); !strings.Contains(text, want) || !strings.HasPrefix(text, "rank ") {
		t.Errorf("%q", text)
	}
	if a := sum.Aborts[0]; a.Rank == nil || a.Why != result.AbortRank || sum.Steps == 0 {
		t.Errorf("%+v after %d steps", a, sum.Steps)
	}
}

// A rank that is stopped is named, as what it is.
func TestStoppedRank(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the time after which silence counts")
	}
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	pid := 0
	_, err := disturb(t, long, func(pids []int) {
		pid = pids[1]
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	})
	want := fmt.Sprintf("pid %d) is stopped", pid)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "waited for it") {
		t.Errorf("%v", err)
	}
}

// A rank that others have waited for as long as job.watchdog says is named, sooner than its silence would be.
func TestWatchdog(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	pid := 0
	sum, err := disturb(t, long+"  watchdog: 2s\n", func(pids []int) {
		pid = pids[1]
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	})
	want := fmt.Sprintf("pid %d) kept a collective open for 2s, as long as job.watchdog lets it be, in step ", pid)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "waited for it") {
		t.Errorf("%v, want %q", err, want)
	}
	if len(sum.Aborts) != 1 || sum.Aborts[0].Why != result.AbortWatchdog {
		t.Errorf("%+v", sum.Aborts)
	}
}

// Interrupted ranks end the same step, and their weights are kept.
func TestInterrupted(t *testing.T) {
	cfg := config(parse(t, training(1, 4, long)))
	cfg.Run.Dir = newDir(t)
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Run.Progress = func(p result.Progress) {
		if p.Phase == "training" && p.Done > 3 {
			cancel()
		}
	}
	sum, err := launch.Run(ctx, cfg)
	if !errors.Is(err, context.Canceled) || sum.State != result.Interrupted || sum.WeightsSHA256 == "" {
		t.Fatalf("state %s, weights %q, %v", sum.State, sum.WeightsSHA256, err)
	}
	steps := fmt.Sprintf("epochs: 1000000\n    steps: %d", sum.Steps)
	text := training(1, 4, strings.Replace(long, "epochs: 1000000", steps, 1))
	if want := simulated(t, text); want.WeightsSHA256 != sum.WeightsSHA256 {
		t.Errorf("after %d steps the weights are not those of so many steps", sum.Steps)
	}
}

// Interrupted collectives keep the figures of rows that all ranks have ended.
func TestInterruptedCollectives(t *testing.T) {
	text := "name: t\ncluster: {hosts: 1, host: {gpus: 2}}\njob:\n  collectives:\n    - {op: all-reduce, bytes: 4KiB, iterations: 3}\n" +
		"    - {op: all-reduce, bytes: 64MiB, iterations: 1000}\n"
	for wait := time.Second; ; wait *= 2 { // it may not have begun, on a busy machine
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		cfg := config(parse(t, text))
		cfg.Run.Dir = newDir(t)
		sum, err := launch.Run(ctx, cfg)
		cancel()
		if err == nil || ctx.Err() == nil {
			t.Fatalf("it was not interrupted: %v", err)
		}
		if sum == nil || len(sum.Collectives) == 0 {
			if wait > time.Minute {
				t.Fatalf("after %v no row has ended: %v", wait, err)
			}
			continue
		}
		if c := sum.Collectives[0]; sum.State != result.Interrupted || len(sum.Collectives) > 1 || c.Count != 3 || c.Time <= 0 {
			t.Errorf("%s, %+v", sum.State, sum.Collectives)
		}
		return
	}
}

// A loss that is no number ends the run with what to try.
func TestDiverged(t *testing.T) {
	text := strings.Replace(training(1, 2, `    layers: [784, 10]
    batch: 1
    loss: mse
    epochs: 20
`), "lr: 0.1", "lr: 900", 1)
	cfg := config(parse(t, text))
	cfg.Run.Dir = newDir(t)
	sum, err := launch.Run(context.Background(), cfg)
	if err == nil || !strings.Contains(err.Error(), "diverged") || sum.State != result.Failed {
		t.Errorf("%+v, %v", sum, err)
	}
}

// What processes cannot do is refused at its key.
func TestRefused(t *testing.T) {
	sc := parse(t, training(2, 1, plain)+"faults: [{link: all, drop: 1%}]\n")
	_, err := launch.Run(context.Background(), config(sc))
	if err == nil || !strings.Contains(err.Error(), "t.yaml:10:9: faults: 1 fault: nothing fails on purpose in processes: want none") {
		t.Errorf("%v", err)
	}
}

// port is one that is free.
func port(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// nodes launches on so many nodes of this machine; change alters their configurations.
func nodes(t *testing.T, text string, n int, change func(node int, cfg *launch.Config)) (sum *result.Summary, errs []error) {
	t.Helper()
	at := port(t)
	errs = make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		cfg := config(parse(t, text))
		cfg.Nodes, cfg.Node, cfg.Rendezvous = n, i, at
		if change != nil {
			change(i, &cfg)
		}
		wait.Go(func() {
			if i == 0 {
				sum, errs[0] = launch.Run(context.Background(), cfg)
			} else {
				errs[i] = launch.Join(context.Background(), cfg)
			}
		})
	}
	wait.Wait()
	return sum, errs
}

// Several nodes are one job.
func TestNodes(t *testing.T) {
	text := training(2, 2, plain)
	want := simulated(t, text)
	for _, n := range []int{2, 4} {
		var shown result.Progress // by node 1
		sum, errs := nodes(t, text, n, func(node int, cfg *launch.Config) {
			if node == 1 {
				cfg.Run.Progress = func(p result.Progress) { shown = p }
			}
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(n, err)
		}
		same(t, sum, want)
		if shown.Phase != "training" || shown.Done != want.Steps || shown.Total != want.Steps {
			t.Errorf("of %d nodes another than node 0 shows %+v, want %d steps", n, shown, want.Steps)
		}
	}
}

// A node that is not what node 0 is, is refused, and both say why.
func TestNodesThatDiffer(t *testing.T) {
	text := training(1, 2, plain)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, cfg *launch.Config)
		want   string
	}{
		{"version", func(t *testing.T, cfg *launch.Config) { cfg.Version = "2" }, "it is railyard 2, node 0 is 1"},
		{"id", func(t *testing.T, cfg *launch.Config) { cfg.ID = "other" },
			`it has --id "other", node 0 has "t": two jobs have one address`},
		{"scenario", func(t *testing.T, cfg *launch.Config) {
			cfg.Scenario = parse(t, strings.Replace(text, "lr: 0.1", "lr: 0.2", 1))
		}, `its scenario differs: job.train.lr is 0.2, that of node 0 0.1`},
		{"processes", func(t *testing.T, cfg *launch.Config) { cfg.Nodes, cfg.PerNode = 2, 2 }, "make 4 ranks, the job of t has 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs := nodes(t, text, 2, func(node int, cfg *launch.Config) {
				cfg.Timeout = 2 * time.Second
				if node == 1 {
					c.change(t, cfg)
				}
			})
			if errs[1] == nil || !strings.Contains(errs[1].Error(), c.want) {
				t.Errorf("node 1: %v, want %q", errs[1], c.want)
			}
			if errs[0] == nil || !strings.Contains(errs[0].Error(), "node 1 never came to ") {
				t.Errorf("node 0: %v", errs[0])
			}
		})
	}
}

// Whoever else calls is of no consequence; a port that is taken is named.
func TestStrangers(t *testing.T) {
	text := training(1, 2, plain)
	var held net.Listener
	_, errs := nodes(t, text, 2, func(node int, cfg *launch.Config) {
		if node == 1 {
			cfg.Timeout = time.Second
			return
		}
		var err error
		if held, err = net.Listen("tcp", cfg.Rendezvous); err != nil {
			t.Fatal(err)
		}
	})
	held.Close()
	if errs[0] == nil || !strings.Contains(errs[0].Error(), "is in use") {
		t.Errorf("node 0: %v", errs[0])
	}
	sum, errs := nodes(t, text, 2, func(node int, cfg *launch.Config) {
		if node == 1 {
			for _, say := range []string{"GET / HTTP/1.1\r\n\r\n", "RYL\x01\x15", strings.Repeat("\xff", 100)} {
				go func() {
					for range 50 {
						if conn, err := net.Dial("tcp", cfg.Rendezvous); err == nil {
							fmt.Fprint(conn, say)
							conn.Close()
							return
						}
						time.Sleep(20 * time.Millisecond)
					}
				}()
			}
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	same(t, sum, simulated(t, text))
}

// A launcher that is killed leaves no process.
func TestKilledLauncher(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("wants /proc")
	}
	parse(t, training(1, 4, long))
	simulated(t, training(1, 1, plain)) // the digits are there
	cmd := &exec.Cmd{Path: must(os.Executable()), Args: []string{"railyard", "launch-and-wait"}}
	out := must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 9)
	if _, err := io.ReadFull(out, line); err != nil || string(line) != "under way" {
		t.Fatalf("%q, %v", line, err)
	}
	pids := childrenOf(t, cmd.Process.Pid)
	if len(pids) != 4 {
		t.Fatalf("processes %v, want 4", pids)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for _, pid := range pids {
		for range 500 {
			if syscall.Kill(pid, 0) != nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !strings.Contains(string(b), ") Z ") {
			t.Errorf("process %d is left: %s", pid, b)
		}
	}
}
