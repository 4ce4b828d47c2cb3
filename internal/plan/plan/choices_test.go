package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// What NCCL has it takes itself; what it has not is like the algorithm whose messages go the same way.
func TestWhatAnAlgorithmIsLike(t *testing.T) {
	for _, c := range []struct {
		op   coll.Collective
		is   scenario.Algorithm
		like nccl.Algorithm
		has  bool
	}{
		{coll.AllReduce, "ring", nccl.Ring, true}, {coll.AllReduce, "double-tree", nccl.Tree, true},
		{coll.AllReduce, "tree", nccl.Tree, false}, {coll.AllReduce, "chain", nccl.Tree, false},
		{coll.AllReduce, "halving-doubling", nccl.Ring, false}, {coll.AllReduce, "hierarchical", nccl.Ring, false},
		{coll.AllReduce, "nvls", nccl.NVLS, true}, {coll.AllReduce, "nvls-tree", nccl.NVLSTree, true},
		{coll.ReduceScatter, "halving", nccl.Ring, false}, {coll.ReduceScatter, "pat", nccl.PAT, true},
		{coll.BroadcastFrom, "chain", nccl.Ring, true}, {coll.BroadcastFrom, "tree", nccl.Ring, false},
		{coll.ReduceTo, "tree", nccl.Ring, false}, {coll.AllGather, "hypercube", nccl.Direct, false},
		{coll.GatherTo, "direct", nccl.Direct, true}, {coll.ScatterFrom, "direct", nccl.Direct, true},
		{coll.AllToAll, "pairwise", nccl.Direct, false}, {coll.AllToAll, "two-level", nccl.Direct, false},
		{coll.SendReceive, "ring", nccl.Direct, true},
	} {
		got, has := NCCLAlgorithm(c.op, c.is)
		if has != c.has || has && got != c.like || ncclAlgorithm(c.op, c.is) != c.like {
			t.Errorf("%v by %s: NCCL has it %v, as %v; want %v, as %v", c.op, c.is, has, ncclAlgorithm(c.op, c.is), c.has, c.like)
		}
		if back := AlgorithmOf(c.like, c.op); c.has && back != c.is {
			t.Errorf("%v: %v is called %s, want %s", c.op, c.like, back, c.is)
		}
	}
	for _, p := range []nccl.Protocol{nccl.LL, nccl.LL128, nccl.Simple} {
		if got, is := NCCLProtocol(ProtocolOf(p)); !is || got != p {
			t.Errorf("%v is called %s, which is %v %v", p, ProtocolOf(p), got, is)
		}
	}
	for _, name := range []scenario.NCCLProtocol{scenario.ProtocolAuto, scenario.ProtocolNone} {
		if got, is := NCCLProtocol(name); is {
			t.Errorf("%s is %v", name, got)
		}
	}
}

// A collective has as many channels as NCCL's; where channels say by which NIC sends leave a host, one for each of its NICs at least.
func TestChannelsOfACollective(t *testing.T) {
	chose := func(a nccl.Algorithm, channels int) (c nccl.Choice) {
		c.Algorithm, c.Channels = a, channels
		return c
	}
	sends := chose(nccl.Direct, 2)
	for _, c := range []struct {
		hosts  int
		choice nccl.Choice
		by     scenario.Algorithm
		exit   string
		want   int
	}{
		{2, sends, "direct", "channel", 4}, {1, sends, "direct", "channel", 2},
		{2, sends, "direct", "own", 2}, {2, sends, "rails", "channel", 2},
		{2, chose(nccl.Ring, 2), "ring", "channel", 2}, {2, chose(nccl.Direct, 9), "direct", "channel", 9},
		{2, chose(nccl.Tree, 5), "double-tree", "channel", 6},
	} {
		text := plantest.Collectives("op: all-reduce, bytes: 1MB")
		sc := plantest.Read(t, strings.Replace(text, "hosts: 2", fmt.Sprint("hosts: ", c.hosts), 1))
		if got := ChannelsFor(sc, c.choice, c.by, c.exit); got != c.want {
			t.Errorf("%+v by %s, exit %s, %d hosts: %d channels, want %d", c.choice, c.by, c.exit, c.hosts, got, c.want)
		}
	}
}

