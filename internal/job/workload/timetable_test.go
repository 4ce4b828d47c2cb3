package workload

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// grid draws a timetable of all stages with one pass in each slot of time, forwards and backwards of
// equal length, every stage as early as it can.
func grid(t interface{ Fatalf(string, ...any) }, s PipelineSchedule, p, v, m int) string {
	tables, at := make([][]Pass, p), map[string]int{} // when a pass has ended
	rows := make([]strings.Builder, p)
	busy, pc := make([]int, p), make([]int, p)
	left := 2 * p * v * m
	for i := range tables {
		tables[i] = s.Timetable(p, v, m, i)
	}
	name := func(run, micro int, backward bool) string { return fmt.Sprint(run, micro, backward) }
	for left > 0 {
		moved := false
		for i := range tables {
			for pc[i] < len(tables[i]) {
				pass := tables[i][pc[i]]
				run := pass.Chunk*p + i
				begin := busy[i]
				for _, needs := range []struct {
					run      int
					backward bool
				}{{run - 1, false}, {run, false}, {run + 1, true}} {
					of := needs.run >= 0 && needs.run < p*v
					if !pass.Backward {
						of = of && needs.run < run
					} else {
						of = of && needs.run >= run
					}
					if !of {
						continue
					}
					end, there := at[name(needs.run, pass.Micro, needs.backward)]
					if !there {
						begin = -1
						break
					}
					begin = max(begin, end)
				}
				if begin < 0 {
					break
				}
				key := name(run, pass.Micro, pass.Backward)
				if _, twice := at[key]; twice {
					t.Fatalf("%s: stage %d has %s twice", s, i, key)
				}
				kind := 'F'
				if pass.Backward {
					kind = 'B'
				}
				fmt.Fprintf(&rows[i], "%s%c%d", strings.Repeat(" . ", begin-busy[i]), kind, pass.Micro+1)
				if v > 1 {
					rows[i].WriteByte("abcd"[pass.Chunk])
				} else {
					rows[i].WriteByte(' ')
				}
				at[key], busy[i] = begin+1, begin+1
				pc[i]++
				left--
				moved = true
			}
		}
		if !moved {
			t.Fatalf("%s, %d stages of %d, %d micro-batches: stages wait for each other at %v", s, p, v, m, pc)
		}
	}
	var all strings.Builder
	for i := range rows {
		all.WriteString(strings.TrimRight(rows[i].String(), " ") + "\n")
	}
	return all.String()
}

// The figures of the papers: GPipe figure 2c, Megatron-LM figures 3 and 4.
func TestTimetables(t *testing.T) {
	for _, c := range []struct {
		s       PipelineSchedule
		p, v, m int
		want    string
	}{
		{GPipe, 4, 1, 4, `
F1 F2 F3 F4  .  .  .  .  .  . B1 B2 B3 B4
 . F1 F2 F3 F4  .  .  .  . B1 B2 B3 B4
 .  . F1 F2 F3 F4  .  . B1 B2 B3 B4
 .  .  . F1 F2 F3 F4 B1 B2 B3 B4
`},
		{OneFOneB, 4, 1, 4, `
F1 F2 F3 F4  .  .  . B1  . B2  . B3  . B4
 . F1 F2 F3  .  . B1 F4 B2  . B3  . B4
 .  . F1 F2  . B1 F3 B2 F4 B3  . B4
 .  .  . F1 B1 F2 B2 F3 B3 F4 B4
`},
		{OneFOneB, 3, 1, 1, `
F1  .  .  .  . B1
 . F1  .  . B1
 .  . F1 B1
`},
		{Interleaved, 2, 2, 4, `
F1aF2aF1bF2bF3aB1bF4aB2bF3bB1aF4bB2a . B3b . B4bB3aB4a
 . F1aF2aF1bB1bF2bB2bF3aB1aF4aB2aF3bB3bF4bB4bB3aB4a
`},
		// As many micro-batches as stages: all forwards first.
		{Interleaved, 2, 2, 2, `
F1aF2aF1bF2b .  . B1bB2bB1aB2a
 . F1aF2aF1bF2bB1bB2bB1aB2a
`},
	} {
		if got := grid(t, c.s, c.p, c.v, c.m); got != c.want[1:] {
			t.Errorf("%s, %d stages, %d micro-batches:\n%swant\n%s", c.s, c.p, c.m, got, c.want[1:])
		}
	}
}

// The table of the book's chapter 8: who does what in slots 1 to 10, forward first.
func TestBookOrder(t *testing.T) {
	var got []string
	for stage := range 4 {
		var row []string
		for _, p := range BookOrder.Timetable(4, 1, 4, stage) {
			row = append(row, fmt.Sprintf("%c%d", "FB"[map[bool]int{true: 1}[p.Backward]], p.Micro+1))
		}
		got = append(got, strings.Join(row, " "))
	}
	want := []string{"F1 F2 F3 F4 B1 B2 B3 B4", "F1 F2 F3 F4 B1 B2 B3 B4", "F1 F2 F3 B1 F4 B2 B3 B4",
		"F1 B1 F2 B2 F3 B3 F4 B4"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Every pass once, micro-batches in order through each run, no stages that wait for each other, and
// so many activations kept as the papers say.
func TestTimetablesAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := PipelineSchedule(rapid.IntRange(0, int(pipelineSchedules)-1).Draw(t, "schedule"))
		p, v, m := rapid.IntRange(1, 6).Draw(t, "stages"), 1, rapid.IntRange(1, 12).Draw(t, "micro-batches")
		if s == Interleaved {
			p = max(p, 2)
			v, m = rapid.IntRange(2, 3).Draw(t, "virtual"), p*rapid.IntRange(1, 4).Draw(t, "rounds")
		}
		if err := s.check(p, v, m); err != nil {
			t.Fatal(err)
		}
		grid(t, s, p, v, m)
		for stage := range p {
			table := s.Timetable(p, v, m, stage)
			next := map[[2]any]int{}
			for _, pass := range table {
				key := [2]any{pass.Chunk, pass.Backward}
				if pass.Micro != next[key] {
					t.Fatalf("%s: stage %d has micro-batch %d of run %v, want %d", s, stage, pass.Micro, key, next[key])
				}
				next[key]++
			}
			want := map[PipelineSchedule]int{GPipe: m, OneFOneB: min(p-stage, m), BookOrder: min(2*(p-1-stage)+1, m)}
			for chunk := range v {
				if got := InFlight(table, chunk); s != Interleaved && got != want[s] {
					t.Fatalf("%s: stage %d of %d keeps %d of %d micro-batches, want %d", s, stage, p, got, m, want[s])
				}
			}
		}
	})
}

// The share of a pipeline's slots in which a stage waits: (p-1)/(p-1+m) of p stages and m micro-batches (SC 2021, 2.2.1), with v
// virtual stages of each (p-1)/(p-1+vm). One micro-batch leaves 7 of 8 stages idle.
func TestBubbleOfFewMicroBatches(t *testing.T) {
	for _, c := range [][5]int{{8, 1, 1, 7, 8}, {4, 1, 4, 3, 7}, {4, 2, 4, 3, 11}, {1, 1, 3, 0, 3}} {
		if waits, slots := Bubble(c[0], c[1], c[2]); waits != c[3] || slots != c[4] {
			t.Errorf("%d stages of %d parts, %d micro-batches: %d of %d slots, want %d of %d", c[0], c[1], c[2], waits, slots, c[3], c[4])
		}
	}
}
