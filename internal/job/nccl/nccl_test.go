package nccl

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/base/scripttest"
	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
)

// Hosts of eight H100 or H200, 400 Gb/s for each.
func hopper(nodes int) Group {
	return Group{Ranks: 8 * nodes, Nodes: nodes, Generation: Hopper, IntraRate: 450 * gBs, NVSwitch: true,
		NICs: 8, NICRate: 50 * gBs}
}

func choose(t testing.TB, c coll.Collective, bytes unit.Bytes, g Group, only Only) Choice {
	t.Helper()
	k, err := Default().Choose(c, bytes, g, only)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func predict(t testing.TB, c coll.Collective, bytes unit.Bytes, g Group, a Algorithm, proto Protocol) Prediction {
	t.Helper()
	d, err := Default().Predict(c, bytes, g, a, proto)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The tables that people see: one host, two, 64 ranks; sizes at which the choice changes.
func TestTables(t *testing.T) {
	var b bytes.Buffer
	for _, c := range []struct {
		c     coll.Collective
		bytes unit.Bytes
		g     Group
	}{
		{coll.AllReduce, 32 * unit.Kibibyte, hopper(1)}, {coll.AllReduce, 2 * unit.Mebibyte, hopper(1)},
		{coll.AllReduce, unit.Mebibyte, hopper(2)}, {coll.AllReduce, unit.Gibibyte, hopper(8)},
		{coll.AllGather, unit.Mebibyte, hopper(2)}, {coll.BroadcastFrom, unit.Mebibyte, hopper(1)},
		{coll.AllToAll, 64 * unit.Mebibyte, hopper(2)},
		{coll.AllReduce, unit.Mebibyte, Group{Ranks: 4, Nodes: 1, Generation: Ampere, Intra: PCI, IntraRate: 32 * gBs}},
	} {
		fmt.Fprintf(&b, "%s per node on %s: ", unit.CountOf(int64(c.g.PerNode()), "rank"),
			unit.CountOf(int64(c.g.Nodes), "node"))
		if err := choose(t, c.c, c.bytes, c.g, Only{}).WriteText(&b, 100); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n")
	}
	scripttest.Golden(t, "choices.txt", b.String())
}

// What the search finds, as NCCL prints it on such hosts: 12 rings of 30 GB/s and 24 channels in
// one with NVLink 4, 16 channels over hosts with 8 NICs of 400 Gb/s, 24 channels with NVLink 3.
func TestGraphs(t *testing.T) {
	p := Default()
	a100 := Group{Ranks: 8, Nodes: 1, Generation: Ampere, IntraRate: 300 * gBs}
	slowNICs, fourNICs := hopper(2), hopper(2)
	slowNICs.NICRate, fourNICs.NICs = 25*gBs, 4
	b200 := Group{Ranks: 8, Nodes: 1, Generation: Blackwell, IntraRate: 900 * gBs, NVSwitch: true}
	for _, c := range []struct {
		name     string
		g        Group
		a        Algorithm
		want     Graph
		channels int
	}{
		{"8 x H100", hopper(1), Ring, Graph{12, 30 * gBs, 30 * gBs}, 24},
		{"8 x H100", hopper(1), NVLS, Graph{8, 40 * gBs, 80 * gBs}, 24},
		{"2 x 8 x H100", hopper(2), Ring, Graph{8, 45 * gBs, 45 * gBs}, 16},
		{"8 x A100", a100, Ring, Graph{12, 20 * gBs, 20 * gBs}, 24},
		{"8 x B200", b200, Ring, Graph{16, 45 * gBs, 45 * gBs}, 32},
		{"slow NICs", Group{Ranks: 2, Nodes: 2, Generation: Volta, NICs: 1, NICRate: 12.5 * gBs}, Ring,
			Graph{1, 12 * gBs, 12 * gBs}, 2},
		{"3 GB/s would fill more of 65", Group{Ranks: 2, Nodes: 1, Generation: Hopper, IntraRate: 79 * gBs}, Ring,
			Graph{2, 30 * gBs, 30 * gBs}, 4},
		{"trees faster inside hosts", slowNICs, Tree, Graph{8, 45 * gBs, 24 * gBs}, 16},
		{"four heads", fourNICs, NVLSTree, Graph{4, 48 * gBs, 48 * gBs}, 16},
		{"slower than the list", Group{Ranks: 2, Nodes: 1, Generation: Hopper, IntraRate: gBs}, Ring,
			Graph{1, 3 * gBs, 3 * gBs}, 2},
	} {
		if got, channels := p.Graph(c.g, c.a), p.channels(c.g); got != c.want || channels != c.channels {
			t.Errorf("%s, %v: %v and %d channels, want %v and %d", c.name, c.a, got, channels, c.want, c.channels)
		}
	}
}

// Closed forms, with a pencil from the constants.
func TestClosedForms(t *testing.T) {
	g1, g2 := hopper(1), hopper(2)
	amd, collNet, volta := g2, g2, g2
	amd.AMD, collNet.InNetwork, volta.Generation = true, true, Volta
	sixNICs := collNet
	sixNICs.NICs = 6
	single := Group{Ranks: 4, Nodes: 4, Generation: Hopper, NICs: 1, NICRate: 50 * gBs}
	for _, c := range []struct {
		name      string
		c         coll.Collective
		g         Group
		a         Algorithm
		proto     Protocol
		latency   unit.Duration
		bandwidth float64 // GB/s, of the whole buffer; 0: not looked at
	}{
		{"14 hops, 141 GB/s of bus bandwidth", coll.AllReduce, g1, Ring, LL, (6.6 + 14*.6) * us, 141. * 8 / 14},
		{"14 hops, 92 % of 360 GB/s", coll.AllReduce, g1, Ring, LL128, (14 + 14*1.9) * us, 331.2 * 8 / 14},
		{"14 hops, 360 GB/s", coll.AllReduce, g1, Ring, Simple, (8.4 + 14*3.4) * us, 360. / 7 * 4},
		{"7 hops, 360 GB/s", coll.AllGather, g1, Ring, Simple, (8.4 + 7*3.4) * us, 360. / 7 * 8},
		{"one hop not hidden", coll.BroadcastFrom, g1, Ring, Simple, (8.4 + 3.4) * us, 360},
		{"up and down the chain, half of 92 % of 360", coll.AllReduce, g1, Tree, Simple, (8.4 + 14*4) * us, 165.6},
		{"85 % of 2 x 7/8 x 8 x 40 GB/s", coll.AllReduce, g1, NVLS, Simple, 25 * us, 272},
		{"28 hops in hosts, 2 between; the host posts for 3 us; 40 % more", coll.AllReduce, g2, Ring, Simple,
			1.4 * (8.4 + 28*3.4 + 2*14) * us, 192},
		{"7 hops and one between, up and down", coll.AllReduce, g2, Tree, LL, (6.8 + 2*(7*.6+5)) * us, 0},
		{"one switch, one hop up and down; 57.7 GB/s for each of 8 channels", coll.AllReduce, g2, NVLSTree, Simple,
			(25 + 2*20.9) * us, 461.6 / 30 * 16},
		{"AMD hosts post for 6 us", coll.AllReduce, amd, Ring, Simple, 1.4 * (8.4 + 28*6 + 2*14) * us, 192 * 1},
		{"90 % more", coll.AllReduce, volta, Ring, Simple, 1.9 * (8.4 + 28*3.4 + 2*14) * us, 0},
		{"hosts of one GPU see all of a tree's latency", coll.AllReduce, single, Ring, LL, (6.6 + 6*5) * us, 0},
		{"2 of 4 us and 2.8 us per rank, 75 % of 48 GB/s", coll.AllGather, single, PAT, Simple,
			(8 + 2*4 + 4*2.8) * us, 36},
		{"8 GPUs to the NIC's, one hop between", coll.AllReduce, collNet, CollNetDirect, Simple,
			(2*(3.7+7*.4) + 31) * us, 153},
		{"8 GPUs to 6 NICs: 6/7 of it", coll.AllReduce, sixNICs, CollNetDirect, Simple,
			(2*(3.7+7*.4) + 31) * us, 288. * 6 / 7 * .85 / 2},
		{"a chain of 8, one hop between", coll.AllReduce, collNet, CollNetChain, Simple, (14*2.8 + 30) * us, 180},
	} {
		bytes := unit.Gibibyte
		k := choose(t, c.c, bytes, c.g, Only{Algorithms: []Algorithm{c.a}, Protocols: []Protocol{c.proto}})
		if k.Latency != c.latency {
			t.Errorf("%s (%v, %v): latency %v, want %v", c.name, c.a, c.proto, k.Latency, c.latency)
		}
		if c.bandwidth != 0 && math.Abs(float64(k.Bandwidth)-c.bandwidth*gBs) > 100 {
			t.Errorf("%s (%v, %v): bandwidth %v, want %v GB/s", c.name, c.a, c.proto, k.Bandwidth, c.bandwidth)
		}
		if want := k.Latency + k.Bandwidth.TransmitTime(bytes); k.Time != want {
			t.Errorf("%s: %v, want latency and bytes: %v", c.name, k.Time, want)
		}
	}
	// Between hosts LL is limited by the processors: 39 GB/s with Intel's, 22.5 with AMD's.
	intel := choose(t, coll.AllReduce, unit.Gibibyte, g2, Only{[]Algorithm{Ring}, []Protocol{LL}})
	g2.AMD = true
	slow := choose(t, coll.AllReduce, unit.Gibibyte, g2, Only{[]Algorithm{Ring}, []Protocol{LL}})
	if bus := intel.Bandwidth * 30 / 16; bus/gBs != 38 && bus/gBs != 39 || slow.Bandwidth*30/16/gBs != 22 {
		t.Errorf("LL over two hosts: %v, AMD %v", bus, slow.Bandwidth*30/16)
	}
	if more := slow.Latency - intel.Latency; more != 28*us {
		t.Errorf("28 messages of AMD hosts take %v more, want 28 us", more)
	}
}

// The published switch points of 8 x H200 with NCCL 2.27: Ring with LL up to 1 MiB, NVLS from 2
// MiB.
func TestSwitchPoints(t *testing.T) {
	for bytes := 32 * unit.Kibibyte; bytes <= 16*unit.Gibibyte; bytes *= 2 {
		k := choose(t, coll.AllReduce, bytes, hopper(1), Only{})
		a, proto := Ring, LL
		if bytes >= 2*unit.Mebibyte {
			a, proto = NVLS, Simple
		}
		if k.Algorithm != a || k.Protocol != proto {
			t.Errorf("%v: %v with %v, want %v with %v", bytes, k.Algorithm, k.Protocol, a, proto)
		}
	}
	none := hopper(1)
	none.NVSwitch = false
	var got []string
	for bytes := unit.Mebibyte; bytes <= unit.Gibibyte; bytes *= 2 {
		k := choose(t, coll.AllReduce, bytes, none, Only{})
		if s := fmt.Sprint(k.Algorithm, " ", k.Protocol); !slices.Contains(got, s) {
			got = append(got, s)
		}
	}
	if want := []string{"Ring LL", "Ring LL128", "Ring Simple"}; !slices.Equal(got, want) {
		t.Errorf("without NVLS: %v, want %v", got, want)
	}
}

// Few bytes take few channels: 512 threads of 8 B per rank with LL (enqueue.cc).
func TestChannels(t *testing.T) {
	ll := Only{[]Algorithm{Ring}, []Protocol{LL}}
	const each = 512 * 8 * 8
	for bytes, want := range map[unit.Bytes]int{1: 1, each: 1, 2 * each: 2, 24*each - 1: 23, unit.Gibibyte: 24} {
		if k := choose(t, coll.AllReduce, bytes, hopper(1), ll); k.Channels != want {
			t.Errorf("%v: %d channels, want %d", bytes, k.Channels, want)
		}
	}
	pcie3 := Group{Ranks: 8, Nodes: 1, Intra: PCI, IntraRate: 15.75 * gBs} // 256 threads of 64 B: 16 KiB for each
	simple := Only{[]Algorithm{Ring}, []Protocol{Simple}}
	if k := choose(t, coll.AllReduce, 32*unit.Kibibyte, pcie3, simple); k.Channels != 2 {
		t.Errorf("32 KiB over PCIe 3: %d channels, want 2", k.Channels)
	}
	if k := choose(t, coll.AllReduce, unit.Gibibyte, hopper(1), Only{}); k.Algorithm != NVLS || k.Channels != 16 {
		t.Errorf("1 GiB: %v on %d channels, want NVLS on 16", k.Algorithm, k.Channels)
	}
	g := hopper(1)
	g.Channels = 4
	if k := choose(t, coll.AllReduce, unit.Gibibyte, g, ll); k.Channels != 4 {
		t.Errorf("a group of 4 channels uses %d", k.Channels)
	}
}

// Sizes of buffers as reference and source say.
func TestBuffers(t *testing.T) {
	p := Default()
	for _, c := range []struct {
		c     coll.Collective
		a     Algorithm
		proto Protocol
		slice unit.Bytes
		chunk unit.Bytes
	}{
		{coll.AllReduce, Ring, Simple, unit.Mebibyte, 2 * unit.Mebibyte},
		{coll.AllReduce, Tree, Simple, 512 * unit.Kibibyte, 512 * unit.Kibibyte},
		{coll.BroadcastFrom, Ring, Simple, 512 * unit.Kibibyte, 512 * unit.Kibibyte},
		{coll.AllReduce, Ring, LL, 32 * unit.Kibibyte, 32 * unit.Kibibyte},
		{coll.AllReduce, Ring, LL128, 576_000, 576_000},
	} {
		if s, k := p.Slice(c.c, c.a, c.proto), p.Chunk(c.c, c.a, c.proto); s != c.slice || k != c.chunk {
			t.Errorf("%v, %v, %v: slice %v, chunk %v, want %v and %v", c.c, c.a, c.proto, s, k, c.slice, c.chunk)
		}
	}
}

func TestSendChunks(t *testing.T) {
	p := Default()
	if a, b := p.sendChunk(hopper(1)), p.sendChunk(hopper(2)); a != 512*unit.Kibibyte || b != 128*unit.Kibibyte {
		t.Errorf("chunks of sends: %v inside a host, %v between hosts", a, b)
	}
	pp := &p.Protocols[Simple]
	pp.Buffer = unit.Mebibyte
	if a := p.sendChunk(hopper(1)); a != 128*unit.Kibibyte {
		t.Errorf("a chunk of %v, more than a step of the buffer", a)
	}
}

// Channels of a send, counted by hand after paths.cc and enqueue.cc of NCCL 2.30: of 16 ranks on two hosts each peer may have
// 4 of 16 channels (50 GB/s at 14 each), of 64 ranks 2, of more 1, since 8 sends share a channel at once.
func TestSendChannels(t *testing.T) {
	slow := Group{Ranks: 8, Nodes: 8, Generation: Ampere, NICs: 1, NICRate: 12 * gBs}
	one, odd := hopper(2), hopper(2)
	one.Channels, odd.NICRate = 1, 31*gBs // three channels of 14 GB/s, so four
	few := Group{Ranks: 4, Nodes: 2, Generation: Hopper, IntraRate: 450 * gBs, NICs: 8, NICRate: 50 * gBs}
	nine := Group{Ranks: 36, Nodes: 9, Generation: Hopper, IntraRate: 450 * gBs, NICs: 8, NICRate: 50 * gBs} // five times 8 sends at once
	for _, c := range []struct {
		c     coll.Collective
		g     Group
		bytes unit.Bytes
		want  int
	}{
		{coll.AllToAll, hopper(2), unit.Mebibyte, 1},        // 64 KiB for each peer
		{coll.AllToAll, hopper(2), 2*unit.Mebibyte + 16, 2}, // a part over 128 KiB is cut
		{coll.AllToAll, hopper(2), 2 * unit.Mebibyte, 1},
		{coll.AllToAll, hopper(2), 64 * unit.Mebibyte, 4},
		{coll.SendReceive, hopper(2), unit.Mebibyte, 4},
		{coll.AllToAll, hopper(8), unit.Gibibyte, 2},
		{coll.AllToAll, hopper(16), unit.Gibibyte, 1},
		{coll.AllToAll, hopper(32), 64 * unit.Mebibyte, 1},
		{coll.AllToAll, hopper(1), 512 * unit.Kibibyte, 1},                                                   // 64 KiB for each peer
		{coll.AllToAll, hopper(1), 2 * unit.Mebibyte, 4},                                                     // 8 ranks on 32 channels
		{coll.AllToAll, hopper(1), 8 * unit.Gibibyte, 32},                                                    // parts over 16 MiB are cut
		{coll.AllToAll, Group{Ranks: 2, Nodes: 1, Generation: Volta, IntraRate: 75 * gBs}, unit.Gibibyte, 8}, // three links
		{coll.AllToAll, slow, unit.Gibibyte, 1},
		{coll.AllToAll, odd, unit.Gibibyte, 4},
		{coll.AllToAll, few, 384 * unit.Kibibyte, 2}, // 96 KiB for each peer
		{coll.AllToAll, nine, unit.Gibibyte, 2},
		{coll.AllToAll, one, unit.Gibibyte, 1},
	} {
		if k := choose(t, c.c, c.bytes, c.g, Only{}); k.Channels != c.want {
			t.Errorf("%v of %v over %d ranks on %d hosts: %d channels for a peer, want %d", c.c, c.bytes, c.g.Ranks, c.g.Nodes,
				k.Channels, c.want)
		}
	}
}

// Names go there and back, and every schedule named is one of coll's for that collective.
func TestNames(t *testing.T) {
	for a := range algorithms {
		if got, err := ParseAlgorithm(a.String()); err != nil || got != a {
			t.Errorf("%v: %v, %v", a, got, err)
		}
		for c := coll.AllReduce; c <= coll.Barrier; c++ {
			name := a.Schedule(c)
			if s := coll.Algorithms[name]; name != "" && (s.Collective != c || s.Description == "") {
				t.Errorf("%v of %v: no schedule %s", a, c, name)
			}
		}
	}
	for p := range protocols {
		if got, err := ParseProtocol(p.String()); err != nil || got != p {
			t.Errorf("%v: %v, %v", p, got, err)
		}
	}
	for g := range generations {
		if got, err := ParseGeneration(g.String()); err != nil || got != g {
			t.Errorf("%v: %v, %v", g, got, err)
		}
	}
	_, err := ParseProtocol("LL64")
	if err == nil || !strings.Contains(err.Error(), `"LL64": want one of [LL LL128 Simple]`) {
		t.Errorf("LL64: %v", err)
	}
}

// What cannot be is refused with the value and the bound.
func TestRefused(t *testing.T) {
	g := hopper(1)
	for _, c := range []struct {
		change func(*Group)
		want   string
	}{
		{func(g *Group) { g.Ranks = 0 }, "0 ranks, want 1 to 65536"},
		{func(g *Group) { g.Ranks = 9; g.Nodes = 2 }, "9 ranks on 2 nodes"},
		{func(g *Group) { g.Generation = 7 }, "generation(7), want one of"},
		{func(g *Group) { g.Intra = Net }, "NET between the GPUs of a host, want NVLink or PCI"},
		{func(g *Group) { g.IntraRate = 5 }, "inside a host of 5b/s, want 1Gb/s to 100Tb/s"},
		{func(g *Group) { g.Nodes = 2; g.NICs = 0 }, "0 NICs per host"},
		{func(g *Group) { g.Nodes = 2; g.NICRate = 0 }, "NIC's rate of 0b/s"},
		{func(g *Group) { g.Channels = 65 }, "65 channels"},
	} {
		bad := g
		c.change(&bad)
		_, err := Default().Choose(coll.AllReduce, 1, bad, Only{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []struct {
		c     coll.Collective
		bytes unit.Bytes
		only  Only
		want  string
	}{
		{coll.Barrier, 1, Only{}, "barrier: NCCL has none"},
		{coll.AllReduce, -1, Only{}, "want 0 B to 64TiB"},
		{coll.AllReduce, 1, Only{Algorithms: []Algorithm{NVLSTree}}, "NVLSTree with Simple: needs several nodes"},
		{coll.AllGather, 1, Only{Algorithms: []Algorithm{Tree}}, "Tree with LL: not of this collective"},
	} {
		if _, err := Default().Choose(c.c, c.bytes, g, c.only); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := Default().Predict(coll.AllGather, 1, g, Tree, LL); err == nil ||
		!strings.Contains(err.Error(), "Tree with LL: all-gather: not of this collective") {
		t.Error(err)
	}
	if _, err := Calibrate(450*gBs, 451*gBs); err == nil {
		t.Error("calibrated to more than the links' rate")
	}
}

func drawGroup(t *rapid.T) Group {
	rate := func(name string) unit.Bitrate {
		return unit.Bitrate(rapid.Int64Range(int64(MinRate), int64(4*unit.TerabitPerSec)).Draw(t, name))
	}
	g := Group{Nodes: rapid.IntRange(1, 9).Draw(t, "nodes"),
		Generation: Generation(rapid.IntRange(0, int(generations)-1).Draw(t, "generation")),
		Intra:      Hop(rapid.IntRange(0, 1).Draw(t, "intra")), IntraRate: rate("rate inside"),
		NVSwitch: rapid.Bool().Draw(t, "NVSwitch"), NICs: rapid.IntRange(1, 10).Draw(t, "NICs"), NICRate: rate("NIC's rate"),
		AMD: rapid.Bool().Draw(t, "AMD"), InNetwork: rapid.Bool().Draw(t, "CollNet")}
	g.Ranks = g.Nodes * rapid.IntRange(1, 9).Draw(t, "ranks per node")
	return g
}

// For any group and size NCCL has a choice; no prediction is faster than the links allow, and none
// falls as bytes grow.
func TestProperties(t *testing.T) {
	p := Default()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t)
		c := coll.Collective(rapid.IntRange(0, int(coll.SendReceive)).Draw(t, "collective"))
		bytes := unit.Bytes(rapid.Int64Range(0, 1<<rapid.IntRange(0, 46).Draw(t, "log size")).Draw(t, "bytes"))
		less := unit.Bytes(rapid.Int64Range(0, int64(bytes)).Draw(t, "fewer bytes"))
		k, err := p.Choose(c, bytes, g, Only{})
		if err != nil {
			t.Fatal(err)
		}
		if k.Channels < 1 || k.Channels > 64 || k.Not != "" {
			t.Fatalf("chose %+v on %d channels", k.Candidate, k.Channels)
		}
		for _, x := range k.Candidates {
			if x.Not != "" {
				continue
			}
			if x.Time < k.Time && x.Algorithm != Direct {
				t.Fatalf("%+v is faster than the choice %+v", x, k.Candidate)
			}
			d, err := p.Predict(c, bytes, g, x.Algorithm, x.Protocol)
			if err != nil {
				t.Fatal(err)
			}
			before, err := p.Predict(c, less, g, x.Algorithm, x.Protocol)
			if err != nil {
				t.Fatal(err)
			}
			if before.Time() > d.Time() {
				t.Fatalf("%v with %v: %d bytes take %v, %d take %v", x.Algorithm, x.Protocol, less, before.Time(), bytes,
					d.Time())
			}
			if bound := p.Bound(c, x.Algorithm, g); d.Bandwidth > bound {
				t.Fatalf("%v with %v: %v, the links allow %v", x.Algorithm, x.Protocol, d.Bandwidth, bound)
			}
		}
	})
}

// Links of twice the rate: never slower, and a large ring with Simple in one host takes half the
// time.
func TestTwiceTheRate(t *testing.T) {
	slow := predict(t, coll.AllReduce, 16*unit.Gibibyte, hopper(1), Ring, Simple)
	fast := hopper(1)
	fast.IntraRate *= 2
	half := predict(t, coll.AllReduce, 16*unit.Gibibyte, fast, Ring, Simple)
	if r := float64(slow.Data) / float64(half.Data); math.Abs(r-2) > 1e-9 {
		t.Errorf("data takes %v, over links of twice the rate %v", slow.Data, half.Data)
	}
}

// Sends take LL up to 16 KiB for each peer, inside a host.
func TestSends(t *testing.T) {
	for bytes, want := range map[unit.Bytes]Protocol{128 * unit.Kibibyte: LL, 128*unit.Kibibyte + 1: Simple} {
		if k := choose(t, coll.AllToAll, bytes, hopper(1), Only{}); k.Algorithm != Direct || k.Protocol != want {
			t.Errorf("all-to-all of %v: %v with %v, want Direct with %v", bytes, k.Algorithm, k.Protocol, want)
		}
	}
	if k := choose(t, coll.AllToAll, 8, hopper(2), Only{}); k.Protocol != Simple {
		t.Errorf("between hosts: %v", k.Protocol)
	}
}

// What links allow and what trees reach, by hand.
func TestLinks(t *testing.T) {
	p := Default()
	slow := func(nodes int, nic unit.Bitrate) Group {
		g := hopper(nodes)
		g.NICRate = nic
		return g
	}
	for _, c := range []struct {
		name string
		got  unit.Bitrate
		want float64 // GB/s
	}{
		{"two hosts send all once", p.Bound(coll.AllReduce, Tree, slow(2, 25*gBs)), 200},
		{"inner hosts send it twice", p.Bound(coll.AllReduce, Tree, slow(4, 25*gBs)), 100},
		{"a ring sends 30/16 of it", p.Bound(coll.AllReduce, Ring, slow(2, 25*gBs)), 200. * 16 / 30},
		{"a reducing switch pulls all, and a part's sum goes in", p.Bound(coll.AllReduce, NVLS, hopper(1)), 400},
		{"15 of 16 parts by 8 NICs, 8 to the other host", p.Bound(coll.AllToAll, Direct, slow(2, 25*gBs)), 50},
		{"46 % of twice what leaves a host", p.predicted(t, slow(2, 10*gBs), Tree), .92 * 80 * 4096 / 4178},
		{"46 % of what leaves a host", p.predicted(t, slow(4, 10*gBs), Tree), .46 * 80 * 4096 / 4178},
	} {
		if math.Abs(float64(c.got)-c.want*gBs) > 100 {
			t.Errorf("%s: %v, want %v GB/s", c.name, c.got, c.want)
		}
	}
}

func (p Params) predicted(t *testing.T, g Group, a Algorithm) unit.Bitrate {
	d, err := p.Predict(coll.AllReduce, unit.Gibibyte, g, a, Simple)
	if err != nil {
		t.Fatal(err)
	}
	return d.Bandwidth
}

// One rank has nothing to send.
func TestOneRank(t *testing.T) {
	g := Group{Ranks: 1, Nodes: 1}
	if k := choose(t, coll.AllReduce, unit.Gibibyte, g, Only{}); k.Time != 0 || k.Algorithm != Ring {
		t.Errorf("%+v", k.Candidate)
	}
	if d := predict(t, coll.AllReduce, 8, g, Ring, Simple); d.Latency != 0 {
		t.Errorf("%+v", d)
	}
}

// ParseAlgorithm returns the algorithm of this name.
func ParseAlgorithm(name string) (Algorithm, error) {
	i, err := parse("algorithm", algorithmNames[:], name)
	return Algorithm(i), err
}

// ParseProtocol returns the protocol of this name.
func ParseProtocol(name string) (Protocol, error) {
	i, err := parse("protocol", protocolNames[:], name)
	return Protocol(i), err
}

// ParseGeneration returns the generation of this name.
func ParseGeneration(name string) (Generation, error) {
	i, err := parse("generation", generationNames[:], name)
	return Generation(i), err
}

func parse(kind string, names []string, name string) (int, error) {
	for i, n := range names {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %q: want one of %v", kind, name, names)
}

// Chunk: see Slice.
func (p Params) Chunk(c coll.Collective, a Algorithm, proto Protocol) unit.Bytes {
	if !p.several(c, a, proto) {
		return p.Step(proto)
	}
	return p.Step(proto) * unit.Bytes(p.Protocols[proto].ChunkSteps)
}

// PAT's chunk of 512 KiB is halved for fewer bytes than 32 rounds of it on all channels, and not for exactly so many.
func TestChunksOfPAT(t *testing.T) {
	p := Default()
	g := Group{Generation: Hopper, Ranks: 4, Nodes: 4, NICs: 1, NICRate: 50 * gBs}
	const channels = 2
	whole := p.Protocols[Simple].Buffer / unit.Bytes(p.Steps)
	for _, c := range []struct{ bytes, chunk unit.Bytes }{{32 * channels * whole, whole}, {32*channels*whole - 1, whole / 2},
		{16 * channels * whole, whole / 2}, {1, 64 * unit.Kibibyte}} {
		part := (c.bytes + channels*4 - 1) / (channels * 4)
		if got, want := p.Messages(coll.AllGather, PAT, Simple, g, channels, c.bytes).Pieces, int((part+c.chunk-1)/c.chunk); got != want {
			t.Errorf("%v: %d pieces, want %d of %v", c.bytes, got, want, c.chunk)
		}
	}
}

// What links inside a host leave a NIC bounds the speed of channels between hosts, as NCCL counts PCIe: of 16 lanes of the
// third generation 12 GB/s, of the fourth 24, which a NIC of 200 Gb/s does not feel.
func TestGraphFollowsPCIe(t *testing.T) {
	p, g := Default(), Group{Ranks: 16, Nodes: 2, Generation: Ampere, Intra: NVLink, IntraRate: 300 * gBs, NVSwitch: true, NICs: 8,
		NICRate: 25 * gBs}
	free := p.Graph(g, Ring)
	for pcie, want := range map[unit.Bitrate]unit.Bitrate{15.75 * gBs: 12 * gBs, 31.5 * gBs: free.Inter, 63 * gBs: free.Inter} {
		g.PCIe = pcie
		if got := p.Graph(g, Ring); got.Inter != want {
			t.Errorf("%v: %+v, want %v a channel", pcie, got, want)
		}
	}
	g.PCIe = 15.75 * gBs
	held, err := p.Predict(coll.AllReduce, 1<<30, g, Ring, Simple)
	if err != nil {
		t.Fatal(err)
	}
	g.PCIe = 0
	if all, _ := p.Predict(coll.AllReduce, 1<<30, g, Ring, Simple); held.Time() < all.Time()*3/2 {
		t.Errorf("by 15.75 GB/s %v, by 25 %v", held.Time(), all.Time())
	}
}
