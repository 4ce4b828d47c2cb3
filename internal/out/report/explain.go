package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// WriteCauses prints the causes in words, largest first: railyard explain DIR.
func WriteCauses(w io.Writer, d *Data, width int) error {
	t := newText(width)
	t.notes(d)
	t.answer(d.answer())
	t.openMessages(d)
	for _, j := range d.Jobs {
		t.causes(j, "Job "+j.job+": ")
	}
	if len(d.Jobs) == 0 {
		t.causes(d, "")
	}
	t.runNotes(d)
	return t.Flush(w)
}

// causes lists the causes of a run, or of one of its jobs.
func (t *text) causes(d *Data, whose string) {
	subject, whole, all := Findings(d)
	if len(all) == 0 {
		return
	}
	t.Title(whose + fmt.Sprintf("%s of %s:", whole.Human(), subject))
	var rows [][]string
	for i, f := range all {
		s := "Time in which " + f.Cause.Meaning() + "."
		if f.Text != "" {
			s += " " + f.Text
		}
		rows = append(rows, nil, []string{strconv.Itoa(i+1) + ".", f.Cause.String(), f.Time.Human(),
			unit.Percent(f.Share), t.bar(f.Share)},
			[]string{"  " + s})
	}
	t.Grid("rlrrl", rows)
}

func (t *text) runNotes(d *Data) {
	for _, n := range d.Summary.Notes {
		t.Blank()
		t.Wrap("- ", n)
	}
}

// WriteFlow prints the explanation of one message: railyard explain DIR FLOW.
func WriteFlow(w io.Writer, f *FlowDetail, width int) error {
	t := newText(width)
	r := &f.Row
	t.Line(fmt.Sprintf("%s (message %d, %s): %s, %s to %s", f.Name, r.ID, r.Kind, r.Bytes.Human(), r.Src, r.Dst))
	if f.Namesakes > 1 {
		t.Wrap("", fmt.Sprintf("%s messages have this name; this is the slowest. Give the id of another to see it: "+
			"column id of flows.parquet, or of the CSV that railyard export makes.", unit.Count(f.Namesakes)))
	}
	rows := [][]string{{"path", strings.ReplaceAll(r.Path, ">", " > ")}, {"posted", instant(r.Posted)}}
	if r.Split()[cause.NVLink] > 0 && strings.Contains(r.Path, ">") {
		rows = slices.Insert(rows, 1, []string{"relay", "over NVLink, by the NIC of another GPU (PXN)"})
	}
	switch r.Status {
	case result.StatusDone, result.StatusPlaced:
		rows = append(rows, []string{"last byte placed", instant(r.Placed)})
	}
	if r.Acked > 0 {
		rows = append(rows, []string{"acknowledged", instant(r.Acked)})
	}
	if r.Step >= 0 {
		rows = append(rows, []string{"step, channel", fmt.Sprintf("%d, %d", r.Step, r.Channel)})
	}
	met := fmt.Sprintf("%s, %s, %s", count(r.Marks, "ECN mark"), count(r.CNPs, "CNP"),
		count(r.Retransmits, "retransmission"))
	if r.Lost+r.Timeouts > 0 {
		met += fmt.Sprintf(", %s lost, %s", count(r.Lost, "frame"), count(r.Timeouts, "timeout"))
	}
	rows = append(rows, []string{"met", met})
	t.Grid("lw", rows)
	t.split(f)
	t.hops(f)
	t.losses(f)
	t.sharers(f)
	return t.Flush(w)
}

