package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/cli/perfcmd"
	"railyard/internal/cli/cli/rdmacmd"
	"railyard/internal/engine/endpoint"
	"railyard/internal/out/result"
	"railyard/internal/run/launch"
	"railyard/internal/run/run"
)

// launchFlags is the flags of `railyard launch`.
type launchFlags struct {
	runFlags
	nodes, perNode, node int
	rdzv, id, transport  string
	faults, capture      string
	timeout              string
	restarts             int
	spare                bool
	wait                 time.Duration
}

// launchCall is a call of railyard launch.
type launchCall struct {
	*app
	f launchFlags
}

func launchCommand(a *app) *cobra.Command {
	c := &launchCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "launch FILE [flags]",
		Short: "Train a scenario's network with ranks that are real processes",
		Long: `Runs the training in FILE for real: every rank is a process, gradients go through shared memory, over
TCP or as RoCEv2 packets, times are measured. Programs, collectives and arithmetic are those of railyard run, and so are the
weights, bit for bit. It leaves a run directory with what ranks did and when: report, show timeline and
compare read it. What the file says of the fabric does not act. Ctrl-C ends all ranks after the same step
and keeps what there is. A rank that dies, stops or cannot be reached ends all others, with one line that
says which, where it was and who waited for it.

On several hosts the same command is given on each, with --node-rank 0 to N-1 and the address of node 0.
Environments of srun and mpirun with one task per host say it too. Each host needs the same FILE, data and
version: node 0 refuses another, and says what differs. With --max-restarts on
node 0 the hosts that are left start again, and hosts that were started with --spare take the places of
those that are gone. Links between hosts carry no secret: use them in a network that you trust.`,
		Example: "  railyard launch examples/digits-8gpu.yaml\n" +
			"  railyard launch --nnodes 2 --node-rank 0 --rdzv 10.0.0.1:29500 my.yaml     # on 10.0.0.1\n" +
			"  railyard launch --nnodes 2 --node-rank 1 --rdzv 10.0.0.1:29500 my.yaml     # on the other host",
		Args: call.OneFile,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.hasSeed = cmd.Flags().Changed("seed")
			if err := f.check(cmd, os.Getenv); err != nil {
				return err
			}
			return c.launchFile(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "out", "o", "", "run directory, new or empty (default runs/NAME-N, the first N that is free)")
	fl.BoolVar(&f.json, "json", false, "print the summary as one JSON object")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.Uint64Var(&f.seed, "seed", 0, "seed, instead of the scenario's")
	fl.StringArrayVar(&f.set, "set", nil, "KEY=VALUE: a value instead of the scenario's; may be repeated")
	fl.StringArrayVar(&f.unset, "unset", nil, "KEY: leave out what the scenario says there, after all of --set; may be repeated")
	fl.StringVar(&f.kernel, "kernel", "", "tensor kernel, instead of the scenario's: "+call.KernelNames())
	fl.IntVar(&f.nodes, "nnodes", 1, "hosts that take part")
	fl.IntVar(&f.perNode, "nproc-per-node", 0, "processes on each (default the job's ranks over the hosts)")
	fl.IntVar(&f.node, "node-rank", 0, "which of the hosts this is, from 0")
	fl.StringVar(&f.rdzv, "rdzv", "", "HOST:PORT at which node 0 is met; the port is free there")
	fl.StringVar(&f.id, "id", "", "name of the job, the same on all hosts")
	fl.StringVar(&f.timeout, "timeout", "60s", "how long hosts wait for each other")
	fl.IntVar(&f.restarts, "max-restarts", 0, "start again so often from the newest checkpoint when a rank or host is gone; of node 0")
	fl.BoolVar(&f.spare, "spare", false, "wait for the place of a host that is gone, in place of --node-rank")
	fl.StringVar(&f.resume, "resume", "", "go on from the newest weights of this run directory, or from this file; of node 0")
	fl.StringVar(&f.transport, "transport", launch.Shared, "between ranks of one host: shm (shared memory), tcp, or roce (RoCEv2 packets)")
	call.Complete(cmd, "transport", cobra.FixedCompletions(launch.Transports(), cobra.ShellCompDirectiveNoFileComp))
	fl.StringVar(&f.faults, "faults", "", "with roce, of each rank: "+rdmacmd.FaultsText)
	fl.StringVar(&f.capture, "capture", "", "with roce: write each rank's packets to a file; x.pcapng is x-rank0.pcapng of rank 0")
	call.CompletesSet(cmd)
	return cmd
}

