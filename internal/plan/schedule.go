package plan

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/workload"
)

// FieldError is what is wrong with one field of a scenario, found after it was decoded.
type FieldError struct {
	Path string
	Err  error
}

// Error returns path: what is wrong.
func (e *FieldError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *FieldError) Unwrap() error { return e.Err }

// planSchedule makes or parses the schedule that sums gradients.
func (p *Plan) planSchedule() (err error) {
	c := p.Scenario.Jobs[0].Collective
	if c.Schedule.Set {
		s, err := parseSchedule(c.Schedule.Value, p.files.Schedule, len(p.Placement.Ranks), c.Channels)
		p.Schedule = s
		if err != nil {
			return &FieldError{"job.collective.schedule", err}
		}
		if coll.NeedsCredit(p.Schedule) && p.Scenario.Fabric.QoS.Classes == "data" {
			return &FieldError{"job.collective.schedule", fmt.Errorf("%s: it needs credits, which go with CNPs, but "+
				"fabric.qos.classes is data: there is no class for them", c.Schedule.Value)}
		}
		return nil
	}
	p.Rings = coll.Rings(p.Placement, c.Channels)
	a := coll.Algorithms[c.Algorithm+"-all-reduce"]
	key := "job.collective.algorithm"
	if c.Slices.Set {
		key = "job.collective.slices"
	}
	if p.Schedule, err = a.Over(p.Placement, c.Channels, c.Slices.Or(max(a.Pipeline, 1))); err != nil {
		return &FieldError{key, err}
	}
	if !c.Slots.Set {
		return nil
	}
	if p.Schedule, err = coll.WithCredit(p.Schedule, c.Slots.Value); err != nil {
		return &FieldError{"job.collective.slots", err}
	}
	return nil
}

// parseSchedule reads an all-reduce from a file's text and proves that it is one, over so many
// ranks and channels.
func parseSchedule(path string, src []byte, ranks, channels int) (*coll.Table, error) {
	s, err := coll.ParseText(path, src)
	if err != nil {
		return nil, err
	}
	if s.Ranks() != ranks {
		return nil, fmt.Errorf("%s: its ranks are %d, want %d as the job has", path, s.Ranks(), ranks)
	}
	if s.Channels() != channels {
		return nil, fmt.Errorf("%s: its channels are %d, want %d: give job.collective.channels: %d, "+
			"or another schedule", path, s.Channels(), channels, s.Channels())
	}
	if err := coll.Check(s, coll.Goal{Collective: coll.AllReduce}); err != nil {
		return nil, fmt.Errorf("%s: not an all-reduce:\n%w", path, err)
	}
	if err := coll.ReuseSafe(s, int(workload.Areas(s))); err != nil {
		return nil, fmt.Errorf("%s: not safe to run step after step:\n%w", path, err)
	}
	return s, nil
}
