package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/sheet"
	"railyard/internal/base/unit"
	"railyard/internal/net/hash"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

// op is an operation of a rank, from and to so many microseconds.
func op(rank, step, number int32, stream, name string, from, to int64) Bar {
	at := func(us int64) unit.Time { return unit.Time(us) * unit.Time(unit.Microsecond) }
	return Bar{Lane: laneOf(rank, stream), Rank: rank, Step: step, Op: number, Name: name, Start: at(from), End: at(to),
		Duration: unit.Duration(to-from) * unit.Microsecond, stream: stream}
}

// Lanes come by rank, compute before groups, each in order of time; steps are marked where they begin, and a table has the
// slowest rank of each operation.
func TestStepsAsText(t *testing.T) {
	bars := []Bar{op(1, 0, 0, "compute", "forward.1", 20, 50), op(0, 1, 0, "compute", "forward.1", 60, 70),
		op(0, 0, 1, "data-parallel", "allreduce.bucket1", 50, 60), op(0, 0, 0, "compute", "forward.1", 20, 30),
		op(0, -1, 0, "compute", "broadcast", 0, 5)}
	sortBars(bars, nil)
	r := &result.Run{Summary: &result.Summary{Name: "x", Seed: 7}}
	text := printed(t, func(s *sheet.Sheet) {
		if err := TimelineText(s, r, bars, 0, 1); err != nil {
			t.Fatal(err)
		}
	})
	wantText(t, "steps", text, `
x, seed 7: steps 0 to 1, 70 us of virtual time from 0 on

rank 0 compute        |bbbbb.................FFFFFFFFFFF................................fffffffffff|
rank 0 data-parallel  |......................................................aaaaaaaaaaa...........|
                       ^start               ^step 0                                     ^step 1
and 1 rank more: --ranks 2
f forward, a allreduce, b broadcast, . nothing; the case changes from one to the next; one column is
921.1 ns

   step  operation          starts   ends   mean  longest  rank
  start  broadcast               0   5 us   5 us     5 us     0
      0  forward.1           20 us  50 us  20 us    30 us     1
      0  allreduce.bucket1   50 us  60 us  10 us    10 us     0
      1  forward.1           60 us  70 us  10 us    10 us     0
`)
	for _, c := range []struct {
		bars  []Bar
		steps int64
		want  string
	}{
		{nil, 3, "no operations of step 5: the run has steps 0 to 2"},
		{nil, 0, "nothing to show: no operation and no message ended"},
	} {
		r.Summary.Steps = c.steps
		if err := TimelineText(sheet.New(80), r, c.bars, 5, 1); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Flows have a lane each, in the order of the scenario, and a row with all of their messages.
func TestMessagesAsText(t *testing.T) {
	message := func(flow string, from, to int64) Bar {
		b := op(-1, -1, -1, "", flow, from, to)
		b.Lane = flow
		return b
	}
	bars := []Bar{message("b", 10, 20), message("a", 15, 16), message("b", 20, 50), message("c", 12, 13)}
	sortBars(bars, map[string]int{"b": -3, "a": -2, "c": -1})
	text := printed(t, func(s *sheet.Sheet) { BarsText(s, bars, 0, 2, "x") })
	for _, want := range []string{"x, 40 us of virtual time from 10 us on\n", "and 1 flow more: --ranks 3\n",
		"  b            2       0  40 us  20 us    30 us\n",
		"  a            1    5 us   6 us   1 us     1 us\n  and 1 more: --json has all\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// A kind has its first letter that is free, else any, else o.
func TestLettersOfKinds(t *testing.T) {
	c := &chart{letters: map[string]byte{}}
	var got []byte
	for _, kind := range []string{"forward", "finish", "forward", "f1", "ffi", "Loss"} {
		got = append(got, c.letter(kind))
	}
	if string(got) != "fifabl" {
		t.Errorf("%s", got)
	}
	for i := range 30 {
		c.letter(fmt.Sprint(i))
	}
	if c.letter("late") != 'o' {
		t.Errorf("the 27th kind is %c", c.letter("late"))
	}
}

// Ranks that follow each other are a range of three or more; of very many pieces the rest is left out. Hosts are named up to
// four.
func TestListsOfRanksAndHosts(t *testing.T) {
	var even []int32
	for r := range int32(17) {
		even = append(even, 2*r)
	}
	for _, c := range []struct {
		ranks []int32
		want  string
	}{
		{[]int32{3}, "rank 3"}, {[]int32{0, 1}, "ranks 0, 1"}, {[]int32{0, 1, 2, 8}, "ranks 0-2, 8"},
		{[]int32{0, 2, 4}, "ranks 0, 2, 4"}, {[]int32{5, 4, 5, 6}, "ranks 5, 4-6"},
		{even[:16], "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30"},
		{even, "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, ... (17)"},
	} {
		if got := ranksText(c.ranks); got != c.want {
			t.Errorf("%v: %s, want %s", c.ranks, got, c.want)
		}
	}
	hosts := []string{"a", "b", "c", "d", "e"}
	if four, five := hostsText(hosts[:4]), hostsText(hosts); four != "a, b, c, d" || five != "5 hosts, a to e" {
		t.Errorf("%s; %s", four, five)
	}
	names := strings.Split("a b c d e f g h i", " ")
	if eight, nine := ShortList(names[:8]), ShortList(names); eight != "a, b, c, d, e, f, g, h" || nine != eight+", ..." ||
		names[8] != "i" {
		t.Errorf("%s; %s; %v", eight, nine, names)
	}
	if four, five := someOf([]string{"a", "a", "b", "c", "d"}), someOf(hosts); four != "a b c d" || five != "a and 4 others" {
		t.Errorf("%s; %s", four, five)
	}
}

// Flows of a file fall on links by their hash; the fullest says what the slowest gets, and seeds are counted whose fullest is
// as full.
func TestFlowsOfAFile(t *testing.T) {
	var flows []hash.Flow
	for i := range uint16(6) {
		flows = append(flows, hash.Flow{SrcIP: 1, DstIP: 2, SrcPort: 1000 + i*i, DstPort: 4791, Protocol: 17, QP: uint32(i)})
	}
	how := Hashing{Links: 2, Function: "crc32", Fields: scenario.HashFieldsQP}
	d := HashedFlows(flows, how, 50)
	on := make([]int, 2)
	for _, f := range d.Flows {
		on[f.Link]++
	}
	fullest := slices.Max(on)
	if fullest == 3 || !slices.Equal(on, d.Links) || on[0]+on[1] != 6 || d.Slowest != 3/float64(fullest) ||
		math.Abs(d.Used-float64(9-fullest)/6) > 1e-12 {
		t.Errorf("links %v, slowest %v, used %v; flows are on %v", d.Links, d.Slowest, d.Used, on)
	}
	one := HashedFlows(flows, Hashing{Links: 1, Function: "crc32", Fields: scenario.HashFieldsQP}, 50)
	if one.Slowest != 1 || one.Used != 1 || one.Seeds.AsBad < 0.999 || one.Seeds.Mean < 5.999 || one.Seeds.Seeds != 50 {
		t.Errorf("over one link: %+v", one)
	}
	text := printed(t, func(s *sheet.Sheet) { HashedFlowsText(s, "f.txt", one) })
	for _, want := range []string{"f.txt: 6 flows over 1 link by crc32 of the ", "0.0.0.1  0.0.0.2      1025>4791        17   5  ",
		"Flows on links 0 to 0: 6. ", "crc32 with the seeds 1 to 50: as many on one link in 100 %, 6.00 on average."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if none := HashedFlows(flows, how, 0); none.Seeds.Seeds != 1 {
		t.Errorf("%d seeds, want at least one", none.Seeds.Seeds)
	}
}
