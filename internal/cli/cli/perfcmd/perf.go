package perfcmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/job/nccltests"
	"railyard/internal/out/result"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/launch"
)

// perfFlags is the flags of `railyard perf`.
type perfFlags struct {
	min, max, step string
	factor         int
	iterations     int
	warmup         int
	hosts, gpus    int
	cluster        string
	set            []string
	algorithm      string
	protocol       string
	channels       int
	skew           int
	counts         string
	exit           string
	real           bool
	transport      string
	scenario       bool
	json           bool
	force          bool
	quiet          bool
}

// perfCall is a call of railyard perf.
type perfCall struct {
	*call.App
	engine call.Engine
	f      perfFlags
}

// Command is railyard perf.
func Command(a *call.App, e call.Engine) *cobra.Command {
	c := &perfCall{App: a, engine: e}
	f := &c.f
	operations := perf.Operations()
	cmd := &cobra.Command{
		Use:   "perf OP [flags]",
		Short: "Time a collective in sizes from small to large, as nccl-tests does",
		Long: `Runs the collective OP over all GPUs of a simulated cluster, in sizes from -b to -e, and
prints nccl-tests' table row by row. Each row is one run of the packet engine; its time is
counted as nccl-tests does: each rank's time for all iterations after the warm-up, over
their number, mean over ranks. No real numbers are sent, so #wrong is N/A.

OP is ` + strings.Join(operations[:5], ", ") + `,
` + strings.Join(operations[5:], ", ") + `.
Figures of alltoall, gather, scatter and sendrecv are out of place; of the others one buffer
is input and output, and figures are in place. hypercube is an all-gather of sends by recursive
doubling; it wants 1, 2, 4, 8 and so on ranks.

Sizes are written as for nccl-tests: 8, 64K, 32M, 1G, where K, M and G are powers of 1024;
a scenario file writes them as 64KiB, 32MiB, 1GiB. They are rounded down as nccl-tests does:
to whole float32 values, where each rank has a part to 16 bytes of each.

Algorithm, protocol and channels of each row are what NCCL's published model chooses among rings,
trees, NVLS and sends, unless --algorithm, --protocol or --channels say so. A line that begins
with # names them where they change.

--skew 4 gives rank 0 in an alltoall four times as much as each other rank, as when many tokens
choose its experts; bytes and bandwidths are still those that each rank sends.

--counts FILE plays what was measured: a line counts ranks N bytes B, then for each rank a line of N whole
numbers, how many of B bytes (of a token, say) it has for each rank. Then size is the mean of what ranks
have, busbw the mean of what they have for others over the time, and a line names the busiest.

The cluster is --hosts HGX H100 hosts with --gpus GPUs and as many 400 Gb/s NICs on a
rail-optimized fabric, or that of the scenario in --cluster FILE: all of it but its job.
--set cluster.nic.speed=200Gb/s gives either another value. --scenario prints the whole
sweep as a scenario, to change it, run it and read its report. Ctrl-C ends the sweep; the
rows that are printed stay.

--real runs it on this machine: each rank is a process, with buffers of float32 in memory that others
reach through shared memory or, with --transport tcp or roce, over 127.0.0.1. Times are measured, #wrong counts
elements that are not what they must be. Then --iters is 20 and --warmup_iters 5, there is one channel
and no protocol, which is about memory of GPUs; an all-reduce of up to 64 KiB between more than two goes
along a tree, and else NCCL's model chooses for processors in place of GPUs, unless flags say otherwise.`,
		Example: "  railyard perf all_reduce --hosts 2 -b 8 -e 1G -f 2\n" +
			"  railyard perf all_gather --cluster my.yaml -b 1M -e 64M -f 4 --json\n" +
			"  railyard perf broadcast -b 64M -e 64M --scenario > sweep.yaml && railyard run sweep.yaml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("perf: %d arguments, want one operation: %s", len(args), strings.Join(operations,
					", "))
			}
			return nil
		},
		ValidArgs: operations,
		RunE:      func(cmd *cobra.Command, args []string) error { return c.begin(cmd, args[0]) },
	}
	f.register(cmd)
	return cmd
}

