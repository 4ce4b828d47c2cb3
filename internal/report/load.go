package report

import (
	"errors"
	"fmt"
	"slices"

	"railyard/internal/result"
	"railyard/internal/unit"
)

// Data is what the report takes from a run directory: bounded, whatever the run's length.
type Data struct {
	Path     string
	Summary  *result.Summary
	Notes    []string // what is wrong with the directory, a sentence each
	Settings Settings
	WhatIf   *result.WhatIf        // nil: nobody has asked yet
	Steps    *StepStats            // nil: no training steps
	Timeline []result.OperationRow // of the median step
	StepPath *StepPath             // nil: no critical path was kept
	Flows    *FlowStats            // nil: no flows table
	Links    []result.LinkRow
	Queue    *QueueSeries // the deepest; nil: none held anything
	QueueMap *QueueMap    // nil with Queue
	End      unit.Time    // of the run, or the last time that a table mentions

	damaged bool // tables are read, too, that are not those that the run wrote
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
	return d, nil
}

// OfSummary returns the data of a run that left only its summary, and no tables.
func OfSummary(s *result.Summary) *Data {
	d := &Data{Path: s.Dir, Summary: s, Settings: SettingsOf(s.Scenario), End: s.VirtualTime}
	d.noteState()
	return d
}

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
	training := d.Summary.StepsPlanned > 0 || d.Summary.Steps > 0 || d.Settings.Training
	d.End = d.Summary.VirtualTime
	if training {
		d.table("steps", func() error { return d.readSteps(run) })
	}
	if d.Steps != nil && d.Settings.Operations {
		if slices.Contains(run.Tables(), "paths") {
			d.table("paths", func() error { return d.readPath(run) })
		}
		d.table("operations", func() error { return d.readTimeline(run) })
	}
	d.table("links", func() error { return d.readLinks(run) })
	if d.Settings.Flows {
		d.table("flows", func() error { return d.readFlows(run) })
		if d.Flows != nil && slices.Contains(run.Tables(), "hops") {
			d.table("hops", func() error { return d.readHops(run) })
		}
	}
	if d.Settings.Queues && d.Settings.Sample > 0 {
		d.table("queues", func() error { return d.readQueues(run) })
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

// readTimeline keeps the operations of the median step and of the one with the path.
func (d *Data) readTimeline(run *result.Run) error {
	for row, err := range run.Operations() {
		if err != nil {
			return err
		}
		if err := tooMany(len(d.Timeline), "operations in a step"); err != nil {
			d.Timeline = nil
			return fmt.Errorf("table operations: %w", err)
		}
		if int(row.Step) == d.Steps.Median {
			d.Timeline = append(d.Timeline, row)
		}
		if d.StepPath != nil && row.Step == d.StepPath.Step && len(d.StepPath.Ops) < maxHeld {
			d.StepPath.Ops = append(d.StepPath.Ops, row)
		}
	}
	return nil
}
