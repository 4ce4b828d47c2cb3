package perf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccltests"
	"railyard/internal/out/result"
	"railyard/internal/plan/scenario"
)

func sweep(t *testing.T, op coll.Collective, hosts, gpus int, sizes Sizes) *Sweep {
	t.Helper()
	base, err := scenario.Parse("base.yaml", fmt.Appendf(nil, "name: base\nseed: 7\n"+
		"cluster: {hosts: %d, host: {gpus: %d}}\njob: {collectives: [{op: reduce, bytes: 4B}]}\n", hosts, gpus))
	if err != nil {
		t.Fatal(err)
	}
	return &Sweep{Op: nccltests.Operation{Collective: op}, Sizes: sizes, Iterations: 3, Warmup: 2, Base: base}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]unit.Bytes{"8": 8, "1k": 1024, "64K": 65536, "32M": 1 << 25, "1G": 1 << 30,
		"0": 0, "931G": 931 << 30} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "M", "-8", "+8", "1.5M", "8B", "8 ", "1P", "932G", "99999999999999999999", "1MM"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		s    Sizes
		want string
	}{
		{Sizes{Min: 8, Max: 100, Factor: 2}, "[8 16 32 64]"},
		{Sizes{Min: 8, Max: 32, Factor: 2}, "[8 16 32]"},
		{Sizes{Min: 10, Max: 30, Step: 10}, "[10 20 30]"},
		{Sizes{Min: 5, Max: 5, Step: 1}, "[5]"},
		{Sizes{Max: 5, Step: 1}, "-b 0B: want at least 1 byte"},
		{Sizes{Min: 6, Max: 5, Step: 1}, "-b 6B is larger than -e 5B: want the smallest size, then the largest"},
		{Sizes{Min: 5, Max: 5, Factor: 1}, "-f 1: want a factor of at least 2"},
		{Sizes{Min: 5, Max: 5}, "-i 0B: want a step of at least 1 byte"},
		{Sizes{Min: 1, Max: 1001, Step: 1}, "more than 1000 sizes from 1B to 1001B: want a larger step"},
	} {
		all, err := c.s.List()
		got := fmt.Sprint(err)
		if err == nil {
			var sizes []int64
			for _, b := range all {
				sizes = append(sizes, int64(b))
			}
			got = fmt.Sprint(sizes)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.s, got, c.want)
		}
	}
}

// Every operation of nccl-tests is known and one of a scenario.
func TestOperations(t *testing.T) {
	all := Operations()
	if want := "all_gather all_reduce alltoall broadcast gather hypercube reduce reduce_scatter scatter sendrecv"; want !=
		strings.Join(slices.Sorted(slices.Values(all)), " ") {
		t.Errorf("%v, want %s", all, want)
	}
	for _, name := range all {
		c, err := ParseOp(name + "_perf")
		if d, e := ParseOp(name); err != nil || e != nil || c != d || c.Hypercube != (name == "hypercube") {
			t.Errorf("%s: %v %v, %v %v", name, c, d, err, e)
		} else if !slices.ContainsFunc(scenario.CollectiveOps, func(o scenario.Choice) bool { return o.Name == c.String() }) {
			t.Errorf("%s: a scenario has no %v", name, c)
		}
	}
	if _, err := ParseOp("allreduce"); err == nil || !strings.Contains(err.Error(), "no operation of nccl-tests") {
		t.Errorf("allreduce: %v", err)
	}
}