// begin refuses flags that do not go with each other, and times the operation.
func (a *perfCall) begin(cmd *cobra.Command, op string) error {
	if a.f.cluster != "" && (cmd.Flags().Changed("hosts") || cmd.Flags().Changed("gpus")) {
		return call.Misuse("perf: --cluster says how many hosts and GPUs there are: leave --hosts and --gpus out")
	}
	if cmd.Flags().Changed("stepfactor") && cmd.Flags().Changed("stepbytes") {
		return call.Misuse("perf: --stepfactor and --stepbytes: want one of them")
	}
	if a.f.counts != "" {
		for _, other := range []string{"minbytes", "maxbytes", "stepbytes", "stepfactor", "skew", "real", "scenario"} {
			if cmd.Flags().Changed(other) {
				return call.Misuse("perf: --counts says what each rank has for each: leave --%s out", other)
			}
		}
	}
	if err := a.f.checkReal(cmd); err != nil {
		return err
	}
	return a.perf(cmd.Context(), op)
}

// register adds the flags to the command.
func (f *perfFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.min, "minbytes", "b", "32M", "smallest size")
	fl.StringVarP(&f.max, "maxbytes", "e", "32M", "largest size")
	fl.StringVarP(&f.step, "stepbytes", "i", "1M", "from one size to the next, unless -f is given")
	fl.IntVarP(&f.factor, "stepfactor", "f", 0, "the next size is so many times the last")
	fl.IntVarP(&f.iterations, "iters", "n", 5, "timed runs of each size")
	fl.IntVarP(&f.warmup, "warmup_iters", "w", 1, "runs of each size before them")
	fl.IntVar(&f.hosts, "hosts", 1, "hosts")
	fl.IntVar(&f.gpus, "gpus", 8, "GPUs of a host, each with a NIC")
	fl.StringVar(&f.cluster, "cluster", "",
		"scenario whose cluster, fabric, transport and congestion control are taken")
	fl.StringArrayVar(&f.set, "set", nil, "KEY=VALUE: another value of the cluster's scenario; may be repeated")
	call.CompletesSet(cmd)
	fl.StringVar(&f.algorithm, "algorithm", "", "algorithm of all rows, as job.collectives[].algorithm")
	fl.StringVar(&f.protocol, "protocol", "", "protocol of all rows: ll, ll128, simple, or none for messages alone")
	fl.IntVar(&f.channels, "channels", 0, "channels of all rows; 0: as NCCL chooses")
	fl.IntVar(&f.skew, "skew", 1, "of alltoall: rank 0 gets so many times as much of what each rank sends as each other")
	fl.StringVar(&f.counts, "counts", "", "of alltoall: file with what each rank has for each, in place of sizes")
	fl.StringVar(&f.exit, "exit", "", "by which NIC messages leave a host, as job.collective.exit: channel, own or peer; default as NCCL")
	fl.BoolVar(&f.real, "real", false, "measure it: ranks are processes of this machine")
	fl.StringVar(&f.transport, "transport", launch.Shared,
		"with --real: between ranks, shm (shared memory), tcp, or roce (RoCEv2 packets)")
	call.Complete(cmd, "transport", cobra.FixedCompletions(launch.Transports(), cobra.ShellCompDirectiveNoFileComp))
	fl.BoolVar(&f.scenario, "scenario", false, "print the sweep as a scenario and run nothing")
	fl.BoolVar(&f.json, "json", false, "print the rows as one JSON object")
	fl.BoolVar(&f.force, "force", false, "run although the estimate is over the limits of railyard run")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
}

