package cli

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/dump"
	"railyard/internal/input"
	"railyard/internal/output"
	"railyard/internal/result"
	"railyard/internal/run"
	"railyard/internal/shown"
	"railyard/internal/telemetry"
	"railyard/internal/topo"
	"railyard/internal/unit"
	"railyard/internal/whatif"
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

// exportedJSON is a file that was written.
type exportedJSON struct {
	File  string `json:"file"`
	Kind  string `json:"kind"` // trace, openmetrics, telemetry or csv
	Table string `json:"table,omitempty"`
	Rows  int64  `json:"rows,omitempty"`
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
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := a.interruptible(cmd.Context())
			defer stop()
			err := c.export(ctx, args[0])
			if errors.Is(err, context.Canceled) {
				return &exitError{exitInterrupted, errors.New("export: interrupted; files that were whole are kept")}
			}
			return err
		},
	}
	fl := cmd.Flags()
	damagedFlag(fl, &f.damaged)
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

// oneRun is the argument check of a command that takes one run directory.
func oneRun(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return misuse("%s: missing DIR, the run directory to read: %s", called(cmd), cmd.UseLine())
	case len(args) > 1:
		return misuse("%s: %d arguments, want one DIR: %s", called(cmd), len(args), cmd.UseLine())
	}
	return nil
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
		return misuse("%w", err)
	}
	r.Damaged = a.f.damaged
	csv := func() (*output.Folder, error) { return output.Make(a.f.csv) }
	if a.f.trace == "" && a.f.csv == "" && a.f.metrics == "" && a.f.told == "" {
		a.f.trace, a.f.csv = filepath.Join(dir, "trace.json.gz"), filepath.Join(dir, "csv")
		csv = func() (*output.Folder, error) { return csvFolder(dir) }
	}
	if len(r.Tables()) == 0 {
		return fmt.Errorf("run directory %s: holds no table to export: the run was killed early, or wrote none "+
			"(output in the scenario)", dir)
	}
	if r.Summary.State == result.Running {
		fmt.Fprintf(a.stderr, "railyard: %v; exporting the first rows of it\n", &result.IncompleteError{Path: dir})
	}
	written := []exportedJSON{}
	if a.f.trace != "" {
		err := writeFile(ctx, a.f.trace, func(w io.Writer) error { return r.WriteTrace(w, a.f.window) })
		if err != nil {
			return err
		}
		if written = append(written, exportedJSON{File: a.f.trace, Kind: "trace"}); !a.f.json {
			fmt.Fprintf(a.stdout, "%s: open it at https://ui.perfetto.dev\n", a.f.trace)
		}
	}
	if a.f.metrics != "" {
		err := a.exportMetrics(ctx, r)
		if err != nil {
			return err
		}
		written = append(written, exportedJSON{File: a.f.metrics, Kind: "openmetrics"})
	}
	if a.f.told != "" {
		files, err := a.exportTelemetry(ctx, r)
		if err != nil {
			return err
		}
		written = append(written, files...)
	}
	if a.f.csv != "" {
		folder, err := csv()
		if err == nil {
			defer folder.Close()
			err = folder.Hold()
		}
		if err != nil {
			return fmt.Errorf("folder %s: cannot write there: %w", a.f.csv, input.Cause(err))
		}
		tables, err := a.exportCSV(ctx, r, folder, a.f.json)
		if err != nil {
			return err
		}
		written = append(written, tables...)
	}
	if a.f.json {
		return a.printJSON(written)
	}
	return nil
}

// exportMetrics writes a run's series for Prometheus.
func (a *exportCall) exportMetrics(ctx context.Context, r *result.Run) error {
	if !slices.Contains(r.Tables(), "series") {
		return fmt.Errorf("run directory %s: has no series.parquet: run the scenario with output: {series: true}", r.Path)
	}
	o := result.OpenMetrics{Start: a.f.began.Unix(), Stretch: a.f.stretch}
	err := writeFile(ctx, a.f.metrics, func(w io.Writer) error { return r.WriteOpenMetrics(w, o) })
	if err == nil && !a.f.json {
		fmt.Fprintf(a.stdout, "%s: promtool tsdb create-blocks-from openmetrics %s DIR\n", a.f.metrics, a.f.metrics)
	}
	return err
}

