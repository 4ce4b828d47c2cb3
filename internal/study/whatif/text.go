package whatif

import (
	"fmt"
	"io"
	"strings"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/out/noun"
	"railyard/internal/out/result"
)

// textColumns is how wide the text is: that of a terminal as it opens.
const textColumns = 80

// WriteText prints a what-if for a terminal of 80 columns.
func (r *Result) WriteText(w io.Writer) error {
	s := sheet.New(textColumns)
	s.Wrap("", r.head())
	if r.Drawn {
		s.Wrap("", r.drawnText())
	}
	s.Blank()
	rows := [][]string{{"change", "attributed", "time", "saves", ""}}
	for i := range r.Changes {
		rows = append(rows, r.changeRows(&r.Changes[i])...)
	}
	s.Grid("wrrrr", rows)
	s.Blank()
	for _, text := range r.foot() {
		s.Wrap("", text)
	}
	return s.Flush(w)
}

func (r *Result) head() string {
	name := r.Name
	if r.Job != "" {
		name += ", job " + r.Job
	}
	if r.Measure == result.MeasureJob {
		if r.Ended == "" {
			return fmt.Sprintf("%s: the job takes %s, with checkpoints and restarts", name, r.Time.Human())
		}
		return fmt.Sprintf("%s: %s", name, r.Ended)
	}
	if r.Measure != result.MeasureStep {
		return fmt.Sprintf("%s: the job's messages take %s in the mean (the slowest flow %s)", name,
			r.Time.Human(), r.Slowest.Human())
	}
	of := "all"
	if r.Steps < r.StepsOfRun {
		of = fmt.Sprintf("the first %s of its %s", unit.Count(r.Steps), unit.Count(r.StepsOfRun))
	} else if r.Steps > 1 {
		of = fmt.Sprintf("all %s", unit.Count(r.Steps))
	}
	return fmt.Sprintf("%s: a step takes %s, mean over %s steps (median %s)", name, r.Time.Human(), of,
		r.Median.Human())
}

// changeRows is a change with its figures, and below it what else is to be said.
func (r *Result) changeRows(c *result.WhatIfChange) [][]string {
	row := []string{c.Name, optional(c.Attributed)}
	time := c.Time
	if c.MeanTime != nil {
		time = c.MeanTime
	}
	if saves, known := c.Worth(); known {
		row = append(row, (*time).Human(), signed(saves), fmt.Sprintf("%.1f %%", 100*c.WorthPart()))
	}
	if c.Brings != "" {
		row = append(row, (*time).Human(), "", "")
	}
	rows := [][]string{row}
	for _, more := range []string{c.Brings, c.Why, c.Reason, spread(c), reasons(c.Differs), flags(c)} {
		if more != "" {
			rows = append(rows, []string{more})
		}
	}
	return rows
}

// spread says what chance makes of a change.
func spread(c *result.WhatIfChange) string {
	if len(c.Seeds) == 0 {
		return ""
	}
	text := meanOf(c.Seeds)
	if c.MeanBefore == nil {
		return text
	}
	worst, best := saved(&c.Seeds[0]), saved(&c.Seeds[0])
	for i := range c.Seeds {
		worst, best = min(worst, saved(&c.Seeds[i])), max(best, saved(&c.Seeds[i]))
	}
	if worst < 0 && best > 0 {
		return text + fmt.Sprintf("; not told from chance: with the same seeds it saves %s to %s", signed(worst), signed(best))
	}
	return text + fmt.Sprintf("; with the same seeds it saves %s to %s", signed(worst), signed(best))
}

// saved is what a change saves with a seed, where losses are drawn.
func saved(s *result.WhatIfSeed) unit.Duration { return *s.Before - s.Time }

// meanOf says over which seeds a mean is, and how far apart they are.
func meanOf(seeds []result.WhatIfSeed) string {
	least, most := seeds[0], seeds[0]
	for _, s := range seeds {
		if s.Time < least.Time {
			least = s
		}
		if s.Time > most.Time {
			most = s
		}
	}
	if least.Time == most.Time {
		return fmt.Sprintf("the same with each of %s", unit.CountOf(int64(len(seeds)), "seed"))
	}
	return fmt.Sprintf("mean of %s: %s (seed %d) to %s (seed %d)", unit.CountOf(int64(len(seeds)), "seed"), least.Time.Human(),
		least.Seed, most.Time.Human(), most.Seed)
}

// drawnText says that chance decides on all changes, and what it makes of the run as it is.
func (r *Result) drawnText() string {
	if len(r.Seeds) < 2 {
		return "Losses are drawn: with another seed the run, and each change, may take another time. " +
			"One seed was run."
	}
	var sum unit.Duration
	for i := range r.Seeds {
		sum += r.Seeds[i].Time
	}
	return fmt.Sprintf("Losses are drawn, so each change is held against the run as it is with the same seeds: %s, %s.",
		(sum / unit.Duration(len(r.Seeds))).Human(), meanOf(r.Seeds))
}

