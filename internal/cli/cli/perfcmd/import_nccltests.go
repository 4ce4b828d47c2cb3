package perfcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/unit"
	"railyard/internal/cli/cli/call"
	"railyard/internal/cli/view"
	"railyard/internal/job/nccl"
	"railyard/internal/job/nccltests"
	"railyard/internal/plan/perf"
	"railyard/internal/plan/scenario"
	"railyard/internal/run/run"
)

// measuredFlags is the flags of `railyard import nccl-tests`.
type measuredFlags struct {
	perfFlags            // those of the cluster, and of how a size is run
	op            string // where the log does not say
	limit, factor string
	hasHosts      bool
	hasGPUs       bool
}

// measuredCall is a call of railyard import nccl-tests.
type measuredCall struct {
	*call.App
	engine call.Engine
	f      measuredFlags
}

// perf is a call of railyard perf with the flags that both have.
func (a *measuredCall) perf() *perfCall { return &perfCall{a.App, a.engine, a.f.perfFlags} }

func importNCCLTests(a *call.App, e call.Engine) *cobra.Command {
	c := &measuredCall{App: a, engine: e}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "nccl-tests LOG [flags]",
		Short: "Put a measured sweep of nccl-tests beside the simulated one",
		Long: `Reads what nccl-tests printed, or the JSON that it wrote with -J, runs the sizes that were
measured as railyard perf does, and prints for each size the measured and the simulated time
and bus bandwidth (GB/s) and simulated over measured time. Then

  the error        exp(mean |ln(simulated/measured)|) - 1: by how much a time is off, either way
  where they part  the first size at which one time is more than --factor times the other, and
                   which change of NCCL's published model would explain it from there on
  what scores      which sizes count, and which constant was fitted to a measurement

Figures in place, of alltoall, gather, scatter and sendrecv out of place, are taken where the
log has them. Operation, hosts, GPUs of each and their kind
are those that the log names; --op, --hosts and --gpus say what it does not. What joins the hosts
no log says: 400 Gb/s NICs, one per GPU, on a rail-optimized fabric, or that of --cluster FILE.

A size that would take longer than --limit by the estimate of railyard check is left out, and
named. LOG may be -, for standard input. The exit code is 0 however far the sweeps are apart.
Ctrl-C ends the sweep; the rows that are printed stay.`,
		Example: "  railyard import nccl-tests all_reduce.log\n" +
			"  railyard import nccl-tests out.json --cluster my.yaml --limit 5min --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return call.Misuse("import nccl-tests: %d arguments, want one LOG: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.hasHosts, f.hasGPUs = cmd.Flags().Changed("hosts"), cmd.Flags().Changed("gpus")
			if f.cluster != "" && (f.hasHosts || f.hasGPUs) {
				return call.Misuse("import nccl-tests: --cluster says how many hosts and GPUs there are: leave --hosts and --gpus out")
			}
			if f.cluster == input.Stdin && args[0] == input.Stdin {
				return call.Misuse("import nccl-tests: LOG and --cluster are both -: want one of them from standard input")
			}
			return c.measured(cmd.Context(), args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.op, "op", "", "operation, if the log does not say, as of railyard perf")
	fl.StringVar(&f.limit, "limit", "60s", "leave out sizes that are estimated to take longer")
	fl.StringVar(&f.factor, "factor", "1.25", "sweeps part where one time is more than so many times the other")
	fl.IntVarP(&f.iterations, "iters", "n", 5, "timed runs of each size")
	fl.IntVarP(&f.warmup, "warmup_iters", "w", 1, "runs of each size before them")
	fl.IntVar(&f.hosts, "hosts", 1, "hosts, if the log does not say")
	fl.IntVar(&f.gpus, "gpus", 8, "GPUs of a host, if the log does not say")
	fl.StringVar(&f.cluster, "cluster", "",
		"scenario whose cluster, fabric, transport and congestion control are taken")
	fl.StringVar(&f.algorithm, "algorithm", "", "algorithm of all rows, as job.collectives[].algorithm")
	fl.IntVar(&f.channels, "channels", 0, "channels of all rows; 0: as NCCL chooses")
	fl.BoolVar(&f.json, "json", false, "print all as one JSON object")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	return cmd
}