// hypercube is an all-gather whose algorithm is its own; its protocol is that of sends. nccl-tests
// skips it over ranks that are no power of two.
func TestHypercube(t *testing.T) {
	s := sweep(t, coll.AllGather, 2, 4, Sizes{Min: 1000, Max: 1000, Step: 1})
	s.Op.Hypercube = true
	rows, err := s.Rows()
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; r.Algorithm != "hypercube" || r.Protocol != "simple" || r.Bytes != 896 || r.Count != 28 {
		t.Errorf("%+v, want 28 elements a rank by hypercube, simple", r)
	}
	sc, err := s.Scenario(rows...)
	if err != nil || sc.Jobs[0].Collectives[0].Op != "all-gather" || sc.Jobs[0].Collectives[0].Algorithm != "hypercube" {
		t.Errorf("%+v, %v", sc, err)
	}
	s.Algorithm = "ring"
	if _, err := s.Rows(); err == nil || !strings.Contains(err.Error(), "algorithm ring of hypercube") {
		t.Errorf("with a ring: %v", err)
	}
	s = sweep(t, coll.AllGather, 2, 3, Sizes{Min: 1000, Max: 1000, Step: 1})
	s.Op.Hypercube = true
	if _, err := s.Rows(); err == nil || !strings.Contains(err.Error(), "hypercube over 6 ranks: want a power of two") {
		t.Errorf("6 ranks: %v", err)
	}
}

// Sizes are rounded as nccl-tests does, and counts are those that its calls name: of an all-gather
// over 16 ranks a rank's part, in 16 bytes.
func TestRowsCountAsNcclTests(t *testing.T) {
	for _, c := range []struct {
		op   coll.Collective
		size unit.Bytes
		want string // bytes, count
	}{
		{coll.AllReduce, 1001, "1000 250"},
		{coll.AllReduce, 3, "0 0"},
		{coll.AllGather, 1001, "768 12"},
		{coll.ReduceScatter, 255, "0 0"},
		{coll.ReduceScatter, 256, "256 4"},
		{coll.BroadcastFrom, 1001, "1000 250"},
		{coll.AllToAll, 1001, "768 12"},
		{coll.GatherTo, 1001, "768 12"},
		{coll.ScatterFrom, 255, "0 0"},
		{coll.SendReceive, 1001, "1000 250"},
	} {
		rows, err := sweep(t, c.op, 2, 8, Sizes{Min: c.size, Max: c.size, Step: 1}).Rows()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(int64(rows[0].Bytes), rows[0].Count); got != c.want {
			t.Errorf("%v of %d: %s, want %s", c.op, c.size, got, c.want)
		}
	}
}

// Small sizes go along trees, large ones through switches and over trees of hosts; what the flags say stays; each row is a
// scenario of the base's cluster that can be planned by name.
func TestChoices(t *testing.T) {
	s := sweep(t, coll.AllReduce, 2, 8, Sizes{Min: 8, Max: 1 << 30, Factor: 2})
	rows, err := s.Rows()
	if err != nil {
		t.Fatal(err)
	}
	if first, last := rows[0], rows[len(rows)-1]; first.Algorithm != "double-tree" || last.Algorithm != "nvls-tree" ||
		last.Channels < 8 {
		t.Errorf("%s for 8 B, %s for 1 GiB", first.How(), last.How())
	}
	inHost, err := sweep(t, coll.AllReduce, 1, 8, Sizes{Min: 8, Max: 1 << 30, Factor: 1 << 27}).Rows()
	if err != nil || inHost[0].How() != "ring, ll, 1 channel" || inHost[1].How() != "nvls, simple, 16 channels" {
		t.Errorf("in a host: %v, %v", inHost, err)
	}
	few := sweep(t, coll.AllReduce, 1, 3, Sizes{Min: 1 << 30, Max: 1 << 30, Factor: 2})
	few.Algorithm = "nvls"
	if rows, err := few.Rows(); err != nil || rows[0].How() != "ring, simple, 24 channels; NVLS was asked for: over 3 GPUs a "+
		"ring carries more, and NCCL takes that" {
		t.Errorf("NVLS of 3: %v, %v", rows, err)
	}
	for op := coll.AllReduce; op < coll.Barrier; op++ {
		for _, shape := range [][2]int{{1, 8}, {2, 8}, {3, 1}, {1, 2}} {
			s := sweep(t, op, shape[0], shape[1], Sizes{Min: 8, Max: 1 << 30, Factor: 32})
			rows, err := s.Rows()
			if err != nil {
				t.Fatalf("%v on %v: %v", op, shape, err)
			}
			for _, r := range rows {
				a, ok := coll.Algorithms[string(r.Algorithm)+"-"+op.String()]
				if !ok || a.Collective != op || r.Algorithm == "double-tree" && r.Channels%2 > 0 || r.Channels < 1 {
					t.Errorf("%v on %v: %s", op, shape, r.How())
				}
			}
			sc, err := s.Scenario(rows...)
			if err != nil {
				t.Fatalf("%v on %v: %v", op, shape, err)
			}
			got := sc.Jobs[0].Collectives
			if len(got) != len(rows) || got[0].Iterations != 3 || got[0].Warmup != 2 || sc.Seed != 7 ||
				got[len(got)-1].Bytes != rows[len(rows)-1].Bytes {
				t.Errorf("%v on %v: %+v", op, shape, sc.Jobs[0])
			}
		}
	}
	s = sweep(t, coll.AllGather, 2, 8, Sizes{Min: 1024, Max: 1024, Step: 1})
	s.Algorithm, s.Protocol, s.Channels = "direct", "simple", 3
	if rows, err = s.Rows(); err != nil || rows[0].How() != "direct, simple, 3 channels" {
		t.Errorf("%v, %v, want what was asked for", rows, err)
	}
	s.Algorithm = "chain"
	rows, _ = s.Rows()
	if _, err = s.Scenario(rows...); err == nil || !strings.Contains(err.Error(), "chain: no algorithm of all-gather") {
		t.Errorf("%v, want an error that names the algorithm", err)
	}
}

