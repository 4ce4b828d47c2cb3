package report

import (
	"fmt"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/chart"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// span is a piece of time, divided among the causes.
type span struct {
	name  string
	split cause.Split
}

// spans returns what the run's time is divided by: a step's, or a message's. The critical
// path is of the rank that ended last: not beside the rank that took longest.
func (d *Data) spans() (what string, all []span) {
	if slow, mean, steps := d.stepSplits(); steps > 0 {
		slowest, all := "slowest rank, mean over steps", "mean over steps and ranks"
		if steps == 1 {
			slowest, all = "slowest rank", "mean over ranks"
		}
		first := span{slowest, slow}
		if p := d.Summary.CriticalPath; p != nil {
			first = span{"critical path" + pathOver(d.Summary), p.Split()}
		}
		return "step", []span{first, {all, mean}}
	}
	m := d.Flows.Of(d.Flows.Main())
	if m.Done == 0 || len(d.Flows.Slowest) == 0 {
		if _, split := d.diagnosed(); split.Sum() > 0 {
			return "message", []span{{"mean", split}}
		}
		return "", nil
	}
	_, mean := m.Mean()
	all = []span{{"mean over " + count(m.Done, "message"), mean}}
	slow, fast := d.Flows.Slowest[0], d.Flows.Fastest
	if fast != nil && fast.ID != slow.ID {
		all = append(all, span{"fastest: " + fast.Name, fast.Split()})
	}
	return "message", append(all, span{"slowest: " + slow.Name, slow.Split()})
}

// stepSplits is what a step of the slowest rank, and of a rank, was spent on, mean over steps.
func (d *Data) stepSplits() (slowest, mean cause.Split, steps int64) {
	if s := d.Steps; s != nil {
		return s.Slowest, s.Mean, int64(s.Whole)
	}
	if p := d.Summary.StepSplit; p != nil {
		return p.SlowestRank.Split(), p.Mean.Split(), d.Summary.Steps
	}
	return slowest, mean, 0
}

// foldBelow is the share of the largest span below which parts are put together.
const foldBelow = 0.001

// causeKeys is a legend of causes, with what has too little time to be seen in one entry.
type causeKeys struct {
	key  [cause.Count]string
	keys []chart.Key
}

const otherKey = "other"

// keysOf has an entry for each cause that is at least a thousandth of the whole in some
// of the splits.
func keysOf(splits []cause.Split, whole unit.Duration) *causeKeys {
	k := &causeKeys{}
	var small []cause.Cause
	for _, c := range cause.All() {
		most := unit.Duration(0)
		for i := range splits {
			most = max(most, splits[i][c])
		}
		switch {
		case most == 0:
		case unit.Share(most, whole) < foldBelow:
			small = append(small, c)
		default:
			k.add(c)
		}
	}
	if len(small) == 1 { // to call one "other" tells less and saves nothing
		k.add(small[0])
		small = nil
	}
	if len(small) > 0 {
		var names []string
		for _, c := range small {
			k.key[c] = otherKey
			names = append(names, c.String())
		}
		k.keys = append(k.keys, chart.Key{ID: otherKey, Name: fmt.Sprintf("other (%d causes)", len(small)),
			Meaning: strings.Join(names, ", "), Ink: chart.Other})
	}
	return k
}

func (k *causeKeys) add(c cause.Cause) {
	k.key[c] = c.Column()
	k.keys = append(k.keys, chart.Key{ID: c.Column(), Name: c.String(), Meaning: "time in which " + c.Meaning(),
		Ink: chart.InkOf(c)})
}

// parts lays a split out, causes in their order, what is folded at the end. Notes, if
// there are any, say more of a cause.
func (k *causeKeys) parts(s *cause.Split, notes *[cause.Count]string) (all []chart.Part) {
	other := unit.Duration(0)
	for _, c := range cause.All() {
		switch {
		case s[c] == 0:
		case k.key[c] == otherKey:
			other += s[c]
		default:
			p := chart.Part{Key: k.key[c], Value: chart.Value(s[c])}
			if notes != nil {
				p.Note = notes[c]
			}
			all = append(all, p)
		}
	}
	if other > 0 {
		all = append(all, chart.Part{Key: otherKey, Value: chart.Value(other)})
	}
	return all
}

// causesChart is where the time of a step or message went: by state, and by what made it
// pass.
//
//	critical path      [compute|NVLink|==queueing==]  87 us
//	mean               [compute|==dependency==]       80 us
//	Attributed to, of a step along its critical path:
//	bytes of others    [=queueing=|pause]             30 us, 35 %
func causesChart(d *Data) []chart.Figure {
	what, all := d.spans()
	if len(all) == 0 {
		return nil
	}
	blames := blameSpans(d.Summary.Diagnosis)
	var splits []cause.Split
	longest := unit.Duration(0)
	for _, s := range all {
		splits = append(splits, s.split)
		longest = max(longest, s.split.Sum())
	}
	for _, b := range blames {
		splits = append(splits, b.split)
		longest = max(longest, b.split.Sum())
	}
	if longest == 0 {
		return nil
	}
	k := keysOf(splits, longest)
	f := chart.Figure{Name: "causes", Title: "Where the time of a " + what + " went", Keys: k.keys,
		Bars: &chart.Bars{X: chart.Axis{Label: "time", Unit: chart.Time, High: chart.Value(longest)}}}
	for _, s := range all {
		note := s.split.Sum().Human()
		f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: s.name, Note: note, Parts: k.parts(&s.split, nil)})
	}
	f.Caption = "Each bar at the top is one time, divided by the state in which it passed."
	if g := d.Summary.Diagnosis; len(blames) > 0 {
		for _, b := range blames {
			note := b.split.Sum().Human() + ", " + unit.Percent(unit.Share(b.split.Sum(), g.Whole))
			f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Group: "What it is attributed to", Label: b.name, Note: note,
				Of: chart.Value(g.Whole), Parts: k.parts(&b.split, nil)})
		}
		f.Caption += " Below, the time of " + g.Subject + ", is divided by what made it pass; the colours " +
			"still say the state."
	}
	if d.Steps != nil && d.Summary.CriticalPath != nil {
		f.Caption += " The critical path follows each wait to the rank that did the work;" +
			" in a rank's own view that is dependency."
	}
	return []chart.Figure{f}
}

