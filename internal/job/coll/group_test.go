package coll

import (
	"fmt"
)

// Group is a schedule as a group of a job's ranks runs it.
type Group struct {
	Schedule
	ranks   int     // of the job
	members []int32 // [rank of the schedule] -> rank of the job
	index   []int32 // [rank of the job] -> rank of the schedule, -1 none
}

// Within returns a schedule as a group of a job's ranks runs it: member i does
// what rank i of s does, and names the members as its peers; the other ranks of
// the job do nothing. Chunks keep their numbers. members are distinct ranks of a
// job of so many.
func Within(s Schedule, members []int32, ranks int) (*Group, error) {
	if len(members) != s.Ranks() || ranks > maxRanks {
		return nil, fmt.Errorf("%s: a group of %d in a job of %d, want %d members in a job of at most %d",
			s.Name(), len(members), ranks, s.Ranks(), maxRanks)
	}
	m := &Group{Schedule: s, ranks: ranks, members: append([]int32(nil), members...), index: make([]int32, ranks)}
	for r := range m.index {
		m.index[r] = -1
	}
	for i, r := range members {
		if r < 0 || int(r) >= ranks {
			return nil, fmt.Errorf("%s: member %d is rank %d, want 0 to %d", s.Name(), i, r, ranks-1)
		}
		if m.index[r] >= 0 {
			return nil, fmt.Errorf("%s: rank %d is member %d and %d, want each once", s.Name(), r, m.index[r], i)
		}
		m.index[r] = int32(i)
	}
	return m, nil
}

// Ranks returns the number of ranks of the job.
func (m *Group) Ranks() int { return m.ranks }

// Len returns 0 for ranks that are no members.
func (m *Group) Len(rank, channel int) int {
	if m.index[rank] < 0 {
		return 0
	}
	return m.Schedule.Len(int(m.index[rank]), channel)
}

// Op returns the member's op, peers by their rank in the job.
func (m *Group) Op(rank, channel, i int) Op {
	op := m.Schedule.Op(int(m.index[rank]), channel, i)
	if op.Peer >= 0 {
		op.Peer = m.members[op.Peer]
	}
	return op
}

// Goal returns what the schedule is to achieve, for the group.
func (m *Group) Goal() Goal {
	goal, ok := GoalOf(m.Schedule)
	if !ok {
		panic("coll: " + m.Name() + " does not say what it is to achieve")
	}
	return goal.Within(m.members)
}

// Inputs returns the number of chunks of the input per channel.
func (m *Group) Inputs() int { return Inputs(m.Schedule) }

// Slices returns how many chunks in a row subdivide one part.
func (m *Group) Slices() int { return Slices(m.Schedule) }

// NeedsCredit reports whether some Send has a Window.
func (m *Group) NeedsCredit() bool { return NeedsCredit(m.Schedule) }

// SwitchAdds reports whether a switch between the members adds up and copies what they send.
func (m *Group) SwitchAdds() bool { return SwitchAdds(m.Schedule) }
