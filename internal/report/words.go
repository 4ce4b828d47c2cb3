package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
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
		f := Finding{Cause: c, Time: split[c], Share: result.Share(split[c], whole), Text: d.because(c)}
		if slices.ContainsFunc(all, func(o Finding) bool { return o.Text == f.Text }) {
			f.Text = "" // said of a larger cause
		}
		all = append(all, f)
	}
	return subject, whole, all
}

// subject returns whose time is explained.
func (d *Data) subject() (string, cause.Split) {
	if d.Steps != nil && d.Summary.CriticalPath != nil {
		return fmt.Sprintf("a step along its critical path, mean over %s", count(int64(d.Steps.Whole), "step")), d.Summary.CriticalPath.Split()
	}
	return d.ownSubject()
}

// ownSubject is subject without the critical path, which not every run has: a step as
// its slowest rank saw it, where what other ranks did is dependency.
func (d *Data) ownSubject() (string, cause.Split) {
	if s := d.Steps; s != nil {
		return fmt.Sprintf("a step of the slowest rank, mean over %s", count(int64(s.Whole), "step")), s.Slowest
	}
	kind := d.Flows.Main()
	if m := d.Flows.Of(kind); m.Done > 0 {
		_, split := m.Mean()
		return fmt.Sprintf("a %s message, mean over the %s completed", kind, result.FormatCount(m.Done)), split
	}
	return "", cause.Split{}
}

// limits says in a clause what it means that a cause is the largest.
var limits = [cause.Count]string{
	cause.Compute:        "Compute limited this run",
	cause.HostPath:       "The path inside the hosts limited this run",
	cause.Dependency:     "Waiting for other ranks limited this run",
	cause.RateLimit:      "Congestion control limited this run",
	cause.Window:         "The senders' windows limited this run",
	cause.Serialisation:  "The speed of the links limited this run",
	cause.Propagation:    "The length of the cables limited this run",
	cause.SwitchLatency:  "The latency of the switches limited this run",
	cause.Queueing:       "Queueing behind other traffic limited this run",
	cause.Pause:          "PFC pauses limited this run",
	cause.Retransmission: "Lost packets limited this run",
}

// congestion is the causes that an idle fabric does not have.
var congestion = []cause.Cause{cause.RateLimit, cause.Window, cause.Queueing, cause.Pause, cause.Retransmission}

func congested(s *cause.Split) unit.Duration {
	var t unit.Duration
	for _, c := range congestion {
		t += s[c]
	}
	return t
}

// majority is the share from which one cause is said to limit a run.
const majority = 0.4

