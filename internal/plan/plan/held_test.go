package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/nccl"
	"railyard/internal/job/workload"
	"railyard/internal/learn/nn"
	"railyard/internal/net/topo"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
)

// NCCL's model sees as many ranks on each host, and who joins the GPUs: NVLink and its switches, PCIe of processors, or peers.
func TestRanksAsNCCLSeesThem(t *testing.T) {
	for _, c := range []struct {
		host, ranks string
		in          NCCLHost
		want        nccl.Group
	}{
		{"gpus: 4", "hosts: all", NCCLHost{}, nccl.Group{Ranks: 8, Nodes: 2, Intra: nccl.NVLink, NVSwitch: true}},
		{"gpus: 4", "placement: [host1/gpu0, host1/gpu1, host2/gpu0]", NCCLHost{},
			nccl.Group{Ranks: 4, Nodes: 2, Intra: nccl.NVLink, NVSwitch: true}},
		{"gpus: 4", "hosts: all", NCCLHost{Peers: 1, PCIe: 7, AMD: true},
			nccl.Group{Ranks: 8, Nodes: 2, Intra: nccl.PCI, IntraRate: 1, PCIe: 7, AMD: true}},
		{"gpus: 4, preset: cpu", "hosts: all", NCCLHost{}, nccl.Group{Ranks: 8, Nodes: 2, Intra: nccl.PCI}},
	} {
		sc := plantest.Read(t, "cluster: {hosts: 2, host: {"+c.host+"}, nic: {speed: 100Gb/s}}\n"+
			"job: {collectives: [{op: all-reduce, bytes: 1MB}], "+c.ranks+"}\n")
		g := NCCLGroup(sc, &sc.Jobs[0], c.in)
		want := c.want
		if want.IntraRate == 0 {
			want.IntraRate = sc.Cluster.Host.NVLink
		}
		if g.Ranks != want.Ranks || g.Nodes != want.Nodes || g.Intra != want.Intra || g.NVSwitch != want.NVSwitch ||
			g.IntraRate != want.IntraRate || g.PCIe != want.PCIe || g.AMD != want.AMD || g.NICRate != 100*unit.GigabitPerSec {
			t.Errorf("%s, %s, %+v: %+v, want %+v", c.host, c.ranks, c.in, g, want)
		}
	}
}