// comparing is `railyard import nccl-tests` under way.
type comparing struct {
	*perf.Sweep
	flags  measuredFlags
	limit  unit.Duration
	factor unit.Ratio
	out    view.Compared
	rows   []perf.Row // simulated
	pairs  []nccl.Pair
}

// measuredColumns are size, twice time and bandwidth, and the ratio of times.
const measuredColumns = "%12s%11s%10s%13s%10s%8s"

// measured is `railyard import nccl-tests`.
func (a *measuredCall) measured(ctx context.Context, log string) error {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	c := &comparing{flags: a.f, out: view.Compared{Rows: []view.ComparedRow{}, LeftOut: []view.ComparedLeft{},
		Calibrated: []unit.Bytes{}, Notes: []string{}}}
	var err error
	if c.limit, err = unit.ParseDuration(a.f.limit); err != nil || c.limit <= 0 {
		return call.Misuse("import nccl-tests: --limit %q: want a time such as 60s or 5min", a.f.limit)
	}
	if c.factor, err = unit.ParseRatio(a.f.factor); err != nil || c.factor.Num <= c.factor.Den {
		return call.Misuse("import nccl-tests: --factor %q: want a number above 1, such as 1.25", a.f.factor)
	}
	table, err := a.readLog(ctx, log)
	if err != nil {
		return err
	}
	if c.Sweep, err = a.measuredSweep(ctx, log, table, c); err != nil {
		return err
	}
	all, notes, err := c.Measured(table)
	if err != nil {
		return fmt.Errorf("%s: %w", log, err)
	}
	for _, m := range all {
		if m.Left == "" {
			if _, err := c.Scenario(m.Row); err != nil { // before anything is printed
				return fmt.Errorf("import nccl-tests: %w", err)
			}
		}
	}
	c.out.Log, c.out.Program = log, c.Op.Program()
	c.out.Hosts, c.out.Ranks, c.out.Preset = c.Base.Cluster.Hosts, c.Base.GPUs(), c.Base.Cluster.Host.Preset
	c.out.Iterations, c.out.Warmup, c.out.Factor = c.Iterations, c.Warmup, c.factor.Float()
	c.out.NVLink, c.out.Given = c.Base.Cluster.Host.NVLinkEfficiency, a.f.factor
	c.out.Efficiency = c.out.NVLink.Float()
	c.out.Notes = append(c.out.Notes, notes...)
	if !a.f.json {
		s := a.NewSheet()
		s.Wrap("", fmt.Sprintf("%s: %s as measured, and simulated on %s x %s, %s", log, c.out.Program,
			call.Count(c.out.Hosts, "host"), call.Count(c.Base.Cluster.Host.GPUs, "GPU"), c.out.Preset))
		s.Blank()
		s.Line(fmt.Sprintf("%12s%21s%23s", "", "measured", "simulated"))
		s.Line(fmt.Sprintf(measuredColumns, "size", "time (us)", "busbw", "time (us)", "busbw", "ratio"))
		if err := s.Flush(a.Stdout); err != nil {
			return fmt.Errorf("cannot print the table: %w", input.Cause(err))
		}
	}
	failed := a.simulate(ctx, c, all)
	return a.measuredEnd(ctx, c, failed)
}

// readLog reads a log; its problems are printed with the lines they are in.
func (a *measuredCall) readLog(ctx context.Context, log string) (*nccltests.Table, error) {
	var src []byte
	var err error
	if log == input.Stdin {
		src, err = input.Stream(ctx, a.Stdin, nccltests.MaxText)
	} else {
		src, err = input.Read(ctx, log, nccltests.MaxText)
	}
	if err != nil {
		return nil, call.Misuse("cannot read log %s: %w", log, err)
	}
	table, err := nccltests.Read(log, src)
	if err != nil {
		return nil, a.Problems(log, src, err)
	}
	return table, nil
}

