package workload

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

var h100 = Device{FLOPS: 495e12, MemoryBandwidth: 26800 * unit.GigabitPerSec, Launch: 3 * unit.Microsecond,
	MatmulEff: unit.Ratio{Num: 50, Den: 100}, MemoryEff: unit.Ratio{Num: 80, Den: 100}}

// digits is a network with replicas alone.
func digits(ranks int, bucket unit.Bytes) Config {
	c := Config{Layers: dense(784, 128, 10), Batch: 8, Bucket: bucket, Layout: Layout{DP: ranks}, Device: h100}
	if ranks > 1 {
		order := make([]int32, ranks)
		for i := range order {
			order[i] = int32(i)
		}
		s, err := coll.RingAllReduce([][]int32{order})
		if err != nil {
			panic(err)
		}
		c.Schedules = func(*Group, coll.Collective) (coll.Schedule, error) { return s, nil }
	}
	return c
}

// dense are the layers of a network of these sizes; an activation follows all but the last.
func dense(sizes ...int) (all []Layer) {
	for i := range len(sizes) - 1 {
		all = append(all, fullyConnected{sizes[i], sizes[i+1], i < len(sizes)-2}.Layer())
	}
	return all
}

// text prints the step of rank 0 as a table.
func text(j *Job) string {
	var b strings.Builder
	for _, op := range j.Program(0).Ops {
		fmt.Fprintf(&b, "%d %-17s stream %d after %v: %v", op.ID, op.Name, op.Stream, op.Deps, op.Duration)
		if op.Coll >= 0 {
			c := j.Collectives[op.Coll].Range
			fmt.Fprintf(&b, ", elements %d+%d", c.Offset, c.Elems)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func check(t *testing.T, c Config, want string) {
	t.Helper()
	s, err := Lower(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(s); got != strings.ReplaceAll(strings.TrimPrefix(want, "\n"), "\t", "") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// forward.1 reads 8x784 and 784x128 words and writes 8x128: 430,592 bytes at 2.68 TB/s
// take 160,669 ps; bias and activation move 8,704 bytes: 3,248 ps; two launches: 6 us.
func TestABucketPerLayer(t *testing.T) {
	check(t, digits(8, BucketPerLayer), `
	0 forward.1         stream 0 after []: 6163917ps
	1 forward.2         stream 0 after [0]: 6003813ps
	2 loss              stream 0 after [1]: 3000239ps
	3 backward.2        stream 0 after [2]: 9011719ps
	4 backward.1        stream 0 after [3]: 3160.86ns
	5 allreduce.bucket1 stream 1 after [3]: 3us, elements 100480+1290
	6 allreduce.bucket2 stream 1 after [4]: 3us, elements 0+100480
	7 update.1          stream 0 after [5]: 3005777ps
	8 update.2          stream 0 after [6]: 3449911ps
	`)
}

func TestOneBucketAndOneRank(t *testing.T) {
	check(t, digits(8, DefaultBucket), `
	0 forward.1         stream 0 after []: 6163917ps
	1 forward.2         stream 0 after [0]: 6003813ps
	2 loss              stream 0 after [1]: 3000239ps
	3 backward.2        stream 0 after [2]: 9011719ps
	4 backward.1        stream 0 after [3]: 3160.86ns
	5 allreduce.bucket1 stream 1 after [4]: 3us, elements 0+101770
	6 update.1          stream 0 after [5]: 3455687ps
	`)
	check(t, digits(1, DefaultBucket), `
	0 forward.1         stream 0 after []: 6163917ps
	1 forward.2         stream 0 after [0]: 6003813ps
	2 loss              stream 0 after [1]: 3000239ps
	3 backward.2        stream 0 after [2]: 9011719ps
	4 backward.1        stream 0 after [3]: 3160.86ns
	5 update.1          stream 0 after [4]: 3455687ps
	`)
}

// A bucket closes when its size reaches the cap, from the last layer to the first.
func TestBucketsFillFromTheLastLayer(t *testing.T) {
	var layers []part
	for _, l := range dense(9, 10, 10, 20, 1) {
		layers = append(layers, part{Part: l.whole()})
	} // 400, 440, 880, 84 bytes
	for _, c := range []struct {
		limit unit.Bytes
		want  string
	}{
		{0, "[{0 3 0 451 false}]"},
		{1, "[{3 3 430 21 false} {2 2 210 220 false} {1 1 100 110 false} {0 0 0 100 false}]"},
		{85, "[{2 3 210 241 false} {1 1 100 110 false} {0 0 0 100 false}]"},
		{964, "[{2 3 210 241 false} {0 1 0 210 false}]"},
		{965, "[{1 3 100 351 false} {0 0 0 100 false}]"},
	} {
		if got := fmt.Sprint(buckets(layers, c.limit, Float32)); got != c.want {
			t.Errorf("cap %v: %s, want %s", c.limit, got, c.want)
		}
	}
}

func TestKernelIsARoofline(t *testing.T) {
	d := Device{FLOPS: 1e12, MemoryBandwidth: 8e12, Launch: 3 * unit.Microsecond, MatmulEff: unit.Ratio{Num: 1, Den: 2},
		MemoryEff: unit.Ratio{Num: 4, Den: 5}}
	for _, c := range []struct {
		flop, bytes int64
		want        unit.Duration
	}{
		{0, 0, 3 * unit.Microsecond},
		{1e6, 0, 5 * unit.Microsecond},       // 2 us of arithmetic
		{1e6, 2e6, 5500 * unit.Nanosecond},   // 2.5 us of traffic
		{0, 1, 3*unit.Microsecond + 2},       // 1.25 ps, rounded up
		{1, 0, 3*unit.Microsecond + 2},       // exact: 2 ps
		{4e18, 0, 3*unit.Microsecond + 8e18}, // more than 128 bits on the way
	} {
		if got := d.Kernel(c.flop, c.bytes); got != c.want {
			t.Errorf("%d FLOP, %d bytes: %v, want %v", c.flop, c.bytes, got, c.want)
		}
	}
	if got := new(Device).Kernel(1e9, 1e9); got != 0 {
		t.Errorf("the zero device takes %v", got)
	}
}

func TestQuotientIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := make([]int64, 5)
		for i := range v {
			v[i] = rapid.Int64Range(1, 1<<rapid.IntRange(1, 40).Draw(t, "bits")).Draw(t, "value")
		}
		n := new(big.Int).Mul(big.NewInt(v[0]), new(big.Int).Mul(big.NewInt(v[1]), big.NewInt(v[2])))
		d := new(big.Int).Mul(big.NewInt(v[3]), big.NewInt(v[4]))
		want, rem := new(big.Int).QuoRem(n, d, new(big.Int))
		if rem.Sign() > 0 {
			want.Add(want, big.NewInt(1))
		}
		if !want.IsInt64() {
			t.Skip("overflows")
		}
		if got := quotient(v[0], v[1], v[2], v[3], v[4]); got != want.Int64() {
			t.Fatalf("%v: %d, want %v", v, got, want)
		}
	})
}

// Chunks tile the collective's range; slots tile the staging buffer and hold any chunk.
func TestChunksAndSlotsTile(t *testing.T) {
	c := digits(4, 0)
	s, err := Lower(c)
	if err != nil {
		t.Fatal(err)
	}
	k := &s.Collectives[0]
	at := k.Range.Offset * 4
	for ch := range k.Schedule.Channels() {
		for i := range k.Schedule.Chunks() {
			off, n := k.Chunk(0, coll.Out, ch, i)
			if off != at || n > k.SlotBytes() {
				t.Errorf("chunk %d of channel %d: %d bytes at %d, want them at %d and no more than %d", i, ch,
					n, off, at, k.SlotBytes())
			}
			at += n
		}
	}
	if at != (k.Range.Offset+k.Range.Elems)*4 {
		t.Errorf("the chunks end at %d of %d", at, (k.Range.Offset+k.Range.Elems)*4)
	}
	if end := k.Slots().Off(k.Schedule.Channels()-1, int32(k.Schedule.Slots())); end != k.StagingBytes() {
		t.Errorf("slots end at %d of %d", end, k.StagingBytes())
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"no layers, want at least 1":                                 func(c *Config) { c.Layers = nil },
		"layer 1 is 0 x 128":                                         func(c *Config) { c.Layers[0].In = 0 },
		"layer 2 takes 127 inputs, layer 1 gives 128":                func(c *Config) { c.Layers[1].In = 127 },
		"batch 0, want at least 1":                                   func(c *Config) { c.Batch = 0 },
		"bucket of -1B, want at least 1 byte":                        func(c *Config) { c.Bucket = -1 },
		"has a schedule over 8 ranks, group \"data-parallel\" has 9": func(c *Config) { c.Layout.DP = 9 },
	} {
		c := digits(8, 0)
		change(&c)
		if _, err := Lower(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// Ranks that are slow have a program of their own.
func TestSlowRanks(t *testing.T) {
	c := digits(4, DefaultBucket)
	c.Slow = map[int32]unit.Ratio{2: {Num: 3, Den: 2}, 1: {Num: 3, Den: 1}}
	j, err := Lower(c)
	if err != nil {
		t.Fatal(err)
	}
	var loss, launch []unit.Duration
	for r := range int32(4) {
		loss = append(loss, j.Program(r).Ops[2].Duration)
		launch = append(launch, j.Program(r).Ops[2].Launch)
	}
	want := "[0 1 2 0] [3000239ps 9000717ps 4500358ps 3000239ps] [3us 9us 4.5us 3us]"
	if got := fmt.Sprint(j.Of, loss, launch); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.Slow[4] = unit.Ratio{Num: 2, Den: 1}
	if _, err := Lower(c); err == nil ||
		!strings.Contains(err.Error(), "rank 4 is slow, want a rank from 0 to 3") {
		t.Errorf("error %v", err)
	}
}

func TestValidateNamesTheMistake(t *testing.T) {
	ops := func(j *Job) []Op { return j.Programs[0].Ops }
	for want, change := range map[string]func(*Job){
		`"loss" has id 9 at index 2`:                               func(j *Job) { ops(j)[2].ID = 9 },
		`"loss" is on stream 7, there are 2`:                       func(j *Job) { ops(j)[2].Stream = 7 },
		`"loss" is on stream 1: compute operations run on`:         func(j *Job) { ops(j)[2].Stream = 1 },
		`"allreduce.bucket1" names collective 5, there are 1`:      func(j *Job) { ops(j)[5].Coll = 5 },
		`"loss" takes 3000239ps, starting kernels 3000.24ns of it`: func(j *Job) { ops(j)[2].Launch = ops(j)[2].Duration + 1 },
		`"loss" names body 99, there are`:                          func(j *Job) { ops(j)[2].Body = 99 },
		`"loss" takes -1ps`:                                        func(j *Job) { ops(j)[2].Duration = -1 },
		`"loss" depends on operation 2, want one before 2`:         func(j *Job) { ops(j)[2].Deps = []int32{2} },
		`rank 3 has program 4, there are 1`:                        func(j *Job) { j.Of[3] = 4 },
		`group "data-parallel" has rank 8, there are 8`:            func(j *Job) { j.Groups[0].Ranks[1] = 8 },
		`group "data-parallel" has rank 0 twice`:                   func(j *Job) { j.Groups[0].Ranks[1] = 0 },
		`has a schedule over 8 ranks, group "pair" has 2`: func(j *Job) {
			j.Groups = append(j.Groups, Group{Name: "pair", Ranks: []int32{0, 1}})
			j.Collectives[0].Group = 1
		},
		`"allreduce.bucket1" is of group 1, there are 1`: func(j *Job) { j.Collectives[0].Group = 1 },
		`is on buffer 9, there are 7`: func(j *Job) {
			j.Collectives[0].Range.Buffer = 9
		},
		`is on 101770 elements from 1, buffer "gradients" has 101770`: func(j *Job) {
			j.Collectives[0].Range.Offset = 1
		},
		`has elements of 2 bytes, buffer "gradients" of 4`: func(j *Job) {
			j.Collectives[0].ElemBytes = 2
		},
		`stream 1, "data-parallel", is of group 1`: func(j *Job) {
			j.Programs[0].Streams[1].Group = 1
		},
		`streams "data-parallel" and "again" are of one group`: func(j *Job) {
			j.Programs[0].Streams = append(j.Programs[0].Streams, Stream{"again", 0})
		},
		`"backward.1" and "allreduce.bucket1" may run at the same time`: func(j *Job) { ops(j)[5].Deps = []int32{3} },
		`"allreduce.bucket1" and "update.1" may run at the same time`:   func(j *Job) { ops(j)[6].Deps = []int32{4} },
		`rank 0 runs collectives [0], rank 3 runs []: want one order`: func(j *Job) {
			j.Programs = append(j.Programs, Program{Streams: j.Programs[0].Streams})
			j.Of[3] = 1
		},
		`rank 7 runs collectives of group "data-parallel" and is not in it`: func(j *Job) {
			j.Groups[0].Ranks = j.Groups[0].Ranks[:7]
			order := [][]int32{{0, 1, 2, 3, 4, 5, 6}}
			j.Collectives[0].Schedule, _ = coll.RingAllReduce(order)
		},
		`runs collective "allreduce.bucket1" twice`: func(j *Job) {
			last := ops(j)[5]
			last.ID, last.Deps = int32(len(ops(j))), []int32{6}
			j.Programs[0].Ops = append(ops(j), last)
		},
	} {
		j, err := Lower(digits(8, 0))
		if err != nil {
			t.Fatal(err)
		}
		change(j)
		if err := j.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// How far ranks run apart follows from the slots: who is never heard of wants credit.
func TestCheckRepeat(t *testing.T) {
	orders := [][]int32{{0, 1, 2, 3}}
	of := func(name string, slots int) coll.Schedule {
		s, err := coll.Algorithms[name].New(orders, 2)
		if err == nil && slots > 0 {
			s, err = coll.WithCredit(s, slots)
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name  string
		slots int
		elems int64
		want  string // "": none
	}{
		{"ring-all-reduce", 0, 100, ""},
		{"ring-all-reduce", 0, 1, ""},
		{"ring-all-gather", 0, 100, ""},
		{"ring-all-gather", 0, 7, "some chunks are empty"},
		{"ring-all-gather", 2, 7, ""},
		{"chain-broadcast", 0, 100, "who sends does not learn who has read"},
		{"chain-broadcast", 2, 100, ""},
		{"chain-reduce", 0, 100, "want slots with credit"},
	} {
		j := &Job{Collectives: []Collective{{Name: "sum", Range: Range{Elems: c.elems}, ElemBytes: 4,
			Schedule: of(c.name, c.slots)}}}
		err := j.CheckRepeat()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %d slots, %d elements: %v, want %q", c.name, c.slots, c.elems, err, c.want)
		}
		// What is known of an algorithm is what ReuseSafe proves of it.
		k := &j.Collectives[0]
		if full := c.elems >= 8; full && (coll.ReuseSafe(k.Schedule, int(k.Areas())) == nil) != (err == nil) {
			t.Errorf("%s, %d slots: %v, ReuseSafe says otherwise", c.name, c.slots, err)
		}
	}
}

// A ring's staging is a slot for each message; with credit, the slots that it has.
func TestStagingWithCredit(t *testing.T) {
	for _, n := range []int{8, 64} {
		order := make([]int32, n)
		for r := range order {
			order[r] = int32(r)
		}
		ring, err := coll.RingAllReduce([][]int32{order})
		if err == nil {
			ring, err = ring.Sliced(4)
		}
		if err != nil {
			t.Fatal(err)
		}
		few, err := ring.Credited(8)
		if err != nil {
			t.Fatal(err)
		}
		area := func(s coll.Schedule) int64 {
			c := Collective{Range: Range{Elems: 25_600_000}, ElemBytes: 4, Schedule: s}
			return c.Areas() * c.StagingBytes()
		}
		chunk := int64(102_400_000 / n)
		if got, want := area(ring), int64(2*2*(n-1))*chunk; got != want {
			t.Errorf("%d ranks: %d bytes of staging, want %d", n, got, want)
		}
		if got, want := area(few), 8*chunk/4; got != want {
			t.Errorf("%d ranks, 8 slots of a quarter chunk: %d bytes of staging, want %d", n, got, want)
		}
	}
}

// Experts that replicas do not share have a bucket of their own, behind that of the rest of their layer.
func TestOwnExpertsHaveBuckets(t *testing.T) {
	layers := []part{{Part: Part{Params: 5}}, {Part: Part{Params: 30, Own: Span{10, 20}}}, {Part: Part{Params: 7}},
		{Part: Part{Params: 0}}}
	for limit, want := range map[unit.Bytes]string{
		0: "[{2 3 35 7 false} {1 1 15 20 true} {0 1 0 15 false}]",
		1: "[{2 3 35 7 false} {1 1 15 20 true} {1 1 5 10 false} {0 0 0 5 false}]",
	} {
		if got := fmt.Sprint(buckets(layers, limit, Float32)); got != want {
			t.Errorf("cap %v: %s, want %s", limit, got, want)
		}
	}
	layers = layers[:2]
	if got, want := fmt.Sprint(buckets(layers, 0, Float32)), "[{1 1 15 20 true} {0 1 0 15 false}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