// A perfRow is a row of the table, with how it was run.
type perfRow struct {
	Size      unit.Bytes            `json:"size_bytes"`
	Count     int64                 `json:"count"`
	Type      string                `json:"type"`
	RedOp     string                `json:"redop"`
	Root      int                   `json:"root"`
	InPlace   bool                  `json:"in_place"`
	Time      unit.Duration         `json:"time_ps"`
	AlgBW     float64               `json:"algbw_bytes_per_s"`
	BusBW     float64               `json:"busbw_bytes_per_s"`
	Algorithm scenario.Algorithm    `json:"algorithm"`
	Protocol  scenario.NCCLProtocol `json:"protocol"`
	Channels  int                   `json:"channels"`
	// Oversubscription says where the network has less bandwidth upwards than the row's traffic could take.
	Oversubscription string `json:"oversubscription,omitempty"`
	PacketHops       int64  `json:"packet_hops"`
	Wrong            *int64 `json:"wrong,omitempty"` // elements, of a row that was measured
	// Of a matrix of counts: bytes that ranks have for others, in the mean, and the most that one sends and gets.
	Mean  unit.Bytes `json:"mean_bytes,omitempty"`
	Sends unit.Bytes `json:"most_sent_bytes,omitempty"`
	Gets  unit.Bytes `json:"most_received_bytes,omitempty"`
}

type perfJSON struct {
	Program    string    `json:"program"`
	Hosts      int       `json:"hosts"`
	Ranks      int       `json:"ranks"`
	Iterations int       `json:"iterations"`
	Warmup     int       `json:"warmup"`
	Skew       int       `json:"skew,omitempty"`      // over 1
	Transport  string    `json:"transport,omitempty"` // of processes; "": simulated
	Rows       []perfRow `json:"rows"`
}

// perf is `railyard perf`.
func (a *perfCall) perf(ctx context.Context, op string) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	s, err := a.perfSweep(ctx, op)
	if err != nil {
		return err
	}
	rows, err := s.Rows()
	if err != nil {
		return call.Misuse("perf: %w", err)
	}
	all, err := s.Scenario(rows...)
	if err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	if a.f.scenario {
		_, err := a.Stdout.Write(all.YAML())
		return err
	}
	out := perfJSON{Program: s.Op.Program(), Hosts: s.Base.Cluster.Hosts, Ranks: s.Base.GPUs(),
		Iterations: a.f.iterations, Warmup: a.f.warmup, Rows: []perfRow{}}
	if a.f.skew > 1 {
		out.Skew = a.f.skew
	}
	if a.f.real {
		out.Transport = a.f.transport
	}
	t := &nccltests.Table{Program: out.Program}
	if !a.f.json {
		head := fmt.Sprintf("# simulated by railyard: %s x %s, %s\n", call.Count(out.Hosts, "host"),
			call.Count(s.Base.Cluster.Host.GPUs, "GPU"), s.Base.Cluster.Host.Preset)
		if out.Hosts > 1 {
			head = strings.TrimSuffix(head, "\n") +
				fmt.Sprintf(", NICs of %s, %s\n", s.Base.Cluster.NIC.Speed.Human(), s.Base.Fabric.Design)
		}
		if a.f.real {
			head = measuredHead(out.Ranks, a.f.transport)
		}
		fmt.Fprint(a.Stdout, head)
		if err := t.WriteHead(a.Stdout); err != nil {
			return err
		}
	}
	for i := range rows {
		row, err := a.perfOne(ctx, s, rows[i], fmt.Sprintf("size %d of %d", i+1, len(rows)))
		if err != nil {
			return a.perfEnd(ctx, t, &out, fmt.Errorf("perf: %s: %w", rows[i].Bytes, err))
		}
		out.Rows = append(out.Rows, row.data)
		t.Rows = append(t.Rows, row.row)
		if a.f.json {
			continue
		}
		if over := row.data.Oversubscription; over != "" && (i == 0 || over != out.Rows[i-1].Oversubscription) {
			fmt.Fprintf(a.Stdout, "# %s\n", over)
		}
		if s.Counts != nil {
			fmt.Fprintf(a.Stdout, "# %s\n", s.Counts.Load())
		}
		if how := rows[i].How(); i == 0 || how != rows[i-1].How() {
			fmt.Fprintf(a.Stdout, "# %s\n", how)
		}
		if err := t.WriteRow(a.Stdout, &t.Rows[i]); err != nil {
			return err
		}
	}
	return a.perfEnd(ctx, t, &out, nil)
}