// shownBlames is how many of a diagnosis have a bar of their own.
const shownBlames = 8

// blameSpans has a row for each finding of a hundredth of the whole that has time of its own, by its noun and place, largest first, and
// one for all others; of a diagnosis without findings for its blames.
func blameSpans(g *diagnose.Diagnosis) (all []span) {
	if g == nil || g.Main() == nil {
		return nil
	}
	var rest span
	others := 0
	add := func(name string, share float64, blames ...int) {
		var split cause.Split
		for _, i := range blames {
			for _, f := range g.Blames[i].Felt {
				split[causeOf(f.Cause)] += f.Time
			}
		}
		if len(all) < shownBlames && share >= 0.01 {
			all = append(all, span{name, split})
			return
		}
		rest.split.Add(&split)
		others++
	}
	for _, f := range g.ByTime() {
		add(findingName(g, f), f.Share, f.Blames...)
	}
	for i := range g.Blames {
		if len(g.Findings) == 0 {
			add(blameName(&g.Blames[i]), g.Share(&g.Blames[i]), i)
		}
	}
	if others > 0 {
		rest.name = count(int64(others), "other reason")
		all = append(all, rest)
	}
	return all
}

// findingName is a finding as a bar has it: its noun and place; what every run has, and has no place, by its blame.
func findingName(g *diagnose.Diagnosis, f *diagnose.Finding) string {
	switch lead := &g.Blames[f.Blames[0]]; {
	case f.Noun.Class() == noun.Share:
		return blameName(lead)
	case f.Place.Rank != nil:
		return fmt.Sprintf("%s, rank %d", f.Noun, *f.Place.Rank)
	case f.N > 0 && f.Place.Name != "":
		return fmt.Sprintf("%s %d:1 at %s", f.Noun, f.N, f.Place.Name)
	case f.Place.Name != "":
		return fmt.Sprintf("%s at %s", f.Noun, f.Place.Name)
	}
	return string(f.Noun)
}

func blameName(b *diagnose.Blame) string {
	switch {
	case b.Rank != nil:
		return fmt.Sprintf("%s %d", b.Kind, *b.Rank)
	case b.Kind == diagnose.Controller && b.Port != "":
		return fmt.Sprintf("%s, %s idle", b.Kind, b.Port)
	}
	return strings.TrimPrefix(shortly(b), "the ")
}

// shownMessages is how many of the slowest messages have a bar.
const shownMessages = 12

// slowestChart is the slowest messages, each divided among its causes.
func slowestChart(d *Data) []chart.Figure {
	if d.Flows == nil || len(d.Flows.Slowest) == 0 || d.Flows.Slowest[0].FCT == 0 {
		return nil
	}
	rows := d.Flows.Slowest[:min(len(d.Flows.Slowest), shownMessages)]
	of := d.Flows.Of(d.Flows.Main()).Done
	f := chart.Figure{Name: "slowest-messages", Title: "The slowest messages by cause",
		Caption: fmt.Sprintf("From post to completion, the slowest of each name: %d of %s completed %s messages.",
			len(rows), unit.Count(of), d.Flows.Main())}
	if int64(len(rows)) == of {
		f.Title, f.Caption = "Every message by cause", "From post to completion, slowest first."
	}
	var splits []cause.Split
	for i := range rows {
		splits = append(splits, rows[i].Split())
	}
	longest := splits[0].Sum()
	k := keysOf(splits, longest)
	f.Keys = k.keys
	f.Bars = &chart.Bars{X: chart.Axis{Label: "time since post", Unit: chart.Time, High: chart.Value(longest)}}
	for i := range rows {
		notes := d.Flows.whereHeld(&rows[i])
		f.Bars.Rows = append(f.Bars.Rows, chart.Bar{Label: rows[i].Name, Note: splits[i].Sum().Human(),
			Parts: k.parts(&splits[i], &notes)})
	}
	return []chart.Figure{f}
}

// whereHeld says of queueing and pauses at which ports of its path a message met them.
func (f *FlowStats) whereHeld(row *result.FlowRow) (notes [cause.Count]string) {
	for _, h := range f.SlowHops[row.ID] {
		for _, c := range []cause.Cause{cause.OwnQueueing, cause.Queueing, cause.Pause} {
			if h.Split[c] == 0 {
				continue
			}
			if notes[c] != "" {
				notes[c] += ", "
			}
			notes[c] += fmt.Sprintf("%s at %s", h.Split[c].Human(), h.Port)
		}
	}
	return notes
}
