package view

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/study/trial"
)

// tuneHeading says which network was searched, and how many points and seeds.
func tuneHeading(f *trial.Found) string {
	n := &f.Network
	return fmt.Sprintf("%s: %s to a port at most, hosts at %s, a round trip of %s without load; %s, %s each",
		f.Name, unit.CountOf(int64(n.Senders), "sender"), n.Rate.Human(), n.RTT.Human(), unit.CountOf(int64(len(f.Points)), "point"),
		unit.CountOf(int64(len(f.Seeds)), "seed"))
}

// pointsText is a row for each point.
func pointsText(s *sheet.Sheet, f *trial.Found) {
	s.Title("Points (delay: p99 of the longest queue; paused: sum over ports; means of runs)")
	rows := [][]string{{"", "WRED min", "max", "prob.", "xOFF", "through.", "delay", "paused", "drops"}}
	for i := range f.Points {
		p := &f.Points[i]
		row := []string{standing(f, p) + fmt.Sprintf("%3d", p.Number), "-", "-", "-", "-", unit.Percent(p.Throughput),
			p.Delay.Human(), p.Paused.Human(), unit.Count(p.Drops)}
		if p.Kind == "own" {
			copy(row[1:], []string{"as", "it", "is", ""})
		}
		if p.Probability != nil {
			copy(row[1:], []string{p.Min.Human(), p.Max.Human(), unit.Percent(p.Probability.Float())})
		}
		switch {
		case p.XOFF > 0:
			row[4] = p.XOFF.Human()
		case p.Alpha != nil:
			row[4] = "x " + p.Alpha.String()
		}
		rows = append(rows, row)
	}
	s.Grid("rrrrrrrrr", rows)
	s.Wrap("  ", "> chosen, * on the frontier; xOFF x 1/8: an eighth of what is free of the shared buffer")
}

// pricesText is what each point on the frontier gives and takes, against the scenario's own thresholds or, where these
// drop, the first point that does not.
func pricesText(s *sheet.Sheet, f *trial.Found) {
	from := slices.IndexFunc(f.Points, func(p trial.Point) bool { return p.Throughput > 0 && p.Drops == 0 && p.Failed == 0 })
	if from < 0 {
		return
	}
	own := &f.Points[from]
	rows := [][]string{{"", "through.", "delay", "paused"}}
	for i := range f.Points {
		p := &f.Points[i]
		if p.Frontier && i != from {
			rows = append(rows, []string{standing(f, p) + fmt.Sprintf("%3d", p.Number), moved(p.Throughput, own.Throughput),
				moved(float64(p.Delay), float64(own.Delay)), moved(float64(p.Paused), float64(own.Paused))})
		}
	}
	if len(rows) == 1 {
		return
	}
	against := "the thresholds as they are"
	if own.Kind != "own" {
		against = fmt.Sprintf("point %d", own.Number)
	}
	s.Title("Prices (points on the frontier, against " + against + ")")
	s.Grid("rrrr", rows)
	s.Wrap("  ", "--prefer throughput=2,delay=1 weighs them")
}

// moved is by how much a figure differs from another one.
func moved(v, from float64) string {
	switch {
	case v == from:
		return "-"
	case from == 0:
		return "from 0"
	case v > from:
		return "+" + unit.Percent(v/from-1)
	}
	return "-" + unit.Percent(1-v/from)
}

func standing(f *trial.Found, p *trial.Point) string {
	switch {
	case p.Number == f.Chosen:
		return ">"
	case p.Frontier:
		return "*"
	}
	return " "
}

// chosenText is the choice, its thresholds, and how it stands beside the scenario's own.
func chosenText(s *sheet.Sheet, f *trial.Found) {
	if f.Chosen == 0 {
		return
	}
	s.Title(fmt.Sprintf("Chosen: point %d", f.Chosen))
	if len(f.Set) == 0 {
		s.Wrap("  ", "the scenario's own thresholds: no point that was played is better")
	}
	for _, k := range f.Set {
		s.Line("  " + k.Key + ": " + k.Value)
	}
	if v := f.Verified; v != nil {
		verifiedText(s, f, v)
	}
	ThresholdText(s, f.Fabric(), f.Thresholds)
	for _, m := range f.Mistakes {
		s.Wrap("  ", "warning: "+m)
	}
}

func verifiedText(s *sheet.Sheet, f *trial.Found, v *trial.Verified) {
	s.Title(fmt.Sprintf("Again with %s", unit.CountOf(int64(len(v.Seeds)), "other seed")))
	head := []string{""}
	for _, p := range f.Patterns {
		head = append(head, p.Name)
	}
	rows := [][]string{append(head, "delay", "paused", "drops")}
	for _, g := range v.Figures {
		row := []string{g.Kind}
		for _, t := range g.Times {
			row = append(row, t.Human())
		}
		rows = append(rows, append(row, g.Delay.Human(), g.Paused.Human(), unit.Count(g.Drops)))
	}
	s.Grid("l"+strings.Repeat("r", len(rows[0])-1), rows)
	if v.Dominated {
		s.Wrap("  ", "with these seeds the scenario's own thresholds are better in all three: more --seeds tell them apart")
	}
}

// TuneText prints what a tuning found.
func TuneText(s *sheet.Sheet, f *trial.Found) {
	s.Wrap("", tuneHeading(f))
	for _, p := range f.Patterns {
		s.Hang("  ", "    ", p.Name+": "+p.What)
	}
	if f.LeftOut != "" {
		s.Hang("  ", "    ", f.LeftOut)
	}
	if f.Slice.Hosts < f.Slice.Of {
		s.Wrap("  ", fmt.Sprintf("%d of %s take part, evenly apart; the fabric is whole", f.Slice.Hosts,
			unit.CountOf(int64(f.Slice.Of), "host")))
	}
	s.Title("By formula")
	for _, r := range f.Formula {
		s.Hang("  ", "    ", r.Key+" "+r.Value+": "+r.Why)
	}
	pointsText(s, f)
	s.Title("Why")
	for _, p := range f.Points {
		s.Hang(fmt.Sprintf("  %2d  ", p.Number), "      ", p.Why)
	}
	pricesText(s, f)
	chosenText(s, f)
}
