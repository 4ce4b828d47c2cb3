package report

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/out/chart"
	"railyard/internal/out/result"
)

// Piece is some figures of a run that are made of one table or two, for who shows them without reading the others.
type Piece string

// The pieces.
const (
	Learning Piece = "learning" // loss, gradients back through time, and use of experts
	Within   Piece = "inside"   // of a small network
	Sent     Piece = "traffic"  // who sent how much to whom, in all and by group of ranks
)

func (p Piece) known() bool { return p == Learning || p == Within || p == Sent }

// Pieces lists those that a run may have something for, by the tables that it wrote.
func Pieces(run *result.Run) []Piece {
	has := run.Tables()
	all := []Piece{}
	set := SettingsOf(run.Summary.Scenario)
	if set.Training && slices.Contains(has, "steps") {
		all = append(all, Learning)
	}
	if slices.Contains(has, "flows") && slices.Contains(has, "links") {
		all = append(all, Sent)
	}
	for _, j := range run.Summary.PerJob() {
		if in, err := run.Inside(j.Job); in != nil || err != nil {
			return append(all, Within)
		}
	}
	return all
}

// FiguresOf reads what a piece is made of, and draws it; of a run that has nothing for it there are no figures.
func FiguresOf(run *result.Run, p Piece) ([]chart.Figure, error) {
	if p.known() && !slices.Contains(Pieces(run), p) {
		return nil, nil
	}
	d := OfSummary(run.Summary)
	switch p {
	case Learning:
		return perJob(d, func(j *Data) ([]chart.Figure, error) {
			if err := j.readSteps(run); err != nil {
				return nil, err
			}
			if j.Settings.Gradients && run.Parts("gradients") > 0 {
				if err := j.readGradients(run); err != nil {
					return nil, err
				}
			}
			if j.Settings.Experts && run.Parts("experts") > 0 {
				if err := j.readExperts(run); err != nil {
					return nil, err
				}
			}
			return slices.Concat(lossChart(j), gradientCharts(j), expertCharts(j)), nil
		})
	case Within:
		return perJob(d, func(j *Data) (_ []chart.Figure, err error) {
			j.Inside, err = run.Inside(j.job)
			return insideCharts(j), err
		})
	case Sent:
		return d.sentByGroup(run)
	}
	return nil, fmt.Errorf("no figures %q: want %s, %s or %s", p, Learning, Within, Sent)
}

// perJob draws what each job has, under its name where there are several.
func perJob(d *Data, draw func(*Data) ([]chart.Figure, error)) (all []chart.Figure, err error) {
	jobs := d.Jobs
	if len(jobs) == 0 {
		jobs = []*Data{d}
	}
	for _, j := range jobs {
		figures, err := draw(j)
		if err != nil {
			return nil, err
		}
		for _, f := range figures {
			if j.job != "" {
				f.Name, f.Title = j.job+"-"+f.Name, "Job "+j.job+": "+f.Title
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// mostGroups is of how many groups of ranks the traffic is shown each for itself.
const mostGroups = 64

// groupName is whose messages a matrix has.
type groupName struct{ job, group, kind string }

func (g groupName) String() string {
	switch {
	case g.group != "" && g.job != "" && g.job != "job":
		return g.job + ", " + g.group
	case g.group != "":
		return g.group
	case g.kind == result.KindBackground:
		return "background"
	}
	return cmp.Or(g.job, "flows")
}

// sentByGroup reads flows.parquet once, and draws who sent how much to whom: in all, and where there are several groups, each.
func (d *Data) sentByGroup(run *result.Run) ([]chart.Figure, error) {
	if err := d.readLinks(run); err != nil {
		return nil, err
	}
	whole := newTrafficMeter(d.Links)
	groups := map[groupName]*trafficMeter{}
	left := map[groupName]bool{}
	for row, err := range run.Flows() {
		if err != nil {
			return nil, err
		}
		whole.add(&row)
		name := groupName{row.Job, row.Group, row.Kind}
		m := groups[name]
		if m == nil {
			if len(groups) == mostGroups {
				if len(left) < maxHeld {
					left[name] = true
				}
				continue
			}
			m = newTrafficMeter(d.Links)
			groups[name] = m
		}
		m.add(&row)
	}
	all := matrixOf(whole, "traffic", "")
	names := make([]groupName, 0, len(groups))
	for n := range groups {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b groupName) int {
		return cmp.Or(byName(a.job, b.job), byName(a.group, b.group), cmp.Compare(a.kind, b.kind))
	})
	for i, n := range names {
		if len(names) > 1 {
			all = append(all, matrixOf(groups[n], fmt.Sprintf("traffic-%d", i+1), n.String())...)
		}
	}
	if len(left) > 0 && len(all) > 0 {
		all[0].Caption += fmt.Sprintf(" Of %s the first %d are shown each for itself.",
			count(int64(len(left)+len(names)), "group"), len(names))
	}
	return all, nil
}

func matrixOf(m *trafficMeter, name, of string) []chart.Figure {
	all := matrixFigure(m.known())
	for i := range all {
		all[i].Name = name
		if of != "" {
			all[i].Title += ": " + of
		}
	}
	return all
}
