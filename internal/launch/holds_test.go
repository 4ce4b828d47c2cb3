package launch

import "testing"

// Who holds up a rank is at the end of those that wait for each other, or gives no sign; of ranks in a circle each holds up all.
func TestWhoHoldsUp(t *testing.T) {
	chain := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{2, 0}}, {Rank: 2}}
	circle := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{2}}, {Rank: 2, Waits: []int32{1}}}
	quiet := []standing{{Rank: 0, Waits: []int32{1}}, {Rank: 1, Waits: []int32{0}, Quiet: true}}
	for _, c := range []struct {
		stands     []standing
		rank, want int32
	}{{chain, 0, 2}, {chain, 2, 2}, {circle, 0, 1}, {circle, 2, 2}, {quiet, 0, 1}, {chain[:1], 0, 1}} {
		if got := holdsUp(c.stands, c.rank); got != c.want {
			t.Errorf("%+v from rank %d: rank %d, want %d", c.stands, c.rank, got, c.want)
		}
	}
}
