package diagnose

import (
	"cmp"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
)

// Cost is what an abort, or checkpoints, took of a job's time.
type Cost struct {
	Kind   Kind
	Port   string // whose queue pair gave up
	Lost   *Loss  // what kept it from its acknowledgements; nil: not known
	Rank   *int32 // that hung
	Faults []string
	Felt   []Felt
}

// States in which the time of a job passes that are no state of a step.
const (
	LostWork = "lost work" // since the state that the job went on from, or that is left of it
	Down     = "down"      // from an abort until ranks started again
	Starting = "start phase"
	Writing  = "checkpoint" // ranks stood still
	Working  = "steps"
)

// Job reports whether it is the time of a whole job.
func (d *Diagnosis) Job() bool { return d.Subject == wholeJob }

const wholeJob = "the job"

// Lifetime divides the whole time of a job among what cost it time, alike costs put together, and its steps.
//
// Invariant: the times of its blames sum to whole.
func Lifetime(whole unit.Duration, costs []Cost) *Diagnosis {
	d := &Diagnosis{Subject: wholeJob, Whole: whole}
	rest := whole
	add := func(c *Cost) {
		b := Blame{Kind: c.Kind, Port: c.Port, Rank: c.Rank, Faults: c.Faults}
		if c.Lost != nil {
			b.Lost = new(*c.Lost)
		}
		at := slices.IndexFunc(d.Blames, func(x Blame) bool { return x.alike(&b) })
		if at < 0 {
			at, d.Blames = len(d.Blames), append(d.Blames, b)
		} else if b.Lost != nil {
			d.Blames[at].Lost.Frames += b.Lost.Frames
		}
		for _, f := range c.Felt {
			rest -= f.Time
			d.Blames[at].feel(f)
		}
	}
	for i := range costs {
		add(&costs[i])
	}
	if rest > 0 {
		add(&Cost{Kind: Steps, Felt: []Felt{{Working, rest}}})
	}
	slices.SortStableFunc(d.Blames, func(a, b Blame) int { return cmp.Compare(b.Time, a.Time) })
	if len(d.Blames) > mostBlames {
		for _, b := range d.Blames[mostBlames:] {
			d.Rest += b.Time
		}
		d.Blames = d.Blames[:mostBlames]
	}
	d.nameAll()
	return d
}

// alike reports whether two blames are about the same thing.
func (b *Blame) alike(o *Blame) bool {
	same := (b.Rank == nil) == (o.Rank == nil) && (b.Rank == nil || *b.Rank == *o.Rank)
	return same && b.Kind == o.Kind && b.Port == o.Port && b.Lost.alike(o.Lost) && slices.Equal(b.Faults, o.Faults)
}

// feel adds time that passed in a state.
func (b *Blame) feel(f Felt) {
	b.Time += f.Time
	if i := slices.IndexFunc(b.Felt, func(x Felt) bool { return x.Cause == f.Cause }); i >= 0 {
		b.Felt[i].Time += f.Time
		return
	}
	b.Felt = append(b.Felt, f)
}

// nameAll gives each blame a finding of its own, the first of which is the one to be said first.
func (d *Diagnosis) nameAll() {
	var all []Finding
	main := d.Main()
	for i := range d.Blames {
		b := &d.Blames[i]
		if b.Kind == Steps { // what the time is for
			continue
		}
		f := Finding{Blames: []int{i}}
		f.Noun, f.Time, f.Share, f.Faults = plain[b.Kind], b.Time, d.Share(b), b.Faults
		switch {
		case b.Rank != nil:
			f.Place = noun.Place{Kind: noun.Rank, Rank: b.Rank}
		case b.Port != "":
			f.Place = noun.Place{Kind: noun.Port, Name: b.Port}
		}
		if l := b.Lost; l != nil {
			f.By, f.Place = fmt.Sprintf("%s at %s", l.Noun, l.Port), noun.Place{Kind: noun.Port, Name: l.Port}
			f.fact("frames lost", l.Port, float64(l.Frames), "")
		}
		if b == main {
			all = slices.Insert(all, 0, f)
		} else {
			all = append(all, f)
		}
	}
	if main != nil && main.Kind != Steps {
		d.Findings = all
	}
}
