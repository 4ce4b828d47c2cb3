package report

import (
	"strings"
	"testing"

	"railyard/internal/base/cause"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/result"
)

// Runs of which it is known what limited them: the paragraph has to say so, name the
// place, and not blame what did not happen.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		name     string
		run      *Data
		first    string
		says     []string
		not      []string
		findings []cause.Cause
	}{
		{
			name: "compute-bound training",
			run: judged(computeBound(), diagnose.Blame{Kind: diagnose.Compute, Time: 90 * us},
				diagnose.Blame{Kind: diagnose.PCIe, Time: 10 * us}),
			first: "Compute-bound: GPUs computed: 90 us of the 100 us (90.0 %) of a step, mean over 20. " +
				"Other reasons: bytes crossed PCIe",
			says:     []string{"Nothing was marked, paused or dropped."},
			not:      []string{"ongestion", "held longest", "sent again", "had waiting"},
			findings: []cause.Cause{cause.Compute, cause.Dependency, cause.PCIe},
		},
		{
			name: "no single reason", run: judged(latencyBound(),
				diagnose.Blame{Kind: diagnose.NVLink, Time: 35 * us},
				diagnose.Blame{Kind: diagnose.NIC, Time: 30 * us},
				diagnose.Blame{Kind: diagnose.Compute, Time: 30 * us},
				diagnose.Blame{Kind: diagnose.SlowRank, Rank: new(int32(3)), Time: 5 * us}),
			first: "No single reason; the largest: NVLink-bound: bytes crossed NVLink, or waited for it: " +
				"35 us of the 100 us (35.0 %) of a step, mean over 20. Other reasons: NICs took",
			not: []string{"rank 3", "steps took"},
		},
		{
			name: "slow steps", run: judged(withTail(latencyBound()),
				diagnose.Blame{Kind: diagnose.SlowRank, Rank: new(int32(3)), Time: 50 * us}),
			first: "Straggler: rank 3 computes longer than the others: 50 us of",
			says: []string{"Steps differ: the slowest 2 steps took 300 us on average, 200 us more than the others.",
				"In those steps a message spent 40 us on queueing, in the others none."},
		},
		{
			name: "shared port", run: judged(incast(cause.RateLimit, 0.6),
				diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Crossed: true, Time: 60 * us,
					Felt: []diagnose.Felt{{Cause: "rate limit", Time: 50 * us}, {Cause: "queueing", Time: 10 * us}},
					Culprits: []diagnose.Culprit{{Name: "flow4", Share: 0.5}, {Name: "flow2", Share: 0.25},
						{Name: "flow3", Share: 0.15}, {Name: "flow9", Share: 0.1}}, Others: 2},
				diagnose.Blame{Kind: diagnose.Controller, Port: "rail1/host1", Time: 20 * us},
				diagnose.Blame{Kind: diagnose.LinkSpeed, Time: 20 * us}),
			first: "Shared link: the port rail1/host1 (100 Gb/s) was busy with cross traffic: " +
				"60 us of the 100 us (60.0 %) of a step, mean over 20; contention and faults cost 80.0 % in all. " +
				"Spent in: rate limit (50.0 %), queueing (10.0 %).",
			says: []string{"Cross traffic that waited there: flow4 (50.0 %), flow2 (25.0 %), flow3 (15.0 %), 3 more.",
				"congestion control held senders back while the port rail1/host1 (100 Gb/s) had nothing to send " +
					"(20.0 %)"},
			not: []string{"marked,", "flow9", "do not even cross"},
		},
		{
			name: "victim of a pause", run: judged(incast(cause.Pause, 1),
				diagnose.Blame{Kind: diagnose.SharedPort, Port: "rail1/host1", Time: 30 * us,
					Felt: []diagnose.Felt{{Cause: "pause", Time: 30 * us}}},
				diagnose.Blame{Kind: diagnose.LinkSpeed, Time: 70 * us}),
			first: "Shared link: the queue of rail1/host1 (100 Gb/s) made PFC pause messages that " +
				"do not even cross that port: 30 us",
			not: []string{"CNPs"},
		},
		{
			name: "lossy link", run: judged(incast(cause.Retransmission, 0.97),
				diagnose.Blame{Kind: diagnose.LossyLink, Port: "host1/rail1", Time: 80 * us,
					Felt: []diagnose.Felt{{Cause: "retransmission", Time: 80 * us}}}),
			first: "Lossy link: the link host1/rail1 lost packets or acknowledgements, which were " +
				"sent again: 80 us",
			not: []string{"was dropped", "or dropped"},
		},
		{
			name: "no diagnosis", run: mixed(),
			first: "Of the 10 ms of a job message, mean over the 4 completed, 30.0 % passed in a state in which " +
				"packets of others were served first; what made it so is not known",
		},
		{
			name: "nothing finished", run: &Data{Summary: &result.Summary{State: result.Running}},
			first: "There is nothing to explain", not: []string{"Nothing was"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			sentence, bullets := c.run.answer()
			text := strings.Join(append([]string{sentence}, bullets...), " ")
			if !strings.HasPrefix(text, c.first) {
				t.Errorf("begins with %q, want %q", text, c.first)
			}
			for _, s := range c.says {
				if !strings.Contains(text, s) {
					t.Errorf("does not say %q: %s", s, text)
				}
			}
			for _, s := range c.not {
				if strings.Contains(text, s) {
					t.Errorf("says %q: %s", s, text)
				}
			}
			_, whole, all := Findings(c.run)
			var sum unit.Duration
			for i, f := range all {
				if sum += f.Time; i < len(c.findings) && f.Cause != c.findings[i] {
					t.Errorf("cause %d is %v, want %v", i+1, f.Cause, c.findings[i])
				}
			}
			if sum != whole {
				t.Errorf("the causes sum to %v of %v", sum, whole)
			}
		})
	}
}

