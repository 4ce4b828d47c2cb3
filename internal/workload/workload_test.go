package workload

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/coll"
	"railyard/internal/unit"
)

var h100 = Device{FLOPS: 495e12, MemoryBandwidth: 26800 * unit.GigabitPerSec, Launch: 3 * unit.Microsecond,
	MatmulEff: unit.Ratio{Num: 50, Den: 100}, MemoryEff: unit.Ratio{Num: 80, Den: 100}}

func digits(ranks int, bucket unit.Bytes) DataParallelConfig {
	c := DataParallelConfig{Layers: []Dense{{784, 128, true}, {128, 10, false}}, Batch: 8, Bucket: bucket,
		Ranks: ranks, Device: h100}
	if ranks > 1 {
		order := make([]int32, ranks)
		for i := range order {
			order[i] = int32(i)
		}
		s, err := coll.RingAllReduce([][]int32{order})
		if err != nil {
			panic(err)
		}
		c.Schedule = s
	}
	return c
}

// text prints a step as a table.
func text(s *Step) string {
	var b strings.Builder
	for _, op := range s.Ops {
		fmt.Fprintf(&b, "%d %-17s stream %d after %v: %v", op.ID, op.Name, op.Stream, op.Deps, op.Duration)
		if op.Coll >= 0 {
			c := s.Collectives[op.Coll]
			fmt.Fprintf(&b, ", elements %d+%d", c.Offset, c.Elems)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func check(t *testing.T, c DataParallelConfig, want string) {
	t.Helper()
	s, err := DataParallel(c)
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
	layers := []Dense{{9, 10, true}, {10, 10, true}, {10, 20, true}, {20, 1, false}} // 400, 440, 880, 84 bytes
	for _, c := range []struct {
		limit unit.Bytes
		want  string
	}{
		{0, "[{0 3 0 451}]"},
		{1, "[{3 3 430 21} {2 2 210 220} {1 1 100 110} {0 0 0 100}]"},
		{85, "[{2 3 210 241} {1 1 100 110} {0 0 0 100}]"},
		{964, "[{2 3 210 241} {0 1 0 210}]"},
		{965, "[{1 3 100 351} {0 0 0 100}]"},
	} {
		if got := fmt.Sprint(buckets(layers, c.limit)); got != c.want {
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
	s, err := DataParallel(c)
	if err != nil {
		t.Fatal(err)
	}
	k := &s.Collectives[0]
	at := k.Offset * 4
	for ch := range k.Schedule.Channels() {
		for i := range k.Schedule.Chunks() {
			off, n := k.Range(ch, i)
			if off != at || n > k.SlotBytes() {
				t.Errorf("chunk %d of channel %d: %d bytes at %d, want them at %d and no more than %d", i, ch,
					n, off, at, k.SlotBytes())
			}
			at += n
		}
	}
	if at != (k.Offset+k.Elems)*4 {
		t.Errorf("the chunks end at %d of %d", at, (k.Offset+k.Elems)*4)
	}
	if k.Slot(0, k.Schedule.Slots()) != k.StagingBytes() {
		t.Errorf("slots end at %d of %d", k.Slot(0, k.Schedule.Slots()), k.StagingBytes())
	}
}

func TestMistakesAreNamed(t *testing.T) {
	for want, change := range map[string]func(*DataParallelConfig){
		"no layers, want at least 1":                       func(c *DataParallelConfig) { c.Layers = nil },
		"layer 1 is 0 x 128":                               func(c *DataParallelConfig) { c.Layers[0].In = 0 },
		"layer 2 takes 127 inputs, layer 1 gives 128":      func(c *DataParallelConfig) { c.Layers[1].In = 127 },
		"batch 0, want at least 1":                         func(c *DataParallelConfig) { c.Batch = 0 },
		"0 ranks, want at least 1":                         func(c *DataParallelConfig) { c.Ranks = 0 },
		"bucket of -1B, want at least 1 byte":              func(c *DataParallelConfig) { c.Bucket = -1 },
		"8 ranks want an all-reduce schedule over 8 ranks": func(c *DataParallelConfig) { c.Schedule = nil },
		"9 ranks want an all-reduce schedule over 9 ranks": func(c *DataParallelConfig) { c.Ranks = 9 },
	} {
		c := digits(8, 0)
		change(&c)
		if _, err := DataParallel(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestValidateNamesTheOperation(t *testing.T) {
	for want, change := range map[string]func(*Step){
		`"loss" has id 9 at index 2`:                          func(s *Step) { s.Ops[2].ID = 9 },
		`"loss" is on stream 7, there are 2`:                  func(s *Step) { s.Ops[2].Stream = 7 },
		`"loss" is on stream 1: compute operations run on`:    func(s *Step) { s.Ops[2].Stream = 1 },
		`"allreduce.bucket1" names collective 5, there are 1`: func(s *Step) { s.Ops[5].Coll = 5 },
		`"loss" takes -1ps`:                                   func(s *Step) { s.Ops[2].Duration = -1 },
		`"loss" depends on operation 2, want one before 2`:    func(s *Step) { s.Ops[2].Deps = []int32{2} },
	} {
		s, err := DataParallel(digits(8, 0))
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
