package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// of is a finding that the first blame, or none, has.
func of(n noun.Noun, t unit.Duration, blames ...int) Finding {
	if blames == nil {
		blames = []int{}
	}
	return Finding{Finding: noun.Finding{Noun: n, Time: t, Share: unit.Share(t, 100*us)}, Blames: blames}
}

// told lists findings by their nouns.
func told(d *Diagnosis) string {
	var all []string
	for i := range d.Findings {
		all = append(all, string(d.Findings[i].Noun))
	}
	return strings.Join(all, ", ")
}

// How a job could be laid out is told first where it costs a tenth or more, and more than what went wrong times four; beside
// what every run has whatever that took, but for a bus in hosts, which has to take four times as much.
func TestWhereAnotherChoiceIsTold(t *testing.T) {
	const algorithm = noun.WrongAlgorithm
	for _, c := range []struct {
		top  Finding
		kind Kind // of its blame
		add  noun.Noun
		time unit.Duration
		want string
	}{
		{of(noun.SlowLink, 10*us, 0), SlowPort, algorithm, 39 * us, "slow link, wrong algorithm"},
		{of(noun.SlowLink, 10*us, 0), SlowPort, algorithm, 41 * us, "wrong algorithm, slow link"},
		{of(noun.SlowLink, 4*us, 0), SlowPort, algorithm, 11 * us, "wrong algorithm, slow link"}, // too little to go before
		{of(noun.LinkBound, 90*us, 0), LinkSpeed, algorithm, 11 * us, "wrong algorithm, link-bound"},
		{of(noun.LinkBound, 90*us, 0), LinkSpeed, algorithm, 9 * us, "link-bound, wrong algorithm"}, // not worth saying
		{of(noun.PCIeBound, 80*us, 0), PCIe, algorithm, 21 * us, "wrong algorithm, PCIe-bound"},
		{of(noun.PCIeBound, 80*us, 0), PCIe, algorithm, 19 * us, "PCIe-bound, wrong algorithm"},
		{of(noun.LaunchBound, 30*us, 0), Launch, noun.Bubble, 29 * us, "launch-bound, bubble"},
		{of(noun.LaunchBound, 30*us, 0), Launch, noun.Bubble, 31 * us, "bubble, launch-bound"},
		{of(noun.ComputeBound, 90*us, 0), Compute, noun.Bubble, 11 * us, "bubble, compute-bound"},
		{of(noun.CrossRail, 30*us, 0), SharedPort, algorithm, 29 * us, "cross-rail traffic, wrong algorithm"},
		{of(noun.CrossRail, 30*us, 0), SharedPort, algorithm, 31 * us, "wrong algorithm, cross-rail traffic"},
		{of(noun.SmallWindow, 80*us, 0), Window, algorithm, 21 * us, "wrong algorithm, small window"},
		{of(noun.WrongProtocol, 20*us), "", algorithm, 19 * us, "wrong protocol, wrong algorithm"},
		{of(noun.WrongProtocol, 20*us), "", algorithm, 21 * us, "wrong algorithm, wrong protocol"},
		{of(noun.SlowLink, 10*us, 0), SlowPort, algorithm, 0, "slow link"},
	} {
		d := &Diagnosis{Whole: 100 * us, Findings: []Finding{c.top}, Blames: []Blame{{Kind: c.kind, Time: c.top.Time}}}
		d.Add(noun.Finding{Noun: c.add, Time: c.time})
		if got := told(d); got != c.want {
			t.Errorf("%s beside %s of %v: %s, want %s", c.add, c.top.Noun, c.top.Time, got, c.want)
		}
	}
	d := &Diagnosis{Whole: 100 * us, Blames: []Blame{{Kind: SlowPort}}, Findings: []Finding{of(noun.SlowLink, 50*us, 0),
		of(noun.Timeout, 20*us, 0), of(noun.Reordering, 5*us, 0)}}
	d.Add(noun.Finding{Noun: noun.WrongOrder, Time: 12 * us})
	if got := told(d); got != "slow link, timeout, wrong order, reordering" || d.Findings[2].Share != 0.12 {
		t.Errorf("behind what went wrong, by its time: %s", got)
	}
}

// What costs no time is told first, but behind what went wrong and is worth mending.
func TestWhatCostsNoTime(t *testing.T) {
	for share, want := range map[unit.Duration]string{5 * us: "slow link, hang", 4 * us: "hang, slow link"} {
		d := &Diagnosis{Whole: 100 * us, Blames: []Blame{{Kind: SlowPort}}, Findings: []Finding{of(noun.SlowLink, share, 0)}}
		if d.Tell(noun.Finding{Noun: noun.Hang}); told(d) != want {
			t.Errorf("beside a slow link of %v: %s, want %s", share, told(d), want)
		}
	}
	d := &Diagnosis{}
	if d.Tell(noun.Finding{Noun: noun.Hang}); told(d) != "hang" || d.Main() != nil {
		t.Errorf("alone: %s", told(d))
	}
}

