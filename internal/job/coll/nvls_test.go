package coll

import (
	"math/big"
	"testing"
)

// Of an all-reduce through a switch that adds each rank's link carries (n+1)/n of the buffer each
// way, of a reduce-scatter the buffer out and a share in, of an all-gather the other way round.
func TestWhatLinksCarryThroughASwitchThatAdds(t *testing.T) {
	for _, c := range []struct {
		name    string
		out, in int64 // shares more, or fewer, than those of the buffer
	}{
		{"nvls-all-reduce", +1, +1}, {"nvls-reduce-scatter", 0, -1}, {"nvls-all-gather", -1, 0},
	} {
		for _, n := range []int{2, 3, 8, 17} {
			s := make1(t, c.name, shuffled(n, 2), 5)
			out, in := make([]*big.Rat, n), make([]*big.Rat, n)
			for r := range n {
				out[r], in[r] = new(big.Rat), new(big.Rat)
			}
			for r := range n {
				for i := range s.Len(r, 1) {
					if op := s.Op(r, 1, i); op.Kind == Send {
						o, in1 := op.Carried()
						out[r].Add(out[r], big.NewRat(o.Num, o.Den))
						in[op.Peer].Add(in[op.Peer], big.NewRat(in1.Num, in1.Den))
					}
				}
			}
			want := func(more int64) *big.Rat {
				shares := int64(n) + more
				if more < 0 {
					shares = 1
				}
				return big.NewRat(5*shares, 1)
			}
			for r := range n {
				if out[r].Cmp(want(c.out)) != 0 || in[r].Cmp(want(c.in)) != 0 {
					t.Errorf("%s, rank %d of %d: %v chunks out and %v in, want %v and %v", c.name, r, n, out[r], in[r], want(c.out),
						want(c.in))
				}
			}
		}
	}
	if SwitchAdds(make1(t, "ring-all-reduce", identity(3, 1), 1)) {
		t.Error("a ring adds in a switch")
	}
}

// A tree whose hops take longer than a chunk is right, and sends more chunks up before the first
// comes down.
func TestLaggedTreesAreProved(t *testing.T) {
	p := proofs{}
	for n := 2; n <= 32; n++ {
		for _, lags := range [][2]int{{1, 1}, {2, 5}, {7, 3}} {
			perHost := 1
			for _, g := range []int{2, 3, 4, 8, 13} {
				if n%g == 0 {
					perHost = g
				}
			}
			s, err := Algorithms["double-tree-all-reduce"].OnHosts(shuffled(n, 2), 19, perHost)
			if err != nil {
				t.Fatal(err)
			}
			if s, err = WithLag(s, lags[0], lags[1]); err != nil {
				t.Fatal(err)
			}
			p.prove(t, s.(withGoal), "lags %v", lags)
			most := max(lags[0], lags[1])
			c, err := WithCredit(s, most)
			if err != nil {
				t.Fatal(err)
			}
			p.prove(t, c.(withGoal), "lags %v with credit", lags)
			if err := ReuseSafe(c, 1); err != nil {
				t.Fatalf("%d ranks, lags %v, run again: %v", n, lags, err)
			}
			if _, err := WithCredit(s, most-1); err == nil {
				t.Errorf("lags %v, %d slots: no error", lags, most-1)
			}
		}
	}
	ups := func(lag int) (n int) {
		s, err := WithLag(make1(t, "chain-all-reduce", identity(3, 1), 40), lag, 1)
		if err != nil {
			t.Fatal(err)
		}
		for s.Op(2, 0, n).Kind == Send {
			n++
		}
		return n
	}
	if ups(1) != 5 || ups(3) != 13 {
		t.Errorf("%d and %d chunks go up from depth 2 before one comes down, want 5 and 13", ups(1), ups(3))
	}
	if _, err := WithLag(make1(t, "chain-all-reduce", identity(3, 1), 4), 0, 1); err == nil {
		t.Error("hops of no chunk")
	}
}
