package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/cause"
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// How many rows of a list the terminal shows.
const shownRows = 8

// figures prints the headline figures, and why counters are what they are. What is of one of several jobs comes with the job.
func (t *text) figures(d *Data) {
	var rows [][]string
	for _, f := range d.Headline() {
		if !slices.ContainsFunc(d.Jobs, func(j *Data) bool { return strings.HasPrefix(f.Name, j.prefix()) }) {
			rows = append(rows, []string{f.Name, f.Text(), f.Meaning})
		}
	}
	s := d.Summary
	if s.WeightsSHA256 != "" {
		rows = append(rows, []string{"weights", sheet.Clip(s.WeightsSHA256, 16), "first 16 digits of their SHA-256"})
	}
	if s.WallSeconds > 0 {
		speed := unit.Rate(float64(s.PacketHops)/s.WallSeconds) + " packet-hops/s"
		if s.Network == result.NetworkReal {
			speed = "with preparing and testing"
		}
		rows = append(rows, []string{"wall time", unit.Clock(s.WallSeconds), speed})
	}
	if len(rows) > 0 {
		t.Title("Figures")
		t.Grid("lrw", rows)
	}
	for _, n := range s.Notes {
		if !slices.ContainsFunc(d.Jobs, func(j *Data) bool { return strings.HasPrefix(n, j.notePrefix()) }) {
			t.Wrap("  - ", n)
		}
	}
}

// prefix stands before the names of the figures of one of several jobs, notePrefix before the notes.
func (d *Data) prefix() string     { return d.job + ": " }
func (d *Data) notePrefix() string { return "job " + d.job + ": " }

// ownFigures prints the figures and notes of one of several jobs.
func (t *text) ownFigures(d, job *Data) {
	var rows [][]string
	for _, f := range d.Headline() {
		if name, own := strings.CutPrefix(f.Name, job.prefix()); own {
			rows = append(rows, []string{name, f.Text(), f.Meaning})
		}
	}
	if len(rows) > 0 {
		t.Grid("lrw", rows)
	}
	for _, n := range d.Summary.Notes {
		if note, own := strings.CutPrefix(n, job.notePrefix()); own {
			t.Wrap("  - ", note)
		}
	}
}

// unfinished lists messages that were never acknowledged, with the last that is known of them.
func (t *text) unfinished(s *result.Summary) {
	list := s.Unfinished
	if len(list) == 0 {
		return
	}
	t.Title("Never acknowledged")
	rows := [][]string{{"name", "size", "acknowledged", "posted", "last sent", "waits for"}}
	for _, m := range list[:min(len(list), shownRows)] {
		left := "never"
		if m.Left != nil {
			left = unit.Duration(*m.Left).Human()
		}
		rows = append(rows, []string{m.Name, m.Bytes.Human(), m.Acked.Human(), unit.Duration(m.Posted).Human(), left,
			m.Waits})
	}
	t.Grid("lrrrrw", rows)
	if n := s.UnfinishedAll - shownRows; n > 0 {
		t.Line(fmt.Sprintf("  and %s more in flows.parquet (status %s, %s or %s)", unit.Count(n),
			result.StatusPlaced, result.StatusUnfinished, result.StatusFailed))
	}
}

// ranksSplit shows where a step's time went as ranks saw it: beside the critical path, where it has
// dependency for what other ranks did.
func (t *text) ranksSplit(s *result.Summary) {
	if s.StepSplit == nil {
		return
	}
	mean, slow := s.StepSplit.Mean.Split(), s.StepSplit.SlowestRank.Split()
	t.Title("Where a step's time went, as ranks saw it")
	rows := [][]string{{"cause", "mean", "share", "slowest rank", "share"}}
	var quiet []string
	for _, c := range cause.All() {
		if mean[c] == 0 && slow[c] == 0 {
			quiet = append(quiet, c.String())
			continue
		}
		rows = append(rows, []string{c.String(), mean[c].Human(), unit.Percent(unit.Share(mean[c], mean.Sum())),
			slow[c].Human(), unit.Percent(unit.Share(slow[c], slow.Sum()))})
	}
	rows = append(rows, []string{"total", mean.Sum().Human(), "", slow.Sum().Human(), ""})
	t.Grid("lrrrr", rows)
	t.Wrap("  ", "mean over steps and ranks, and over each step's slowest rank")
	if len(quiet) > 0 {
		t.Wrap("  ", "no time in: "+strings.Join(quiet, ", "))
	}
}

// alongPath says of which steps the critical path is: of the only one, of the first, or a mean.
func alongPath(s *result.Summary) string {
	switch {
	case s.PathCollectives > 0:
		return "the one step, as " + result.LastCollectives(s.PathCollectives) + " along the critical path"
	case s.Steps == 1:
		return "the one step along its critical path"
	case s.PathsTraced == 1:
		return fmt.Sprintf("the first of %s along its critical path", unit.CountOf(s.Steps, "step"))
	}
	return "a step along its critical path, mean over " + tracedSteps(s)
}

// pathOver is the same after "critical path".
func pathOver(s *result.Summary) string {
	switch {
	case s.PathCollectives > 0:
		return fmt.Sprintf(", last %d", s.PathCollectives)
	case s.Steps == 1:
		return ""
	case s.PathsTraced == 1:
		return fmt.Sprintf(" of the first of %s", unit.CountOf(s.Steps, "step"))
	}
	return ", mean over " + tracedSteps(s)
}

