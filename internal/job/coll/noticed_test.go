package coll

import (
	"slices"
	"testing"
)

// A placement's rooted collectives are those in which one rank is not as the others.
func TestRootedCollectives(t *testing.T) {
	var rooted []string
	for c := range collectives {
		if c.Rooted() {
			rooted = append(rooted, c.String())
		}
	}
	if want := []string{"broadcast", "reduce", "gather", "scatter"}; !slices.Equal(rooted, want) {
		t.Errorf("rooted are %v, want %v", rooted, want)
	}
}

func TestContributorsAreCounted(t *testing.T) {
	for n, c := range []Contributors{0, 4, 5, 1<<31 | 3} {
		if c.Count() != n {
			t.Errorf("%s: %d, want %d", c, c.Count(), n)
		}
	}
}

// A group waits for credits where its schedule does.
func TestAGroupIsItsSchedule(t *testing.T) {
	ring, _ := RingAllReduce(identity(4, 1))
	few, err := ring.Credited(2)
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[*Ring]bool{ring: false, few: true} {
		g, err := Within(s, []int32{1, 3, 5, 7}, 8)
		if err != nil {
			t.Fatal(err)
		}
		if NeedsCredit(g) != want || NeedsCredit(s) != want {
			t.Errorf("the group of a ring that needs credit %v: %v", want, NeedsCredit(g))
		}
	}
}

// Who is asked for no number of pieces cuts as NCCL does: trees and chains pipeline, what sends to
// all at once does not.
func TestPiecesUnlessAsked(t *testing.T) {
	for name, want := range map[string]int{"direct-all-to-all": 1, "ring-all-reduce": 1, "tree-broadcast": 8} {
		if got := Algorithms[name].Pipeline; got != want {
			t.Errorf("%s: %d pieces, want %d", name, got, want)
		}
	}
}

// Where one rank alone receives from the root there is one link's room, and schedules that send a whole exchange before they
// receive take no credit.
func TestRoomOfALink(t *testing.T) {
	two, _ := DirectScatter(identity(2, 1), 3)
	eight, _ := DirectScatter(identity(8, 1), 3)
	one, _ := DirectScatter(identity(1, 1), 3)
	if two.Slots() == 0 || eight.Slots() != two.Slots() || one.Slots() != 0 {
		t.Errorf("scatter over 1, 2 and 8 ranks: %d, %d, %d slots", one.Slots(), two.Slots(), eight.Slots())
	}
	halving, _ := HalvingDoublingAllReduce(identity(8, 1))
	if _, err := WithCredit(halving, 2); err == nil {
		t.Error("a recursive halving takes two slots in turn")
	}
}
