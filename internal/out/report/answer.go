package report

import (
	"fmt"
	"slices"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// majority is the share from which one reason is said to limit a run.
const majority = 0.4

// How many culprits, other reasons and bullets an answer has at most.
const (
	shownCulprits = 3
	shownReasons  = 3
	shownBullets  = 3
)

// Answer says what limited a run: in one sentence the bottleneck, its port, its share of the time,
// what was lost against an idle network, and what a rerun without it saved, if there was one; then
// at most three things more, what matters most first. Of a run that did not come to its end the
// sentence begins with that. Every figure in it is one of the run's, and each thing is said once.
// It needs no tables: what only they tell is left out without them.
func Answer(d *Data) (sentence string, bullets []string) {
	sentence, bullets = d.answer()
	return sentence, bullets[:min(len(bullets), shownBullets)]
}

// answer is Answer with everything that there is to say.
func (d *Data) answer() (sentence string, bullets []string) {
	if len(d.Jobs) > 0 {
		return d.jobAnswers()
	}
	g := d.Summary.Diagnosis
	known := g != nil && g.Main() != nil
	of := func(g *diagnose.Diagnosis) diagnosed { return diagnosed{d, g} }
	switch life := d.lifetime(); {
	case life != nil && known:
		bullets = append([]string{"Of the steps: " + of(g).reason()}, d.bullets(g)...)
		return of(life).limit(), append(nonempty(of(life).others()), bullets...)
	case life != nil:
		return of(life).limit(), append(nonempty(of(life).others()), d.bullets(nil)...)
	case known:
		return of(g).limit(), d.bullets(g)
	}
	if sentence = d.stateOnly(); sentence == "" {
		return d.noTime(), nil
	}
	return sentence, d.bullets(nil)
}

// Lead is the blame that the sentence of Answer begins with, of several jobs that of the first; nil: it names none.
func Lead(d *Data) *diagnose.Blame {
	if len(d.Jobs) > 0 {
		return Lead(d.Jobs[0])
	}
	g := d.lifetime()
	if g == nil {
		g = d.Summary.Diagnosis
	}
	if g == nil {
		return nil
	}
	return diagnosed{d, g}.main()
}

// lifetime is where the time of a job went, if aborts or checkpoints took of it what is worth to be said first.
func (d *Data) lifetime() *diagnose.Diagnosis {
	g := d.Summary.Lifetime
	if g == nil || g.Main() == nil || g.Main().Kind == diagnose.Steps {
		return nil
	}
	return g
}

// jobAnswers is the answer of several jobs: the sentence of each, and what matters most of each
// before what is left of all.
func (d *Data) jobAnswers() (sentence string, bullets []string) {
	var sentences, most, rest []string
	for _, j := range d.Jobs {
		s, all := j.answer()
		if g := j.Summary.Diagnosis; (g == nil || g.Main() == nil) && j.lifetime() == nil {
			s = fmt.Sprintf("Job %s: %s", j.job, s)
		}
		sentences = append(sentences, s)
		quiet := j.quiet()
		for i, b := range all {
			switch {
			case b == quiet: // said once, of the network
			case i == 0:
				most = append(most, fmt.Sprintf("Job %s: %s", j.job, b))
			default:
				rest = append(rest, fmt.Sprintf("Job %s: %s", j.job, b))
			}
		}
	}
	bullets = append(most, rest...)
	if quiet := d.quiet(); quiet != "" {
		bullets = append(bullets, quiet)
	}
	return strings.Join(sentences, " "), bullets
}

// diagnosed is a run with a diagnosis: of its steps, or of all of its time.
type diagnosed struct {
	*Data
	g *diagnose.Diagnosis
}

// limit is the sentence of a run with a diagnosis.
func (d diagnosed) limit() string { return d.begin(d.reason()) }

// reason is that sentence without how the run ended: what it was called, what of the time it took, and what its cure
// saves.
func (d diagnosed) reason() string {
	free := ""
	if len(d.g.Findings) > 0 && d.g.Findings[0].Free() {
		free = d.headed(&d.g.Findings[0]) + ". Of the time: "
	}
	main := d.main()
	name, time, share := main.Noun(), main.Time, d.g.Share(main)
	lead := string(name) + ": " + d.lead(main)
	if f := d.foremost(); f != nil {
		name, time, share, lead = f.Noun, f.Time, f.Share, d.headed(f)
	}
	if name.Class() == noun.Share && share < majority {
		largest := "largest"
		if slices.ContainsFunc(d.g.Findings, func(f diagnose.Finding) bool { return f.Time > time }) {
			largest = "largest overhead" // the work itself takes longer: compute, links at their rate
		}
		lead = "no single reason; the " + largest + ": " + lead
	}
	if lead = free + lead; d.job != "" {
		lead = "job " + d.job + ": " + lead
	}
	return fmt.Sprintf("%s: %s of the %s (%s) of %s%s.", lead, time.Human(), d.g.Whole.Human(), unit.Percent(share),
		d.g.Subject, d.againstIdle(main))
}

// foremost is the finding that is said first: as reruns found what its cure saves, or else the first of the diagnosis that takes
// time; nil: there is none.
func (d diagnosed) foremost() *diagnose.Finding {
	if d.WhatIf != nil {
		if i := d.WhatIf.First(d.g.Findings); i >= 0 {
			return &d.g.Findings[i]
		}
	}
	if at := slices.IndexFunc(d.g.Findings, func(f diagnose.Finding) bool { return !f.Free() }); at >= 0 {
		return &d.g.Findings[at]
	}
	return nil
}

// main is the blame that the finding which is said first is named after.
func (d diagnosed) main() *diagnose.Blame {
	if f := d.foremost(); f != nil && len(f.Blames) > 0 {
		return &d.g.Blames[f.Blames[0]]
	}
	return d.g.Main()
}

// stateOnly is the sentence of a run without a diagnosis: in which state most of the time passed,
// which is not why. "": no time is known.
func (d *Data) stateOnly() string {
	subject, whole, all := Findings(d)
	if len(all) == 0 {
		return ""
	}
	why := "for this run has no diagnosis"
	if d.Summary.Network == result.NetworkReal {
		why = "for ranks were processes, which know of each other's messages alone"
	}
	return d.begin(fmt.Sprintf("of the %s of %s, %s passed in a state in which %s; what made it so is not known, "+
		"%s.", whole.Human(), subject, unit.Percent(all[0].Share), all[0].Cause.Meaning(), why))
}

// begin puts before a sentence how a run ended that is not complete.
func (d *Data) begin(sentence string) string {
	switch ended := d.ended(); {
	case d.Summary.State == result.Running:
		return ended + "; so far " + sentence
	case ended != "":
		return ended + "; until then " + sentence
	}
	return capital(sentence)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// nonempty is a list of s, if that says anything.
func nonempty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// againstIdle says what a better network saves: as reruns found it, or else what the diagnosis
// gives to the network's being neither idle nor whole, where that is more than the main reason.
func (d diagnosed) againstIdle(main *diagnose.Blame) string {
	if proved := d.proved(d.foremost(), main); proved != "" {
		return proved
	}
	var lost unit.Duration
	for i := range d.g.Blames {
		if b := &d.g.Blames[i]; b.Kind.Congestion() && b != main {
			lost += b.Time
		}
	}
	if unit.Share(lost, d.g.Whole) < 0.005 {
		return ""
	}
	if main.Kind.Congestion() {
		lost += main.Time
	}
	return fmt.Sprintf("; contention and faults cost %s in all", unit.Percent(unit.Share(lost, d.g.Whole)))
}

// bullets lists what the sentence does not say, what matters most first. g is nil without a
// diagnosis.
func (d *Data) bullets(g *diagnose.Diagnosis) (out []string) {
	all := []string{d.failed()}
	if g != nil {
		all = append(all, felt(g, diagnosed{d, g}.main()), diagnosed{d, g}.untraced())
	}
	all = append(all, d.advice()...)
	if g != nil {
		all = append(all, diagnosed{d, g}.others())
	}
	for _, s := range append(all, d.tail(), d.gaveUp(), d.open(), d.quiet()) {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// gaveUp says that switches which put packets in order let some pass out of order.
func (d *Data) gaveUp() string {
	x := d.Summary.Reordering
	if x == nil || x.GaveUp == 0 {
		return ""
	}
	return fmt.Sprintf("ConWeave gave up %s of moved flows that did not come within fabric.conweave.resume: what switches held for them "+
		"overtook it.", unit.CountOf(x.GaveUp, "tail"))
}

// felt says in which states the time of a congested network passed, that of a whole finding, and whose bytes it was.
func felt(g *diagnose.Diagnosis, b *diagnose.Blame) string {
	if !b.Kind.Congestion() {
		return ""
	}
	var parts, said []string
	all := g.FeltWith(b)
	for _, f := range all[:min(len(all), 3)] {
		if share := unit.Share(f.Time, g.Whole); share >= 0.005 {
			parts = append(parts, fmt.Sprintf("%s (%s)", f.Cause, unit.Percent(share)))
		}
	}
	switch {
	case len(parts) == 1 && len(all) == 1:
		said = append(said, fmt.Sprintf("Spent in: %s.", all[0].Cause))
	case len(parts) > 0:
		said = append(said, fmt.Sprintf("Spent in: %s.", strings.Join(parts, ", ")))
	}
	if s := culprits(b); s != "" {
		said = append(said, s)
	}
	return strings.Join(said, " ")
}

// culprits names whose bytes it was.
func culprits(b *diagnose.Blame) string {
	if len(b.Culprits) == 0 {
		return ""
	}
	var parts []string
	for _, c := range b.Culprits[:min(len(b.Culprits), shownCulprits)] {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Name, unit.Percent(c.Share)))
	}
	if more := len(b.Culprits) + b.Others - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("Cross traffic that waited there: %s.", strings.Join(parts, ", "))
}

// others lists further reasons of a tenth or more.
func (d diagnosed) others() string {
	var parts []string
	main, said := d.main(), d.foremost()
	for i := range d.g.Findings {
		f := &d.g.Findings[i]
		if f != said && f.Share >= 0.1 && len(parts) < shownReasons {
			parts = append(parts, fmt.Sprintf("%s (%s)", d.headed(f), unit.Percent(f.Share)))
		}
	}
	for i := range d.g.Blames {
		if len(d.g.Findings) > 0 {
			break
		}
		b := &d.g.Blames[i]
		if b != main && b.Kind != diagnose.Steps && d.g.Share(b) >= 0.1 && len(parts) < shownReasons {
			parts = append(parts, fmt.Sprintf("%s (%s)", d.lead(b), unit.Percent(d.g.Share(b))))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Other reasons: " + strings.Join(parts, "; ") + "."
}
