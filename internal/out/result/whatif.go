package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"railyard/internal/base/input"
	"railyard/internal/base/output"
	"railyard/internal/base/unit"
	"railyard/internal/out/diagnose"
	"railyard/internal/out/noun"
)

const whatIfFile = "whatif.json"

// WhatIfFormat is the version of whatif.json.
const WhatIfFormat = 1

// Kinds of change.
const (
	ChangeFlow       = "flow"       // without a flow
	ChangeFlows      = "flows"      // without a group of flows
	ChangeJob        = "job"        // without a job but the first
	ChangePFC        = "pfc"        // without PFC
	ChangeCongestion = "congestion" // without congestion control
	ChangeFault      = "fault"      // without a fault, or all
	ChangeBuffer     = "buffer"     // with buffers that are never full
	ChangeWindow     = "window"     // with an infinite window
	ChangePort       = "port"       // with a faster port
	ChangeLink       = "link"       // with a named link as the others
	ChangeRank       = "rank"       // with a slow rank as the others
	ChangeLaunch     = "launch"     // with launches that take no time
	ChangePCIe       = "pcie"       // with a link inside hosts twice as fast
	ChangeIdeal      = "ideal"      // with infinitely fast links
	ChangeCure       = "cure"       // of a mistake in the thresholds
	ChangeSurvival   = "survival"   // with patience, checkpoints, restarts, spare hosts
	ChangeTried      = "tried"      // a cure that is tried by itself: see docs/format/whatif.md
	ChangeSet        = "set"        // of a key that the user named
)

// What a WhatIf measures.
const (
	MeasureStep = "step_time" // virtual time over steps
	MeasureFCT  = "mean_fct"  // mean completion time of the job's messages
	MeasureJob  = "job_time"  // of a job that was aborted, or wrote checkpoints: from its start to its end
)

// WhatIf is whatif.json: what changes of a run's scenario save, each found by running it.
type WhatIf struct {
	State         State          `json:"state"` // complete or interrupted
	Version       string         `json:"version"`
	FormatVersion int            `json:"format_version"`
	Name          string         `json:"name"`
	Job           string         `json:"job,omitempty"` // of several, the one that is compared
	Measure       string         `json:"measure"`
	Steps         int64          `json:"steps,omitempty"` // compared; 0: a job of flows
	StepsOfRun    int64          `json:"steps_of_run,omitempty"`
	Time          unit.Duration  `json:"time_ps"` // of the run as it is, over these steps
	Median        unit.Duration  `json:"median_step_ps,omitempty"`
	Slowest       unit.Duration  `json:"slowest_fct_ps,omitempty"`
	Ended         string         `json:"ended,omitempty"` // how the run as it is ends, if it is not complete
	Changes       []WhatIfChange `json:"changes"`         // what saves most first; then what could not be told
	// Drawn: losses of the run are drawn, so chance decides on every change; Seeds are the run as it is with several seeds.
	Drawn bool         `json:"drawn,omitempty"`
	Seeds []WhatIfSeed `json:"seeds,omitempty"`
	// Untried are changes that were not run, for want of packet-hops.
	Untried []WhatIfUntried `json:"untried,omitempty"`
	// Base is what the scenario of all runs has set, the run as it is among them: of a long training, fewer steps.
	Base  []WhatIfValue  `json:"base,omitempty"`
	Parts unit.Duration  `json:"parts_save_ps"`  // sum of what the single parts save that save anything
	Whole *unit.Duration `json:"ideal_saves_ps"` // what infinitely fast links would save; null: not run
}

