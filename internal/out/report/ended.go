package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// noTime says of a run that left no time to divide among causes how it ended.
func (d *Data) noTime() string {
	if d.Summary.State == result.Running {
		return "There is nothing to explain yet: the run has left no training step that all ranks ended " +
			"and no message that completed."
	}
	if d.Summary.Network == result.NetworkFormula && d.Summary.Steps > 0 {
		return "The network was not run: collectives took what a formula says, and what held them up is not known. Where " +
			"the time of a step went, by kind, is in the waterfall."
	}
	if d.Summary.Network == result.NetworkReal && d.Summary.Steps > 0 {
		return "The ranks were processes, whose times were measured: of the network between them nothing is known. What each rank " +
			"waited for is in show timeline."
	}
	if ended := d.ended(); ended != "" {
		return ended + ". Nothing was complete, so there is no time to divide among causes."
	}
	return "There is nothing to explain: the run left no training step that all ranks ended and no message that " +
		"completed."
}

// ended says in a clause how a run ended that is not complete, and how far it came; "" of a
// complete one.
func (d *Data) ended() string {
	at := unit.Duration(d.End).Human()
	var t string
	switch d.Summary.State {
	case result.Failed:
		t = "The run failed at " + at
	case result.Unfinished:
		t = "The run came to a standstill at " + at
	case result.Interrupted:
		t = "The run was interrupted at " + at
	case result.Running:
		return "The run is incomplete"
	default:
		return ""
	}
	if far := d.howFar(); far != "" {
		t += ", when " + far
	}
	return t
}

// howFar says how much was done when a run ended early; "" if nothing tells.
func (d *Data) howFar() string {
	s := d.Summary
	var parts []string
	if s.StepsPlanned > 0 {
		parts = append(parts, fmt.Sprintf("all ranks had ended %s of %s", unit.Count(s.Steps),
			count(s.StepsPlanned, "step")))
	}
	if posted, done, _, _ := s.FlowsOf(result.KindJob); posted > 0 && s.StepsPlanned == 0 {
		parts = append(parts, fmt.Sprintf("%s of %s messages of the job were acknowledged", unit.Count(done),
			unit.Count(posted)))
	}
	if s.UnfinishedAll > 0 {
		parts = append(parts, fmt.Sprintf("%s posted and not acknowledged", wasWere(s.UnfinishedAll, "message")))
	}
	return strings.Join(parts, " and ")
}

// waitsText says what a queue pair waited for.
var waitsText = map[string]string{
	result.WaitsAck:    "all of it had been sent, and no acknowledgement came",
	result.WaitsWindow: "the window was full, and no acknowledgement came",
	result.WaitsPause:  "a PFC pause held the NIC's port",
	result.WaitsTurn:   "the rest was still to be sent",
	result.WaitsNone:   "its queue pair used up its retries",
}

// openMessages lists the messages that were never acknowledged, with the last that happened to
// each.
func (t *text) openMessages(d *Data) {
	s := d.Summary
	if len(s.Unfinished) == 0 {
		return
	}
	t.Title("Never acknowledged:")
	for _, m := range s.Unfinished {
		t.Blank()
		t.Wrap("- ", d.lastOf(&m))
	}
	if n := s.UnfinishedAll - int64(len(s.Unfinished)); n > 0 {
		t.Blank()
		t.Line(fmt.Sprintf("  and %s more: flows.parquet", unit.Count(n)))
	}
}

// lastOf says of a message how far it got, the last that happened to it, and what its path lost.
func (d *Data) lastOf(m *result.OpenMessage) string {
	t := fmt.Sprintf("%s: %s from %s to %s", m.Name, m.Bytes.Human(), m.Src, m.Dst)
	if m.Step >= 0 {
		t += fmt.Sprintf(" in step %d", m.Step)
	}
	t += fmt.Sprintf(", posted at %s; %s acknowledged", instant(m.Posted), m.Acked.Human())
	if m.Placed != nil {
		t += fmt.Sprintf(", the last byte placed at %s", instant(*m.Placed))
	}
	t += "; " + waitsText[m.Waits]
	if m.Left == nil {
		t += "; no packet of its queue pair ever left"
	} else {
		t += fmt.Sprintf("; the last packet of its queue pair left at %s", instant(*m.Left))
	}
	return t + "." + d.lostOn(m.Path)
}

// lostOn names the ports of a path that dropped packets.
func (d *Data) lostOn(path string) string {
	var parts []string
	ports := portsOf(path)
	for i := range d.Links {
		if l := &d.Links[i]; l.Drops > 0 && slices.Contains(ports, l.From+"/"+l.To) {
			parts = append(parts, fmt.Sprintf("%s dropped %s", l.Port, count(l.Drops, "packet")))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " On its path " + strings.Join(parts, ", ") + "."
}