// exportTelemetry writes what devices showed as texts, a folder for each form.
func (a *exportCall) exportTelemetry(ctx context.Context, r *result.Run) (all []exportedJSON, err error) {
	t, err := toldBy(r)
	if err != nil {
		return nil, err
	}
	var g *topo.Graph // of a run whose scenario cannot be had neighbours are not known
	if sc, err := whatif.Scenario(r); err == nil {
		if p, err := run.NewPlan(sc); err == nil {
			g = p.Graph
		}
	}
	folder, err := output.Make(a.f.told)
	if err == nil {
		defer folder.Close()
		err = folder.Hold()
	}
	if err != nil {
		return nil, fmt.Errorf("folder %s: cannot write there: %w", a.f.told, input.Cause(err))
	}
	for _, form := range dump.Forms() {
		files, err := dump.Files(t, g, a.f.began.Unix(), form)
		if err != nil {
			return nil, fmt.Errorf("run directory %s: %w", r.Path, err)
		}
		err = inFolder(folder, form, func(in *output.Folder) error {
			for _, file := range files {
				path := filepath.Join(in.Path(), file.Name)
				to, err := in.Create(file.Name)
				if err := finishFile(ctx, path, to, err, file.Write); err != nil {
					return err
				}
				all = append(all, exportedJSON{File: path, Kind: "telemetry"})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if a.f.json {
			continue
		}
		fmt.Fprintf(a.stdout, "%s: railyard diagnose %s\n", filepath.Join(a.f.told, form), filepath.Join(a.f.told, form))
		for _, c := range dump.Lost(form, telemetry.Port) {
			fmt.Fprintf(a.stdout, "%s: no command prints %s of a switch's port\n", filepath.Join(a.f.told, form),
				telemetry.Counters[c].Name)
		}
	}
	return all, nil
}

// mostStretch bounds --stretch: a run of hours ends within a century.
const mostStretch = 1_000_000

// parse reads the window of the trace, and when a run began.
func (f *exportFlags) parse() error {
	var err error
	if f.began, err = time.Parse(time.RFC3339, f.start); err != nil || f.began.Year() < 1970 || f.began.Year() > 2200 {
		return misuse("export: --start %s: want a time of the years 1970 to 2200 such as 2000-01-01T00:00:00Z", shown.Text(f.start))
	}
	if f.stretch < 1 || f.stretch > mostStretch {
		return misuse("export: --stretch %d: want 1 to %d", f.stretch, mostStretch)
	}
	if f.window, err = windowOf("export", f.from, f.to); err != nil {
		return err
	}
	if f.trace == "" && f.csv != "" && f.from+f.to != "" {
		return misuse("export: --from and --to cut the trace, and --csv alone writes none: add --trace FILE, or " +
			"leave them out")
	}
	return nil
}

// windowOf reads the flags --from and --to of a command.
func windowOf(command, from, to string) (w result.TraceWindow, err error) {
	for _, flag := range []struct {
		name, text string
		to         *unit.Time
	}{{"from", from, &w.From}, {"to", to, &w.To}} {
		if flag.text == "" {
			continue
		}
		d, err := unit.ParseDuration(flag.text)
		if err != nil {
			return w, misuse("%s: --%s: %w", command, flag.name, err)
		}
		if d < 0 {
			return w, misuse("%s: --%s %s: want a time from 0, the start of the run", command, flag.name, flag.text)
		}
		*flag.to = unit.Time(d)
	}
	if to != "" && w.To <= w.From {
		return w, misuse("%s: --to %s: want a time after --from %s", command, to, unit.Duration(w.From))
	}
	return w, nil
}

// csvFolder is the folder for tables in a run directory, which somebody else may have made: it is no link.
func csvFolder(dir string) (*output.Folder, error) {
	run, err := output.Open(dir)
	if err != nil {
		return nil, err
	}
	defer run.Close()
	return run.Below("csv")
}

// exportCSV writes a file per table that the run has, and says so unless it is silent.
func (a *exportCall) exportCSV(ctx context.Context, r *result.Run, folder *output.Folder, silent bool) (all []exportedJSON, err error) {
	for _, table := range r.Tables() {
		path := filepath.Join(folder.Path(), table+".csv")
		var rows int64
		f, err := folder.Create(table + ".csv")
		err = finishFile(ctx, path, f, err, func(w io.Writer) (err error) {
			rows, err = r.WriteCSV(w, table)
			return err
		})
		if err != nil {
			return nil, err
		}
		if all = append(all, exportedJSON{path, "csv", table, rows}); silent {
			continue
		}
		noun := "rows"
		if rows == 1 {
			noun = "row"
		}
		fmt.Fprintf(a.stdout, "%s: %s %s\n", path, unit.Count(rows), noun)
	}
	return all, nil
}

// stoppable is a file whose writer ends with the context's error.
type stoppable struct {
	ctx context.Context
	io.Writer
}

func (s stoppable) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(b)
}

// writeFile writes path whole or not at all, compressed if its name ends in .gz.
func writeFile(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := output.Create(path)
	return finishFile(ctx, path, f, err, write)
}

// finishFile fills a file that was begun, if it was.
func finishFile(ctx context.Context, path string, f *output.File, err error, write func(io.Writer) error) error {
	unwritable := func(err error) error { return fmt.Errorf("file %s: cannot write it: %w", path, input.Cause(err)) }
	if err != nil {
		return unwritable(err)
	}
	own := &watched{f: f}
	to := stoppable{ctx, own}
	if strings.HasSuffix(path, ".gz") {
		z, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // a level that exists
		if err = write(z); err == nil {
			err = z.Close()
		}
	} else {
		err = write(to)
	}
	if err != nil {
		f.Discard()
		if own.err != nil {
			return unwritable(own.err)
		}
		return err
	}
	if err := f.Commit(); err != nil {
		return unwritable(err)
	}
	return nil
}

// watched keeps the first error of writing a file, apart from those of reading what goes into it.
type watched struct {
	f   io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	w.err = cmp.Or(w.err, err)
	return n, err
}
