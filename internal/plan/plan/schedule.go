package plan

import (
	"fmt"

	"railyard/internal/job/coll"
	"railyard/internal/job/workload"
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

// fileSchedule reads the schedule by which so many replicas sum gradients.
func (p *Plan) fileSchedule(j *Job, replicas int) (*coll.Table, error) {
	c := j.Spec.Collective
	s, err := parseSchedule(j, replicas, p.Files.of(j).Schedule)
	if err != nil {
		return nil, j.wrong("collective.schedule", err)
	}
	if err := p.ncclHost.oneSwitch(j.Placement, s); err != nil {
		return nil, j.wrong("collective.schedule", fmt.Errorf("%s: %w", c.Schedule.Value, err))
	}
	if coll.NeedsCredit(s) && p.Scenario.Fabric.QoS.Classes == "data" {
		return nil, j.wrong("collective.schedule", fmt.Errorf("%s: it needs credits, which go with CNPs, but "+
			"fabric.qos.classes is data: there is no class for them", c.Schedule.Value))
	}
	return s, nil
}

// parseSchedule reads an all-reduce from a file's text and proves that it is one, over the replicas
// and channels of the job.
func parseSchedule(j *Job, ranks int, src []byte) (*coll.Table, error) {
	path, channels := j.Spec.Collective.Schedule.Value, j.Spec.Collective.Channels
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