// Paragraph says in a few sentences what limited the run and why. Every figure in
// it is one of the run's.
func Paragraph(d *Data) []string {
	subject, whole, all := Findings(d)
	if len(all) == 0 {
		return []string{"There is nothing to explain: the run left no training step that all ranks ended and no message that completed."}
	}
	top := all[0]
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if top.Share >= majority {
		say("%s: %s of the %s of %s, %s.", limits[top.Cause], result.FormatPercent(top.Share), result.FormatTime(whole), subject, meaning[top.Cause])
	} else {
		say("No single cause limited this run: the largest, %s, is %s of the %s of %s; then %s.", top.Cause, result.FormatPercent(top.Share), result.FormatTime(whole), subject, list(all[1:min(len(all), 3)]))
	}
	if top.Text != "" {
		out = append(out, top.Text)
	}
	for _, f := range all[1:min(len(all), 3)] {
		if f.Share < 0.1 {
			break
		}
		if top.Share >= majority {
			say("Then comes %s with %s.", f.Cause, result.FormatPercent(f.Share))
		}
		if f.Text != "" && !slices.Contains(out, f.Text) {
			out = append(out, f.Text)
		}
	}
	for _, s := range []string{d.bottleneck(), d.tail(), d.shared(), d.failures(), d.quiet()} {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func list(all []Finding) string {
	var parts []string
	for _, f := range all {
		parts = append(parts, fmt.Sprintf("%s, %s", f.Cause, result.FormatPercent(f.Share)))
	}
	return strings.Join(parts, ", and ")
}

// meaning says in a clause what happens in the time of a cause.
var meaning = [cause.Count]string{
	cause.Compute:        "in which a compute operation ran",
	cause.HostPath:       "spent in NVLink, PCIe and the NICs or waiting for them",
	cause.Dependency:     "in which a rank waited for data that another rank had not sent yet",
	cause.RateLimit:      "in which the congestion controller held a sender back",
	cause.Window:         "in which a sender's window was full and it waited for acknowledgements",
	cause.Serialisation:  "in which bits were being put on a wire",
	cause.Propagation:    "spent in cables",
	cause.SwitchLatency:  "spent in the pipelines of switches",
	cause.Queueing:       "in which other packets were served first",
	cause.Pause:          "in which a PFC pause held the packets",
	cause.Retransmission: "spent waiting for, or repeating, what had been sent before",
}

// because says of a cause where and why, as far as the tables tell.
func (d *Data) because(c cause.Cause) string {
	switch c {
	case cause.Compute:
		return d.becauseCompute()
	case cause.Dependency, cause.HostPath, cause.Propagation, cause.SwitchLatency:
		return d.chain()
	case cause.RateLimit:
		return d.becauseRate()
	case cause.Queueing:
		if p := d.most(func(l *result.LinkRow) float64 { return float64(l.MaxQueue) }); p != nil {
			return fmt.Sprintf("The deepest queue of the run, %s, was at %s.", result.FormatBytes(p.MaxQueue), p.Port)
		}
	case cause.Pause:
		return d.becausePause()
	case cause.Retransmission:
		return d.becauseLoss()
	case cause.Serialisation:
		if p := d.busiest(); p != nil {
			return fmt.Sprintf("The busiest port, %s at %s, sent for %s of the run.", p.Port, result.FormatBitrate(p.Rate), result.FormatPercent(p.Utilisation))
		}
	}
	return ""
}

func (d *Data) becauseCompute() string {
	if d.Steps == nil {
		return ""
	}
	if o := d.Summary.Overlap; o != nil {
		return fmt.Sprintf("Of the communication, %s ran beside compute.", result.FormatPercent(*o))
	}
	return ""
}

// chain looks at the messages of collectives: a step waits for a chain of them, so
// what each of them takes counts many times.
func (d *Data) chain() string {
	if d.Steps == nil {
		return ""
	}
	var parts []string
	if n := d.Settings.Ranks; d.Settings.Collective == "ring" && n > 1 {
		parts = append(parts, fmt.Sprintf("A ring all-reduce over %d ranks is a chain of %d messages, each waiting for the one before.", n, 2*(n-1)))
	}
	m := d.Flows.Of(result.KindCollective)
	if m.Done == 0 {
		return strings.Join(parts, " ")
	}
	mean, split := m.Mean()
	order := largest(&split)
	s := fmt.Sprintf("A message between hosts took %s on average, %s of it %s", result.FormatTime(mean), result.FormatPercent(result.Share(split[order[0]], split.Sum())), order[0])
	if len(order) > 1 {
		s += fmt.Sprintf(" and %s %s", result.FormatPercent(result.Share(split[order[1]], split.Sum())), order[1])
	}
	parts = append(parts, s+".")
	return strings.Join(append(parts, d.chainVerdict(&split)), " ")
}

// chainVerdict tells latency from congestion, by the critical path or, without one, by
// the messages.
func (d *Data) chainVerdict(messages *cause.Split) string {
	whose, split := "messages", *messages
	if p := d.Summary.CriticalPath; p != nil {
		whose, split = "steps", p.Split()
	}
	lost := result.Share(congested(&split), split.Sum())
	if p := d.busiest(); p != nil && lost < 0.1 && p.Utilisation < 0.5 {
		return fmt.Sprintf("So it is the latency of the chain that counts, not bandwidth or congestion: the busiest port, %s, sent for %s of the run, and %s lost %s of their time to congestion.",
			p.Port, result.FormatPercent(p.Utilisation), whose, result.FormatPercent(lost))
	}
	s := fmt.Sprintf("In all, %s lost %s of their time to congestion (%s).", whose, result.FormatPercent(lost), names(congestion, &split))
	if w := worst(&split); lost >= 0.1 && d.Summary.CriticalPath == nil {
		s += " " + d.because(w)
	}
	return s
}

// names lists those of the causes that took time, largest first.
func names(of []cause.Cause, s *cause.Split) string {
	var parts []string
	for _, c := range largest(s) {
		if slices.Contains(of, c) {
			parts = append(parts, c.String())
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// worst is the cause to which congestion cost most.
func worst(s *cause.Split) cause.Cause {
	top := cause.Queueing
	for _, c := range congestion {
		if s[c] > s[top] {
			top = c
		}
	}
	return top
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
			t += fmt.Sprintf(" (of %s in all)", result.FormatCount(s.ECNMarks))
		}
	}
	return t + "."
}

func (d *Data) becausePause() string {
	held := d.most(func(l *result.LinkRow) float64 { return float64(l.Paused) })
	if held == nil {
		return ""
	}
	t := fmt.Sprintf("%s was held longest, %s in all", held.Port, result.FormatTime(held.Paused))
	if by := d.most(func(l *result.LinkRow) float64 { return float64(l.PausesSent) }); by != nil {
		t += fmt.Sprintf("; of the %s %s came from %s", count(d.Summary.Pauses, "pause frame"), ofAll(d.pausesFrom(by.From), d.Summary.Pauses), by.From)
	}
	return t + "."
}

// ofAll prints n, or "all" where that is the whole.
func ofAll(n, whole int64) string {
	if n == whole {
		return "all"
	}
	return result.FormatCount(n)
}

func (d *Data) pausesFrom(node string) int64 {
	var n int64
	for _, l := range d.Links {
		if l.From == node {
			n += l.PausesSent
		}
	}
	return n
}

func (d *Data) becauseLoss() string {
	p := d.most(func(l *result.LinkRow) float64 { return float64(l.Drops) })
	if p == nil {
		return fmt.Sprintf("No port dropped a packet; %s sent again.", wasWere(d.Summary.Retransmits, "packet"))
	}
	return fmt.Sprintf("%s dropped, %s of them at %s; %s sent again.", wasWere(d.Summary.Drops, "packet"), ofAll(p.Drops, d.Summary.Drops), p.Port, wasWere(d.Summary.Retransmits, "packet"))
}

func wasWere(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing + " was"
	}
	return count(n, thing) + " were"
}

// bottleneck says what a port that several of the job's flows share would need at least.
func (d *Data) bottleneck() string {
	p := d.busiest()
	if p == nil || d.Steps != nil || d.End <= 0 {
		return ""
	}
	through, flows := 0, 0
	for _, f := range d.Summary.Flows {
		if f.Kind != result.KindJob {
			continue
		}
		flows++
		if slices.Contains(portsOf(f.Path), portName(p)) {
			through++
		}
	}
	if through < 2 {
		return ""
	}
	who := fmt.Sprintf("%d of the %d flows", through, flows)
	if through == flows {
		who = fmt.Sprintf("All %d flows", flows)
	}
	if flows == 2 {
		who = "Both flows"
	}
	t := fmt.Sprintf("%s pass %s: its bits alone need %s at %s, %s of the run's %s", who, p.Port, result.FormatTime(p.Busy), result.FormatBitrate(p.Rate), result.FormatPercent(p.Utilisation), result.FormatTime(unit.Duration(d.End)))
	if p.Utilisation >= 0.95 {
		return t + ": that port is the bottleneck, and it hardly ever stood idle."
	}
	return t + fmt.Sprintf("; the other %s it sent nothing.", result.FormatTime(unit.Duration(d.End)-p.Busy))
}

// portName is a port as paths name it: without the number of a parallel cable.
func portName(l *result.LinkRow) string { return l.From + "/" + l.To }

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
	t := fmt.Sprintf("Steps differ: the slowest %s took %s on average, %s more than the others", count(s.TailN, "step"), result.FormatTime(slow), result.FormatTime(slow-rest))
	if top != cause.Dependency {
		t += fmt.Sprintf(", mostly %s (%s more)", top, result.FormatTime(more[top]))
	}
	t += "."
	if d.Flows != nil && d.Flows.Tail.Done > 0 && d.Flows.Rest.Done > 0 {
		_, a := d.Flows.Tail.Mean()
		_, b := d.Flows.Rest.Mean()
		rise := a
		rise.Sub(&b)
		if c := largest(&rise); len(c) > 0 && rise[c[0]] > 0 && c[0] != top {
			t += fmt.Sprintf(" In those steps a message spent %s on %s, in the others %s.", result.FormatTime(a[c[0]]), c[0], orNone(b[c[0]]))
		}
	}
	return t
}

func orNone(d unit.Duration) string {
	if d == 0 {
		return "none"
	}
	return result.FormatTime(d)
}

// shared names the ports that the job's messages share with background flows.
func (d *Data) shared() string {
	if d.Flows == nil {
		return ""
	}
	var job, ports []string
	for _, p := range d.Flows.Paths {
		job = append(job, portsOf(p.Path)...)
	}
	flows := 0
	for _, f := range d.Summary.Flows {
		if f.Kind != result.KindBackground {
			continue
		}
		meets := false
		for _, port := range portsOf(f.Path) {
			if slices.Contains(job, port) {
				meets = true
				if !slices.Contains(ports, port) {
					ports = append(ports, port)
				}
			}
		}
		if meets {
			flows++
		}
	}
	if len(ports) == 0 {
		return ""
	}
	slices.SortFunc(ports, byName)
	more := ""
	if len(ports) > 3 {
		more = fmt.Sprintf(" and %d more", len(ports)-3)
		ports = ports[:3]
	}
	return fmt.Sprintf("The job shares %s%s with %s.", strings.Join(ports, ", "), more, count(int64(flows), "background flow"))
}

func (d *Data) failures() string {
	if d.Flows == nil {
		return ""
	}
	var failed, open int64
	for _, k := range d.Flows.Kinds {
		m := d.Flows.Of(k)
		failed += m.Failed
		open += m.Count - m.Done - m.Failed
	}
	switch {
	case failed > 0:
		return fmt.Sprintf("%s failed: the queue pair used up its retries.", count(failed, "message"))
	case open > 0 && d.Summary.State == result.Complete:
		return fmt.Sprintf("%s still under way when the run ended; no completion time counts them.", wasWere(open, "message"))
	}
	return ""
}

// quiet says which of the usual suspects did not happen.
func (d *Data) quiet() string {
	if d.Summary.State == result.Running {
		return ""
	}
	s := d.Summary
	var none []string
	for _, c := range []struct {
		n    int64
		word string
	}{{s.ECNMarks, "marked"}, {s.Pauses, "paused"}, {s.Drops, "dropped"}} {
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