// Findings that have blames, by their time; what goes with a blame is its finding's: its time, and what it was felt as.
func TestTimesOfFindings(t *testing.T) {
	d := &Diagnosis{Whole: 100 * us, Blames: []Blame{
		{Kind: SharedPort, Port: "a/b", Time: 10 * us, Felt: []Felt{{"queueing", 7 * us}, {"pause", 3 * us}},
			Faults: []string{"faults[0]"}},
		{Kind: Timeouts, Port: "a/b", Time: 20 * us, Felt: []Felt{{"pause", 20 * us}}, Faults: []string{"faults[1]", "faults[0]"}},
		{Kind: Compute, Time: 5 * us, Felt: []Felt{{"compute", 5 * us}}}}}
	lone := &d.Blames[0]
	if d.Attributed(lone) != 30*us || d.Attributed(&d.Blames[2]) != 5*us || len(d.FeltWith(lone)) != 2 || d.Odd(lone) {
		t.Errorf("without findings: %v and %v", d.Attributed(lone), d.FeltWith(lone))
	}
	d.Findings = []Finding{of(noun.WrongOrder, 50*us), of(noun.WrongThreshold, 30*us, 0, 1), of(noun.ComputeBound, 40*us, 2)}
	d.Findings[1].By = OddXOFF
	var order []string
	for _, f := range d.ByTime() {
		order = append(order, string(f.Noun))
	}
	if got := strings.Join(order, ", "); got != "compute-bound, wrong threshold" {
		t.Errorf("by time: %s", got)
	}
	if got := fmt.Sprint(d.FeltWith(lone)); got != fmt.Sprint([]Felt{{"pause", 23 * us}, {"queueing", 7 * us}}) {
		t.Errorf("felt as %s", got)
	}
	if d.Attributed(&d.Blames[2]) != 40*us || !d.Odd(lone) || d.Odd(&d.Blames[2]) || d.Main() != lone || lone.Noun() != noun.SharedLink {
		t.Errorf("%v of %+v", d.Attributed(&d.Blames[2]), d.Main())
	}
	if d.NameFaults(); !slices.Equal(d.Findings[1].Faults, []string{"faults[0]", "faults[1]"}) || d.Findings[2].Faults != nil {
		t.Errorf("faults %v and %v", d.Findings[1].Faults, d.Findings[2].Faults)
	}
}

// A diagnosis of a file whose parts do not fit is refused.
func TestChecksOfAFile(t *testing.T) {
	rank := int32(3)
	for _, c := range []struct {
		d    Diagnosis
		want string
	}{
		{Diagnosis{}, "<nil>"},
		{Diagnosis{Blames: []Blame{{Kind: SlowRank, Rank: &rank}}, Findings: []Finding{of(noun.Straggler, us, 0)}}, "<nil>"},
		{Diagnosis{Blames: []Blame{{Kind: Compute}, {Kind: SlowRank}}}, `blames[1] is "slow rank" and has no rank`},
		{Diagnosis{Blames: []Blame{{Kind: Broken}}}, "has no rank, want the one that it is about"},
		{Diagnosis{Findings: []Finding{of(noun.Straggler, us, 0)}}, "findings[0].blames[0] is 0, and there are no blames"},
		{Diagnosis{Blames: make([]Blame, 2), Findings: []Finding{of(noun.Straggler, us, 1, 2)}}, "findings[0].blames[1] is 2, want 0 to 1"},
		{Diagnosis{Blames: make([]Blame, 2), Findings: []Finding{of(noun.Straggler, us, -1)}}, "findings[0].blames[0] is -1"},
	} {
		if got := fmt.Sprint(c.d.Check()); !strings.HasPrefix(got, c.want) && !strings.HasSuffix(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Both directions of a link are one link, the second between two nodes another one; and so inside a host.
func TestEndsOfLinks(t *testing.T) {
	for _, c := range []struct {
		port, link string
		same       bool
	}{{"a/b", "a/b", true}, {"b/a", "a/b", true}, {"b/a#1", "a/b#1", true}, {"b/a", "a/b#1", false}, {"b/a#2", "a/b#1", false},
		{"a/c", "a/b", false}} {
		if OnLink(c.port, c.link) != c.same {
			t.Errorf("%s is an end of %s: %v", c.port, c.link, !c.same)
		}
	}
	if !InHost("host1/CPU0/PCIe1", "PCIe1/CPU0") || InHost("host1/CPU0/PCIe1", "PCIe2/CPU0") || InHost("host1", "host1") {
		t.Error("links inside a host")
	}
	if !sameInHost("h/a/b", "h/b/a") || sameInHost("h/a/b", "g/b/a") || sameInHost("h/a/b", "h/a/c") {
		t.Error("directions of a link inside a host")
	}
	for kind, want := range map[Kind]bool{RetryExceeded: true, JobWatchdog: true, Broken: true, Checkpoints: false, Steps: false} {
		if kind.Aborts() != want {
			t.Errorf("%s aborts: %v", kind, !want)
		}
	}
}

// Frames that were lost have a place and a name; alike are those of one place, one name and one setting.
func TestLossesInWords(t *testing.T) {
	lossy, odd := &Port{Name: "a/b"}, &Port{Name: "a/b", Odd: []string{OddMTU}}
	plainLoss, oddLoss := NewLoss(Lost{LossyLink, 1200}, lossy), NewLoss(Lost{LossyLink, 3}, odd)
	if got := plainLoss.String(); got != "a/b lost 1,200 of its frames: lossy link" {
		t.Error(got)
	}
	if got := oddLoss.String(); got != "a/b lost 3 of its frames: lossy link (MTU)" {
		t.Error(got)
	}
	cut := NewLoss(Lost{LossyLink, 3}, &Port{Name: "a/b", Cut: us})
	threshold := NewLoss(Lost{FullBuffer, 3}, &Port{Name: "a/b", Odd: []string{OddPFC}})
	if cut.Noun != noun.LinkDown || threshold.Noun != noun.WrongThreshold || threshold.By != OddPFC {
		t.Errorf("%v; %v", cut, threshold)
	}
	more := NewLoss(Lost{LossyLink, 7}, lossy)
	if !plainLoss.alike(more) || plainLoss.alike(oddLoss) || plainLoss.alike(cut) || plainLoss.alike(nil) || !(*Loss)(nil).alike(nil) {
		t.Error("what is alike")
	}
	if d := Lifetime(us, nil); !d.Job() || (&Diagnosis{Subject: "a step"}).Job() {
		t.Error("whose time it is")
	}
}
