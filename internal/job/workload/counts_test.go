package workload

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/job/coll"
)

// The parts of a skewed distribution are all of it, the hot one is skew times as large as each
// other.
func TestSkewed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "parts")
		elems := rapid.Int64Range(0, 1<<40).Draw(t, "elements")
		skew := rapid.Int64Range(1, 1000).Draw(t, "skew")
		hot := rapid.IntRange(0, n-1).Draw(t, "hot")
		sum, whole := int64(0), int64(n)-1+skew
		for i := range n {
			part, share := int64(skewed(elems, n, skew, hot, i)), elems/whole
			if i == hot {
				share = elems/whole*skew + elems%whole*skew/whole
			}
			if part != share && part != share+1 {
				t.Fatalf("part %d is %d, want %d or one more", i, part, share)
			}
			sum += part
		}
		if sum != elems {
			t.Fatalf("the parts are %d in all, want %d", sum, elems)
		}
	})
}

// Who is the hottest changes from step to step and with the seed, and is one for all members.
func TestSkewedCounts(t *testing.T) {
	hottest := func(d Declared, step int64, member int) (hot int) {
		for b := range 8 {
			if d(step, member, b) > d(step, member, hot) {
				hot = b
			}
		}
		return hot
	}
	d, again, other := SkewedCounts(8, 800, 3, 1), SkewedCounts(8, 800, 3, 1), SkewedCounts(8, 800, 3, 2)
	times, differ := map[int]int{}, false
	for step := range int64(200) {
		hot := hottest(d, step, 0)
		times[hot]++
		if hot != hottest(d, step, 5) || hot != hottest(again, step, 0) {
			t.Fatalf("step %d: another is the hottest for another member, or the same seed", step)
		}
		differ = differ || hot != hottest(other, step, 0)
		if d(step, 0, hot) != 240 || d(step, 0, (hot+1)%8) != 80 {
			t.Fatalf("step %d: %d and %d elements, want 240 and 80", step, d(step, 0, hot), d(step, 0, (hot+1)%8))
		}
	}
	if len(times) != 8 || !differ {
		t.Errorf("of 8 members %d are the hottest at some time; other with another seed: %v", len(times), differ)
	}
}

// Counts of one member, of 4 rows in and 6 out.
func TestCheckCounts(t *testing.T) {
	s, err := coll.PairwiseAllToAll([][]int32{{0, 1, 2}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := Collective{Name: "rows", Range: Range{Buffer: 1, Elems: 6}, Schedule: s, ElemBytes: 4}
	c = c.AtRunTime(Range{Elems: 4}, Counts{Capacity: 3, Declared: SkewedCounts(3, 3, 1, 0)})
	for _, w := range []struct {
		send, receive []int
		want          string
	}{
		{[]int{3, 1, 0}, []int{2, 1, 3}, "<nil>"},
		{[]int{0, 0, 0}, []int{0, 0, 0}, "<nil>"},
		{[]int{-1, 1, 0}, []int{2, 1, 3}, "member 1 sends -1 elements to member 0, want 0 to 3 (the capacity)"},
		{[]int{0, 1, 0}, []int{2, 1, 4}, "member 1 receives 4 elements from member 2, want 0 to 3 (the capacity)"},
		{[]int{3, 1, 1}, []int{2, 1, 3}, "member 1 sends 5 elements in all, want at most 4"},
		{[]int{0, 1, 0}, []int{3, 1, 3}, "member 1 receives 7 elements in all, want at most 6"},
		{[]int{0, 1, 0}, []int{0, 2, 0}, "member 1 sends itself 1 elements and receives 2"},
	} {
		got := "<nil>"
		if err := c.CheckCounts(1, MemberCounts{Send: w.send, Receive: w.receive}); err != nil {
			got = err.Error()
		}
		if got != w.want {
			t.Errorf("%v, %v: %s, want %s", w.send, w.receive, got, w.want)
		}
	}
	if c.SlotBytes() != 3*4 {
		t.Errorf("a slot has %d bytes, want those of the capacity: 12", c.SlotBytes())
	}
}