// What is wrong with a field is what it wraps, behind its path.
func TestWhatAFieldErrorWraps(t *testing.T) {
	inner := errors.New("no")
	var err error = &FieldError{"job.lr", inner}
	if !errors.Is(err, inner) || err.Error() != "job.lr: no" {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}

// A large model holds its weights in 16 bits unless it computes in TF32; gradients and what is sent have formats of their own.
func TestPrecisionsOfALargeModel(t *testing.T) {
	for _, c := range []struct {
		precision, gradients, wire string
		want                       workload.Precision
	}{
		{"tf32", "float32", "float32", workload.Precision{}},
		{"tf32", "float32", "bf16", workload.Precision{Wire: workload.BFloat16}},
		{"tf32", "bf16", "float32", workload.Precision{Gradients: workload.BFloat16}},
		{"bf16", "float32", "float32", workload.Precision{Weights: workload.BFloat16, Activations: workload.BFloat16,
			Kept: workload.BFloat16}},
	} {
		j := &scenario.Job{Model: &scenario.LargeModel{Precision: c.precision, Gradients: c.gradients}}
		j.Collective.Wire = c.wire
		if got := largePrecision(j); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A network of layers has the activation and the loss that the scenario says.
func TestActivationAndLoss(t *testing.T) {
	for _, loss := range []string{"cross-entropy", "mse"} {
		for _, activation := range []string{"relu", "tanh"} {
			s, err := specOf(&scenario.Train{Model: "mlp", Layers: []int{4, 2}, Loss: loss, Activation: activation}, nil)
			if err != nil {
				t.Fatal(err)
			}
			l, err1 := nn.ParseLoss(loss)
			a, err2 := nn.ParseActivation(activation)
			if err1 != nil || err2 != nil || s.MLP.Loss != l || s.MLP.Activation != a {
				t.Errorf("%s and %s: %+v, %v, %v", loss, activation, s.MLP, err1, err2)
			}
		}
	}
	if _, err := specOf(&scenario.Train{Model: "mlp", Layers: []int{4, 2}, Loss: "none", Activation: "relu"}, nil); err == nil {
		t.Error("a loss that nobody knows")
	}
}

// Sums of gradients travel by the protocol that the scenario says, in each of a training's collectives.
func TestProtocolsOfATraining(t *testing.T) {
	for protocol, want := range map[string]bool{"ll": true, "ll128": true, "simple": true, "none": false} {
		p := planned(t, "cluster: {hosts: 2, host: {gpus: 2}, nic: {speed: 100Gb/s}}\n"+
			"job: {train: {layers: [8, 4], data: d, batch: 1, lr: 0.1}, parallel: {dp: 4}, collective: {protocol: "+protocol+"}}\n")
		w := p.Jobs[0].Work
		for i := range w.Collectives {
			if got := w.Collectives[i].Protocol; !w.Collectives[i].Once && (got != nil) != want {
				t.Errorf("%s: collective %d has protocol %+v", protocol, i, got)
			}
		}
		if len(w.Collectives) == 0 {
			t.Errorf("%s: no collectives", protocol)
		}
	}
}

// A NIC is of the part that all of its links go to: of none, where they go to several. It hashes for a bond where it has two.
func TestPartsOfNICs(t *testing.T) {
	for ports, apart := range map[string]bool{"1": false, "2": true} {
		p := planned(t, "cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s, ports: "+ports+"}}\n"+
			"fabric: {design: leaf-spine, leaves: 2, spines: 2}\n"+
			"job: {flows: [{from: host1/gpu0, to: host4/gpu0, bytes: 1MB}]}\n")
		c := &controller{Plan: p}
		leaves, one := c.leaves(), make([]int, len(p.Graph.Nodes))
		for n := range p.Graph.NICs {
			got, leaf := c.partOf(topo.NICID(n), leaves), int(p.Graph.Ports[p.Graph.NICs[n].Ports[0]].To)
			if apart && got != -1 || !apart && got != leaf {
				t.Errorf("of NIC %d with %s ports the part is %d, its first leaf %d", n, ports, got, leaf)
			}
			if got := c.partOf(topo.NICID(n), one); got != 0 {
				t.Errorf("of NIC %d with %s ports the part is %d, and there is one", n, ports, got)
			}
		}
		if data, back := p.BondHashes(&p.Pairs[0]); (data != 0) != apart || (back != 0) != apart {
			t.Errorf("%s ports: %x and %x", ports, data, back)
		}
	}
}

// uneven is three leaves, each with a link to other spines than the others.
const uneven = `host host1
host host2
host host3
switch leaf1 leaf
switch leaf2 leaf
switch leaf3 leaf
switch spine1 spine
switch spine2 spine
link host1 leaf1 100Gb/s 2m
link host2 leaf2 100Gb/s 2m
link host3 leaf3 100Gb/s 2m
link leaf1 spine1 100Gb/s 2m
link leaf2 spine1 100Gb/s 2m
link leaf2 spine2 100Gb/s 2m
link leaf3 spine2 100Gb/s 2m
`

// Pinned paths over spines that differ from leaf to leaf are weighed one by one; each leads to its NIC.
func TestPinnedOverSeveralSpines(t *testing.T) {
	p, err := New(plantest.Read(t, "cluster: {hosts: 3, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
		"fabric: {design: custom, topology: t.txt, balance: pinned}\njob:\n  flows:\n"+
		"    - {name: a, from: host1/gpu0, to: host2/gpu0, bytes: 1MB}\n    - {name: b, from: host2/gpu0, to: host3/gpu0, bytes: 1MB}\n"+
		"    - {name: c, from: host3/gpu0, to: host2/gpu0, bytes: 1MB}\n"), Files{Topology: []byte(uneven)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Pairs {
		q := &p.Pairs[i]
		text := p.PathText(q.Path)
		if p.Graph.Ports[q.Path[len(q.Path)-1]].NIC != q.To || strings.Count(text, ">") != 4 {
			t.Errorf("%s: %s", q.Name, text)
		}
		for hop := 1; hop < len(q.Path); hop++ {
			if p.Graph.Ports[q.Path[hop]].Node != p.Graph.Ports[q.Path[hop-1]].To {
				t.Errorf("%s: %s is no path", q.Name, text)
			}
		}
	}
}

// Stages on one host need no credits on the wire, so the classes of the fabric are of no matter to them; on two they are.
func TestStagesOnOneHost(t *testing.T) {
	for hosts, want := range map[string]bool{"gpus: 2": true, "gpus: 1": false} {
		sc := plantest.Read(t, "cluster: {hosts: 2, host: {"+hosts+"}, nic: {speed: 100Gb/s}}\n"+
			"fabric: {qos: {classes: data}}\ncongestion: {algorithm: none}\n"+
			"job: {train: {layers: [8, 8, 4], data: d, batch: 2, lr: 0.1}, parallel: {dp: 1, pp: 2, micro_batches: 2}}\n")
		_, err := New(sc, Files{}, nil)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "stages on two hosts need credits") {
			t.Errorf("%s: %v", hosts, err)
		}
	}
}

// Paths that all begin over one spine are moved apart, whichever way they lead; where they are apart already none is moved.
func TestPathsAreMovedToTheFreest(t *testing.T) {
	p := planned(t, "cluster: {hosts: 8, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
		"fabric: {design: leaf-spine, leaves: 2, spines: 4, balance: pinned}\njob:\n  flows:\n"+
		"    - {from: host1/gpu0, to: host5/gpu0, bytes: 1MB}\n    - {from: host2/gpu0, to: host6/gpu0, bytes: 1MB}\n"+
		"    - {from: host3/gpu0, to: host7/gpu0, bytes: 1MB}\n    - {from: host4/gpu0, to: host8/gpu0, bytes: 1MB}\n")
	key := loadKey{job: 0}
	c := &controller{Plan: p, loads: map[loadKey][]float64{key: make([]float64, len(p.Graph.Ports))}}
	up, down := p.Pairs[0].Path[1], p.Pairs[0].Path[2]
	for i := range p.Pairs {
		c.pins = append(c.pins, pin{pair: int32(i)})
		path := p.Pairs[i].Path
		p.Pairs[i].Path = []topo.PortID{path[0], up, down, path[3]}
		c.weigh(key, p.Pairs[i].Path, 1)
	}
	var before [][]topo.PortID
	for round := range 2 {
		c.settle(key, c.pins)
		ups := map[topo.PortID]bool{}
		for i := range p.Pairs {
			ups[p.Pairs[i].Path[1]] = true
			if round == 1 && !slices.Equal(p.Pairs[i].Path, before[i]) {
				t.Errorf("%s was moved to %s, though it was free", p.PathText(before[i]), p.PathText(p.Pairs[i].Path))
			}
			before = append(before, slices.Clone(p.Pairs[i].Path))
		}
		if len(ups) != 4 {
			t.Errorf("four paths over %d spines", len(ups))
		}
	}
}

// Where leaves have other spines than each other, a path that could go elsewhere makes room for one that cannot, though that comes later.
func TestPinnedMakesRoom(t *testing.T) {
	const text = `host host1
host host2
host host3
host host4
switch leaf1 leaf
switch leaf2 leaf
switch leaf3 leaf
switch spine1 spine
switch spine2 spine
link host1 leaf1 100Gb/s 2m
link host2 leaf2 100Gb/s 2m
link host3 leaf3 100Gb/s 2m
link host4 leaf3 100Gb/s 2m
link leaf1 spine1 100Gb/s 2m
link leaf1 spine2 100Gb/s 2m
link leaf2 spine1 100Gb/s 2m
link leaf3 spine1 100Gb/s 2m
link leaf3 spine2 100Gb/s 2m
`
	p, err := New(plantest.Read(t, "cluster: {hosts: 4, host: {gpus: 1}, nic: {speed: 100Gb/s}}\n"+
		"fabric: {design: custom, topology: t.txt, balance: pinned}\njob:\n  flows:\n"+
		"    - {from: host1/gpu0, to: host3/gpu0, bytes: 1MB}\n    - {from: host2/gpu0, to: host4/gpu0, bytes: 1MB}\n"),
		Files{Topology: []byte(text)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := p.Pairs[0].Path, p.Pairs[1].Path; a[2] == b[2] {
		t.Errorf("%s and %s meet before leaf3", p.PathText(a), p.PathText(b))
	}
}
