package result

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/cause"
	"railyard/internal/sheet"
	"railyard/internal/unit"
)

// How many rows of a list the terminal shows.
const shownRows = 8

// page is a summary in the making.
type page struct{ *sheet.Sheet }

// WriteSummary prints a run for a terminal of width columns (at least 60 are
// used): plain text, no line longer than that.
func WriteSummary(w io.Writer, s *Summary, width int) error {
	p := &page{sheet.New(width)}
	p.header(s)
	p.training(s)
	p.unfinished(s)
	p.split(s)
	p.criticalPath(s)
	p.collectives(s.Collectives)
	p.flows(s.Flows)
	p.links(s.BusiestLinks)
	p.queues(s.Queues)
	p.pausing(s.Pausing)
	p.counters(s)
	return p.Flush(w)
}

func (p *page) header(s *Summary) {
	about := []string{"seed " + strconv.FormatUint(s.Seed, 10)}
	if s.Kernel != "" {
		about = append(about, "kernel "+s.Kernel)
	}
	about = append(about, unit.Clock(s.WallSeconds)+" of wall time")
	p.Line(fmt.Sprintf("%s: %s (%s)", s.Name, s.State, strings.Join(about, ", ")))
	if s.Error != "" {
		p.Wrap("  ", s.Error)
	}
	if s.Dir != "" {
		p.Line("run directory: " + s.Dir)
	}
}

func (p *page) training(s *Summary) {
	var rows [][]string
	add := func(name, value, about string) { rows = append(rows, []string{name, value, about}) }
	if s.StepTime > 0 {
		add("step time", s.StepTime.Human(), "virtual time of all steps / steps")
		add("samples/s", unit.Rate(s.SampleRate), "global batch / step time")
		add("step, median", s.StepMedian.Human(), "of each step's slowest rank")
		add("step, p99", s.StepP99.Human(), "of each step's slowest rank")
	}
	if s.TestAccuracy != nil {
		add("test accuracy", strconv.FormatFloat(*s.TestAccuracy*100, 'f', 2, 64)+" %", "")
	}
	if s.FinalLoss != nil {
		add("final loss", significant(float64(*s.FinalLoss)), "mean training loss of the last epoch")
	}
	if s.Steps > 0 || s.StepsPlanned > 0 {
		about := ""
		if s.StepsPlanned > s.Steps {
			about = "of " + unit.Count(s.StepsPlanned)
		}
		add("steps", unit.Count(s.Steps), about)
	}
	if s.Overlap != nil {
		add("overlap", unit.Percent(*s.Overlap), "of communication ran beside compute")
	}
	add("virtual time", unit.Duration(s.VirtualTime).Human(), "")
	if s.WeightsSHA256 != "" {
		add("weights", sheet.Clip(s.WeightsSHA256, 16), "first 16 digits of their SHA-256")
	}
	p.Title("Result")
	p.Grid("lrl", rows)
}

// significant prints a plain figure with four significant digits.
func significant(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// unfinished lists messages that were never acknowledged, with the last that is known of them.
func (p *page) unfinished(s *Summary) {
	list := s.Unfinished
	if len(list) == 0 {
		return
	}
	p.Title("Never acknowledged")
	rows := [][]string{{"name", "size", "acknowledged", "posted", "last sent", "waits for"}}
	for _, m := range list[:min(len(list), shownRows)] {
		left := "never"
		if m.Left != nil {
			left = unit.Duration(*m.Left).Human()
		}
		rows = append(rows, []string{m.Name, m.Bytes.Human(), m.Acked.Human(), unit.Duration(m.Posted).Human(), left, m.Waits})
	}
	p.Grid("lrrrrl", rows)
	if n := s.UnfinishedAll - shownRows; n > 0 {
		p.Line(fmt.Sprintf("  and %s more in flows.parquet (status %s, %s or %s)", unit.Count(n), StatusPlaced, StatusUnfinished, StatusFailed))
	}
}

// split shows where a step's time went: a bar per cause.
func (p *page) split(s *Summary) {
	if s.StepSplit == nil {
		return
	}
	mean, slow := s.StepSplit.Mean.Split(), s.StepSplit.SlowestRank.Split()
	const bar = 24
	p.Title("Where a step's time went, as ranks saw it")
	rows := [][]string{{"cause", "mean", "share", "", "slowest rank", "share"}}
	var quiet []string
	for _, c := range cause.All() {
		if mean[c] == 0 && slow[c] == 0 {
			quiet = append(quiet, c.String())
			continue
		}
		part := unit.Share(mean[c], mean.Sum())
		rows = append(rows, []string{c.String(), mean[c].Human(), unit.Percent(part),
			strings.Repeat("#", int(math.Round(part*bar))), slow[c].Human(), unit.Percent(unit.Share(slow[c], slow.Sum()))})
	}
	rows = append(rows, []string{"total", mean.Sum().Human(), "", "", slow.Sum().Human(), ""})
	p.Grid("lrrlrr", rows)
	p.Wrap("  ", "mean over steps and ranks, and over each step's slowest rank")
	if len(quiet) > 0 {
		p.Wrap("  ", "no time in: "+strings.Join(quiet, ", "))
	}
}

// criticalPath shows what the rank that ended a step last waited for, whoever did it: each
// message of a collective in its turn, where its own split says dependency.
func (p *page) criticalPath(s *Summary) {
	if s.CriticalPath == nil {
		return
	}
	path := s.CriticalPath.Split()
	const bar = 36
	p.Title(pathTitle)
	rows := [][]string{{"cause", "mean", "share", ""}}
	for _, c := range cause.All() {
		if path[c] != 0 {
			part := unit.Share(path[c], path.Sum())
			rows = append(rows, []string{c.String(), path[c].Human(), unit.Percent(part), strings.Repeat("#", int(math.Round(part*bar)))})
		}
	}
	rows = append(rows, []string{"total", path.Sum().Human(), "", ""})
	p.Grid("lrrl", rows)
	p.Wrap("  ", "mean over "+s.TracedSteps())
}

// pathTitle says what a critical path is.
const pathTitle = "Critical path: what the rank that ended the step last waited for"

// TracedSteps says over which steps the critical path is a mean.
func (s *Summary) TracedSteps() string {
	if s.PathsEvery <= 1 || s.PathsTraced >= s.Steps {
		return unit.CountOf(s.Steps, "step")
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

func (p *page) collectives(list []Collective) {
	if len(list) == 0 {
		return
	}
	p.Title("Collectives (mean over steps)")
	rows := [][]string{{"name", "count", "size", "time", "algbw", "bus bandwidth"}}
	for _, c := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{c.Name, unit.Count(c.Count), c.Bytes.Human(), c.Time.Human(),
			unit.ByteRate(c.AlgBW), unit.ByteRate(c.BusBW)})
	}
	p.Grid("lrrrrr", rows)
	p.more(len(list), "run.json")
}

func (p *page) flows(list []FlowFigures) {
	if len(list) == 0 {
		return
	}
	list, all := SlowestFlows(list, shownRows), len(list)
	title, third := "Flows", "start"
	if all > shownRows {
		title = fmt.Sprintf("The slowest %d of %s flows", shownRows, unit.Count(int64(all)))
	}
	repeated := slices.ContainsFunc(list, func(f FlowFigures) bool { return f.Posted > 1 })
	if repeated {
		title, third = title+" (completion and rate: mean over the messages that are done)", "done"
	}
	p.Title(title)
	rows := [][]string{{"name", "size", third, "completion", "rate", "marks", "CNPs", "resent"}}
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
		rows = append(rows, []string{f.Name, f.Bytes.Human(), when, took, rate,
			unit.Count(f.Marks), unit.Count(f.CNPs), unit.Count(f.Retransmits)})
	}
	p.Grid("lrrrrrrr", rows)
	p.more(all, "run.json")
}

