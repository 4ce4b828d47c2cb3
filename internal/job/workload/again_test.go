package workload

import (
	"fmt"
	"testing"
)

// Of what is alike in a row the first two count, and in these, too. A letter is a collective that sends a byte, of its own group; two
// programs count together. Operations that wait for each other otherwise are not alike: here each + waits for the one before.
func TestWhatIsUnlike(t *testing.T) {
	for _, x := range []struct {
		programs []string
		want     string
	}{
		{[]string{"abc"}, "3 of 3"},
		{[]string{"abbbbcdededef"}, "9 of 13"},
		{[]string{"abbbcbbbcbbbc"}, "7 of 13"},
		{[]string{"abbbcbbbcbbbcd", "xyz"}, "11 of 17"},
		{[]string{"aaaaaaaa"}, "2 of 8"},
		{[]string{"ababacababacababac"}, "12 of 18"}, // twice abab ac
		{[]string{"abb+b+cb"}, "5 of 6"},
	} {
		j := &Job{}
		all := 0.0
		for _, letters := range x.programs {
			var p Program
			for _, c := range letters {
				if c == '+' {
					p.Ops[len(p.Ops)-1].Deps = []int32{int32(len(p.Ops) - 2)}
					continue
				}
				var coll Collective
				coll.Group, coll.Range.Elems, coll.ElemBytes = c, 1, 1
				p.Ops = append(p.Ops, Op{Coll: int32(len(j.Collectives))})
				j.Collectives = append(j.Collectives, coll)
				all++
			}
			j.Programs = append(j.Programs, p)
		}
		if got := fmt.Sprintf("%.0f of %.0f", j.Unlike()*all, all); got != x.want {
			t.Errorf("%v: %s, want %s", x.programs, got, x.want)
		}
	}
	if got := (&Job{}).Unlike(); got != 1 {
		t.Errorf("of nothing %v is unlike", got)
	}
}
