package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"railyard/internal/foresight"
	"railyard/internal/located"
	"railyard/internal/plan"
	"railyard/internal/qos"
	"railyard/internal/result"
	"railyard/internal/run"
	"railyard/internal/scenario"
	"railyard/internal/sheet"
	"railyard/internal/shown"
	"railyard/internal/survey"
	"railyard/internal/sweep"
	"railyard/internal/unit"
)

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE [flags]",
		Short: "Say what is wrong with a scenario and what a run would cost",
		Long: `Says what is wrong or unusual about a scenario, estimates what a run of it would cost, and
prints the thresholds at which ports mark and pause. Exit code 1 if it cannot run. FILE may be -,
standard input.

--set checks it with another value, as run has it.

--measure runs the first part of it, a tenth of its work or ten seconds, and says how long the whole
takes on this machine; nothing is written.`,
		Example: "  railyard check examples/digits-8gpu.yaml\n  railyard check my.yaml --measure",
		Args:    oneFile, ValidArgsFunction: completeScenario,
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), args[0], f) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print as JSON")
	fl.StringArrayVar(&f.set, "set", nil, "KEY=VALUE: a value instead of the scenario's; may be repeated")
	fl.BoolVar(&f.measure, "measure", false, "run the first part and say how long the whole takes on this machine")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no progress on stderr")
	fl.BoolVar(&f.local, "local", false, localUsage)
	completesSet(cmd)
	return cmd
}

// checkFlags is the flags of `railyard check`.
type checkFlags struct {
	json, measure, quiet, local bool
	set                         []string
}

// changes returns what --set changes: one value for each key.
func (f *checkFlags) changes() (changes []scenario.Change, err error) {
	for _, text := range f.set {
		a, err := sweep.ParseAxis(text)
		switch {
		case err != nil:
			return nil, misuse("check: --set %w", err)
		case len(a.Values) > 1:
			return nil, misuse("check: --set %s: want one value", text)
		}
		changes = append(changes, scenario.Change{Path: a.Path, Text: a.Values[0]})
	}
	return changes, nil
}

// mostMeasured is how long --measure runs at most after set-up.
const mostMeasured = 10 * time.Second

// firstPart runs the first part of a scenario in which nothing is wrong, where the flags ask for it.
func (a *app) firstPart(ctx context.Context, sc *scenario.Scenario, f checkFlags) (*run.Measured, error) {
	if !f.measure {
		return nil, nil
	}
	ctx, stop := a.interruptible(ctx)
	defer stop()
	p := a.startProgress(f.quiet, "measuring")
	defer p.stop()
	m, err := run.Measure(ctx, sc, run.Options{Workers: -1, Progress: func(v result.Progress) {
		v.Phase = "measuring, " + v.Phase
		p.update(v)
	}}, mostMeasured)
	if ctx.Err() != nil {
		return nil, &exitError{exitInterrupted, errors.New("interrupted while it was measured")}
	}
	return &m, err
}

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

// A checkJSON is what `railyard check` says. Estimate and thresholds are absent where
// the scenario could not be planned.
type checkJSON struct {
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
	Differing []plan.Differing `json:"differing,omitempty"`
	// Assumed is what configurations leave to the platform, and Exchanges what DCBX comes to.
	Assumed   []plan.Note     `json:"assumed,omitempty"`
	Exchanges []plan.Exchange `json:"dcbx,omitempty"`
	Survey    *survey.Survey  `json:"survey,omitempty"` // of the network
	Pinned    []plan.Pinning  `json:"pinned,omitempty"` // by job: how full a controller makes links
	Made      []string        `json:"made,omitempty"`   // by shorthands for flows
}

