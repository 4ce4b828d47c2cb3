package diagnose

import (
	"cmp"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// Add adds findings of how a job was laid out, which no blame has: their time lies in those of others, so it is an
// estimate of what another choice saves. One that is worth to be said comes first unless something that went wrong
// took more.
func (d *Diagnosis) Add(chosen ...noun.Finding) {
	for _, f := range chosen {
		if f.Time <= 0 || d.Whole == 0 {
			continue
		}
		f.Share = unit.Share(f.Time, d.Whole)
		x := Finding{Finding: f, Blames: []int{}}
		at := 0
		if len(d.Findings) > 0 {
			top := &d.Findings[0]
			before := top.Time
			switch {
			case len(top.Blames) == 0: // another choice: the one that costs more
			case (top.wrong() || len(top.Faults) > 0) && top.Share >= top.least():
				before *= useful // before how the job could be laid out, unless that costs far more
			case f.Noun.Class() == noun.Share && !d.Blames[top.Blames[0]].Kind.work(): // a bubble beside launches: what is more
			case top.Noun.Class() == noun.Share && f.Noun.Class() != noun.Share && slices.Contains(inHosts, top.Noun):
				before /= useful // a bus that takes nearly all of the time is slow, whatever goes over it
			case top.Noun.Class() == noun.Share:
				before = 0
			case top.Noun == noun.CrossRail: // where bytes wait, as measured: what is more
			case top.Noun.Class() == noun.Choice: // a window, a controller: the mechanism
				before /= useful
			}
			if f.Share < worthSaying || before >= f.Time {
				at = 1 + lower(d.Findings[1:], f.Time)
			}
		}
		d.Findings = slices.Insert(d.Findings, at, x)
	}
}

// Tell adds findings that cost no time: first, but behind something that went wrong.
func (d *Diagnosis) Tell(free ...noun.Finding) {
	for _, f := range free {
		at := 0
		if len(d.Findings) > 0 && d.Findings[0].wrong() && d.Findings[0].Share >= d.Findings[0].least() {
			at = 1
		}
		d.Findings = slices.Insert(d.Findings, at, Finding{Finding: f, Blames: []int{}})
	}
}

// inHosts are the nouns of what is slow in hosts.
var inHosts = []noun.Noun{noun.NVLinkBound, noun.PCIeBound}

// lower is where a time stands among findings in order of theirs.
func lower(all []Finding, t unit.Duration) int {
	at, _ := slices.BinarySearchFunc(all, t, func(f Finding, t unit.Duration) int { return cmp.Compare(t, f.Time) })
	return at
}