// measuredSweep says what to run: what the log says, and the flags where it does not.
func (a *measuredCall) measuredSweep(ctx context.Context, log string, t *nccltests.Table, c *comparing) (*perf.Sweep,
	error) {
	f := &c.flags
	s := &perf.Sweep{Iterations: f.iterations, Warmup: f.warmup, Algorithm: scenario.Algorithm(f.algorithm), Channels: f.channels}
	if f.channels < 0 {
		return nil, call.Misuse("import nccl-tests: --channels %d: want 1 to 64, or 0 for what NCCL chooses",
			f.channels)
	}
	var err error
	logged, said := t.Operation()
	switch {
	case f.op == "" && t.Program == "":
		return nil, call.Misuse("import nccl-tests: %s does not say which operation it is of: want --op", log)
	case f.op == "":
		if s.Op, err = perf.ParseOp(t.Name()); err != nil {
			return nil, fmt.Errorf("%s: %w", log, err)
		}
	default:
		if s.Op, err = perf.ParseOp(f.op); err != nil {
			return nil, call.Misuse("import nccl-tests: --op %w", err)
		}
		if said && s.Op != logged {
			return nil, call.Misuse("import nccl-tests: --op %s: %s is of %s", f.op, log, t.Name())
		}
	}
	m, err := perf.MachinesOf(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", log, err)
	}
	use, known := m, m.Hosts > 0
	if f.cluster == "" {
		if !known && !f.hasHosts && !f.hasGPUs {
			return nil, call.Misuse("import nccl-tests: %s does not name all hosts and GPUs: want --hosts and --gpus, or --cluster",
				log)
		}
		if m.GPU != "" && m.Preset == "" {
			return nil, call.Misuse("import nccl-tests: %s is of %q, which no preset of cluster.host has: want --cluster", log, m.GPU)
		}
		if !known || f.hasHosts {
			use.Hosts = f.hosts
		}
		if !known || f.hasGPUs {
			use.GPUs = f.gpus
		}
	}
	if s.Base, err = a.perf().perfBase(ctx, f.cluster, use); err != nil {
		return nil, err
	}
	if s.Host, err = perfHost(s.Base); err != nil {
		return nil, err
	}
	if f.cluster == "" {
		c.assume(s.Base, m)
	}
	if cl := s.Base.Cluster; known && (cl.Hosts != m.Hosts || cl.Host.GPUs != m.GPUs) {
		return nil, call.Misuse("import nccl-tests: %s is of %s x %s, the cluster has %s x %s", log,
			call.Count(m.Hosts, "host"),
			call.Count(m.GPUs, "GPU"), call.Count(cl.Hosts, "host"), call.Count(cl.Host.GPUs, "GPU"))
	}
	return s, nil
}

// assume notes what neither the log nor a flag says.
func (c *comparing) assume(base *scenario.Scenario, m perf.Machines) {
	if m.Preset == "" {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("the log names no GPU: %s is assumed", base.Cluster.Host.Preset))
	}
	if base.Cluster.Hosts > 1 {
		c.out.Notes = append(c.out.Notes, fmt.Sprintf("no log says what joins hosts: a %s fabric with a NIC of %v for "+
			"each GPU is assumed; --cluster says another", base.Fabric.Design, base.Cluster.NIC.Speed))
	}
}

