package workload

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Broadcast gives a training a start phase in which, in each data-parallel group, the first rank
// sends its parameters to the others. schedule makes a group's broadcast of so many bytes from its first rank. Where
// there is one replica there is no group, and nothing to send. With ZeroParameters no rank ever has
// them whole: each begins with its shard.
//
// torch.nn.parallel.DistributedDataParallel does so when a model is wrapped (Li et al., "PyTorch
// Distributed", VLDB 2020, section 3.1: replicas start from the same state).
func (j *Job) Broadcast(schedule func(*Group, unit.Bytes) (coll.Schedule, error)) error {
	t := j.Training
	if t.Layout.Zero >= ZeroParameters {
		return nil
	}
	for id := range j.Groups {
		g := &j.Groups[id]
		if g.Kind != GroupKindData {
			continue
		}
		at := t.Layout.Coord(int(g.Ranks[0]))
		st := &t.Stages[at.Stage]
		whole := Range{Buffer: st.Parameters, Elems: j.Buffers[st.Parameters].Elems}
		s, err := schedule(g, unit.Bytes(whole.Elems*j.Buffers[whole.Buffer].ElemBytes))
		if err != nil {
			return err
		}
		if goal, ok := coll.GoalOf(s); !ok || goal.Collective != coll.BroadcastFrom || goal.Root != 0 {
			return fmt.Errorf("the start of group %q runs %s, want a broadcast from its first rank", g.Name, s.Name())
		}
		for n, of := range j.broadcasts(g, st, whole) {
			name := "broadcast" + t.Layout.suffix(at, false)
			if of != whole {
				name += fmt.Sprintf(".%s%d", g.Name[len(GroupKindData):], n+1)
			}
			j.Collectives = append(j.Collectives, Collective{Name: name, Group: int32(id), Once: true, Range: of,
				ElemBytes: j.Buffers[whole.Buffer].ElemBytes, Schedule: s})
			j.broadcast(int32(len(j.Collectives) - 1))
		}
	}
	return j.Validate()
}

// broadcasts are the ranges of the parameters that a group has alike: all, or where experts are spread those of experts or
// the others.
func (j *Job) broadcasts(g *Group, st *Stage, whole Range) (all []Range) {
	l := j.Training.Layout
	if l.EP == 1 {
		return []Range{whole}
	}
	for _, k := range st.Buckets {
		if k.Own == (len(g.Ranks) < l.DP) {
			all = append(all, Range{whole.Buffer, k.Offset, k.Elems})
		}
	}
	return all
}

// broadcast makes the ranks of a collective's group run it in their start phases.
func (j *Job) broadcast(id int32) {
	done := map[int32]bool{}
	for _, r := range j.Groups[j.Collectives[id].Group].Ranks {
		if p := j.Of[r]; !done[p] {
			done[p] = true
			j.Programs[p].broadcast(&j.Collectives[id], id)
		}
	}
}

// broadcast appends a broadcast to the start phase. It writes what it names on every rank but the
// first, which only reads it.
func (p *Program) broadcast(c *Collective, id int32) {
	stream := int32(-1)
	for s := range p.Streams {
		if p.Streams[s].Group == c.Group {
			stream = int32(s)
		}
	}
	launch := p.Device.LaunchTime()
	p.Start = append(p.Start, Op{ID: int32(len(p.Start)), Name: c.Name, Kind: Communication, Stream: stream,
		Duration: launch, Launch: launch, Body: -1, Coll: id, Reads: []Range{c.Range}, Writes: []Range{c.Range}})
}

// StartRange returns which range a rank has from its start phase alone, because a broadcast of its
// group fills it: none of the first rank of the group.
func (j *Job) StartRange(rank int32) (filled []Range) {
	for _, op := range j.Program(rank).Start {
		if op.Kind != Communication {
			continue
		}
		if c := &j.Collectives[op.Coll]; j.Groups[c.Group].Ranks[0] != rank {
			filled = append(filled, c.Range)
		}
	}
	return filled
}
