package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// Finding is one cause of the time that a step or a message took.
type Finding struct {
	Cause cause.Cause
	Time  unit.Duration
	Share float64
	Text  string // what it means, and where the tables say it happened
}

// Findings lists the causes, largest first, of what the run is measured by: the step
// of its slowest rank, mean over steps, or its mean completed message.
func Findings(d *Data) (subject string, whole unit.Duration, all []Finding) {
	subject, split := d.subject()
	whole = split.Sum()
	for _, c := range largest(&split) {
		f := Finding{Cause: c, Time: split[c], Share: unit.Share(split[c], whole), Text: d.because(c)}
		if slices.ContainsFunc(all, func(o Finding) bool { return o.Text == f.Text }) {
			f.Text = "" // said of a larger cause
		}
		all = append(all, f)
	}
	return subject, whole, all
}

// subject returns whose time is explained.
func (d *Data) subject() (string, cause.Split) {
	if p := d.Summary.CriticalPath; p != nil {
		return alongPath(d.Summary), p.Split()
	}
	return d.ownSubject()
}

// ownSubject is subject without the critical path, which not every run has: a step as
// its slowest rank saw it, where what other ranks did is dependency.
func (d *Data) ownSubject() (string, cause.Split) {
	if slowest, _, steps := d.stepSplits(); steps > 0 {
		return slowestOver(steps), slowest
	}
	kind := d.Flows.Main()
	if m := d.Flows.Of(kind); m.Done > 0 {
		_, split := m.Mean()
		return fmt.Sprintf("a %s message, mean over the %s completed", kind, unit.Count(m.Done)), split
	}
	return d.diagnosed()
}

// diagnosed is the subject of the diagnosis, all that there is of messages without a table of them.
func (d *Data) diagnosed() (subject string, split cause.Split) {
	g := d.Summary.Diagnosis
	if g == nil {
		return "", split
	}
	for i := range g.Blames {
		for _, f := range g.Blames[i].Felt {
			split[causeOf(f.Cause)] += f.Time
		}
	}
	return g.Subject, split
}

// because says where a cause arose and why, if the tables have it.
func (d *Data) because(c cause.Cause) string {
	var parts []string
	switch c {
	case cause.Compute:
		if o := d.Summary.Overlap; o != nil && d.Steps != nil {
			parts = append(parts, fmt.Sprintf("Of the communication, %s ran beside compute.", unit.Percent(*o)))
		}
	case cause.RateLimit:
		parts = append(parts, d.becauseRate())
	case cause.Pause:
		parts = append(parts, d.becausePause())
	case cause.Retransmission:
		parts = append(parts, d.becauseLoss())
	}
	return strings.Join(append(parts, d.blamedFor(c)), " ")
}

// blamedFor says to what most of the time in a state is attributed.
func (d *Data) blamedFor(c cause.Cause) string {
	g := d.Summary.Diagnosis
	if g == nil {
		return ""
	}
	var most *diagnose.Blame
	var time, whole unit.Duration
	for i := range g.Blames {
		for _, f := range g.Blames[i].Felt {
			if f.Cause != c.String() {
				continue
			}
			whole += f.Time
			if f.Time > time {
				most, time = &g.Blames[i], f.Time
			}
		}
	}
	if most == nil || !most.Kind.Congestion() || most.Port == "" {
		return ""
	}
	return fmt.Sprintf("%s of it is attributed to %s.", unit.Percent(unit.Share(time, whole)), shortly(most))
}

func (d *Data) becauseRate() string {
	s := d.Summary
	name := d.Settings.Congestion
	if name == "" {
		name = "the congestion controller"
	} else {
		name = strings.ToUpper(name)
	}
	if s.CNPs == 0 {
		return fmt.Sprintf("No sender received a CNP, so %s limited rates without notifications.", name)
	}
	t := fmt.Sprintf("%s reacted to %s", name, count(s.CNPs, "CNP"))
	if p := d.most(func(l *result.LinkRow) float64 { return float64(l.ECNMarks) }); p != nil {
		t += fmt.Sprintf(", after %s at %s", count(p.ECNMarks, "ECN mark"), p.Port)
		if p.ECNMarks < s.ECNMarks {
			t += fmt.Sprintf(" (of %s in all)", unit.Count(s.ECNMarks))
		}
	}
	return t + "."
}

