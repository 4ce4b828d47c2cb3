package plan

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/job/coll"
	"railyard/internal/job/nccl"
	"railyard/internal/plan/plan/plantest"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/transport"
)

// The defaults of cluster.protocols are NCCL's, and each key changes the model.
func TestProtocolKeysAreNCCLs(t *testing.T) {
	sc := planned(t, plantest.Collectives("op: all-reduce, bytes: 1MB")).Scenario
	if got, want := NCCLParams(sc), nccl.Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	for _, key := range []string{"ll.data: 4B", "ll.line: 32B", "ll128.buffer: 1MiB", "simple.slice: 1",
		"ll.launch_ring: 1us", "ll.launch_tree: 1us", "ll128.nvlink_ring: 1us", "simple.nvlink_tree: 1us",
		"ll.net_ring: 1us", "ll.net_tree: 1us", "simple.rate: 1GB/s", "nvls.efficiency: 50%", "nvls.launch: 1us",
		"nvls.chunk: 1MiB", "speed: 2"} {
		if group, rest, deep := strings.Cut(key, "."); deep {
			key = fmt.Sprintf("%s: {%s}", group, rest)
		}
		yaml := strings.Replace(plantest.Collectives("op: all-reduce, bytes: 1MB"), "hosts: 2,",
			fmt.Sprintf("hosts: 2, protocols: {%s},", key), 1)
		if reflect.DeepEqual(NCCLParams(planned(t, yaml).Scenario), nccl.Default()) {
			t.Errorf("%s changes nothing", key)
		}
	}
}

// What the idle network takes of NCCL's latency between hosts is not added again: a message of a
// protocol is there as long after its post as NCCL says, where the network is quicker.
func TestNetworkIsNotCountedTwice(t *testing.T) {
	p := planned(t, plantest.Collectives("op: all-reduce, bytes: 8B, protocol: simple", "op: all-reduce, bytes: 8B, protocol: none"))
	j := p.Jobs[0]
	with, without := j.Work.Collectives[j.Rows[0].First].Protocol, j.Work.Collectives[j.Rows[1].First].Protocol
	if without != nil {
		t.Errorf("none is %+v", without)
	}
	host := p.Scenario.Cluster.Host
	idle := unit.Never.Sub(0)
	for i := range p.Pairs {
		idle = min(idle, 2*host.PCIeLatency+p.Scenario.Cluster.NIC.Latency+
			p.OneWay(p.Pairs[i].Path, transport.Frames(p.Scenario).MaxDataFrame(0)))
	}
	hop := nccl.Default().Hop
	if got, want := with.Between+idle, hop[nccl.Net][nccl.Ring][nccl.Simple]; got != want || with.Between <= 0 {
		t.Errorf("%v between hosts, want %v", got, want)
	}
	if got, want := with.Inside+host.NVLinkLatency, hop[nccl.NVLink][nccl.Ring][nccl.Simple]; got != want {
		t.Errorf("%v inside, want %v", got, want)
	}
}

// A switch adds for the GPUs of one host alone.
func TestOneSwitchAdds(t *testing.T) {
	_, err := New(plantest.Read(t, plantest.Collectives("op: all-reduce, bytes: 1MB, algorithm: nvls")), Files{}, nil)
	if want := "job.collectives[0].algorithm: nvls-all-reduce: ranks on 2 hosts, want all on one: its switch adds"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// It does so by a schedule from a file, too.
func TestOneSwitchAddsByAFile(t *testing.T) {
	for hosts, want := range map[string]string{
		"hosts: 1, host: {gpus: 2}": "",
		"hosts: 2, host: {gpus: 1}": "job.collective.schedule: s.txt: nvls-all-reduce: ranks on 2 hosts, want all on one: its switch adds",
	} {
		s, err := coll.NVLSAllReduce([][]int32{{0, 1}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := coll.WriteText(&file, s); err != nil {
			t.Fatal(err)
		}
		sc := plantest.Read(t, "cluster: {"+hosts+"}\njob: {train: {layers: [784, 10], "+
			"data: {digits: {dir: nowhere}}, batch: 1, lr: 0.1}, "+
			"collective: {schedule: s.txt, channels: 1}}\n")
		p, err := New(sc, Files{Jobs: []JobFiles{{Schedule: file.Bytes()}}}, nil)
		if got := fmt.Sprint(err); want != "" && got != want || want == "" && (err != nil || !coll.SwitchAdds(p.Jobs[0].Schedule)) {
			t.Errorf("%s: %v, want %q and a switch that adds", hosts, err, want)
		}
	}
}

// auto is NCCL's choice, as the row says.
func TestAutoIsNCCLs(t *testing.T) {
	p := planned(t, strings.Replace(plantest.Collectives("op: all-reduce, bytes: 8B, protocol: auto",
		"op: all-reduce, bytes: 1GiB, protocol: auto", "op: all-reduce, bytes: 1GiB, protocol: auto, algorithm: ring"),
		"hosts: 2, host: {gpus: 4}", "hosts: 1", 1))
	var got []string
	for _, r := range p.Jobs[0].Rows {
		got = append(got, fmt.Sprint(r.Algorithm, " ", r.Protocol, " ", p.Jobs[0].Work.Collectives[r.First].Schedule.Name()))
	}
	want := "[ring ll ring-all-reduce nvls simple nvls-all-reduce ring simple ring-all-reduce]"
	if fmt.Sprint(got) != want || p.Jobs[0].Rows[0].Op != coll.AllReduce {
		t.Errorf("%v, want %s", got, want)
	}
}

// nccl-tests' hypercube is sends, so its messages take what those of sends do; recursive doubling
// that NCCL itself might do is like a ring.
func TestHypercubeIsSends(t *testing.T) {
	for algorithm, want := range map[scenario.Algorithm]nccl.Algorithm{"hypercube": nccl.Direct, "doubling": nccl.Ring} {
		if got := ncclAlgorithm(coll.AllGather, algorithm); got != want {
			t.Errorf("%s: as %v, want as %v", algorithm, got, want)
		}
	}
}
