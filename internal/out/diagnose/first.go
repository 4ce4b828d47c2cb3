package diagnose

import (
	"cmp"
	"slices"
	"strings"

	"railyard/internal/base/unit"
)

// A reason is said first if it is at least this part of the whole; what is broken, from half of that on: it can be mended.
const worthSaying, worthMending = 0.1, 0.05

// useful is how many times larger than any overhead the work itself has to be, to be called the
// reason.
const useful = 4

// work reports whether the kind is what the time is for: arithmetic, bits at the speed of the
// link, steps.
func (k Kind) work() bool { return k == Compute || k == LinkSpeed || k == Steps }

// Aborts reports whether the kind is an abort of the job.
func (k Kind) Aborts() bool { return k == RetryExceeded || k == JobWatchdog || k == Broken }

// Main returns the blame to name first, nil if there is none: the largest that is not the work
// itself, unless that outweighs it by far. A tenth of a job is worth to be named whatever its steps took.
func (d *Diagnosis) Main() *Blame {
	for i := range d.Findings {
		if of := d.Findings[i].Blames; len(of) > 0 { // of how a job is laid out there is no blame
			return &d.Blames[of[0]]
		}
	}
	var work, lost *Blame
	for i := range d.Blames {
		b := &d.Blames[i]
		switch {
		case b.Kind.work() && work == nil:
			work = b
		case !b.Kind.work() && lost == nil:
			lost = b
		}
	}
	switch {
	case lost == nil:
		return work
	case work != nil && (d.Share(lost) < worthSaying || work.Kind != Steps && lost.Time*useful < work.Time):
		return work
	}
	return lost
}

// ByTime lists the findings that blames are in, largest first.
func (d *Diagnosis) ByTime() (all []*Finding) {
	for i := range d.Findings {
		if len(d.Findings[i].Blames) > 0 {
			all = append(all, &d.Findings[i])
		}
	}
	slices.SortStableFunc(all, func(a, b *Finding) int { return cmp.Compare(b.Time, a.Time) })
	return all
}

// Find returns the blame of a kind at a port, nil if there is none. Port "" stands for any.
func (d *Diagnosis) Find(k Kind, port string) *Blame {
	for i := range d.Blames {
		if b := &d.Blames[i]; b.Kind == k && (port == "" || b.Port == port) {
			return b
		}
	}
	return nil
}

// Finding returns the finding that a blame is part of, nil if the diagnosis names none.
func (d *Diagnosis) Finding(b *Blame) *Finding {
	for i := range d.Findings {
		if slices.ContainsFunc(d.Findings[i].Blames, func(k int) bool { return b == &d.Blames[k] }) {
			return &d.Findings[i]
		}
	}
	return nil
}

// Odd reports whether a blame's finding is called after a setting of which others like its port have another value.
func (d *Diagnosis) Odd(b *Blame) bool {
	f := d.Finding(b)
	return f != nil && slices.Contains(odd, f.By)
}

// FeltWith returns in which causes the time of a blame's finding passed, largest first; of a blame without one, its own.
func (d *Diagnosis) FeltWith(b *Blame) []Felt {
	f := d.Finding(b)
	if f == nil {
		return b.Felt
	}
	var sum Blame
	for _, i := range f.Blames {
		for _, x := range d.Blames[i].Felt {
			sum.feel(x)
		}
	}
	slices.SortStableFunc(sum.Felt, func(x, y Felt) int { return cmp.Compare(y.Time, x.Time) })
	return sum.Felt
}

// Attributed is the time that goes with a blame: that of its finding; of a diagnosis without findings, of a port in the
// way everything that was lost there, whatever the mechanism, else the blame's own.
func (d *Diagnosis) Attributed(b *Blame) unit.Duration {
	if f := d.Finding(b); f != nil {
		return f.Time
	}
	if b.Port == "" || !b.Kind.Congestion() {
		return b.Time
	}
	var t unit.Duration
	for i := range d.Blames {
		if o := &d.Blames[i]; o.Port == b.Port && o.Kind.Congestion() {
			t += o.Time
		}
	}
	return t
}

// OnLink reports whether a port is an end of a link that is named by one of its ports.
func OnLink(port, link string) bool {
	if port == link {
		return true
	}
	name, number, _ := strings.Cut(link, "#")
	a, b, _ := strings.Cut(name, "/")
	back := b + "/" + a
	if number != "" {
		back += "#" + number
	}
	return port == back
}

// InHost reports whether a place is a link inside some host, in either direction: host1/CPU0/PCIe1.
func InHost(place, link string) bool {
	_, inside, ok := strings.Cut(place, "/")
	return ok && OnLink(inside, link)
}

// sameInHost reports whether two places are the directions of one link inside one host.
func sameInHost(a, b string) bool {
	host, link, ok := strings.Cut(a, "/")
	other, back, _ := strings.Cut(b, "/")
	return ok && host == other && OnLink(link, back)
}
