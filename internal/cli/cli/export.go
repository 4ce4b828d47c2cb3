package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/base/shown"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/result"
	"railyard/internal/study/export"
)

// exportFlags is the flags of `railyard export`.
type exportFlags struct {
	trace    string
	csv      string
	metrics  string // file of OpenMetrics
	told     string // folder of telemetry as text
	start    string
	stretch  int64
	began    time.Time
	from, to string // times of the run
	window   result.TraceWindow
	damaged  bool
	json     bool
}

// exportCall is a call of railyard export.
type exportCall struct {
	*app
	f exportFlags
}

func exportCommand(a *app) *cobra.Command {
	c := &exportCall{app: a}
	f := &c.f
	cmd := &cobra.Command{
		Use:   "export DIR [flags]",
		Short: "Write a run as a trace for Perfetto, as CSV, for Prometheus",
		Long: `Writes what the run directory DIR holds in other formats: trace-event JSON, which opens in
ui.perfetto.dev, and a CSV file per table. Without flags both go into DIR, as trace.json.gz
and csv. Of a run that was killed it writes what there is.

With --prometheus FILE it writes series.parquet (output: {series: true}) as OpenMetrics text with
timestamps. Prometheus keeps whole milliseconds: a second there is --stretch times shorter in the
run, so that what rate() gives is to be multiplied by it.

With --telemetry DIR it writes telemetry.parquet (output: {telemetry: TIME}) as texts such as an
operator collects, a folder per form, for railyard diagnose to read: prometheus has metrics of
exporters, commands what SONiC, ethtool, rdma and nvidia-smi print; both have logs, what switches hear by
LLDP, and what PyTorch's flight recorder writes. Their times are those of the run, to the picosecond, from --start
on.`,
		Example: "  railyard export runs/digits-8gpu-1\n" +
			"  railyard export runs/digits-8gpu-1 --trace steps.json.gz --from 1ms --to 2ms\n" +
			"  railyard export runs/digits-8gpu-1 --csv tables\n" +
			"  railyard export runs/incast-1 --prometheus incast.om\n" +
			"  railyard export runs/faults-1 --telemetry dump",
		Args:              call.OneRun,
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := a.Interruptible(cmd.Context())
			defer stop()
			err := c.export(ctx, args[0])
			if errors.Is(err, context.Canceled) {
				return &call.Exit{Code: call.Interrupted,
					Err: errors.New("export: interrupted; files that were whole are kept")}
			}
			return err
		},
	}
	fl := cmd.Flags()
	call.DamagedFlag(fl, &f.damaged)
	fl.BoolVar(&f.json, "json", false, "print what was written as JSON")
	fl.StringVar(&f.trace, "trace", "",
		"trace-event JSON to write, compressed if the name ends in .gz (default DIR/trace.json.gz)")
	fl.StringVar(&f.csv, "csv", "", "folder to write TABLE.csv files to (default DIR/csv)")
	fl.StringVar(&f.metrics, "prometheus", "", "OpenMetrics text to write: ports, queues and queue pairs over time")
	fl.StringVar(&f.told, "telemetry", "", "folder to write what devices showed to, as texts of an operator's")
	fl.StringVar(&f.start, "start", "2000-01-01T00:00:00Z", "of --prometheus and --telemetry: when the run began, as RFC 3339 has it")
	fl.Int64Var(&f.stretch, "stretch", 1000, "of --prometheus: how many seconds there one of the run takes")
	fl.StringVar(&f.from, "from", "", "virtual time at which the trace begins, such as 1.5ms")
	fl.StringVar(&f.to, "to", "", "virtual time at which the trace ends")
	return cmd
}

// export is `railyard export`: read, write, say what was written.
func (a *exportCall) export(ctx context.Context, dir string) error {
	if err := a.f.parse(); err != nil {
		return err
	}
	r, err := result.OpenIncomplete(dir)
	if err != nil {
		var version *result.VersionError
		if errors.As(err, &version) {
			return err
		}
		return call.Misuse("%w", err)
	}
	r.Damaged = a.f.damaged
	o := export.Options{Trace: a.f.trace, CSV: a.f.csv, Metrics: a.f.metrics, Telemetry: a.f.told, Start: a.f.began.Unix(),
		Stretch: a.f.stretch, Window: a.f.window, Say: func(line string) { fmt.Fprintln(a.Stdout, line) }}
	if a.f.json {
		o.Say = func(string) {}
	}
	if len(r.Tables()) == 0 {
		return fmt.Errorf("run directory %s: holds no table to export: the run was killed early, or wrote none "+
			"(output in the scenario)", dir)
	}
	if r.Summary.State == result.Running {
		fmt.Fprintf(a.Stderr, "railyard: %v; exporting the first rows of it\n", &result.IncompleteError{Path: dir})
	}
	written, err := export.Write(ctx, r, o)
	if err == nil && a.f.json {
		err = a.PrintJSON(written)
	}
	return err
}

// mostStretch bounds --stretch: a run of hours ends within a century.
const mostStretch = 1_000_000

// parse reads the window of the trace, and when a run began.
func (f *exportFlags) parse() error {
	var err error
	if f.began, err = time.Parse(time.RFC3339, f.start); err != nil || f.began.Year() < 1970 || f.began.Year() > 2200 {
		return call.Misuse("export: --start %s: want a time of the years 1970 to 2200 such as 2000-01-01T00:00:00Z",
			shown.Text(f.start))
	}
	if f.stretch < 1 || f.stretch > mostStretch {
		return call.Misuse("export: --stretch %d: want 1 to %d", f.stretch, mostStretch)
	}
	if f.window, err = call.WindowOf("export", f.from, f.to); err != nil {
		return err
	}
	if f.trace == "" && f.csv != "" && f.from+f.to != "" {
		return call.Misuse("export: --from and --to cut the trace, and --csv alone writes none: add --trace FILE, or " +
			"leave them out")
	}
	return nil
}