// Sends leave a host as NCCL's do, by the NIC on the receiver's rail over NVLink, or by their own; other messages by their
// channel's, and there is one for each NIC where that is asked for of sends.
func TestExits(t *testing.T) {
	for _, c := range []struct {
		op         coll.Collective
		exit, want string
		nvlink     bool
		channels   int
	}{{coll.AllToAll, "", "peer", true, 1}, {coll.SendReceive, "", "peer", true, 1}, {coll.GatherTo, "", "own", false, 1},
		{coll.AllToAll, "own", "own", true, 1}, {coll.AllToAll, "channel", "channel", true, 8}, {coll.AllReduce, "", "channel", true, 2},
		{coll.AllReduce, "peer", "peer", true, 2}} {
		s := sweep(t, c.op, 2, 8, Sizes{Min: 1024, Max: 1024, Step: 1})
		s.Exit = c.exit
		if !c.nvlink {
			var err error
			if s.Base, err = s.Base.Set("cluster.host.preset", "cpu"); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := s.Rows()
		if err != nil {
			t.Fatal(err)
		}
		sc, err := s.Scenario(rows...)
		if err != nil {
			t.Fatal(err)
		}
		s.Algorithm = "rails" // by the receiver's rail whatever exit says, so that channels say nothing of NICs
		if byRail, err := s.Rows(); c.op == coll.AllToAll && (err != nil || byRail[0].Channels != 1) {
			t.Errorf("%+v by rails: %v, %v", c, byRail, err)
		}
		if exit := sc.Jobs[0].Collective.Exit; exit != c.want || rows[0].Channels != c.channels {
			t.Errorf("%+v: by %s, %s", c, exit, rows[0].How())
		}
	}
}

// A hypercube is sends, too.
func TestAHypercubeLeavesAsSendsDo(t *testing.T) {
	s := sweep(t, coll.AllGather, 2, 8, Sizes{Min: 1024, Max: 1024, Step: 1})
	s.Op.Hypercube = true
	rows, err := s.Rows()
	if err != nil {
		t.Fatal(err)
	}
	if sc, err := s.Scenario(rows...); err != nil || sc.Jobs[0].Collective.Exit != "peer" {
		t.Errorf("%v, by %s", err, sc.Jobs[0].Collective.Exit)
	}
}

// A skew goes into the scenario and into what is said of a row; without one the rows are as they
// were.
func TestSkew(t *testing.T) {
	s := sweep(t, coll.AllToAll, 2, 8, Sizes{Min: 1024, Max: 1024, Step: 1})
	s.Algorithm, s.Protocol, s.Channels = "direct", "simple", 3
	for skew, want := range map[int]string{0: "direct, simple, 3 channels", 1: "direct, simple, 3 channels",
		4: "direct, simple, 3 channels, skew 4"} {
		s.Skew = skew
		rows, err := s.Rows()
		if err != nil || rows[0].How() != want {
			t.Errorf("skew %d: %v, %v, want %s", skew, rows, err, want)
		}
		sc, err := s.Scenario(rows...)
		if err != nil || sc.Jobs[0].Collectives[0].Skew != max(skew, 1) {
			t.Errorf("skew %d: %v, %v", skew, sc, err)
		}
	}
}

func TestResults(t *testing.T) {
	sum := &result.Summary{
		JobFigures: result.JobFigures{Collectives: []result.Collective{{Bytes: 1 << 20,
			Time: 10 * unit.Microsecond}}}}
	for op, want := range map[coll.Collective]string{
		coll.AllReduce: "sum -1 838860800000 1572864000000", coll.AllGather: "none -1 838860800000 786432000000",
		coll.ReduceTo: "sum 0 838860800000 838860800000", coll.AllToAll: "none -1 838860800000 786432000000",
		coll.GatherTo: "none 0 838860800000 786432000000", coll.ScatterFrom: "none 0 838860800000 786432000000",
		coll.SendReceive: "sum -1 838860800000 838860800000",
	} {
		s := sweep(t, op, 2, 8, Sizes{})
		r, err := s.Result(Row{Bytes: 1 << 20, Count: 5}, sum)
		if err != nil {
			t.Fatal(err)
		}
		took, none := r.In, r.Out
		if op >= coll.GatherTo {
			took, none = r.Out, r.In
		}
		if took == nil || none != nil {
			t.Errorf("%v: %+v in place, %+v out of place", op, r.In, r.Out)
			continue
		}
		got := fmt.Sprint(r.RedOp, " ", r.Root, " ", int64(took.AlgBW), " ", int64(took.BusBW)) // bits per second
		if got != want || r.Count != 5 || took.Errors.Checked {
			t.Errorf("%v: %s, %+v, want %s", op, got, r, want)
		}
	}
	if _, err := sweep(t, coll.AllReduce, 2, 8, Sizes{}).Result(Row{}, &result.Summary{}); err == nil {
		t.Error("a run without figures gave a row")
	}
}

// Between processes there is no protocol, and a small all-reduce of more than two goes along a tree; what is said is done.
func TestBetweenProcesses(t *testing.T) {
	for _, c := range []struct {
		op                  coll.Collective
		ranks               int
		bytes               int64
		algorithm, protocol string // said
		want                string
	}{
		{coll.AllReduce, 2, 1 << 10, "", "", "ring, none"},
		{coll.AllReduce, 4, 64 << 10, "", "", "tree, simple"},
		{coll.AllReduce, 4, 64<<10 + 16, "", "", "ring, none"},
		{coll.AllReduce, 4, 64 << 10, "ring", "", "ring, none"},
		{coll.AllReduce, 4, 64 << 10, "", "ll", "ring, ll"},
		{coll.AllGather, 4, 64 << 10, "", "", "ring, none"},
	} {
		s := sweep(t, c.op, 1, c.ranks, Sizes{Min: unit.Bytes(c.bytes), Max: unit.Bytes(c.bytes), Step: 1})
		s.Channels, s.Processes = 1, true
		s.Algorithm, s.Protocol = scenario.Algorithm(c.algorithm), scenario.NCCLProtocol(c.protocol)
		rows, err := s.Rows()
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%s, %s", rows[0].Algorithm, rows[0].Protocol); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
