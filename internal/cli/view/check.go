package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"railyard/internal/base/located"
	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/qos"
	"railyard/internal/net/survey"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
	"railyard/internal/run/run"
)

// A findingJSON is a problem or a finding as data.
type findingJSON struct {
	Severity scenario.Severity `json:"severity"`
	File     string            `json:"file"`
	Line     int               `json:"line,omitempty"` // 0: the file says nothing about the path
	Column   int               `json:"column,omitempty"`
	Path     string            `json:"path,omitempty"`
	Message  string            `json:"message"`
	Hint     string            `json:"hint,omitempty"`
}

// A CheckJSON is what `railyard check` says. Estimate and thresholds are absent where
// the scenario could not be planned.
type CheckJSON struct {
	Name       string              `json:"name,omitempty"` // of the scenario; its run directory begins with it
	Errors     int                 `json:"errors"`
	Findings   []findingJSON       `json:"findings"`
	Estimate   *foresight.Estimate `json:"estimate,omitempty"`
	Islands    int                 `json:"islands,omitempty"`
	Lookahead  unit.Duration       `json:"lookahead,omitempty"`  // how soon one island acts on another, ps
	Measured   *run.Measured       `json:"measured,omitempty"`   // with --measure
	Thresholds []qos.Row           `json:"thresholds,omitempty"` // as in run.json
	Mistakes   []qos.Mistake       `json:"mistakes,omitempty"`
	// Differing is the switches that differ from the others.
	Differing []switches.Differing `json:"differing,omitempty"`
	// Assumed is what configurations leave to the platform, and Exchanges what DCBX comes to.
	Assumed   []switches.Note     `json:"assumed,omitempty"`
	Exchanges []switches.Exchange `json:"dcbx,omitempty"`
	Survey    *survey.Survey      `json:"survey,omitempty"` // of the network
	Pinned    []plan.Pinning      `json:"pinned,omitempty"` // by job: how full a controller makes links
	Made      []string            `json:"made,omitempty"`   // by shorthands for flows
	Graph     *Graph              `json:"graph,omitempty"`  // with --graph, of at most mostDrawn ports
}

// CheckData is what check says of a plan, with the problems that it has.
func CheckData(problems located.Problems, in *foresight.Inspection) CheckJSON {
	out := CheckJSON{Findings: []findingJSON{}}
	for _, p := range problems {
		severity := scenario.Error
		if p.Warning {
			severity = scenario.Warning
		} else {
			out.Errors++
		}
		out.Findings = append(out.Findings, findingJSON{severity, p.File, p.Line, p.Column, p.Path, p.Message, p.Hint})
	}
	if in == nil {
		return out
	}
	out.Estimate = &in.Estimate
	out.Islands, out.Lookahead = run.Islands(in.Plan)
	out.Thresholds, out.Mistakes, out.Differing = in.Thresholds, in.Mistakes, in.Plan.Switches.Differing()
	out.Assumed, out.Exchanges = in.Plan.Switches.Assumed(), in.Plan.Switches.Exchanges()
	out.Survey, out.Pinned, out.Made = in.Survey, in.Plan.Pinned(), in.Plan.Scenario.Made()
	return out
}

// mostDrawn is how many ports a graph has at most that is drawn as somebody types: the page draws tiers of larger ones as
// bands, which says little before a run.
const mostDrawn = 20_000

// DrawGraph adds the graph, unless it is too large to be drawn.
func (c *CheckJSON) DrawGraph(in *foresight.Inspection) {
	if in != nil && len(in.Plan.Graph.Ports) <= mostDrawn {
		c.Graph = GraphOf(in.Plan.Graph)
	}
}

// DifferingText says which switches differ from the others, and in what.
func DifferingText(s *sheet.Sheet, key string, all []switches.Differing) {
	if len(all) == 0 {
		return
	}
	s.Blank()
	s.Wrap("", "Switches that differ ("+key+")")
	rows := [][]string{{"switches", "fabric.", "theirs", "of the others"}}
	for _, d := range all {
		names := d.Switches
		if more := len(names) - mostNamed; more > 0 {
			names = append(slices.Clone(names[:mostNamed]), fmt.Sprintf("and %d more", more))
		}
		for i, k := range d.Keys {
			row := []string{"", k.Key, k.Own, k.Others}
			if i == 0 {
				row[0] = strings.Join(names, ", ")
			}
			rows = append(rows, row)
		}
	}
	s.Grid("llww", rows)
}

// ConfiguredText says what DCBX comes to where switches are configured, and what configurations leave open.
func ConfiguredText(s *sheet.Sheet, p *plan.Plan) {
	if all := p.Switches.Exchanges(); len(all) > 0 {
		s.Blank()
		s.Wrap("", "DCBX")
		rows := [][]string{{"links", "speak", "near end", "far end", "first"}}
		for _, x := range all {
			rows = append(rows, []string{strconv.Itoa(x.Links), x.Version, x.Near, x.Far, x.Link})
		}
		s.Grid("rlllw", rows)
	}
	if all := p.Switches.Assumed(); len(all) > 0 {
		s.Blank()
		s.Wrap("", "Left open by configurations, taken from the scenario")
		for _, n := range all {
			s.Hang("  - ", "    ", n.Text+" ("+ShortList(n.Switches)+")")
		}
	}
}