// simulate runs the rows and prints them.
func (a *measuredCall) simulate(ctx context.Context, c *comparing, all []perf.Measured) error {
	how := ""
	for i, m := range all {
		if m.Left == "" {
			var err error
			if m.Left, err = c.tooLong(m.Row); err != nil {
				return fmt.Errorf("import nccl-tests: %s: %w", m.Bytes, err)
			}
		}
		if m.Left != "" {
			c.out.LeftOut = append(c.out.LeftOut, view.ComparedLeft{Size: m.Bytes, Why: m.Left})
			continue
		}
		d, err := a.perf().perfOne(ctx, c.Sweep, m.Row, fmt.Sprintf("size %d of %d", i+1, len(all)))
		if err != nil {
			return fmt.Errorf("import nccl-tests: %s: %w", m.Bytes, err)
		}
		row := view.ComparedRow{Size: m.Bytes, InPlace: m.InPlace, Measured: m.Time, MeasuredBW: float64(m.BusBW) / 8,
			Simulated: d.data.Time, SimBW: d.data.BusBW, Ratio: float64(d.data.Time) / float64(m.Time),
			Algorithm: m.Algorithm, Protocol: m.Protocol, Channels: m.Channels, PacketHops: d.data.PacketHops}
		c.out.Rows = append(c.out.Rows, row)
		c.rows = append(c.rows, m.Row)
		c.pairs = append(c.pairs, nccl.Pair{Bytes: m.Bytes, Measured: m.Time, Simulated: row.Simulated})
		if c.flags.json {
			continue
		}
		if now := m.How(); now != how {
			how = now
			fmt.Fprintf(a.Stdout, "# %s\n", how)
		}
		us := func(d unit.Duration) string { return fixed(float64(d) / float64(unit.Microsecond)) }
		gBs := func(bytesPerSecond float64) string { return fixed(bytesPerSecond / 1e9) }
		if _, err := fmt.Fprintf(a.Stdout, measuredColumns+"\n", m.Bytes, us(row.Measured), gBs(row.MeasuredBW),
			us(row.Simulated), gBs(row.SimBW), fixed(row.Ratio)); err != nil {
			return fmt.Errorf("cannot print the table: %w", input.Cause(err))
		}
	}
	return nil
}

func fixed(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }

// tooLong says why a size is not run: it would take too long, or is over the limits of a run.
func (c *comparing) tooLong(row perf.Row) (why string, err error) {
	sc, err := c.Scenario(row)
	if err != nil {
		return "", err
	}
	in, err := run.Inspect(sc)
	if err != nil {
		return "", err
	}
	if s := in.Estimate.Seconds; s > c.limit.Seconds() {
		about := unit.Clock(s)
		if s < 10 {
			about = unit.TruncatedSeconds(s).Human()
		}
		return fmt.Sprintf("would take about %s, the limit is %s (--limit)", about, c.flags.limit), nil
	}
	over := func(f scenario.Finding) bool { return f.Severity == scenario.Error && f.Path == "" }
	if slices.ContainsFunc(in.Findings, over) { // errors at a key are the run's to tell
		return fmt.Sprintf("would need about %s of memory and %s packet-hops, more than a run may here",
			in.Estimate.Memory.Human(), unit.Count(in.Estimate.PacketHops)), nil
	}
	return "", nil
}

// measuredEnd prints what comes of the rows, or why there are no more.
func (a *measuredCall) measuredEnd(ctx context.Context, c *comparing, failed error) error {
	var compared perf.Comparison
	if len(c.pairs) > 0 {
		slices.SortStableFunc(c.pairs, func(a, b nccl.Pair) int { return int(min(max(a.Bytes-b.Bytes, -1), 1)) })
		var err error
		if compared, err = c.Compare(c.rows, c.pairs, c.factor); err != nil {
			return fmt.Errorf("import nccl-tests: %w", err)
		}
		c.out.Error = &compared.Error
		if compared.Larges > 0 {
			c.out.Large = &compared.Large
		}
		if p := compared.Parting; p != nil {
			c.out.Parting = &view.ComparedParting{Size: p.Bytes, Reason: p.Reason.String(), Left: p.Left, Text: p.Text}
		}
	}
	var printed error
	if c.flags.json {
		printed = a.PrintJSON(&c.out)
	} else {
		s := a.NewSheet()
		view.ComparedText(s, &c.out)
		printed = s.Flush(a.Stdout)
	}
	switch {
	case failed != nil && ctx.Err() != nil && errors.Is(failed, ctx.Err()):
		return &call.Exit{Code: call.Interrupted, Err: fmt.Errorf("interrupted after %s of the sweep",
			call.Count(len(c.pairs), "row"))}
	case failed != nil:
		return failed
	case printed != nil:
		return fmt.Errorf("cannot print the comparison: %w", input.Cause(printed))
	case len(c.pairs) == 0:
		return fmt.Errorf("%s: no size was both measured and simulated", c.out.Log)
	}
	return nil
}
