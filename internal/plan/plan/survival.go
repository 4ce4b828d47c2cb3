package plan

import (
	"slices"

	"railyard/internal/base/unit"
	"railyard/internal/job/exec"
)

// Start is when the job begins.
func (j *Job) Start() unit.Time { return unit.Time(j.Spec.Start) }

// CheckpointBytes is how much a checkpoint of the job is: the weights and what the optimiser keeps beside them, each once,
// whatever ranks they are spread over.
func (j *Job) CheckpointBytes() unit.Bytes {
	s := &j.Spec.Survival
	switch {
	case !s.Saves():
		return 0
	case s.Bytes.Set:
		return s.Bytes.Value
	case j.Model != nil:
		return 4 * unit.Bytes(j.Model.Params()) * unit.Bytes(1+len(j.Optimiser.State()))
	}
	sum := unit.Bytes(0)
	for i := range j.Spec.Replay.Buckets {
		sum += j.Spec.Replay.Buckets[i].Bytes
	}
	return sum
}

// Checkpoint is when the ranks of the job stand still to write one, and for how long: storage is shared, and all wait for
// the last of them.
func (j *Job) Checkpoint() exec.Checkpoint {
	s := &j.Spec.Survival
	c := exec.Checkpoint{Every: int64(s.Steps.Or(0))}
	if s.Storage.Set {
		c.Takes = s.Storage.Value.TransmitTime(j.CheckpointBytes())
	}
	return c
}

// Move says that a host takes the place of another.
type Move struct{ From, To int32 }

// Spares are hosts that stand by, in the order in which they take the places of others.
func (j *Job) Spares() []int32 { return slices.Clone(j.spares) }

// Reconnect gives a job queue pairs for another life, with hosts in the places of others: a host whose place is taken
// stands by from then on. Ranks keep their numbers. The queue pairs follow those that there are; their numbers, and so
// their paths and random streams, are others than those of the life before. It returns the first.
func (p *Plan) Reconnect(j *Job, moves []Move) (first int32, err error) {
	p.progress = func(int, int) error { return nil }
	defer func() { p.progress = nil }()
	j.Placement.Ranks = slices.Clone(j.Placement.Ranks)
	for _, m := range moves {
		for i := range j.Placement.Ranks {
			if at := &j.Placement.Ranks[i]; at.Host == m.From {
				at.Host = m.To
			}
		}
		j.spares[slices.Index(j.spares, m.To)] = m.From
	}
	first = int32(len(p.Pairs))
	links := j.Links
	j.Links, j.linkOf = nil, map[exec.Way]int32{}
	for _, l := range links {
		if err := p.connect(j, l.Way, p.group(j, &j.Work.Groups[l.Group]).rails); err != nil {
			return 0, err
		}
	}
	return first, nil
}
