package nccltests

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteHead prints what comes before the rows, for those who print rows as they come.
func (t *Table) WriteHead(w io.Writer) error {
	b := bufio.NewWriter(w)
	t.writeHead(b)
	return b.Flush()
}

// WriteRow prints a row.
func (t *Table) WriteRow(w io.Writer, r *Row) error {
	b := bufio.NewWriter(w)
	t.writeRow(b, r)
	return b.Flush()
}

// line prints a line without blanks at its end.
func line(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

func (t *Table) writeHead(b *bufio.Writer) {
	if t.Program != "" {
		fmt.Fprintf(b, "# Collective test starting: %s\n#\n", t.Program)
	}
	if len(t.Devices) > 0 {
		fmt.Fprintf(b, "# Using devices\n")
		for _, d := range t.Devices {
			fmt.Fprintf(b, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n", d.Rank, d.Group, d.Pid, d.Host,
				d.Device, d.Bus, d.Name)
		}
		if t.Cut {
			fmt.Fprintf(b, "#  Rank %2d Group %2d Pid%s\n", len(t.Devices), 0, cutShort)
		}
	}
	time, wrong := "time", "#wrong"
	if t.CPUTime {
		time = "cputime"
	}
	if t.Delta {
		wrong = "error"
	}
	head := "# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s"
	line(b, "#")
	line(b, "# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place", "", "", "", "", "")
	line(b, head, "size", "count", "type", "redop", "root", time, "algbw", "busbw", wrong, time, "algbw", "busbw", wrong)
	line(b, head, "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "")
}

func (t *Table) writeRow(b *bufio.Writer, r *Row) {
	line(b, "%12d  %12d  %8s  %6s  %6d%s%s", int64(r.Bytes), r.Count, r.Type, r.RedOp, r.Root, t.body(r.Out), t.body(r.In))
}

// body prints a result, or as many blanks.
func (t *Table) body(r *Result) string {
	if r == nil {
		return strings.Repeat(" ", 33)
	}
	wrong := "N/A"
	switch {
	case r.Errors.Checked && t.Delta:
		wrong = fmt.Sprintf("%.0e", r.Errors.Value)
	case r.Errors.Checked:
		wrong = fmt.Sprintf("%.6g", r.Errors.Value)
	}
	return fmt.Sprintf("  %7s  %6s  %6s  %6s", fitted(float64(r.Time)/us, 7), fitted(float64(r.AlgBW)/gBs, 6),
		fitted(float64(r.BusBW)/gBs, 6), wrong)
}

// fitted prints v with as many of two decimals as fit the width, else with an exponent.
func fitted(v float64, width int) string {
	for decimals := 2; decimals >= 0; decimals-- {
		if s := fmt.Sprintf("%.*f", decimals, v); len(s) <= width {
			return s
		}
	}
	if width >= 7 {
		return fmt.Sprintf("%.1e", v)
	}
	return fmt.Sprintf("%.0e", v)
}
