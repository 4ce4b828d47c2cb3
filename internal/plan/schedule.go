package plan

import (
	"fmt"

	"railyard/internal/coll"
	"railyard/internal/unit"
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

// wrong is what is wrong with a field of the job.
func (j *Job) wrong(key string, err error) error { return &FieldError{j.Spec.Path() + "." + key, err} }

// planSchedule makes or parses the schedule that sums gradients.
func (p *Plan) planSchedule(j *Job) (err error) {
	c := j.Spec.Collective
	if c.Schedule.Set {
		s, err := parseSchedule(j, p.files.of(j).Schedule)
		j.Schedule = s
		if err != nil {
			return j.wrong("collective.schedule", err)
		}
		if err := j.oneSwitch(j.Schedule); err != nil {
			return j.wrong("collective.schedule", fmt.Errorf("%s: %w", c.Schedule.Value, err))
		}
		if coll.NeedsCredit(j.Schedule) && p.Scenario.Fabric.QoS.Classes == "data" {
			return j.wrong("collective.schedule", fmt.Errorf("%s: it needs credits, which go with CNPs, but "+
				"fabric.qos.classes is data: there is no class for them", c.Schedule.Value))
		}
		return nil
	}
	j.Rings = coll.Rings(j.Placement, c.Channels)
	a := coll.Algorithms[c.Algorithm+"-all-reduce"]
	// One schedule serves all buckets: it is cut for all parameters together.
	_, by := p.messages(j, coll.AllReduce, c.Algorithm, c.Protocol, c.Channels, unit.Bytes(4*j.Model.Params()))
	var key string
	if j.Schedule, key, err = p.schedule(j, a, c.Channels, by); err != nil {
		if key == "algorithm" && c.Slices.Set {
			key = "slices"
		}
		return j.wrong("collective."+key, err)
	}
	return nil
}

// parseSchedule reads an all-reduce from a file's text and proves that it is one, over the ranks and
// channels of the job.
func parseSchedule(j *Job, src []byte) (*coll.Table, error) {
	path, ranks, channels := j.Spec.Collective.Schedule.Value, j.Ranks(), j.Spec.Collective.Channels
	s, err := coll.ParseText(path, src)
	if err != nil {
		return nil, err
	}
	if s.Ranks() != ranks {
		return nil, fmt.Errorf("%s: its ranks are %d, want %d as the job has", path, s.Ranks(), ranks)
	}
	if s.Channels() != channels {
		return nil, fmt.Errorf("%s: its channels are %d, want %d: give %s.collective.channels: %d, "+
			"or another schedule", path, s.Channels(), channels, j.Spec.Path(), s.Channels())
	}
	if err := coll.Check(s, coll.Goal{Collective: coll.AllReduce}); err != nil {
		return nil, fmt.Errorf("%s: not an all-reduce:\n%w", path, err)
	}
	if err := coll.ReuseSafe(s, int(workload.Areas(s))); err != nil {
		return nil, fmt.Errorf("%s: not safe to run step after step:\n%w", path, err)
	}
	return s, nil
}