// WhatIfChange is one change and what it came to.
type WhatIfChange struct {
	// Kind is flow, flows, pfc, congestion, fault, buffer, window, port, link, rank, launch, ideal,
	// cure, survival, tried or set.
	Kind       string         `json:"kind"`
	Name       string         `json:"name"`              // in words: without background1
	Subject    []string       `json:"subject,omitempty"` // flows, a port, ...
	Set        []WhatIfValue  `json:"set"`
	Reason     string         `json:"reason,omitempty"` // of a cure: the mistake
	Attributed *unit.Duration `json:"attributed_ps"`    // null: the run's causes do not tell
	Before     unit.Duration  `json:"before_ps"`        // the run as it is; without a flow of the job: over the others
	Time       *unit.Duration `json:"time_ps"`          // null: it did not come to its end, see Why
	Saves      *unit.Duration `json:"saves_ps"`         // Before - Time; negative: it takes longer
	Part       *float64       `json:"saves,omitempty"`  // of Before
	Median     unit.Duration  `json:"median_step_ps,omitempty"`
	Slowest    unit.Duration  `json:"slowest_fct_ps,omitempty"`
	// Nouns are what a cure that is tried by itself may help against.
	Nouns []noun.Noun `json:"nouns,omitempty"`
	// Seeds are runs with several seeds, where chance decides, and MeanTime and MeanSaves the mean over them; Time and Saves are
	// those of the change as it stands in Set. MeanBefore is the run as it is with the same seeds, where losses are drawn.
	Seeds      []WhatIfSeed   `json:"seeds,omitempty"`
	MeanTime   *unit.Duration `json:"mean_time_ps,omitempty"`
	MeanBefore *unit.Duration `json:"mean_before_ps,omitempty"`
	MeanSaves  *unit.Duration `json:"mean_saves_ps,omitempty"`
	// Differs says why what is attributed is not what was saved, where a tenth is between them: the largest reason first. Together
	// they make up nine tenths of what is between, or are the six largest.
	Differs []WhatIfReason `json:"differs,omitempty"`
	Brings  string         `json:"brings,omitempty"` // it comes to its end, where the run as it is does not
	Why     string         `json:"why,omitempty"`    // there is no time
}

// WhatIfValue is a key of the scenario and the value that a change gives it.
type WhatIfValue struct {
	Path  string `json:"key"`
	Value string `json:"value,omitempty"`
	Gone  bool   `json:"removed,omitempty"`
}

// WhatIfSeed is a run with a seed.
type WhatIfSeed struct {
	Seed   uint64         `json:"seed"`
	Time   unit.Duration  `json:"time_ps"`
	Before *unit.Duration `json:"before_ps,omitempty"` // the run as it is with this seed, where losses are drawn
}

// WhatIfUntried is a change that was not run.
type WhatIfUntried struct {
	Name string        `json:"name"`
	Set  []WhatIfValue `json:"set"`
}

// Why what is attributed to a thing and what its removal saves differ.
const (
	ReasonRest    = "rest"    // some of it is there without the thing too: its usual part
	ReasonDivided = "divided" // others had a part in it, which goes too: two that fill a port are each to blame
	ReasonMoved   = "moved"   // the hot spot moved on: another port took its place
	ReasonOverlap = "overlap" // something else took its place, which had been hidden behind it
	ReasonPhase   = "phase"   // messages meet at other times: elsewhere time was saved, or lost, too

	// ReasonFewer: without a flow of the job the others are compared, its causes are of all. ReasonTraced: what is compared is of
	// more than what the causes are of: of steps whose path was not traced, of flows and not of messages.
	ReasonFewer  = "fewer"
	ReasonTraced = "traced"

	ReasonShown = "shown" // nothing was attributed: which causes the time went from, or to

	// ReasonEstimate: a formula's time was attributed, which knows nothing of what overlaps; the cause is what went most.
	ReasonEstimate = "estimate"
)

// WhatIfReason is a reason that the run with the change showed: what a cause of that run differs by from the same cause of the
// run as it is.
type WhatIfReason struct {
	Reason string        `json:"reason"`
	Cause  diagnose.Kind `json:"cause,omitempty"` // a kind of blame; none with ReasonFewer and ReasonTraced
	Port   string        `json:"port,omitempty"`  // of it
	Noun   noun.Noun     `json:"noun,omitempty"`  // what the cause is called there, as in the diagnosis of one of the two runs
	Before unit.Duration `json:"before_ps"`       // attributed to it in the run as it is
	After  unit.Duration `json:"after_ps"`        // and in the run with the change
	// Gives is its part of what is between saved and attributed; negative: of what was saved less.
	Gives      unit.Duration `json:"gives_ps"`
	ShareAfter float64       `json:"share_after"` // of the time in the run with the change
	// Told is what one more run says of it; nil: none was made.
	Told *WhatIfTold `json:"told,omitempty"`
}

// WhatIfTold is what one more run says of a reason: one with the change and without the reason's cause.
type WhatIfTold struct {
	Name string        `json:"name"`    // what takes the cause away
	Set  []WhatIfValue `json:"set"`     // beside the change's
	Time unit.Duration `json:"time_ps"` // of that run
	More unit.Duration `json:"more_ps"` // it saves more than the change alone: what the cause takes there
	// Holds: that is nearer to what the run with the change gives to the cause than to what the run as it is does.
	Holds bool `json:"holds"`
}