func (d *Data) becausePause() string {
	held := d.most(func(l *result.LinkRow) float64 { return float64(l.Paused) })
	if held == nil {
		return ""
	}
	t := fmt.Sprintf("%s was held longest, %s in all", held.Port, held.Paused.Human())
	if held.PausedBy != "" && held.PausedBy != held.Port {
		t += fmt.Sprintf(", mostly by pauses that spread from the queue of %s", held.PausedBy)
	}
	return t + "."
}

func (d *Data) becauseLoss() string {
	p := d.most(func(l *result.LinkRow) float64 { return float64(l.Drops) })
	if n, words := d.Summary.LostFrames(); n > d.Summary.Drops {
		return fmt.Sprintf("%s lost: %s; %s sent again.", wasWere(n, "frame"), words, wasWere(d.Summary.Retransmits, "packet"))
	}
	if p == nil {
		return fmt.Sprintf("No switch dropped a packet; %s sent again.", wasWere(d.Summary.Retransmits, "packet"))
	}
	return fmt.Sprintf("%s dropped, %s of them at %s; %s sent again.", wasWere(d.Summary.Drops, "packet"),
		ofAll(p.Drops, d.Summary.Drops), p.Port, wasWere(d.Summary.Retransmits, "packet"))
}

// ofAll prints n, or "all" where that is the whole.
func ofAll(n, whole int64) string {
	if n == whole {
		return "all"
	}
	return unit.Count(n)
}

func wasWere(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return count(n, thing) + " were"
}

// leastRise is which part of what slow steps take more a message has to take more, to be named.
const leastRise = 20

// tail compares the slowest tenth of the steps with the others.
func (d *Data) tail() string {
	s := d.Steps
	if s == nil || s.TailN == 0 || s.RestN == 0 {
		return ""
	}
	slow, rest := s.Tail.Sum(), s.Rest.Sum()
	if float64(slow) < 1.2*float64(rest) {
		return ""
	}
	more := s.Tail
	more.Sub(&s.Rest)
	top := largest(&more)[0]
	t := fmt.Sprintf("Steps differ: the slowest %s took %s on average, %s more than the others",
		count(s.TailN, "step"), slow.Human(), (slow - rest).Human())
	if top != cause.Dependency {
		t += fmt.Sprintf(", mostly %s (%s more)", top, more[top].Human())
	}
	t += "."
	if d.Flows != nil && d.Flows.Tail.Done > 0 && d.Flows.Rest.Done > 0 {
		_, a := d.Flows.Tail.Mean()
		_, b := d.Flows.Rest.Mean()
		rise := a
		rise.Sub(&b)
		if c := largest(&rise); len(c) > 0 && rise[c[0]]*leastRise >= slow-rest && c[0] != top {
			t += fmt.Sprintf(" In those steps a message spent %s on %s, in the others %s.", a[c[0]].Human(), c[0],
				orNone(b[c[0]]))
		}
	}
	return t
}

func orNone(d unit.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.Human()
}

// failed says how many messages failed.
func (d *Data) failed() string {
	if d.Flows == nil {
		return ""
	}
	var n int64
	for _, k := range d.Flows.Kinds {
		n += d.Flows.Of(k).Failed
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s failed: the queue pair used up its retries.", count(n, "message"))
}

// open says how many messages no completion time counts.
func (d *Data) open() string {
	if d.Flows == nil || d.Summary.State != result.Complete {
		return ""
	}
	var n int64
	for _, k := range d.Flows.Kinds {
		m := d.Flows.Of(k)
		n += m.Count - m.Done - m.Failed
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s still under way when the run ended; no completion time counts them.", wasWere(n, "message"))
}

// quiet says which of the usual suspects did not happen.
func (d *Data) quiet() string {
	if d.Summary.Network == result.NetworkReal {
		return ""
	}
	if d.Summary.State == result.Running {
		return ""
	}
	s := d.Summary
	dropped := s.Drops
	for _, w := range s.Watchdog {
		dropped += w.Dropped
	}
	drop := "dropped"
	if lost, _ := s.LostFrames(); lost > dropped {
		drop = "dropped by a switch" // something else lost frames, which is said
	}
	var none []string
	for _, c := range []struct {
		n    int64
		word string
	}{{s.ECNMarks, "marked"}, {s.Pauses, "paused"}, {dropped, drop}} {
		if c.n == 0 {
			none = append(none, c.word)
		}
	}
	if len(none) == 0 {
		return ""
	}
	last := none[len(none)-1]
	if len(none) > 1 {
		last = strings.Join(none[:len(none)-1], ", ") + " or " + last
	}
	return "Nothing was " + last + "."
}
