package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"railyard/internal/result"
	"railyard/internal/run"
	"railyard/internal/scenario"
	"railyard/internal/unit"
)

func (a *app) checkCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Say what is wrong with a scenario and what a run would cost",
		Long: `Says what is wrong or unusual about a scenario, estimates what a run of it would cost, and
prints the thresholds at which ports mark and pause. Exit code 1 if it cannot run.`,
		Example: "  railyard check examples/digits-8gpu.yaml",
		Args:    oneFile, ValidArgsFunction: completeScenario,
		RunE: func(_ *cobra.Command, args []string) error { return a.check(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
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
	Errors     int             `json:"errors"`
	Findings   []findingJSON   `json:"findings"`
	Estimate   *estimateJSON   `json:"estimate,omitempty"`
	Thresholds []thresholdJSON `json:"thresholds,omitempty"`
}

type estimateJSON struct {
	Steps      int64      `json:"steps"`
	PacketHops int64      `json:"packet_hops"`
	Memory     unit.Bytes `json:"memory_bytes"`
	FLOP       int64      `json:"flop"`
	Seconds    float64    `json:"wall_seconds"`
	HopRate    int64      `json:"assumed_packet_hops_per_s"`
	FLOPRate   int64      `json:"assumed_flop_per_s"`
}

type thresholdJSON struct {
	Switch          string       `json:"switch"`
	Rate            unit.Bitrate `json:"rate_bps"`
	Ports           int          `json:"ports"`
	ECNMin          *unit.Bytes  `json:"ecn_min_bytes,omitempty"`
	ECNMax          *unit.Bytes  `json:"ecn_max_bytes,omitempty"`
	Probability     *float64     `json:"ecn_probability,omitempty"`
	XOff            *unit.Bytes  `json:"xoff_bytes,omitempty"`
	XOn             *unit.Bytes  `json:"xon_bytes,omitempty"`
	Headroom        *unit.Bytes  `json:"headroom_bytes,omitempty"`
	HeadroomAssumed bool         `json:"headroom_assumed,omitempty"`
	Shared          *unit.Bytes  `json:"shared_buffer_bytes,omitempty"`
	FirstPause      *unit.Bytes  `json:"first_pause_bytes,omitempty"`
	First           run.Order    `json:"first_to_act"`
}

func (a *app) check(file string, asJSON bool) error {
	src, err := readFile(file)
	if err != nil {
		return misuse("cannot read scenario %s: %w", file, err)
	}
	sc, err := scenario.Parse(file, src)
	var problems scenario.Problems
	var in *run.Inspection
	switch {
	case errors.As(err, &problems):
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
	if asJSON {
		err = a.printJSON(checkData(problems, in))
	} else {
		s := a.newSheet()
		s.line("%s: %s, %s", file, count(wrong, "error"), count(len(problems)-wrong, "warning"))
		problems.Render(&s.b, src, a.outTerm.colour)
		if in != nil {
			estimateText(s, in)
			thresholdText(s, in)
		}
		err = a.printSheet(s)
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s: %s", file, count(wrong, "error"))
	}
	return err
}

// checkUnplanned reports a scenario that is well formed and cannot be planned.
func (a *app) checkUnplanned(file string, sc *scenario.Scenario, err error, asJSON bool) error {
	f := scenario.Finding{Severity: scenario.Error, Message: err.Error()}
	var field *run.FieldError
	if errors.As(err, &field) {
		f.Path, f.Message = field.Path, field.Err.Error()
	}
	problems := scenario.Problems{sc.Located(f)}
	var located scenario.Problems
	if errors.As(err, &located) {
		problems = located
	}
	where, n := placeOf(file, err)
	wrong := fmt.Errorf("%s: %s", where, count(n, "error"))
	s := a.newSheet()
	s.line("%s, 0 warnings", wrong)
	switch {
	case asJSON:
		if e := a.printJSON(checkData(problems, nil)); e != nil {
			return e
		}
		return wrong
	case !a.renderField(&s.b, a.outTerm.colour, file, sc, err):
		s.line("%s: %s", file, err)
	}
	if e := a.printSheet(s); e != nil {
		return e
	}
	return wrong
}

func checkData(problems scenario.Problems, in *run.Inspection) checkJSON {
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
	e := in.Estimate
	out.Estimate = &estimateJSON{e.Steps, e.PacketHops, e.Memory, in.FLOP, in.Seconds, run.HopsPerSecond, run.FLOPPerSecond}
	for i := range in.Thresholds {
		t := &in.Thresholds[i]
		d := thresholdJSON{Switch: t.Kind.String(), Rate: t.Rate, Ports: t.Ports, First: t.Order}
		if t.Marks {
			p := t.Probability.Float()
			d.ECNMin, d.ECNMax, d.Probability = &t.ECNMin, &t.ECNMax, &p
		}
		if t.Lossless {
			d.XOff, d.XOn, d.Headroom, d.HeadroomAssumed, d.Shared, d.FirstPause = &t.XOff, &t.XOn, &t.Headroom, t.HeadroomAssumed, &t.Shared, &t.FirstPause
		}
		out.Thresholds = append(out.Thresholds, d)
	}
	return out
}

func estimateText(s *sheet, in *run.Inspection) {
	e, sc := in.Estimate, in.Plan.Scenario
	s.line("")
	s.line("A run of it, estimated")
	var rows [][]string
	if t := sc.Job.Train; t != nil {
		about := fmt.Sprintf("%s images, %s ranks x batch %s, %s", result.FormatCount(int64(in.Images)), result.FormatCount(int64(sc.RankCount())),
			result.FormatCount(int64(t.Batch)), count(t.Epochs, "epoch"))
		if t.Steps.Set {
			about += fmt.Sprintf(", at most %s steps", result.FormatCount(int64(t.Steps.Value)))
		}
		rows = append(rows, []string{"steps", result.FormatCount(e.Steps), about})
	}
	rows = append(rows,
		[]string{"packet-hops", result.FormatCount(e.PacketHops), "limit " + result.FormatCount(run.MaxHops) + "; without losses and CNPs"},
		[]string{"memory", result.FormatBytes(e.Memory), "limit " + result.FormatBytes(run.MaxMemory)})
	speed := fmt.Sprintf("at %s packet-hops/s", result.FormatRate(run.HopsPerSecond))
	if in.FLOP > 0 {
		rows = append(rows, []string{"arithmetic", result.FormatRate(float64(in.FLOP)) + "FLOP", "on this machine: the network is really trained"})
		speed += fmt.Sprintf(" and %sFLOP/s", result.FormatRate(run.FLOPPerSecond))
	}
	took := "about " + result.FormatClock(in.Seconds)
	if in.Seconds < 0.1 {
		took = "less than 0.1 s"
	}
	rows = append(rows, []string{"run time", took, speed + ", one core; within a factor of three"})
	s.grid("lrl", rows)
}

func thresholdText(s *sheet, in *run.Inspection) {
	if len(in.Thresholds) == 0 {
		return
	}
	s.line("")
	s.line("RoCE data, by switch and port speed")
	rows := [][]string{{"ports", "speed", "ECN min", "max", "prob.", "xOFF", "headroom", "acts first"}}
	assumed := false
	for i := range in.Thresholds {
		t := &in.Thresholds[i]
		row := []string{strconv.Itoa(t.Ports) + " " + t.Kind.String(), result.FormatBitrate(t.Rate), "-", "-", "-", "-", "-", string(t.Order)}
		if t.Marks {
			row[2], row[3], row[4] = result.FormatBytes(t.ECNMin), result.FormatBytes(t.ECNMax), result.FormatPercent(t.Probability.Float())
		}
		if t.Lossless {
			row[5], row[6] = result.FormatBytes(t.XOff), result.FormatBytes(t.Headroom)
			if t.HeadroomAssumed {
				row[6] += "*"
				assumed = true
			}
		}
		rows = append(rows, row)
	}
	s.grid("lrrrrrrl", rows)
	t := &in.Thresholds[0]
	if t.Lossless {
		f := in.Plan.Scenario.Fabric
		text := fmt.Sprintf("xOFF: of an ingress port, while the buffer is empty; xON is %s below it. %s of a switch's %s is shared.",
			result.FormatBytes(f.QoS.PFC.ResumeOffset), result.FormatBytes(t.Shared), result.FormatBytes(f.Switch.Buffer))
		s.wrap("  ", "  ", fmt.Sprintf("Whatever the traffic, ECN comes before PFC if marking begins below %s (now %s), and a fixed xOFF of at most %s cannot run the shared part out: DCQCN, SIGCOMM'15, section 4, for the %s's ports.",
			result.FormatBytes(t.SafeMark), result.FormatBytes(t.ECNMin), result.FormatBytes(t.SafeStatic), t.Kind))
		s.wrap("  ", "  ", text+fmt.Sprintf(" One sender alone is paused with %s in the switch%s", result.FormatBytes(t.FirstPause), orderText(in)))
	}
	if assumed {
		s.wrap("  ", "  ", "* assumed: no table has this speed, the delays of the next lower one stand in")
	}
}

// orderText says what the column of first actions means, for the first kind of port.
func orderText(in *run.Inspection) string {
	seen := []string{}
	for i := range in.Thresholds {
		t := &in.Thresholds[i]
		var about string
		switch t.Order {
		case run.MarksFirst:
			about = "ECN: everything is marked before that"
		case run.MarksBegin:
			about = "ECN begins: some packets are marked before that"
		case run.PausesFirst:
			about = "PFC: nothing is marked before that"
		default:
			continue
		}
		if !strings.Contains(strings.Join(seen, ";"), about) {
			seen = append(seen, about)
		}
	}
	if len(seen) == 0 {
		return "."
	}
	return ". " + strings.Join(seen, "; ") + "."
}
