package report

import (
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// explanationFormat counts up when a key of Explanation or FlowExplanation changes its meaning or goes.
const explanationFormat = 1

// Explanation is what WriteCauses prints, as data: railyard explain DIR --json. Times are in picoseconds.
type Explanation struct {
	Format  int           `json:"format_version"`
	Dir     string        `json:"directory"`
	Name    string        `json:"name"`
	State   result.State  `json:"state"`
	Answer  string        `json:"answer"` // what limited the run, in one sentence
	Bullets []string      `json:"bullets,omitempty"`
	Of      []ExplainedBy `json:"of"` // the run, or each of its jobs
	Notes   []string      `json:"notes,omitempty"`
}

// ExplainedBy is a time divided among its causes, largest first.
type ExplainedBy struct {
	Job    string        `json:"job,omitempty"` // of several
	What   string        `json:"what"`          // whose time it is: a step of a rank, a message
	Time   unit.Duration `json:"time"`
	Causes []CausePart   `json:"causes"`
}

// CausePart is one cause's part of a time.
type CausePart struct {
	Cause   string        `json:"cause"`
	Meaning string        `json:"meaning"` // time in which ...
	Time    unit.Duration `json:"time"`
	Share   float64       `json:"share"`
	Text    string        `json:"text,omitempty"` // what it means here, and where it happened
}

// ExplanationOf explains a run.
func ExplanationOf(d *Data) *Explanation {
	e := &Explanation{Format: explanationFormat, Dir: d.Path, Name: d.Summary.Name, State: d.Summary.State,
		Of: []ExplainedBy{}, Notes: append(append([]string{}, d.Notes...), d.Summary.Notes...)}
	e.Answer, e.Bullets = Answer(d)
	add := func(d *Data, job string) {
		subject, whole, all := Findings(d)
		if len(all) == 0 {
			return
		}
		by := ExplainedBy{Job: job, What: subject, Time: whole}
		for _, f := range all {
			by.Causes = append(by.Causes, CausePart{f.Cause.String(), f.Cause.Meaning(), f.Time, f.Share, f.Text})
		}
		e.Of = append(e.Of, by)
	}
	for _, j := range d.Jobs {
		add(j, j.job)
	}
	if len(d.Jobs) == 0 {
		add(d, "")
	}
	return e
}

// FlowExplanation is what WriteFlow prints, as data: railyard explain DIR FLOW --json. Times are in picoseconds; those of the
// run count from its start.
type FlowExplanation struct {
	Format     int           `json:"format_version"`
	ID         int64         `json:"id"`
	Name       string        `json:"name"`
	Namesakes  int64         `json:"messages_of_this_name,omitempty"` // more than this one, which is the slowest
	Kind       string        `json:"kind"`
	Status     string        `json:"status"`
	Bytes      unit.Bytes    `json:"bytes"`
	From       string        `json:"from"`
	To         string        `json:"to"`
	Path       []string      `json:"path"`
	Posted     unit.Time     `json:"posted"`
	Placed     unit.Time     `json:"placed,omitempty"`
	Acked      unit.Time     `json:"acknowledged,omitempty"`
	Completion unit.Duration `json:"completion,omitempty"` // absent: it did not complete
	Causes     []CausePart   `json:"causes,omitempty"`
	Marks      int64         `json:"ecn_marks"`
	CNPs       int64         `json:"cnps"`
	Resent     int64         `json:"retransmissions"`
	Held       []HeldAt      `json:"held_at"`
	Shared     []SharedWith  `json:"shared_with"` // a dozen of them, the most in the way first
	Sharers    int64         `json:"names_that_shared"`
}

// HeldAt is a port that held a message up.
type HeldAt struct {
	Port        string        `json:"port"`
	OwnQueueing unit.Duration `json:"own_queueing"`
	Queueing    unit.Duration `json:"queueing"`
	Pause       unit.Duration `json:"pause"`
	Root        string        `json:"from_the_queue_of,omitempty"` // of a pause
}

// SharedWith is the messages of a name that used ports of the message meanwhile.
type SharedWith struct {
	Name     string        `json:"name"`
	Kind     string        `json:"kind"`
	Part     unit.Duration `json:"its_part"`
	Messages int64         `json:"messages"`
	Bytes    unit.Bytes    `json:"bytes"`
	Ports    []string      `json:"ports"`
}

// FlowExplanationOf explains a message.
func FlowExplanationOf(f *FlowDetail) *FlowExplanation {
	r := &f.Row
	e := &FlowExplanation{Format: explanationFormat, ID: r.ID, Name: f.Name, Kind: r.Kind, Status: r.Status, Bytes: r.Bytes,
		From: r.Src, To: r.Dst, Path: strings.Split(r.Path, ">"), Posted: r.Posted, Placed: r.Placed, Acked: r.Acked,
		Completion: r.FCT, Marks: r.Marks, CNPs: r.CNPs, Resent: r.Retransmits, Held: []HeldAt{}, Shared: []SharedWith{},
		Sharers: f.SharersTotal}
	if f.Namesakes > 1 {
		e.Namesakes = f.Namesakes
	}
	split := r.Split()
	for c, d := range split {
		if whole := split.Sum(); d > 0 && r.FCT > 0 {
			e.Causes = append(e.Causes, CausePart{Cause: causeName(c), Meaning: cause.Cause(c).Meaning(), Time: d,
				Share: unit.Share(d, whole)})
		}
	}
	for _, h := range f.Hops {
		e.Held = append(e.Held, HeldAt{h.Port, h.Split[cause.OwnQueueing], h.Split[cause.Queueing], h.Split[cause.Pause], h.Root})
	}
	for _, s := range f.Sharers {
		e.Shared = append(e.Shared, SharedWith{s.Name, s.Kind, s.Time, s.Messages, s.Bytes, s.Ports})
	}
	return e
}