func (a *app) check(ctx context.Context, file string, f checkFlags) error {
	asJSON := f.json
	changes, err := f.changes()
	if err != nil {
		return err
	}
	src, err := a.readFile(context.Background(), file)
	if err != nil {
		return misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := parse(file, src)
	if err == nil && len(changes) > 0 {
		sc, err = sc.With(changes...)
	}
	var problems located.Problems
	var in *foresight.Inspection
	if err == nil && f.local {
		problems = sc.Outside()
	}
	switch {
	case len(problems) > 0 || errors.As(err, &problems):
	case err != nil:
		return err
	default:
		if in, err = run.Inspect(sc); err != nil {
			return a.checkUnplanned(file, sc, err, asJSON)
		}
		for _, f := range in.Findings {
			problems = append(problems, sc.Located(f))
		}
	}
	wrong := 0
	for _, p := range problems {
		if !p.Warning {
			wrong++
		}
	}
	var m *run.Measured
	if wrong == 0 && in != nil {
		if m, err = a.firstPart(ctx, sc, f); err != nil {
			return a.located(file, sc, err)
		}
	}
	if asJSON {
		data := checkData(problems, in)
		data.Measured = m
		if sc != nil {
			data.Name = sc.Name
		}
		err = a.printJSON(data)
	} else {
		s := a.newSheet()
		s.Wrap("", fmt.Sprintf("%s: %s, %s", file, count(wrong, "error"), count(len(problems)-wrong, "warning")))
		problems.RenderWidth(s, src, shown.Columns(a.stdout))
		if in != nil {
			estimateText(s, in, m)
			if made := in.Plan.Scenario.Made(); len(made) > 0 {
				s.Title("Flows of shorthands")
				for _, text := range made {
					s.Hang("  ", "    ", text)
				}
			}
			thresholdText(s, &in.Plan.Scenario.Fabric, in.Thresholds)
			differingText(s, in.Plan.Scenario.Fabric.SwitchesKey(), in.Plan.Differing())
			for _, x := range in.Plan.Pinned() {
				s.Wrap("", x.Text(in.Plan))
			}
			configuredText(s, in.Plan)
		}
		err = s.Flush(a.stdout)
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %s", file, count(wrong, "error"))
	}
	return err
}

// checkUnplanned reports a scenario that is well formed and cannot be planned.
func (a *app) checkUnplanned(file string, sc *scenario.Scenario, err error, asJSON bool) error {
	f := scenario.Finding{Severity: scenario.Error, Message: err.Error()}
	var field *plan.FieldError
	if errors.As(err, &field) {
		f.Path, f.Message = field.Path, field.Err.Error()
	}
	problems := located.Problems{sc.Located(f)}
	var inFile located.Problems
	if errors.As(err, &inFile) {
		problems = inFile
	}
	where, n := placeOf(file, err)
	wrong := fmt.Errorf("%s: %s", where, count(n, "error"))
	s := a.newSheet()
	s.Wrap("", fmt.Sprintf("%s, 0 warnings", wrong))
	switch {
	case asJSON:
		if e := a.printJSON(checkData(problems, nil)); e != nil {
			return e
		}
		return wrong
	case !a.renderField(s, file, sc, err):
		fmt.Fprintf(s, "%s: %s\n", file, err)
	}
	if e := s.Flush(a.stdout); e != nil {
		return e
	}
	return wrong
}

func checkData(problems located.Problems, in *foresight.Inspection) checkJSON {
	out := checkJSON{Findings: []findingJSON{}}
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
	out.Thresholds, out.Mistakes, out.Differing = in.Thresholds, in.Mistakes, in.Plan.Differing()
	out.Assumed, out.Exchanges = in.Plan.Assumed(), in.Plan.Exchanges()
	out.Survey, out.Pinned, out.Made = in.Survey, in.Plan.Pinned(), in.Plan.Scenario.Made()
	return out
}

// differingText says which switches differ from the others, and in what.
func differingText(s *sheet.Sheet, key string, all []plan.Differing) {
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

// configuredText says what DCBX comes to where switches are configured, and what configurations leave open.
func configuredText(s *sheet.Sheet, p *plan.Plan) {
	if all := p.Exchanges(); len(all) > 0 {
		s.Blank()
		s.Wrap("", "DCBX")
		rows := [][]string{{"links", "speak", "near end", "far end", "first"}}
		for _, x := range all {
			rows = append(rows, []string{strconv.Itoa(x.Links), x.Version, x.Near, x.Far, x.Link})
		}
		s.Grid("rlllw", rows)
	}
	if all := p.Assumed(); len(all) > 0 {
		s.Blank()
		s.Wrap("", "Left open by configurations, taken from the scenario")
		for _, n := range all {
			s.Hang("  - ", "    ", n.Text+" ("+shortList(n.Switches)+")")
		}
	}
}

// mostNamed is how many switches that are alike are named.
const mostNamed = 4

func estimateText(s *sheet.Sheet, in *foresight.Inspection, m *run.Measured) {
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
			count(j.Parallel.DP, "replica"), unit.Count(int64(t.Batch)), count(t.Epochs, "epoch"))
		if t.Steps.Set {
			about += fmt.Sprintf(", at most %s steps", unit.Count(int64(t.Steps.Value)))
		}
		what, steps := "steps", e.Steps
		if len(sc.Jobs) > 1 {
			what, steps = "steps of "+j.Name, in.Plan.Jobs[i].Steps(in.Data[i].Train)
		}
		rows = append(rows, []string{what, unit.Count(steps), about})
	}
	rows = append(rows,
		[]string{"packet-hops", unit.Count(e.PacketHops), "limit " + unit.Count(foresight.MaxHops) + "; without losses"},
		[]string{"memory", e.Memory.Human(), "limit " + foresight.MaxMemory.Human() + ", and what the machine has free"})
	speed := fmt.Sprintf("at %s packet-hops/s", unit.Rate(foresight.HopsPerSecond))
	if e.Messages > 0 {
		rows = append(rows, []string{"NVLink", count(int(e.Messages), "message"), "inside hosts, simulated one by one"})
		speed += fmt.Sprintf(", %s messages/s over NVLink", unit.Rate(foresight.MessagesPerSecond))
	}
	if e.FLOP > 0 {
		rows = append(rows, []string{"arithmetic", unit.Rate(float64(e.FLOP)) + "FLOP",
			"on this machine: the network is really trained"})
		speed += fmt.Sprintf(" and %sFLOP/s", unit.Rate(foresight.FLOPPerSecond))
	}
	took := "about " + unit.Clock(e.Seconds)
	if e.Seconds < 0.1 {
		took = "less than 0.1 s"
	}
	rows = append(rows, []string{"run time", took, speed + ", one core; within a factor of three"})
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
			l.Bytes.Human(), count(l.Flows, "flow"), from, g.Nodes[at.To].Name, at.Rate.Human())})
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

// islandRow says into what a run is cut for the cores.
func islandRow(in *foresight.Inspection) []string {
	n, lookahead := run.Islands(in.Plan)
	how := fmt.Sprintf("run at the same time, in windows of %s: the soonest that one can act on another", lookahead)
	switch {
	case n > 1:
	case in.Plan.AsScheduled():
		how = "events happen in the order in which they were scheduled: on one core"
	default:
		how = "the network is small: its events run on one core"
	}
	return []string{"islands", unit.Count(int64(n)), how}
}

// thresholdText prints the thresholds of RoCE data in a fabric.
func thresholdText(s *sheet.Sheet, f *scenario.Fabric, all []qos.Row) {
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