// Worth is what a change saves: the mean over seeds, where several were run. False: it is not known.
func (c *WhatIfChange) Worth() (unit.Duration, bool) {
	switch {
	case c.MeanSaves != nil:
		return *c.MeanSaves, true
	case c.Saves != nil:
		return *c.Saves, true
	}
	return 0, false
}

// Held is the time that Worth is held against: of the run as it is, with the same seeds where losses are drawn.
func (c *WhatIfChange) Held() unit.Duration {
	if c.MeanBefore != nil {
		return *c.MeanBefore
	}
	return c.Before
}

// WorthPart is Worth as a part of the time before.
func (c *WhatIfChange) WorthPart() float64 {
	switch {
	case c.MeanSaves != nil && c.Held() > 0:
		return float64(*c.MeanSaves) / float64(c.Held())
	case c.Part != nil:
		return *c.Part
	}
	return 0
}

// nearly is the part of what another change saves from which on one that can be made is printed before it.
const nearly = 0.9

// Better reports whether a change that is for a finding is to be printed rather than another, nil: there is none. It is the one
// that saves more; but what makes a port many times as fast, or takes messages of the job itself away, shows what there is to save
// and can hardly be had: it has to save more by a tenth.
func (w *WhatIf) Better(c, than *WhatIfChange) bool {
	if than == nil {
		return true
	}
	mine, other := float64(mostOf(c)), float64(mostOf(than))
	switch shows, too := w.shows(c), w.shows(than); {
	case shows && !too:
		other /= nearly
	case too && !shows:
		mine /= nearly
	}
	return mine > other
}

// shows reports whether a change shows what there is to save, and is no cure.
func (w *WhatIf) shows(c *WhatIfChange) bool {
	own := w.Measure == MeasureFCT && (c.Kind == ChangeFlow || c.Kind == ChangeFlows) && c.Before != w.Time
	return c.Kind == ChangePort || own
}

func mostOf(c *WhatIfChange) unit.Duration {
	saves, _ := c.Worth()
	return saves
}

// alike are the nouns that a kind of change is for, wherever they are.
var alike = map[string][]noun.Noun{
	ChangePFC: {noun.HOLVictim, noun.PFCDeadlock}, ChangeCongestion: {noun.ControllerUnderRun},
	ChangeBuffer: {noun.SmallBuffer}, ChangeWindow: {noun.SmallWindow}, ChangeLaunch: {noun.LaunchBound},
}

// IsFor reports whether a change may take a finding away.
func (c *WhatIfChange) IsFor(f *noun.Finding) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(c.Subject, n) })
	}
	switch c.Kind {
	case ChangeTried:
		return slices.Contains(c.Nouns, f.Noun)
	case ChangeFlow, ChangeFlows, ChangeJob:
		return has(f.Culprits...)
	case ChangeFault:
		return len(f.Faults) > 0 && (len(c.Subject) == 0 || has(f.Faults...))
	case ChangePort, ChangeLink:
		ports := append([]string{f.Place.Name}, f.Place.Ports...)
		return slices.ContainsFunc(ports, func(p string) bool {
			return p != "" && slices.ContainsFunc(c.Subject, func(l string) bool { return diagnose.OnLink(p, l) })
		})
	case ChangeRank:
		return f.Place.Rank != nil && has(fmt.Sprintf("rank %d", *f.Place.Rank))
	case ChangePCIe:
		return len(c.Subject) > 0 && diagnose.InHost(f.Place.Name, c.Subject[0])
	}
	return slices.Contains(alike[c.Kind], f.Noun)
}

// worthFirst is the part of the time that a cure must save for its finding to be said before what the diagnosis says first.
const worthFirst = 0.1

