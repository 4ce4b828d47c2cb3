package report

import (
	"strings"
	"testing"

	"railyard/internal/cause"
	"railyard/internal/result"
	"railyard/internal/unit"
)

// Runs of which it is known what limited them: the paragraph has to say so, name the
// place, and not blame what did not happen.
func TestParagraph(t *testing.T) {
	for _, c := range []struct {
		name     string
		run      *Data
		first    string
		says     []string
		not      []string
		findings []cause.Cause
	}{
		{
			name: "compute-bound training", run: computeBound(),
			first: "Compute limited this run: 90.0 % of the 100 us of a step of the slowest rank, mean over 20 steps",
			says:  []string{"Nothing was marked, paused or dropped."}, not: []string{"Congestion", "held longest", "sent again"},
			findings: []cause.Cause{cause.Compute, cause.Dependency, cause.HostPath},
		},
		{
			name: "latency of a ring", run: latencyBound(),
			first: "Waiting for other ranks limited this run: 70.0 %",
			says:  []string{"a chain of 14 messages", "62.5 % of it host path", "it is the latency of the chain that counts", "host1/rail1, sent for 9.0 % of the run", "Nothing was marked, paused or dropped."},
			not:   []string{"deepest queue", "steps took"},
		},
		{
			name: "critical path", run: withPath(latencyBound()),
			first: "Lost packets limited this run: 50.0 % of the 100 us of a step along its critical path, mean over 20 steps",
			says:  []string{"9 packets were dropped, all of them at host1/rail1; 11 packets were sent again.", "Then comes compute with 30.0 %.", "In all, steps lost 50.0 % of their time to congestion (retransmission)."},
			not:   []string{"Waiting for other ranks", "latency of the chain"},
		},
		{
			name: "slow steps", run: withTail(latencyBound()),
			first: "Waiting for other ranks limited this run",
			says:  []string{"Steps differ: the slowest 2 steps took 300 us on average, 200 us more than the others.", "In those steps a message spent 40 us on queueing, in the others none."},
		},
		{
			name: "rate-limited incast", run: incast(cause.RateLimit, 0.6),
			first: "Congestion control limited this run: 80.0 % of the 10 ms of a job message",
			says:  []string{"DCQCN reacted to 90 CNPs, after 700 ECN marks at rail1/host1.", "All 4 flows pass rail1/host1: its bits alone need 6 ms at 100 Gb/s, 60.0 % of the run's 10 ms; the other 4 ms it sent nothing."},
			not:   []string{"held longest", "marked,", "bottleneck"},
		},
		{
			name: "paused incast", run: incast(cause.Pause, 1),
			first: "PFC pauses limited this run: 80.0 %",
			says:  []string{"host2/rail1 was held longest, 8 ms in all; of the 40 pause frames all came from rail1.", "that port is the bottleneck"},
			not:   []string{"CNPs"},
		},
		{
			name: "lossy incast", run: incast(cause.Retransmission, 0.97),
			first: "Lost packets limited this run: 80.0 %",
			says:  []string{"55 packets were dropped, all of them at rail1/host1; 60 packets were sent again."},
			not:   []string{"was dropped", "or dropped"},
		},
		{
			name: "no single cause", run: mixed(),
			first: "No single cause limited this run: the largest, queueing, is 30.0 % of the 10 ms of a job message, mean over the 4 completed; then pause, 30.0 %, and rate limit, 25.0 %.",
		},
		{
			name: "nothing finished", run: &Data{Summary: &result.Summary{State: result.Running}},
			first: "There is nothing to explain", not: []string{"Nothing was"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Join(Paragraph(c.run), " ")
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

func training(split result.Causes) *Data {
	s := split.Split()
	times := make([]unit.Duration, 20)
	for i := range times {
		times[i] = s.Sum()
	}
	st := &StepStats{Ranks: 8, Time: times, Slowest: s, Mean: s, slowestRank: make([]int32, 20)}
	st.rank()
	return &Data{Summary: &result.Summary{State: result.Complete, Steps: 20}, Steps: st, End: unit.Time(20 * s.Sum()),
		Settings: Settings{Training: true, Ranks: 8, Collective: "ring"},
		Links:    []result.LinkRow{{Port: "host1/rail1", From: "host1", To: "rail1", Tier: result.TierHost, Rate: 200 * unit.GigabitPerSec, Utilisation: 0.09}}}
}

func computeBound() *Data {
	return training(result.Causes{Compute: 90 * us, Dependency: 8 * us, HostPath: 2 * us})
}

func latencyBound() *Data {
	d := training(result.Causes{Compute: 30 * us, Dependency: 70 * us})
	m := &Messages{}
	m.add(&result.FlowRow{FCT: 4 * us, Causes: result.Causes{HostPath: 2500 * unit.Nanosecond, SwitchLatency: 1500 * unit.Nanosecond}})
	d.Flows = &FlowStats{Kinds: []string{result.KindCollective}, ByKind: map[string]*Messages{result.KindCollective: m}}
	return d
}

// withPath adds a critical path on which losses count most, as no rank's own view shows.
func withPath(d *Data) *Data {
	d.Summary.CriticalPath = &result.Causes{Compute: 30 * us, Retransmission: 50 * us, HostPath: 20 * us}
	d.Summary.Drops, d.Summary.Retransmits, d.Links[0].Drops = 9, 11, 9
	return d
}

func withTail(d *Data) *Data {
	s := d.Steps
	s.TailN, s.RestN = 2, 18
	s.Rest = result.Causes{Compute: 30 * us, Dependency: 70 * us}.Split()
	s.Tail = result.Causes{Compute: 30 * us, Dependency: 270 * us}.Split()
	d.Flows.Tail.add(&result.FlowRow{FCT: 44 * us, Causes: result.Causes{HostPath: 4 * us, Queueing: 40 * us}})
	d.Flows.Rest.add(&result.FlowRow{FCT: 4 * us, Causes: result.Causes{HostPath: 4 * us}})
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
	return flowsOf(result.Causes{Queueing: 3 * unit.Millisecond, Pause: 3 * unit.Millisecond, RateLimit: 2500 * us, Serialisation: 1500 * us}.Split(), 0.5)
}

func flowsOf(split cause.Split, used float64) *Data {
	m := &Messages{}
	d := &Data{Summary: &result.Summary{State: result.Complete}, End: unit.Time(10 * unit.Millisecond), Settings: Settings{Congestion: "dcqcn"},
		Links: []result.LinkRow{
			{Port: "rail1/host1", From: "rail1", To: "host1", Tier: result.TierLeaf, Rate: 100 * unit.GigabitPerSec, Utilisation: used, Busy: unit.Duration(used * float64(10*unit.Millisecond)), MaxQueue: unit.Megabyte},
			{Port: "host2/rail1", From: "host2", To: "rail1", Tier: result.TierHost, Rate: 100 * unit.GigabitPerSec, Utilisation: 0.1},
			{Port: "rail1/host2", From: "rail1", To: "host2", Tier: result.TierLeaf, Rate: 100 * unit.GigabitPerSec}}}
	for range 4 {
		row := result.FlowRow{Kind: result.KindJob, FCT: split.Sum(), Causes: result.CausesOf(split), Path: "host2>rail1>host1"}
		m.add(&row)
		d.Summary.Flows = append(d.Summary.Flows, result.FlowFigures{Kind: result.KindJob, Path: row.Path})
	}
	d.Flows = &FlowStats{Kinds: []string{result.KindJob}, ByKind: map[string]*Messages{result.KindJob: m}}
	return d
}
