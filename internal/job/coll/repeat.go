package coll

import "fmt"

// WithCredit returns a schedule whose messages take so many staging slots per link in turn.
func WithCredit(s Schedule, slots int) (Schedule, error) {
	switch s := s.(type) {
	case *Ring:
		c, err := s.Credited(slots)
		return schedule(c, err)
	case *Tree:
		c, err := s.Credited(slots)
		return schedule(c, err)
	case *Direct:
		c, err := s.Credited(slots)
		return schedule(c, err)
	case *Dissemination:
		c, err := s.Credited(slots)
		return schedule(c, err)
	}
	// A recursive halving sends all of an exchange before it receives: with fewer slots than that both
	// ranks would wait for the other's credit. The three rings of a hierarchical one share links.
	return nil, fmt.Errorf("%s: %d slots with credit, want a ring, chain, tree, direct algorithm or barrier: others have "+
		"a slot for each message", s.Name(), slots)
}

// WithLag returns a schedule for hops that take as long as so many chunks, inside a host and between
// hosts, where that makes a difference: see Tree.Lagged.
func WithLag(s Schedule, inside, between int) (Schedule, error) {
	switch t := s.(type) {
	case *Tree:
		l, err := t.Lagged(inside, between)
		return schedule(l, err)
	case *NVLSTree:
		l, err := t.Lagged(between)
		return schedule(l, err)
	}
	return s, nil
}

// Repeats says, as ReuseSafe does, whether a schedule may run again and again with so many staging
// areas in alternation. Of the schedules made here it knows it, as doc.go says and the tests prove;
// full says that no chunk is empty.
func Repeats(s Schedule, stagings int, full bool) error {
	goal, ok := GoalOf(s)
	if !ok {
		if err := ReuseSafe(s, stagings); err != nil || full {
			return err
		}
		if Check(s, Goal{Collective: AllReduce}) != nil {
			return fmt.Errorf("%s: some of its %d chunks are empty, and ranks that exchange nothing do not wait for "+
				"each other: want an element for each", s.Name(), s.Channels()*s.Chunks())
		}
		return nil
	}
	if NeedsCredit(s) || s.Ranks() == 1 {
		return nil
	}
	switch goal.Collective {
	case AllReduce: // whoever ends has heard of every rank, by whatever chunk has elements
		return nil
	case ReduceScatter, AllGather, AllToAll, Barrier:
		if stagings < 2 {
			return fmt.Errorf("%s: a rank may be one run ahead of another, want 2 staging areas or slots with credit", s.Name())
		}
		if !full {
			return fmt.Errorf("%s: some chunks are empty, and ranks that exchange nothing do not wait for each other: "+
				"want an element for each, or slots with credit", s.Name())
		}
		return nil
	}
	return fmt.Errorf("%s: who sends does not learn who has read, so a rank may be any number of runs ahead: "+
		"want slots with credit", s.Name())
}