// Each number that a scenario has of a protocol goes where NCCL's model has it, and nowhere else.
func TestEachNumberOfAProtocolHasItsPlace(t *testing.T) {
	sc := planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB")).Scenario
	keys := &sc.Cluster.Protocols
	keys.Speed = unit.Ratio{Num: 1, Den: 1}
	n := 0
	next := func() int { n++; return n }
	of := map[nccl.Protocol]*scenario.Protocol{nccl.LL: &keys.LL, nccl.LL128: &keys.LL128, nccl.Simple: &keys.Simple}
	for _, proto := range []nccl.Protocol{nccl.LL, nccl.LL128, nccl.Simple} {
		k := of[proto]
		k.Data, k.Line, k.Buffer, k.Slice = unit.Bytes(next()), unit.Bytes(next()), unit.Bytes(next()), next()
		for _, d := range []*unit.Duration{&k.LaunchRing, &k.LaunchTree, &k.NVLinkRing, &k.NVLinkTree, &k.NetRing, &k.NetTree} {
			*d = unit.Duration(next())
		}
		k.Rate = scenario.Some(unit.Bitrate(next()))
	}
	keys.NVLSLaunch, keys.NVLSChunk = unit.Duration(next()), unit.Bytes(next())
	p, was := NCCLParams(sc), nccl.Default()
	for proto, k := range of {
		got := p.Protocols[proto]
		if got.Data != k.Data || got.Line != k.Line || got.Cap != k.Rate.Value || got.Buffer != k.Buffer || got.SliceSteps != k.Slice ||
			got.ChunkSteps != max(k.Slice, was.Protocols[proto].ChunkSteps) {
			t.Errorf("%v: %+v of %+v", proto, got, k)
		}
		for _, c := range []struct {
			what      string
			got, want unit.Duration
		}{
			{"a ring's launch", p.Base[nccl.Ring][proto], k.LaunchRing}, {"a tree's launch", p.Base[nccl.Tree][proto], k.LaunchTree},
			{"a send's launch", p.Base[nccl.Direct][proto], k.LaunchRing},
			{"a ring over NVLink", p.Hop[nccl.NVLink][nccl.Ring][proto], k.NVLinkRing},
			{"a tree over NVLink", p.Hop[nccl.NVLink][nccl.Tree][proto], k.NVLinkTree},
			{"a send over NVLink", p.Hop[nccl.NVLink][nccl.Direct][proto], k.NVLinkRing},
			{"a ring over the network", p.Hop[nccl.Net][nccl.Ring][proto], k.NetRing},
			{"a tree over the network", p.Hop[nccl.Net][nccl.Tree][proto], k.NetTree},
			{"a send over the network", p.Hop[nccl.Net][nccl.Direct][proto], k.NetRing},
		} {
			if c.got != c.want {
				t.Errorf("%v: %s takes %v, want %v", proto, c.what, c.got, c.want)
			}
		}
	}
	if p.NVLSChunk != keys.NVLSChunk || p.Hop[nccl.NVLink][nccl.NVLS][nccl.Simple] != keys.NVLSLaunch ||
		p.Hop[nccl.NVLink][nccl.NVLSTree][nccl.Simple] != keys.NVLSLaunch {
		t.Errorf("NVLS: %+v of %+v", p, keys)
	}
	keys.Simple.Buffer, keys.Simple.Slice = 0, 0
	if got, usual := NCCLParams(sc).Protocols[nccl.Simple], was.Protocols[nccl.Simple]; got.Buffer != usual.Buffer ||
		got.SliceSteps != usual.SliceSteps || got.ChunkSteps != usual.ChunkSteps {
		t.Errorf("without a buffer and slices %+v, want NCCL's", got)
	}
	keys.NVLSEfficiency = scenario.Some(unit.Ratio{Num: 3, Den: 7})
	for g, e := range NCCLParams(sc).NVLSEfficiency {
		if e != keys.NVLSEfficiency.Value {
			t.Errorf("generation %v: %v", g, e)
		}
	}
	if keys.LL.Line = 0; NCCLParams(sc).Base != was.Base {
		t.Error("a scenario in which NCCL has no say changes its model")
	}
}

// Blocks are of two layers and go whole to stages, as even as can be: of what is left over the stages in the middle have one first, then
// the first, then the last, which has the head. What is before the blocks is the first stage's.
func TestWhereStagesBegin(t *testing.T) {
	for _, c := range []struct {
		before, blocks, chunks int
		want                   []int
	}{
		{1, 4, 2, []int{0, 5}}, {2, 5, 2, []int{0, 8}}, {1, 3, 3, []int{0, 3, 5}}, {1, 4, 3, []int{0, 3, 7}}, {1, 5, 3, []int{0, 5, 9}},
		{3, 6, 4, []int{0, 5, 9, 13}}, {3, 7, 4, []int{0, 7, 11, 15}}, {1, 3, 1, []int{0}}, {1, 2, 2, []int{0, 3}},
	} {
		if got := starting(c.before, c.blocks, c.chunks); !slices.Equal(got, c.want) {
			t.Errorf("%d layers, then %d blocks in %d: from %v on, want %v", c.before, c.blocks, c.chunks, got, c.want)
		}
	}
}

// Steps find what is wrong until there is more than is shown. What is not wrong with the scenario alone ends them at once, and is all that
// is said.
func TestGather(t *testing.T) {
	at := func(line int) error { return located.Problems{{File: "f", Line: line, Column: 1, Message: "wrong"}} }
	other := errors.New("no file")
	field := &FieldError{"job.flows_csv", at(9)}
	for _, c := range []struct {
		name         string
		at           func(i int) error
		steps, tried int
		is           error // nil: problems, if any
		problems     int
		none         bool
	}{
		{name: "nothing", at: func(int) error { return nil }, steps: 7, tried: 7, none: true},
		{name: "each second", at: func(i int) error {
			if i%2 == 0 {
				return nil
			}
			return at(i)
		}, steps: 8, tried: 8, problems: 4},
		{name: "many", at: at, steps: 500, tried: located.Most + 1, problems: located.Most + 1},
		{name: "another", at: func(i int) error { return []error{at(1), nil, other, at(3)}[i] }, steps: 4, tried: 3, is: other},
		{name: "in a file", at: func(i int) error { return []error{nil, field, at(2)}[i] }, steps: 3, tried: 2, is: field},
	} {
		tried := 0
		err := gather(c.steps, func(i int) error {
			if i != tried {
				t.Errorf("%s: step %d after %d", c.name, i, tried)
			}
			tried++
			return c.at(i)
		})
		var all located.Problems
		if c.is == nil {
			errors.As(err, &all)
		}
		if tried != c.tried || c.is != nil && err != c.is || len(all) != c.problems || c.none != (err == nil) {
			t.Errorf("%s: %d steps, %v", c.name, tried, err)
		}
	}
}
