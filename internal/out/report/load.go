package report

import (
	"errors"
	"fmt"
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// Data is what the report takes from a run directory: bounded, whatever the run's length.
type Data struct {
	Path      string
	Summary   *result.Summary
	Notes     []string // what is wrong with the directory, a sentence each
	Settings  Settings
	WhatIf    *result.WhatIf        // nil: nobody has asked yet
	Steps     *StepStats            // nil: no training steps
	Timeline  []result.OperationRow // of the median step
	Inside    *result.Inside        // of a network that was looked into; nil: none was
	Gradients []BackThroughTime     // of recurrent layers; none: the run has no such table
	Experts   []ExpertLoad          // of layers with experts; none: the run has no such table
	Computing *Computing            // of all ranks in the first steps; nil: operations were not read
	StepPath  *StepPath             // nil: no critical path was kept
	Flows     *FlowStats            // nil: no flows table
	Links     []result.LinkRow
	Queue     *QueueSeries // the deepest; nil: none held anything
	QueueMap  *QueueMap    // nil with Queue
	Log       *LogStats    // nil: the run logged nothing
	End       unit.Time    // of the run, or the last time that a table mentions
	Jobs      []*Data      // of several jobs: the run as each of them alone

	job     string // whose rows are read; "": everybody's
	damaged bool   // tables are read, too, that are not those that the run wrote
}

// Load reads a run directory. Of a run that never ended, or of another version of
// the format, it reads what can be read and says in Notes what could not.
func Load(path string) (*Data, error) { return loadRun(path, false) }

// LoadDamaged is Load, but reads tables, too, that are not those that the run wrote.
func LoadDamaged(path string) (*Data, error) { return loadRun(path, true) }

func loadRun(path string, damaged bool) (*Data, error) {
	run, err := result.OpenIncomplete(path)
	d := &Data{Path: path}
	var other *result.VersionError
	if errors.As(err, &other) {
		var s *result.Summary
		if s, err = result.ReadSummary(path); err == nil {
			run = &result.Run{Path: path, Summary: s}
			d.note("this directory has format version %d (Railyard %s), this Railyard reads %d: what follows is what "+
				"could be read of it, and may be wrong",
				other.Format, other.Version, result.FormatVersion)
		}
	}
	if err != nil {
		return nil, err
	}
	run.Damaged = damaged
	d.Summary, d.damaged = run.Summary, damaged
	d.noteState()
	d.Settings = SettingsOf(d.Summary.Scenario)
	if d.WhatIf, err = run.WhatIf(); err != nil {
		d.note("%v", err)
	}
	d.read(run)
	for _, j := range d.perJob() {
		j.Links, j.Queue, j.QueueMap, j.damaged = d.Links, d.Queue, d.QueueMap, damaged
		j.readJob(run)
		for _, n := range j.Notes {
			if !slices.Contains(d.Notes, n) {
				d.note("%s", n)
			}
		}
	}
	return d, nil
}

// OfSummary returns the data of a run that left only its summary, and no tables.
func OfSummary(s *result.Summary) *Data {
	d := &Data{Path: s.Dir, Summary: s, Settings: SettingsOf(s.Scenario), End: s.VirtualTime}
	d.noteState()
	d.perJob()
	return d
}

// mostJobs is how many jobs are shown one by one: for each the tables are read once more.
const mostJobs = 64

// perJob makes the data of each of several jobs, without tables.
func (d *Data) perJob() []*Data {
	if n := len(d.Summary.Jobs); n > mostJobs {
		d.note("of %d jobs the first %d are shown one by one: run.json has all", n, mostJobs)
	}
	if len(d.Summary.Jobs) == 0 {
		return nil
	}
	scenario := treeOf(d.Summary.Scenario)
	for i, s := range d.Summary.EachJob(mostJobs) {
		d.Jobs = append(d.Jobs, &Data{Path: d.Path, Summary: s, Settings: settingsOfJob(scenario, i), End: d.End, job: s.Job})
	}
	for _, j := range d.Jobs {
		if d.WhatIf != nil && d.WhatIf.Job == j.job { // one of them is compared
			j.WhatIf = d.WhatIf
		}
	}
	return d.Jobs
}

// of reports whether a row of a job is one that is read.
func (d *Data) of(job string) bool { return d.job == "" || d.job == job }

// noteState says of a run that is not complete what that means for its figures.
func (d *Data) noteState() {
	switch d.Summary.State {
	case result.Running:
		d.note("this run is incomplete: it was killed or is still going, so it has no summary and its tables may not " +
			"be closed")
	case result.Interrupted:
		d.note("this run was interrupted: every figure is of the part that was run")
	case result.Unfinished:
		d.note("%s", d.Summary.Error)
	case result.Failed:
		d.note("this run failed: %s", d.Summary.Error)
	}
}

func (d *Data) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

// read goes through the tables. What a run of this kind does not write is not missed.
func (d *Data) read(run *result.Run) {
	d.End = d.Summary.VirtualTime
	if len(d.Summary.Jobs) == 0 {
		d.readRanks(run)
	}
	d.table("links", func() error { return d.readLinks(run) })
	d.readMessages(run)
	if d.Settings.Queues && d.Settings.Sample > 0 {
		d.table("queues", func() error { return d.readQueues(run) })
	}
	d.readLog(run)
}

// readJob goes through the tables that have rows of a job among several.
func (d *Data) readJob(run *result.Run) {
	d.readRanks(run)
	d.readMessages(run)
}

// readRanks reads what ranks did.
func (d *Data) readRanks(run *result.Run) {
	if d.Summary.StepsPlanned > 0 || d.Summary.Steps > 0 || d.Settings.Training {
		d.table("steps", func() error { return d.readSteps(run) })
	}
	if d.Settings.Training && d.Settings.Gradients {
		d.table("gradients", func() error { return d.readGradients(run) })
	}
	if d.Settings.Training && d.Settings.Experts && run.Parts("experts") > 0 {
		d.table("experts", func() error { return d.readExperts(run) })
	}
	if d.Settings.Training {
		d.table("inside", func() (err error) {
			d.Inside, err = run.Inside(d.job)
			return err
		})
	}
	if d.Steps != nil && d.Settings.Operations {
		if slices.Contains(run.Tables(), "paths") {
			d.table("paths", func() error { return d.readPath(run) })
		}
		d.table("operations", func() error { return d.readTimeline(run) })
	}
}

// readMessages reads what was sent, and what held it up.
func (d *Data) readMessages(run *result.Run) {
	if !d.Settings.Flows {
		return
	}
	d.table("flows", func() error { return d.readFlows(run) })
	if d.Flows != nil && slices.Contains(run.Tables(), "hops") {
		d.table("hops", func() error { return d.readHops(run) })
	}
}

// table runs a reader and turns its failure into a note: the rest is shown all the same.
func (d *Data) table(name string, read func() error) {
	if err := read(); err != nil {
		d.note("%v", err)
	}
}

func (d *Data) readLinks(run *result.Run) error {
	for row, err := range run.Links() {
		if err != nil {
			return err
		}
		if err := tooMany(len(d.Links), "ports"); err != nil {
			return fmt.Errorf("table links: %w", err)
		}
		d.Links = append(d.Links, row)
	}
	return nil
}

// maxHeld bounds the rows that are kept of a table: enough for each port of the largest networks,
// or for one rank's operations of one step. A report does not show the rows beyond it.
const maxHeld = 1 << 21

func tooMany(n int, things string) error {
	if n < maxHeld {
		return nil
	}
	return fmt.Errorf("has more than %s %s, too many for a report", unit.Count(maxHeld), things)
}

// readTimeline keeps the operations of the median step and of the one with the path, and how much
// all ranks computed in the first steps.
func (d *Data) readTimeline(run *result.Run) error {
	d.Computing = newComputing(d.Steps, d.Summary.From)
	for row, err := range run.Operations() {
		if err != nil {
			d.Computing = nil
			return err
		}
		if err := tooMany(len(d.Timeline), "operations in a step"); err != nil {
			d.Timeline = nil
			return fmt.Errorf("table operations: %w", err)
		}
		if !d.of(row.Job) {
			continue
		}
		d.Computing.add(&row)
		if int(row.Step) == d.Steps.Median {
			if len(d.Timeline) > 0 && d.life(row.Start) > d.life(d.Timeline[0].Start) {
				d.Timeline = d.Timeline[:0] // the step was lost, and is run again
			}
			d.Timeline = append(d.Timeline, row)
		}
		if p := d.StepPath; p != nil && row.Step == p.Step && d.life(row.Start) == d.life(p.From()) && len(p.Ops) < maxHeld {
			p.Ops = append(p.Ops, row)
		}
	}
	return nil
}
