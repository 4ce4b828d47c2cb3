package workload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Scripts in testdata lower networks in layouts, and read what ranks do and hold. What this notices: an operation that waits for
// another, or works on other elements; a buffer that is shared, shorter or left out; a group or a sum of other ranks; memory that
// is counted as another's.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func(t *testing.T) scripttest.Stage { return &lowered{t: t} })
}

type lowered struct {
	scripttest.Log
	t *testing.T
	j *Job
}

// Do lowers a network of fully connected layers, or shows parts of the job:
//
//	lower layers=7,5,6 dp=2 ...     what goes wrong, if anything
//	groups | buffers | ops RANK | collectives | memory RANK | forecast | start
func (s *lowered) Do(command []string) {
	switch command[0] {
	case "lower":
		s.lower(command[1:])
	case "tied":
		s.lower(append(command[1:], "tied=yes"))
	case "groups":
		for i, g := range s.j.Groups {
			fmt.Fprintf(s, "%d %s (%s): ranks %v %v\n", i, g.Name, g.Kind, g.Ranks, g.All)
		}
	case "buffers":
		for i, b := range s.j.Buffers {
			var of []int
			for p := range s.j.Programs {
				if s.j.Touches(&s.j.Programs[p])[i] {
					of = append(of, p)
				}
			}
			fmt.Fprintf(s, "%d %s (%s): %d x %d B of programs %v\n", i, b.Name, termNames[b.Term], b.Elems, b.ElemBytes, of)
		}
	case "collectives":
		for i := range s.j.Collectives {
			c := &s.j.Collectives[i]
			fmt.Fprintf(s, "%d %s of group %d by %s: %s, %v, slots of %d B, once %v\n", i, c.Name, c.Group, c.Schedule.Name(),
				s.ranges(c.Range), c.Bytes(), c.SlotBytes(), c.Once)
		}
	case "ops":
		s.ops(s.j.Program(int32(s.number(command[1]))))
	case "memory":
		m := s.j.Memory(int32(s.number(command[1])))
		fmt.Fprintf(s, "%+v\n", m)
	case "start":
		must(s.t, s.j.Broadcast(func(*Group, unit.Bytes) (coll.Schedule, error) {
			return coll.ChainBroadcast([][]int32{{0, 1}}, 1)
		}))
		for rank := range s.j.Ranks() {
			fmt.Fprintf(s, "rank %d has from the start: %s\n", rank, s.ranges(s.j.StartRange(int32(rank))...))
		}
	default:
		s.t.Fatalf("no command %q", command)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *lowered) number(text string) int {
	s.t.Helper()
	return int(scripttest.Number(s.t, text))
}

func (s *lowered) lower(words []string) {
	c := Config{Batch: 4, Bucket: BucketPerLayer, Device: h100, Schedules: schedules}
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "layers":
			var sizes []int
			for size := range strings.SplitSeq(value, ",") {
				sizes = append(sizes, s.number(size))
			}
			c.Layers = dense(sizes...)
		case "schedule":
			c.Layout.Schedule, _ = PipelineScheduleNamed(value)
		case "update":
			c.Layout.Update, _ = UpdatesNamed(value)
		case "order":
			c.Layout.Order, _ = OrderNamed(value)
		case "style":
			c.Layout.TPStyle, _ = TensorStyleNamed(value)
		case "blocks":
			c.Layout.Blocks = Blocking{Data: strings.Contains(value, "data"), Sends: strings.Contains(value, "sends")}
		case "state":
			c.State = strings.Split(value, ",")
		case "precision":
			c.Precision = Precision{Weights: BFloat16, Activations: BFloat16}
		case "tied":
			c.Ties = []Tie{{Lower: TiedPart{Layer: 0}, Upper: TiedPart{Layer: len(c.Layers) - 1}, Elems: 10}}
		default:
			n := s.number(value)
			for _, of := range []struct {
				name string
				to   *int
			}{{"dp", &c.Layout.DP}, {"tp", &c.Layout.TP}, {"pp", &c.Layout.PP}, {"micro", &c.Layout.MicroBatches}, {"batch", &c.Batch},
				{"virtual", &c.Layout.Virtual}, {"slots", &c.Layout.Slots}} {
				if of.name == key {
					*of.to = n
				}
			}
			switch key {
			case "zero":
				c.Layout.Zero = Zero(n)
			case "bucket":
				c.Bucket = unit.Bytes(n)
			case "clip":
				c.Clip = int64(n)
			case "stash":
				c.Layout.Stash = n > 0
			case "folded":
				c.Layout.Folded = n > 0
			case "slow":
				c.Slow = map[int32]unit.Ratio{int32(n): {Num: 2, Den: 1}}
			}
		}
	}
	j, err := Lower(c)
	if err != nil {
		fmt.Fprintln(s, err)
		return
	}
	must(s.t, j.CheckRepeat())
	s.j = j
	fmt.Fprintf(s, "%d ranks, %d programs, of rank %v\n", j.Ranks(), len(j.Programs), j.Of)
}

// ops lists a program.
func (s *lowered) ops(p *Program) {
	var streams []string
	for _, x := range p.Streams {
		streams = append(streams, fmt.Sprintf("%s(%d)", x.Name, x.Group))
	}
	fmt.Fprintf(s, "streams %s\n", strings.Join(streams, " "))
	for _, op := range slices.Concat(p.Start, p.Ops) {
		fmt.Fprintf(s, "%d %s on %d after %v: %v, launch %v, memory %v, %d FLOP", op.ID, op.Name, op.Stream, op.Deps, op.Duration,
			op.Launch, op.Memory, op.Effort.FLOP)
		if op.Coll >= 0 {
			fmt.Fprintf(s, ", collective %d", op.Coll)
		}
		if op.Body >= 0 {
			fmt.Fprintf(s, ", body %d", op.Body)
		}
		fmt.Fprintf(s, "\n   reads %s writes %s\n", s.ranges(op.Reads...), s.ranges(op.Writes...))
	}
}

// ranges are elements of buffers: weights[3+5].
func (s *lowered) ranges(all ...Range) string {
	var b []string
	for _, r := range all {
		b = append(b, fmt.Sprintf("%s[%d+%d]", s.j.Buffers[r.Buffer].Name, r.Offset, r.Elems))
	}
	return strings.Join(b, " ")
}