// split is the waterfall of a message: each bar begins where the one above ends.
func (t *text) split(f *FlowDetail) {
	s := f.Row.Split()
	whole := s.Sum()
	if f.Row.FCT == 0 || whole == 0 {
		t.Title("It did not complete (" + f.Row.Status + "), so its time is not divided among causes.")
		return
	}
	t.Title("Completion time " + f.Row.FCT.Human())
	columns := t.Width - 42
	at := 0.0
	var rows [][]string
	for c, d := range s {
		if d == 0 {
			continue
		}
		part := unit.Share(d, whole)
		from, to := int(at*float64(columns)+0.5), int((at+part)*float64(columns)+0.5)
		bar := strings.Repeat("#", to-from)
		if to == from {
			bar = "|"
			from = min(from, columns-1)
		}
		at += part
		rows = append(rows, []string{causeName(c), d.Human(), unit.Percent(part), strings.Repeat(" ", from) + bar})
	}
	if rest := f.Row.FCT - whole; rest != 0 {
		rows = append(rows, []string{"not divided", rest.Human()})
	}
	t.Grid("lrrl", rows)
}

// hops shows which ports held the message up.
func (t *text) hops(f *FlowDetail) {
	if len(f.Hops) == 0 {
		return
	}
	t.Title("Delayed at")
	rows := [][]string{{"port", "own queueing", "queueing", "pause", "from the queue of"}}
	for _, h := range f.Hops {
		rows = append(rows, []string{h.Port, h.Split[cause.OwnQueueing].Human(), h.Split[cause.Queueing].Human(),
			h.Split[cause.Pause].Human(), h.Root})
	}
	t.Grid("lrrrw", rows)
}

// losses lists what was lost of the message, and when its sender noticed nothing for too long.
func (t *text) losses(f *FlowDetail) {
	if len(f.Losses) == 0 {
		return
	}
	why := map[string]string{result.LostInBuffer: "no room in the buffer", result.LostOnLink: "a fault of the link",
		result.LostWithoutRoute: "no route", result.LostInNIC: "the receiver's reorder buffer was full",
		result.LostOversize: "longer than the port takes", result.LostInReboot: "the switch went down",
		result.LostAtThreshold: "the queue was as long as its drop threshold",
		result.LostByWatchdog:  "the watchdog emptied the queue", result.LostBeforePCIe: "no room in the NIC: PCIe is too slow"}
	t.Title("Lost in transit")
	rows := [][]string{{"at", "what", "port", "why"}}
	for _, l := range f.Losses {
		rows = append(rows, []string{instant(l.Time), l.Kind, l.Port, why[l.Why]})
	}
	t.Grid("lllw", rows)
	if n := f.Row.Lost + f.Row.Timeouts - int64(len(f.Losses)); n > 0 {
		t.Line(fmt.Sprintf("  and %s more: losses.parquet", unit.Count(n)))
	}
}

func (t *text) sharers(f *FlowDetail) {
	if f.SharersTotal == 0 {
		t.Title("No other message used its ports in that time.")
		return
	}
	t.Title(fmt.Sprintf("%s, of %s, shared its ports in that time", count(f.Messages, "other message"),
		count(f.SharersTotal, "name")))
	rows := [][]string{{"name", "kind", "its part", "messages", "bytes", "shared ports"}}
	for _, s := range f.Sharers {
		rows = append(rows, []string{s.Name, s.Kind, s.Time.Human(), strconv.FormatInt(s.Messages, 10),
			s.Bytes.Human(), strings.Join(s.Ports, " ")})
	}
	t.Grid("llrrrw", rows)
	if n := f.SharersTotal - int64(len(f.Sharers)); n > 0 {
		t.Line(fmt.Sprintf("  and %s more: flows.parquet", unit.Count(n)))
	}
	if f.Parallel {
		t.Wrap("  ", "Ports are named without the number of a parallel cable, so some of these may have taken another "+
			"cable.")
	}
}

// instant prints a time of the run exactly, in a unit that people read.
func instant(t unit.Time) string {
	names, size, digits := []string{"ps", "ns", "us", "ms", "s"}, int64(1), 0
	for len(names) > 1 && int64(t) >= 1000*size {
		names, size, digits = names[1:], 1000*size, digits+3
	}
	whole, part := int64(t)/size, int64(t)%size
	s := strconv.FormatInt(whole, 10)
	if part > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%0*d", digits, part), "0")
	}
	return s + " " + names[0]
}