// slowestOver says of which steps the slowest rank is.
func slowestOver(steps int64) string {
	if steps == 1 {
		return "the one step of the slowest rank"
	}
	return "a step of the slowest rank, mean over " + count(steps, "step")
}

// tracedSteps says over which steps the critical path is a mean.
func tracedSteps(s *result.Summary) string {
	if s.PathsEvery <= 1 || s.PathsTraced >= s.Steps {
		return unit.CountOf(max(s.Steps, s.PathsTraced), "step") // more: of those that were lost, too
	}
	which := "every " + ordinal(s.PathsEvery)
	if s.PathsTraced > (s.Steps+s.PathsEvery-1)/s.PathsEvery {
		which += ", and the slowest"
	}
	return fmt.Sprintf("%s of %s (%s)", unit.Count(s.PathsTraced), unit.CountOf(s.Steps, "step"), which)
}

// ordinal prints "2nd", "10th".
func ordinal(n int64) string {
	suffix := "th"
	if tens := n / 10 % 10; tens != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return unit.Count(n) + suffix
}

func (t *text) collectives(list []result.Collective) {
	if len(list) == 0 {
		return
	}
	t.Title("Collectives (mean over their runs)")
	rows := [][]string{{"name", "count", "size", "time", "algbw", "bus bandwidth"}}
	for _, c := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{c.Name, unit.Count(c.Count), c.Bytes.Human(), c.Time.Human(),
			unit.ByteRate(c.AlgBW), unit.ByteRate(c.BusBW)})
	}
	t.Grid("lrrrrr", rows)
	t.more(len(list), "run.json")
}

func (t *text) flows(s *result.Summary) {
	list, all := s.Flows, int(s.AllFlows())
	if len(list) == 0 {
		return
	}
	title, third := "Flows", "start"
	list = result.SlowestFlows(list, shownRows)
	if all > shownRows {
		title = fmt.Sprintf("The slowest %d of %s flows", shownRows, unit.Count(int64(all)))
	}
	repeated := slices.ContainsFunc(list, func(f result.FlowFigures) bool { return f.Posted > 1 })
	if repeated {
		title, third = title+" (completion and rate: mean over the messages that are done)", "done"
	}
	t.Title(title)
	rows := [][]string{{"name", "size", third, "completion", "rate", "marks", "CNPs", "retrans."}}
	for _, f := range list {
		took, rate := f.Status, ""
		if d := f.Took(); d > 0 {
			took, rate = d.Human(), unit.Bitrate(8*float64(f.Bytes)/d.Seconds()).Human()
		}
		when := "-"
		if f.Start != nil {
			when = unit.Duration(*f.Start).Human()
		}
		if repeated {
			when = unit.Count(f.Done) + " of " + unit.Count(f.Posted)
		}
		name := f.Name
		if len(s.Jobs) > 1 && f.Job != "" { // each job counts its flows from 1
			name = f.Job + ": " + name
		}
		rows = append(rows, []string{name, f.Bytes.Human(), when, took, rate,
			unit.Count(f.Marks), unit.Count(f.CNPs), unit.Count(f.Retransmits)})
	}
	t.Grid("lrrrrrrr", rows)
	t.more(all, flowsFile(s))
}

// flowsFile is where all flows are.
func flowsFile(s *result.Summary) string {
	if s.AllFlows() > int64(len(s.Flows)) {
		return "flows.parquet"
	}
	return "run.json"
}

func (t *text) busiest(list []result.LinkFigures) {
	if len(list) == 0 {
		return
	}
	t.Title("Busiest links")
	rows := [][]string{{"port", "rate", "used", "sent", "deepest queue", "marks", "drops"}}
	for _, l := range list[:min(len(list), shownRows)] {
		rate := l.Rate.Human()
		if l.Slowed > 0 {
			rate = fmt.Sprintf("%s of %s", l.Slowed.Human(), rate)
		}
		rows = append(rows, []string{l.Port, rate, unit.Percent(l.Utilisation), l.TxBytes.Human(),
			l.MaxQueue.Human(), unit.Count(l.ECNMarks), unit.Count(l.Drops)})
	}
	t.Grid("lrrrrrr", rows)
	t.more(len(list), "run.json; all are in links.parquet")
}

func (t *text) deepest(list []result.QueueFigures) {
	if len(list) == 0 {
		return
	}
	t.Title("Deepest queues (sampled)")
	rows := [][]string{{"port", "priority", "mean", "99 % of time below", "max"}}
	for _, q := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{q.Port, strconv.Itoa(int(q.Class)), q.Mean.Human(), q.P99.Human(), q.Max.Human()})
	}
	t.Grid("lrrrr", rows)
	t.more(len(list), "run.json; all are in queues.parquet")
}

func (t *text) pausing(list []result.PauseFigures) {
	if len(list) == 0 {
		return
	}
	t.Title("Pause frames")
	rows := [][]string{{"port", "sent", "received", "held for"}}
	for _, f := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{f.Port, unit.Count(f.Sent), unit.Count(f.Received), f.Paused.Human()})
	}
	t.Grid("lrrr", rows)
	t.more(len(list), "run.json; all are in links.parquet")
}

// more says how many rows of a list of n were left out, and where they are. Lists
// of ports are cut before they get here: their table has every port.
func (t *text) more(n int, where string) {
	if n > shownRows {
		t.Line(fmt.Sprintf("  and %s more in %s", unit.Count(int64(n-shownRows)), where))
	}
}