// SlowestFlows returns the flows, in the order of the scenario, or if there are more than n the
// slowest n, slowest first: those of which no message was done, then by mean completion time,
// then those that had not begun.
func SlowestFlows(list []FlowFigures, n int) []FlowFigures {
	if len(list) <= n {
		return list
	}
	never := func(f FlowFigures) int {
		switch {
		case f.FCT != nil:
			return 1
		case f.Posted > 0:
			return 0
		}
		return 2
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b FlowFigures) int {
		return cmp.Or(cmp.Compare(never(a), never(b)), cmp.Compare(b.Took(), a.Took()))
	})
	return list[:n]
}

func (p *page) links(list []LinkFigures) {
	if len(list) == 0 {
		return
	}
	p.Title("Busiest links")
	rows := [][]string{{"port", "rate", "used", "sent", "deepest queue", "marks", "drops"}}
	for _, l := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{l.Port, l.Rate.Human(), unit.Percent(l.Utilisation), l.TxBytes.Human(),
			l.MaxQueue.Human(), unit.Count(l.ECNMarks), unit.Count(l.Drops)})
	}
	p.Grid("lrrrrrr", rows)
	p.more(len(list), "run.json; all are in links.parquet")
}

func (p *page) queues(list []QueueFigures) {
	if len(list) == 0 {
		return
	}
	p.Title("Deepest queues (sampled)")
	rows := [][]string{{"port", "priority", "mean", "99 % of time below", "max"}}
	for _, q := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{q.Port, strconv.Itoa(int(q.Class)), q.Mean.Human(), q.P99.Human(), q.Max.Human()})
	}
	p.Grid("lrrrr", rows)
	p.more(len(list), "run.json; all are in queues.parquet")
}

func (p *page) pausing(list []PauseFigures) {
	if len(list) == 0 {
		return
	}
	p.Title("Pause frames")
	rows := [][]string{{"port", "sent", "received", "held for"}}
	for _, f := range list[:min(len(list), shownRows)] {
		rows = append(rows, []string{f.Port, unit.Count(f.Sent), unit.Count(f.Received), f.Paused.Human()})
	}
	p.Grid("lrrr", rows)
	p.more(len(list), "run.json; all are in links.parquet")
}

// more says how many rows of a list of n were left out, and where they are. Lists
// of ports are cut before they get here: their table has every port.
func (p *page) more(n int, where string) {
	if n > shownRows {
		p.Line(fmt.Sprintf("  and %s more in %s", unit.Count(int64(n-shownRows)), where))
	}
}

func (p *page) counters(s *Summary) {
	p.Title("Counters")
	hops := unit.Count(s.PacketHops)
	if s.WallSeconds > 0 {
		hops += " (" + unit.Rate(float64(s.PacketHops)/s.WallSeconds) + "/s)"
	}
	p.Grid("lrlr", [][]string{
		{"ECN marks", unit.Count(s.ECNMarks), "  drops", unit.Count(s.Drops)},
		{"CNPs", unit.Count(s.CNPs), "  retransmissions", unit.Count(s.Retransmits)},
		{"pause frames", unit.Count(s.Pauses), "  packet-hops", hops},
	})
	for _, n := range s.Notes {
		p.Wrap("  - ", n)
	}
}