// check refuses flags that cannot be, and takes from the environment of srun or mpirun what is not given.
func (f *launchFlags) check(cmd *cobra.Command, env func(string) string) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	for _, from := range []struct{ nodes, node string }{{"SLURM_NTASKS", "SLURM_PROCID"},
		{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}} {
		n, err := strconv.Atoi(env(from.nodes))
		i, err2 := strconv.Atoi(env(from.node))
		if err != nil || err2 != nil || given("nnodes") || given("node-rank") || f.spare || f.rdzv == "" {
			continue // without an address of node 0 several tasks are as many jobs
		}
		f.nodes, f.node = n, i
		break
	}
	d, err := unit.ParseDuration(f.timeout)
	switch {
	case err != nil || d < unit.Second:
		return call.Misuse("launch: --timeout %s: want a time of 1s or more, such as 60s", located.Shown(f.timeout))
	case f.nodes < 1:
		return call.Misuse("launch: --nnodes %d: want 1 or more", f.nodes)
	case given("nproc-per-node") && f.perNode < 1:
		return call.Misuse("launch: --nproc-per-node %d: want 1 or more", f.perNode)
	case f.node < 0 || f.node >= f.nodes:
		return call.Misuse("launch: --node-rank %d: want 0 to %d, of --nnodes %d", f.node, f.nodes-1, f.nodes)
	case f.nodes > 1 && f.rdzv == "":
		return call.Misuse("launch: --nnodes %d wants --rdzv HOST:PORT, an address of node 0", f.nodes)
	case f.nodes == 1 && f.rdzv != "":
		return call.Misuse("launch: --rdzv is where several hosts meet: want --nnodes 2 or more")
	case !slices.Contains(launch.Transports(), f.transport):
		return call.Misuse("launch: --transport %s: want one of: %s", located.Shown(f.transport),
			strings.Join(launch.Transports(), ", "))
	case f.transport != launch.RoCE && (f.faults != "" || f.capture != ""):
		return call.Misuse("launch: --faults and --capture are of packets: want --transport %s", launch.RoCE)
	case f.restarts < 0 || f.restarts > maxRestarts:
		return call.Misuse("launch: --max-restarts %d: want 0 to %d", f.restarts, maxRestarts)
	case f.spare && (f.nodes == 1 || given("node-rank")):
		return call.Misuse("launch: --spare waits for the place of one of several hosts: want --nnodes 2 or more, and no --node-rank")
	case f.joins() && (f.out != "" || f.json || f.resume != ""):
		return call.Misuse("launch: --out, --json and --resume are for node 0, which has the results and the checkpoints")
	}
	f.wait = time.Duration(d / unit.Nanosecond)
	if f.faults != "" {
		if _, err := endpoint.ParseFaults(f.faults); err != nil {
			return call.Misuse("launch: --faults: %w", err)
		}
	}
	many, err := f.sweep()
	if err != nil {
		return err
	}
	if many != nil {
		return call.Misuse("launch: --set %s has %d values: want one, processes run once", many.axes[0].Path,
			len(many.axes[0].Values))
	}
	return nil
}

// joins reports whether this is another node than the first.
func (f *launchFlags) joins() bool { return f.node > 0 || f.spare }

// maxRestarts bounds --max-restarts: each has a run directory.
const maxRestarts = 10_000

// launchFile is `railyard launch`.
func (c *launchCall) launchFile(ctx context.Context, file string) error {
	ctx, stop := c.Interruptible(ctx)
	defer stop()
	p := c.StartProgress(c.f.quiet, "reading "+file)
	defer p.Stop()
	sc, err := c.load(ctx, p, file, c.f.runFlags)
	if err != nil {
		return err
	}
	if problems := run.NotReal(sc); len(problems) > 0 {
		p.Stop()
		src, _ := c.ReadFile(ctx, file) // it has been read before: for the lines
		return c.Problems(file, src, problems)
	}
	cfg, err := perfcmd.LaunchConfig(c.App, sc, file, c.f.transport)
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	cfg.Nodes, cfg.PerNode, cfg.Node, cfg.Rendezvous, cfg.ID, cfg.Timeout = c.f.nodes, c.f.perNode, c.f.node, c.f.rdzv,
		cmp.Or(c.f.id, sc.Name), c.f.wait
	cfg.Run.Progress, cfg.Faults, cfg.Spare = p.Update, c.f.faults, c.f.spare
	if c.f.capture != "" {
		if cfg.Capture, err = filepath.Abs(c.f.capture); err != nil {
			return err
		}
	}
	if err := cfg.Deal(); err != nil {
		return fmt.Errorf("%s: %w (--nnodes, --nproc-per-node); nothing was run", file, err)
	}
	if c.f.joins() {
		err := c.engine.Join(ctx, cfg)
		p.Stop()
		if err != nil && ctx.Err() != nil {
			return &call.Exit{Code: call.Interrupted, Err: errors.New("interrupted; what was done is with node 0")}
		}
		return err
	}
	if c.f.resume != "" {
		from, err := findWeights(c.f.resume)
		if err != nil {
			return err
		}
		if cfg.Run.Resume, err = from.read(ctx); err != nil {
			return err
		}
	}
	dir, sum, err := c.engine.Again(ctx, cfg, c.f.restarts, func(try int) (*result.Dir, error) {
		out := c.f.out
		if out != "" && try > 0 {
			out = fmt.Sprintf("%s-restart%d", out, try)
		}
		return createDir(out, sc.Name)
	})
	if dir == nil {
		return err
	}
	p.Stop()
	if sum == nil && err != nil {
		err = c.Located(file, sc, err)
	}
	return c.finish(ctx, dir, sum, err, c.f.json)
}

// launchRankCommand is the process of a rank.
func launchRankCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:    perfcmd.LaunchRank,
		Short:  "The process of a rank, which railyard launch starts",
		Hidden: true,
		Args:   call.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			// The launcher has heard it too, and says when to end.
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
			return launch.Rank()
		},
	}
}
