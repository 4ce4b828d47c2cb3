package reportcmd

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/cli/cli/call"
	"railyard/internal/out/report"
	"railyard/internal/study/sweep"
)

// Command is railyard report.
func Command(a *call.App) *cobra.Command {
	var page, svg string
	var damaged, asJSON bool
	cmd := &cobra.Command{
		Use:   "report DIR [flags]",
		Short: "Report on a run or a sweep: what limited it and why, in the terminal and as a page with plots",
		Long: `Prints a report of the run in DIR - first what limited it, in one sentence - and writes
report.html into it: one page that needs nothing beside itself, with the same answer,
where the time went, the timeline of ranks, the network and its queues, and tables of
all flows, ports and steps. An incomplete run is shown as far as it got.

DIR may also be the directory of a sweep (railyard run with --set KEY=V1,V2 or --seeds):
then the table of its variants, and a page with a curve of each figure over the key that
was changed, with the band in which the seeds lie.`,
		Example: "  railyard report runs/digits-8gpu-1\n  railyard report runs/digits-8gpu-1 --html digits.html " +
			"--svg plots\n" +
			"  railyard report runs/digits-8gpu-1 --json | jq -r .answer",
		Args:              call.RunDirs(1, 1),
		ValidArgsFunction: call.CompleteRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			return reportRun(a, args[0], page, svg, damaged, asJSON)
		},
	}
	fl := cmd.Flags()
	call.DamagedFlag(fl, &damaged)
	fl.BoolVar(&asJSON, "json", false,
		"print answer, headline figures and plots as one JSON object; without --html no page")
	fl.StringVar(&page, "html", "", "write the page to this file (default DIR/report.html)")
	fl.StringVar(&svg, "svg", "", "also write each plot as an SVG file into this directory")
	return cmd
}

func reportRun(a *call.App, dir, page, svg string, damaged, asJSON bool) error {
	if sweep.IsDir(dir) {
		return reportSweep(a, dir, page, svg, asJSON)
	}
	d, err := call.LoadRun(dir, damaged)
	if err != nil {
		return err
	}
	if asJSON {
		if err := a.PrintJSON(report.DocumentOf(d)); err != nil {
			return err
		}
		return writePage(a, io.Discard, report.PageOf(d), page, svg)
	}
	if err := report.WriteText(a.Stdout, d, a.PageWidth()); err != nil {
		return err
	}
	if page == "" {
		page = filepath.Join(dir, "report.html")
	}
	fmt.Fprintln(a.Stdout)
	return writePage(a, a.Stdout, report.PageOf(d), page, svg)
}

// writePage writes a page and its plots into the files that are named, and names them to say.
func writePage(a *call.App, say io.Writer, p *report.Page, page, svg string) error {
	if page != "" {
		if err := p.WriteFile(page); err != nil {
			return fmt.Errorf("report: cannot write %s: %w; --html FILE writes it elsewhere", page, input.Cause(err))
		}
		fmt.Fprintf(say, "report: %s\n", page)
	}
	if svg == "" {
		return nil
	}
	folder, err := output.Make(svg)
	var files []string
	if err == nil {
		defer folder.Close()
		files, err = p.WriteSVGs(folder)
	}
	if err != nil {
		return fmt.Errorf("report: cannot write plots into %s: %w", svg, input.Cause(err))
	}
	fmt.Fprintf(say, "plots: %s in %s\n", call.Count(len(files), "file"), svg)
	return nil
}

// reportSweep prints the table of a sweep, and writes its page.
func reportSweep(a *call.App, dir, page, svg string, asJSON bool) error {
	t, err := sweep.Read(dir)
	if err != nil {
		return call.Misuse("%w", err)
	}
	p := t.Page()
	if asJSON {
		if err := a.PrintJSON(t.Document()); err != nil {
			return err
		}
		return writePage(a, io.Discard, p, page, svg)
	}
	if err := t.WriteText(a.Stdout); err != nil {
		return err
	}
	if page == "" {
		page = filepath.Join(dir, "report.html")
	}
	fmt.Fprintln(a.Stdout)
	return writePage(a, a.Stdout, p, page, svg)
}