// judged gives a run a diagnosis.
func judged(d *Data, blames ...diagnose.Blame) *Data {
	g := &diagnose.Diagnosis{Subject: "a step, mean over 20", Blames: blames}
	for _, b := range blames {
		g.Whole += b.Time
	}
	d.Summary.Diagnosis = g
	return d
}

func training(split result.Causes) *Data {
	s := split.Split()
	times := make([]unit.Duration, 20)
	for i := range times {
		times[i] = s.Sum()
	}
	st := &StepStats{Ranks: 8, Time: times, Slowest: s, Mean: s, slowestRank: make([]int32, 20)}
	st.rank()
	return &Data{Summary: &result.Summary{State: result.Complete,
		JobFigures: result.JobFigures{Steps: 20}}, Steps: st, End: unit.Time(20 * s.Sum()),
		Settings: Settings{Training: true, Ranks: 8, Collective: "ring"},
		Links: []result.LinkRow{{Port: "host1/rail1", From: "host1", To: "rail1", Tier: result.TierHost,
			Rate: 200 * unit.GigabitPerSec, Utilisation: 0.09}}}
}

func computeBound() *Data {
	return training(result.Causes{Compute: 90 * us, Dependency: 8 * us, PCIe: 2 * us})
}

func latencyBound() *Data {
	d := training(result.Causes{Compute: 30 * us, Dependency: 70 * us})
	m := &Messages{}
	m.add(&result.FlowRow{FCT: 4 * us, Causes: result.Causes{PCIe: 2500 * unit.Nanosecond,
		SwitchLatency: 1500 * unit.Nanosecond}})
	d.Flows = &FlowStats{Kinds: []string{result.KindCollective}, ByKind: map[string]*Messages{result.KindCollective: m}}
	return d
}

func withTail(d *Data) *Data {
	s := d.Steps
	s.TailN, s.RestN = 2, 18
	s.Rest = result.Causes{Compute: 30 * us, Dependency: 70 * us}.Split()
	s.Tail = result.Causes{Compute: 30 * us, Dependency: 270 * us}.Split()
	d.Flows.Tail.add(&result.FlowRow{FCT: 44 * us, Causes: result.Causes{PCIe: 4 * us, Queueing: 40 * us}})
	d.Flows.Rest.add(&result.FlowRow{FCT: 4 * us, Causes: result.Causes{PCIe: 4 * us}})
	return d
}

// incast is four flows through one port, each 80 % of 10 ms held up by why.
func incast(why cause.Cause, used float64) *Data {
	var split cause.Split
	split[why] += 8 * unit.Millisecond
	split[cause.Serialisation] += 2 * unit.Millisecond
	d := flowsOf(split, used)
	port := &d.Links[0]
	switch why {
	case cause.RateLimit:
		d.Summary.ECNMarks, d.Summary.CNPs, port.ECNMarks = 700, 90, 700
	case cause.Pause:
		d.Summary.Pauses, d.Links[2].PausesSent, d.Links[1].Paused = 40, 40, 8*unit.Millisecond
	case cause.Retransmission:
		d.Summary.Drops, port.Drops, d.Summary.Retransmits = 55, 55, 60
	}
	return d
}

func mixed() *Data {
	return flowsOf(result.Causes{Queueing: 3 * unit.Millisecond, Pause: 3 * unit.Millisecond, RateLimit: 2500 * us,
		Serialisation: 1500 * us}.Split(), 0.5)
}

func flowsOf(split cause.Split, used float64) *Data {
	m := &Messages{}
	d := &Data{Summary: &result.Summary{State: result.Complete}, End: unit.Time(10 * unit.Millisecond),
		Settings: Settings{Congestion: "dcqcn"},
		Links: []result.LinkRow{
			{Port: "rail1/host1", From: "rail1", To: "host1", Tier: result.TierLeaf, Rate: 100 * unit.GigabitPerSec,
				Utilisation: used, Busy: unit.Duration(used * float64(10*unit.Millisecond)), MaxQueue: unit.Megabyte},
			{Port: "host2/rail1", From: "host2", To: "rail1", Tier: result.TierHost, Rate: 100 * unit.GigabitPerSec,
				Utilisation: 0.1},
			{Port: "rail1/host2", From: "rail1", To: "host2", Tier: result.TierLeaf, Rate: 100 * unit.GigabitPerSec}}}
	for range 4 {
		row := result.FlowRow{Kind: result.KindJob, FCT: split.Sum(), Causes: result.CausesOf(split),
			Path: "host2>rail1>host1"}
		m.add(&row)
		d.Summary.Flows = append(d.Summary.Flows,
			result.FlowFigures{Kind: result.KindJob, Path: row.Path, Posted: 1, Done: 1, FCT: new(split.Sum())})
	}
	d.Flows = &FlowStats{Kinds: []string{result.KindJob}, ByKind: map[string]*Messages{result.KindJob: m}}
	return d
}