// mostNamed is how many switches that are alike are named.
const mostNamed = 4

// EstimateText prints what a run would cost; m is what was measured of its first part, nil: nothing.
func EstimateText(s *sheet.Sheet, in *foresight.Inspection, m *run.Measured) {
	e, sc := in.Estimate, in.Plan.Scenario
	s.Blank()
	s.Wrap("", "A run of it, estimated")
	var rows [][]string
	for i := range sc.Jobs {
		j := &sc.Jobs[i]
		t := j.Train
		if t == nil {
			continue
		}
		are := "images"
		if t.Data.Text != nil {
			are = "windows"
		}
		about := fmt.Sprintf("%s %s, %s x batch %s, %s", unit.Count(int64(in.Data[i].Train)), are,
			unit.CountOf(int64(j.Parallel.DP), "replica"), unit.Count(int64(t.Batch)), unit.CountOf(int64(t.Epochs), "epoch"))
		if t.Steps.Set {
			about += fmt.Sprintf(", at most %s steps", unit.Count(int64(t.Steps.Value)))
		}
		what, steps := "steps", e.Steps
		if len(sc.Jobs) > 1 {
			what, steps = "steps of "+j.Name, in.Plan.Jobs[i].Steps(in.Data[i].Train)
		}
		rows = append(rows, []string{what, unit.Count(steps), about})
	}
	rows = append(append(rows, hopRows(&e)...),
		[]string{"memory", e.Memory.Human(), "limit " + foresight.MaxMemory.Human() + ", and what the machine has free"})
	if e.NICMessages > 0 && e.Ranks > 0 {
		rows = append(rows, []string{"NICs", unit.CountOf(e.NICMessages, "message"), "between hosts"})
	}
	if e.NVLinkMessages > 0 {
		rows = append(rows, []string{in.Plan.PCIe.Inside(), unit.CountOf(e.NVLinkMessages, "message"),
			"inside hosts, simulated one by one"})
	}
	if e.FLOP > 0 {
		rows = append(rows, []string{"arithmetic", unit.Rate(float64(e.FLOP)) + "FLOP",
			"on this machine: the network is really trained"})
	}
	rows = append(rows, timeRows(&e)...)
	for i := range sc.Jobs {
		l, bound := foresight.LeastOf(in.Plan, i)
		if !bound || l.Flows < 2 {
			continue
		}
		what := "flows end"
		if len(sc.Jobs) > 1 {
			what += " of " + sc.Jobs[i].Name
		}
		g := in.Plan.Graph
		at := g.Ports[l.Port]
		from := g.Nodes[g.Ports[g.Peer(l.Port)].To].Name
		rows = append(rows, []string{what, "not before " + l.Time.Human(), fmt.Sprintf(
			"%s of %s cross %s -> %s (%s), headers included; counted from the first",
			l.Bytes.Human(), unit.CountOf(int64(l.Flows), "flow"), from, g.Nodes[at.To].Name, at.Rate.Human())})
	}
	rows = append(rows, islandRow(in))
	if m != nil {
		how := fmt.Sprintf("on this machine, measured on %s of it, which took %s; most often within a factor of 1.5",
			unit.Percent(m.Part), unit.Clock(m.Took))
		if m.Part == 1 {
			how = "on this machine: it ran to its end"
		}
		rows = append(rows, []string{"measured", "about " + unit.Clock(m.Seconds), how})
	}
	s.Grid("lrw", rows)
}

// hopRows say how many packet-hops a run has, and how few of them may be simulated.
func hopRows(e *foresight.Estimate) [][]string {
	limit := "limit " + unit.Count(foresight.MaxHops)
	if e.Reuse != nil {
		limit += " of those that are simulated"
	}
	rows := [][]string{{"packet-hops", unit.Count(e.PacketHops), limit + "; without losses"}}
	if u := e.Reuse; u != nil {
		least := "at least"
		if u.Unlike < 1 || u.Images > 0 {
			least = "about"
		}
		how := "of these are simulated, " + least + ", if " + repeats(e) + " (run.reuse)"
		rows = append(rows, []string{"", unit.Count(u.PacketHops), how})
	}
	return rows
}

// timeRows say how long the run takes a core, of which machine that is, and how little it may be.
func timeRows(e *foresight.Estimate) [][]string {
	how := "of one core, within a factor of two: "
	switch {
	case e.Seconds < 0.1:
		return [][]string{{"run time", "less than 0.1 s", "of one core"}}
	case e.Slowness == 1:
		how += "of a 2 GHz server processor"
	default:
		how += "of this machine, which was tried for some tenths of a second"
	}
	rows := [][]string{{"run time", "about " + unit.Clock(e.Seconds), how}}
	if u := e.Reuse; u != nil {
		rows = append(rows, []string{"", "about " + unit.Clock(u.Seconds), "if " + repeats(e)})
	}
	return rows
}

