package export

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/config/dump"
	"railyard/internal/net/telemetry"
	"railyard/internal/net/topo"
	"railyard/internal/out/result"
	"railyard/internal/run/run"
	"railyard/internal/study/whatif"
)

// Options are the files to write, and how. Without a file it is a trace and the tables, in the run directory.
type Options struct {
	Trace     string // file of trace-event JSON, compressed if its name ends in .gz
	Metrics   string // file of OpenMetrics
	Telemetry string // folder of texts
	CSV       string // folder of tables

	Window  result.TraceWindow // of the trace
	Start   int64              // of metrics and texts: when the run began, in seconds since 1970
	Stretch int64              // of metrics: how many seconds there one of the run takes
	Say     func(line string)  // what to do with what was written
}

// A File is one that was written.
type File struct {
	File  string `json:"file"`
	Kind  string `json:"kind"` // trace, openmetrics, telemetry or csv
	Table string `json:"table,omitempty"`
	Rows  int64  `json:"rows,omitempty"`
}

// writing is an export under way.
type writing struct {
	Options
	ctx   context.Context
	run   *result.Run
	files []File
}

// Write writes the files of a run.
func Write(ctx context.Context, r *result.Run, o Options) ([]File, error) {
	csv := func() (*output.Folder, error) { return output.Make(o.CSV) }
	if o.Trace == "" && o.CSV == "" && o.Metrics == "" && o.Telemetry == "" {
		o.Trace, o.CSV = filepath.Join(r.Path, "trace.json.gz"), filepath.Join(r.Path, "csv")
		csv = func() (*output.Folder, error) { return csvFolder(r.Path) }
	}
	w := &writing{Options: o, ctx: ctx, run: r, files: []File{}}
	for _, part := range []struct {
		path  string
		write func() error
	}{{o.Trace, w.trace}, {o.Metrics, w.metrics}, {o.Telemetry, w.telemetry}, {o.CSV, func() error { return w.tables(csv) }}} {
		if part.path == "" {
			continue
		}
		if err := part.write(); err != nil {
			return nil, err
		}
	}
	return w.files, nil
}

func (w *writing) say(format string, args ...any) { w.Say(fmt.Sprintf(format, args...)) }

// trace writes a run's operations for Perfetto.
func (w *writing) trace() error {
	err := writeFile(w.ctx, w.Trace, func(to io.Writer) error { return w.run.WriteTrace(to, w.Window) })
	if err == nil {
		w.files = append(w.files, File{File: w.Trace, Kind: "trace"})
		w.say("%s: open it at https://ui.perfetto.dev", w.Trace)
	}
	return err
}

// metrics writes a run's series for Prometheus.
func (w *writing) metrics() error {
	if !slices.Contains(w.run.Tables(), "series") {
		return fmt.Errorf("run directory %s: has no series.parquet: run the scenario with output: {series: true}", w.run.Path)
	}
	o := result.OpenMetrics{Start: w.Start, Stretch: w.Stretch}
	err := writeFile(w.ctx, w.Metrics, func(to io.Writer) error { return w.run.WriteOpenMetrics(to, o) })
	if err == nil {
		w.files = append(w.files, File{File: w.Metrics, Kind: "openmetrics"})
		w.say("%s: promtool tsdb create-blocks-from openmetrics %s DIR", w.Metrics, w.Metrics)
	}
	return err
}

// held has a folder, as long as nobody else writes into it.
func held(path string, open func() (*output.Folder, error)) (*output.Folder, error) {
	folder, err := open()
	if err == nil {
		if err = folder.Hold(); err != nil {
			folder.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("folder %s: cannot write there: %w", path, input.Cause(err))
	}
	return folder, nil
}

// telemetry writes what devices showed as texts, a folder for each form.
func (w *writing) telemetry() error {
	t, err := w.run.Told()
	if err != nil {
		return err
	}
	var g *topo.Graph // of a run whose scenario cannot be had neighbours are not known
	if sc, err := whatif.Scenario(w.run); err == nil {
		if p, err := run.NewPlan(sc); err == nil {
			g = p.Graph
		}
	}
	folder, err := held(w.Telemetry, func() (*output.Folder, error) { return output.Make(w.Telemetry) })
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, form := range dump.Forms() {
		files, err := dump.Files(t, g, w.Start, form)
		if err != nil {
			return fmt.Errorf("run directory %s: %w", w.run.Path, err)
		}
		if err := folder.In(form, func(in *output.Folder) error { return w.texts(in, files) }); err != nil {
			return err
		}
		path := filepath.Join(w.Telemetry, form)
		w.say("%s: railyard diagnose %s", path, path)
		for _, c := range dump.Lost(form, telemetry.Port) {
			w.say("%s: no command prints %s of a switch's port", path, telemetry.Counters[c].Name)
		}
	}
	return nil
}

// texts writes those of a form.
func (w *writing) texts(in *output.Folder, files []dump.File) error {
	for _, file := range files {
		path := filepath.Join(in.Path(), file.Name)
		to, err := in.Create(file.Name)
		if err := finishFile(w.ctx, path, to, err, file.Write); err != nil {
			return err
		}
		w.files = append(w.files, File{File: path, Kind: "telemetry"})
	}
	return nil
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

// tables writes a file per table that the run has.
func (w *writing) tables(open func() (*output.Folder, error)) error {
	folder, err := held(w.CSV, open)
	if err != nil {
		return err
	}
	defer folder.Close()
	for _, table := range w.run.Tables() {
		path := filepath.Join(folder.Path(), table+".csv")
		var rows int64
		f, err := folder.Create(table + ".csv")
		err = finishFile(w.ctx, path, f, err, func(to io.Writer) (err error) {
			rows, err = w.run.WriteCSV(to, table)
			return err
		})
		if err != nil {
			return err
		}
		w.files = append(w.files, File{path, "csv", table, rows})
		noun := "rows"
		if rows == 1 {
			noun = "row"
		}
		w.say("%s: %s %s", path, unit.Count(rows), noun)
	}
	return nil
}
