package coll

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// letters prints a walk: what was sent, then who holds what, chunk by chunk.
func letters(rounds []Round) string {
	var b strings.Builder
	for i, r := range rounds {
		fmt.Fprintf(&b, "round %d:", i)
		for _, m := range r.Sends {
			fmt.Fprintf(&b, " %d>%d %c=%s", m.From, m.To, 'A'+m.Chunk, m.Of)
		}
		b.WriteString("\n")
		for rank, chunks := range r.Holds {
			fmt.Fprintf(&b, "  %d:", rank)
			for _, c := range chunks {
				fmt.Fprintf(&b, " %s", c)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestARingOfFourGoesRoundAsItsPictureSays(t *testing.T) {
	s, err := RingAllReduce([][]int32{{0, 1, 2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	rounds := Walk(s, 0)
	if len(rounds) != 1+6 {
		t.Fatalf("%d rounds, want 6 after the start", len(rounds))
	}
	for step, want := range []string{"A B C D", "D A B C", "C D A B", "B C D A", "A B C D", "D A B C"} {
		var got []string
		for rank, m := range rounds[1+step].Sends {
			if m.From != int32(rank) || m.To != int32((rank+1)%4) {
				t.Errorf("step %d: %d sends to %d", step+1, m.From, m.To)
			}
			got = append(got, string(rune('A'+m.Chunk)))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("step %d: the ranks send %s, want %s", step+1, s, want)
		}
	}
	half := letters(rounds[3:4])
	for _, want := range []string{"0: 0 0+1+2+3 0+2+3 0+3", "1: 0+1 1 0+1+2+3 0+1+3", "3: 0+1+2+3 1+2+3 2+3 3"} {
		if !strings.Contains(half, want) {
			t.Errorf("after three steps want %q in\n%s", want, half)
		}
	}
}

func TestATreeBroadcastIsWalkedAMessageARankAndRound(t *testing.T) {
	s, err := TreeBroadcast([][]int32{{0, 1, 2, 3, 4, 5, 6, 7}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range Walk(s, 0)[1:] {
		line := ""
		for _, m := range r.Sends {
			line += fmt.Sprintf(" %d>%d=%s", m.From, m.To, m.Of)
		}
		got = append(got, line)
	}
	want := []string{" 0>1=0", " 0>4=0 1>2=0", " 1>3=0 4>5=0", " 4>6=0", " 6>7=0"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every schedule ends its walk as it ends Execute.
func TestAWalkEndsAsExecuteDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, inPlace)
		n := s.Ranks()
		bufs := buffers(n, s.Channels()*s.Chunks(), func() float32 { return 0 })
		for r := range bufs {
			for e := range bufs[r] {
				bufs[r][e] = float32(uint32(1) << r)
			}
		}
		Execute(s, bufs)
		for c := range s.Channels() {
			rounds := Walk(s, c)
			for r, chunks := range rounds[len(rounds)-1].Holds {
				for k, got := range chunks {
					lo, _ := ChunkRange(s, len(bufs[r]), c, k)
					if want := Contributors(bufs[r][lo]); got != want {
						t.Fatalf("%s: rank %d ends with %s in chunk %d, want %s", s.Name(), r, got, k, want)
					}
				}
			}
		}
	})
}