// repeats says what has to do the same again for as little to be simulated.
func repeats(e *foresight.Estimate) string {
	u := e.Reuse
	var all []string
	if u.Unlike < 1 {
		all = append(all, "parts of a step that are alike (layers, micro-batches, buckets) do the same")
	}
	switch {
	case u.Steps == 1 && e.Steps > 1:
		all = append(all, "the other steps repeat the first")
	case u.Steps < e.Steps:
		all = append(all, "the other steps repeat these "+unit.Count(u.Steps))
	}
	if u.Images > 0 {
		does := " of the network do what another one does"
		if u.Images == 1 {
			does = " of the network does what another one does"
		}
		all = append(all, unit.CountOf(int64(u.Images), "part")+does)
	}
	return strings.Join(all, " and ")
}

// islandRow says into what a run is cut for the cores.
func islandRow(in *foresight.Inspection) []string {
	n, lookahead := run.Islands(in.Plan)
	how := fmt.Sprintf("run at the same time, in windows of %s: the soonest that one can act on another", lookahead)
	switch {
	case n > 1:
	case in.Plan.Scenario.Fabric.AsScheduled():
		how = "events happen in the order in which they were scheduled: on one core"
	case in.Estimate.Reuse != nil && in.Estimate.Reuse.Images > 0:
		how = "what is simulated of the network is small: its events run on one core"
	default:
		how = "the network is small: its events run on one core"
	}
	return []string{"islands", unit.Count(int64(n)), how}
}

// ThresholdText prints the thresholds of RoCE data in a fabric.
func ThresholdText(s *sheet.Sheet, f *scenario.Fabric, all []qos.Row) {
	if len(all) == 0 {
		return
	}
	s.Blank()
	s.Wrap("", "RoCE data, by switch and port speed")
	rows := [][]string{{"ports", "speed", "ECN min", "max", "prob.", "xOFF", "headroom", "acts first"}}
	assumed := false
	for i := range all {
		t := &all[i]
		row := []string{strconv.Itoa(t.Ports) + " " + t.Switch, t.Rate.Human(), "-", "-", "-", "-", "-",
			string(t.First)}
		if t.Marks() {
			row[2], row[3], row[4] = t.ECN.Min.Human(), t.ECN.Max.Human(), unit.Percent(t.ECN.Probability.Float())
		}
		if t.Lossless() {
			row[5], row[6] = t.PFC.XOFF.Human(), t.PFC.Headroom.Human()
			if t.PFC.HeadroomAssumed {
				row[6] += "*"
				assumed = true
			}
		}
		if rows = append(rows, row); t.Match == "" {
			continue
		}
		where := f.SwitchesKey() + ": " + t.Match
		if t.Class != "" {
			where += ", where it is " + t.Class
		}
		rows = append(rows, []string{where})
	}
	s.Grid("lrrrrrrw", rows)
	for _, text := range thresholdNotes(f, all) {
		s.Wrap("  ", text)
	}
	if assumed {
		s.Wrap("  ", "* assumed: no table has this speed, the delays of the next lower one stand in")
	}
}

// thresholdNotes says what the table of thresholds means.
func thresholdNotes(f *scenario.Fabric, all []qos.Row) []string {
	var notes []string
	alike := slices.IndexFunc(all, func(r qos.Row) bool { return r.Match == "" })
	if alike >= 0 && all[alike].Lossless() {
		t := &all[alike]
		what := "of an ingress port, while the buffer is empty"
		if t.PFC.Fixed > 0 {
			what = "of an ingress port, fixed"
		}
		notes = append(notes, fmt.Sprintf("xOFF: %s; xON is %s below it. %s of a %s's %s is shared; a fixed xOFF of "+
			"at most %s cannot run that out.",
			what, f.QoS.PFC.ResumeOffset.Human(), t.Shared.Human(), t.Switch, f.Switch.Buffer.Human(),
			t.PFC.SafeStatic.Human()))
	}
	if t := qos.Tightest(all); t != nil {
		notes = append(notes, fmt.Sprintf("%s (DCQCN, SIGCOMM'15, section 4; port of a %s).", t.MarksBeforePauses(),
			t.Switch))
	}
	var said []qos.Order
	for i := range all {
		if t := &all[i]; t.Lossless() && !slices.Contains(said, t.First) {
			said = append(said, t.First)
			notes = append(notes, fmt.Sprintf("%s, at %s: %s.", t.First, t.Rate.Human(), t.Reason))
		}
	}
	return notes
}

// ShortList names the first few.
func ShortList(names []string) string {
	const most = 8
	if len(names) > most {
		names = append(slices.Clip(names[:most]), "...")
	}
	return strings.Join(names, ", ")
}