// perfDone is a row that was run.
type perfDone struct {
	row  nccltests.Row
	data perfRow
}

// perfOne runs one row.
func (a *perfCall) perfOne(ctx context.Context, s *perf.Sweep, row perf.Row, what string) (
	d perfDone, err error) {
	sc, err := s.Scenario(row)
	if err != nil {
		return d, err
	}
	p := a.StartNext(a.f.quiet, what)
	defer p.Stop()
	progress := func(v result.Progress) {
		v.Phase = what + ", " + v.Phase
		p.Update(v)
	}
	var sum *result.Summary
	if a.f.real {
		sum, err = a.measureRow(ctx, sc, progress)
	} else {
		opt := call.RunOptions{Force: a.f.force, Progress: progress}
		if s.Counts != nil {
			opt.Blocks = s.Counts.Bytes()
		}
		sum, err = a.engine.Run(ctx, sc, opt)
	}
	p.Stop()
	if ctx.Err() != nil {
		return d, ctx.Err()
	}
	if err != nil {
		return d, err
	}
	if d.row, err = s.Result(row, sum); err != nil {
		return d, err
	}
	c := sum.Collectives[0]
	d.data = perfRow{Size: d.row.Bytes, Count: d.row.Count, Type: d.row.Type, RedOp: d.row.RedOp, Root: d.row.Root,
		InPlace: d.row.In != nil, Time: c.Time, AlgBW: c.AlgBW, BusBW: c.BusBW, Algorithm: row.Algorithm,
		Protocol: row.Protocol, Channels: row.Channels, PacketHops: sum.PacketHops,
		Oversubscription: foresight.NoteOf(sum.Notes),
		Wrong:            c.Wrong}
	if s.Counts != nil {
		load := s.Counts.Load()
		d.data.Mean, d.data.Sends, d.data.Gets, d.data.BusBW = load.Mean, load.Sends, load.Gets,
			float64(d.row.Out.BusBW)/8
	}
	if s.Op.Hypercube { // the run counts as all_gather_perf does
		d.data.AlgBW = c.BusBW
	}
	return d, nil
}

// perfEnd prints what comes after the rows, or why there are no more.
func (a *perfCall) perfEnd(ctx context.Context, t *nccltests.Table, out *perfJSON, failed error) error {
	var printed error
	if a.f.json {
		printed = a.PrintJSON(out)
	} else if len(t.Rows) > 0 {
		_, printed = fmt.Fprintf(a.Stdout, "# %-20s : %s\n", "Avg bus bandwidth",
			strconv.FormatFloat(t.AverageBusBW(), 'g', 6, 64))
	}
	wrong := int64(0)
	for i := range out.Rows {
		if n := out.Rows[i].Wrong; n != nil {
			wrong += *n
		}
	}
	switch {
	case ctx.Err() != nil && (failed == nil || errors.Is(failed, ctx.Err())):
		if failed == nil {
			break
		}
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted after %s of the sweep",
			call.Count(len(out.Rows), "row"))}
	case failed != nil:
		return failed
	}
	if printed != nil {
		return fmt.Errorf("cannot print the table: %w", input.Cause(printed))
	}
	if wrong > 0 {
		return fmt.Errorf("perf: %s wrong: see #wrong", unit.CountOf(wrong, "element"))
	}
	return nil
}