// shownTerms is how many of the reasons are printed for which a change saves more or less than what is attributed to it.
const shownTerms = 3

// reasons says why a change saves more or less than what is attributed to it, by the figures of the rerun.
func reasons(all []result.WhatIfReason) string {
	var parts []string
	for i := range all[:min(len(all), shownTerms)] {
		parts = append(parts, reason(&all[i], i > 0 && all[i].Reason == all[i-1].Reason)+told(all[i].Told))
	}
	if more := len(all) - shownTerms; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// reason is one of them; again: as the one before.
func reason(d *result.WhatIfReason, again bool) string {
	was := fmt.Sprintf("%s, was %s", d.After.Human(), d.Before.Human())
	switch d.Reason {
	case result.ReasonFewer:
		return fmt.Sprintf("without it other messages are compared: %s of it lies in that", signed(d.Gives))
	case result.ReasonTraced:
		return fmt.Sprintf("causes are of what was traced, which takes %s: %s lies beside that", was, signed(d.Gives))
	}
	at := string(d.Cause)
	if d.Noun != "" && d.Noun.Class() != noun.Share { // of what every run has a kind says more
		at = string(d.Noun)
	}
	if d.Port != "" {
		at += " at " + d.Port
	}
	text := fmt.Sprintf("%s takes %s", at, was)
	if again {
		return text
	}
	switch d.Reason {
	case result.ReasonRest:
		return "part of it stays: " + text
	case result.ReasonDivided:
		return "blame was divided: " + text
	case result.ReasonMoved:
		begins := "the hot spot moves"
		if d.Port == "" { // overtaking, a window, timers
			begins = "another cost takes its place"
		}
		return fmt.Sprintf("%s: %s, %s of the time", begins, text, unit.Percent(d.ShareAfter))
	case result.ReasonShown:
		return "what it changes: " + text
	case result.ReasonEstimate:
		return "a formula estimates: " + text
	case result.ReasonOverlap:
		return "overlap: " + text
	}
	return "messages meet at other times: " + text
}

// mostFlags is how long the flags of a change may be so that they are printed; whatif.json has them all.
const mostFlags = 90

// told is what one more run says of a reason.
func told(t *result.WhatIfTold) string {
	switch {
	case t == nil:
		return ""
	case t.Holds:
		return fmt.Sprintf(" (so it is: %s too it saves %s more)", t.Name, signed(t.More))
	}
	return fmt.Sprintf(" (not confirmed: %s too it saves %s more)", t.Name, signed(t.More))
}

// flags are those with which `railyard run` makes a change that is a cure.
func flags(c *result.WhatIfChange) string {
	if c.Kind != Tried {
		return ""
	}
	var words []string
	for _, f := range c.Flags() {
		words = append(words, shellWord(f))
	}
	if t := strings.Join(words, " "); len(t) <= mostFlags {
		return t
	}
	return ""
}

// shellWord quotes what a shell would not take as one word.
func shellWord(s string) string {
	if strings.ContainsAny(s, " []{}*?$\"'") {
		return "'" + s + "'"
	}
	return s
}

func (r *Result) foot() []string {
	text := "attributed: what the run's causes give to it; saves: what a run without it was faster by."
	if r.Whole != nil {
		text += fmt.Sprintf(" The single parts that save sum to %s; infinitely fast links would save %s: parts overlap, and "+
			"blame does not add up.", r.Parts.Human(), signed(*r.Whole))
	}
	notes := []string{text}
	if best := r.BestOfSlowest(); best != nil && r.Measure == result.MeasureFCT && r.Slowest != r.Time {
		notes = append(notes, fmt.Sprintf("The slowest flow takes least %s, of what is no matter of chance: %s instead of %s.", best.Name,
			best.Slowest.Human(), r.Slowest.Human()))
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == OneFlow && r.Measure == result.MeasureFCT && c.Before != r.Time &&
			c.Saves != nil {
			notes = append(notes, "Without a flow of the job, the others are compared.")
			break
		}
	}
	if r.Omitted > 0 {
		notes = append(notes, fmt.Sprintf("%s more were not taken away one by one: those that have least to do with what was found.",
			unit.CountOf(int64(r.Omitted), "flow")))
	}
	if len(r.Base) > 0 {
		notes = append(notes, fmt.Sprintf("All runs with --set %s=%s.", r.Base[0].Path, r.Base[0].Value))
	}
	if len(r.Untried) > 0 {
		var names []string
		for _, u := range r.Untried {
			names = append(names, u.Name)
		}
		notes = append(notes, "Not tried, for want of packet-hops (--full tries all): "+strings.Join(names, "; ")+".")
	}
	return notes
}

func optional(d *unit.Duration) string {
	if d == nil {
		return "-"
	}
	return (*d).Human()
}

func signed(d unit.Duration) string {
	if d < 0 {
		return "-" + (-d).Human()
	}
	return d.Human()
}