// First returns which finding is to be said first, by what curing it saves, if that is a tenth or more: of those that not every run
// has the one that saves most, or else of the others. -1: nothing that was run saves so much of any of them. What a change saves
// counts for one finding alone, the largest that it is for: it may help against another that is there too.
func (w *WhatIf) First(findings []diagnose.Finding) int {
	counts := map[int]*WhatIfChange{}
	for i := range w.Changes {
		c := &w.Changes[i]
		saves, known := c.Worth()
		k := c.largestOf(findings)
		if known && saves > 0 && k >= 0 && (counts[k] == nil || saves > mostOf(counts[k])) {
			counts[k] = c
		}
	}
	first, most, incident := -1, unit.Duration(0), false
	for i := range findings {
		f, c := &findings[i].Finding, counts[i]
		if c == nil {
			continue
		}
		if c.WorthPart() < worthFirst {
			continue
		}
		is := f.Noun.Class() != noun.Share
		if first < 0 || is && !incident || is == incident && mostOf(c) > most {
			first, most, incident = i, mostOf(c), is
		}
	}
	return first
}

// largestOf is the largest of findings that a change is for, -1: there is none. What the diagnosis says first stays so unless
// another is twice as large. A cure that is for a noun wherever it is cannot be for what has next to none of the time.
func (c *WhatIfChange) largestOf(findings []diagnose.Finding) int {
	best := -1
	for i := range findings {
		f := &findings[i].Finding
		if c.IsFor(f) && (c.Kind != ChangeTried || f.Share >= WorthCuring) &&
			(best < 0 || f.Time > findings[best].Time*unit.Duration(1+b2i(best == 0))) {
			best = i
		}
	}
	return best
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// WorthCuring is the part of the time that a finding must have for a cure of its noun to be for it.
const WorthCuring = 0.02

// Flags are those of `railyard run` that make the change: what is set first, then what is left out.
func (c *WhatIfChange) Flags() (flags []string) {
	for _, v := range c.Set {
		if v.Gone {
			flags = append(flags, "--unset", v.Path)
		} else {
			flags = append(flags, "--set", v.Path+"="+v.Value)
		}
	}
	return flags
}

// WriteWhatIf writes whatif.json into the folder of the run directory, whole or not at all.
func (r *Run) WriteWhatIf(folder *output.Folder, w *WhatIf) error {
	w.Version, w.FormatVersion = Version, WhatIfFormat
	if err := WriteJSON(folder, whatIfFile, w); err != nil {
		return fmt.Errorf("run directory %s: cannot write %s: %w", r.Path, whatIfFile, input.Cause(err))
	}
	return nil
}

// WhatIf reads whatif.json, nil if nobody has asked yet.
func (r *Run) WhatIf() (*WhatIf, error) {
	b, err := readBounded(r.Path, whatIfFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("run directory %s: %s: %w", r.Path, whatIfFile, input.Cause(err))
	}
	damaged := func(err error) error { // which may quote the file
		return fmt.Errorf("run directory %s: %s is damaged: %s", r.Path, whatIfFile, clean(err.Error()))
	}
	head, err := readHead(b)
	if err != nil {
		return nil, damaged(err)
	}
	if head.FormatVersion != WhatIfFormat {
		return nil, fmt.Errorf("run directory %s: %s has format version %d of Railyard %s, want %d: "+
			"run railyard whatif again",
			r.Path, whatIfFile, head.FormatVersion, head.Version, WhatIfFormat)
	}
	w := &WhatIf{}
	if err := json.Unmarshal(b, w); err != nil {
		return nil, damaged(err)
	}
	c := summaryCheck{signed: true}
	if err := c.value(reflect.ValueOf(w).Elem(), nil); err != nil {
		return nil, damaged(err)
	}
	return w, nil
}

// BestOfSlowest returns the change with which the slowest of all flows takes least, infinitely fast links excepted and those on which
// chance decides, nil if none takes less than as it is.
func (w *WhatIf) BestOfSlowest() (best *WhatIfChange) {
	for i := range w.Changes {
		c := &w.Changes[i]
		all := c.Kind != ChangeIdeal && (c.Kind != ChangeFlow && c.Kind != ChangeFlows || c.Before == w.Time)
		if all && len(c.Seeds) == 0 && c.Slowest > 0 && c.Slowest < w.Slowest && (best == nil || c.Slowest < best.Slowest) {
			best = c
		}
	}
	return best
}

// Best returns the change that saves most, infinitely fast links excepted, nil if none saves anything.
func (w *WhatIf) Best() *WhatIfChange {
	for i := range w.Changes { // in order of saving
		c := &w.Changes[i]
		if saves, known := c.Worth(); known && c.Kind != ChangeIdeal && saves > 0 {
			return c
		}
	}
	return nil
}
