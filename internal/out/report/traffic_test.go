package report

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/out/result"
)

// hosts is a switch with so many hosts.
func hosts(n int) (links []result.LinkRow) {
	for h := 1; h <= n; h++ {
		links = append(links, duplex(fmt.Sprintf("host%d", h), result.TierHost, "leaf1", result.TierLeaf, 0.1, 0.1)...)
	}
	return links
}

func message(kind, name, src, dst string, b unit.Bytes) *result.FlowRow {
	return &result.FlowRow{Name: name, Kind: kind, Src: src, Dst: dst, Bytes: b, Placed: 5}
}

// trafficText lists rows and the pairs that sent something.
func trafficText(tr *Traffic) string {
	var names, pairs []string
	for i, e := range tr.Ends {
		names = append(names, e.Name)
		for k, b := range tr.Bytes[i] {
			if b > 0 {
				pairs = append(pairs, fmt.Sprintf("%s > %s %d", e.Name, tr.Ends[k].Name, b))
			}
		}
	}
	return tr.What + ": " + strings.Join(names, ", ") + "; " + strings.Join(pairs, ", ")
}

// Few ends are shown by themselves, in order of their hosts: those of collectives by rank,
// whatever was known of them first.
func TestTrafficOfRanks(t *testing.T) {
	m := newTrafficMeter(hosts(10))
	m.add(message(result.KindBackground, "noise", "host2/gpu0", "host10/nic0", 7))
	m.add(message(result.KindCollective, "rank0>rank2#0", "host1/gpu0", "host2/gpu0", 100))
	m.add(message(result.KindCollective, "rank0>rank2#1", "host1/gpu0", "host2/gpu0", 10))
	m.add(message(result.KindCollective, "rank3>rank1#0", "host2/gpu1", "host1/gpu1", 5))
	lost := message(result.KindCollective, "rank3>rank0#0", "host2/gpu1", "host1/gpu0", 1000)
	lost.Placed = 0
	m.add(lost)
	want := "GPU or NIC: rank 0, rank 1, rank 2, rank 3, host10/nic0;" +
		" rank 0 > rank 2 110, rank 2 > host10/nic0 7, rank 3 > rank 1 5"
	if got := trafficText(m.known()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fmt.Sprint(m.known().groups()), "[{host1 0 2} {host2 2 2} {host10 4 1}]"; got != want {
		t.Errorf("groups %s, want %s", got, want)
	}
}

// One end in each host says no more than the host.
func TestTrafficOfHosts(t *testing.T) {
	m := newTrafficMeter(hosts(4))
	m.add(message(result.KindJob, "a", "host1/nic0", "host4/nic0", 7))
	m.add(message(result.KindJob, "b", "host4/nic0", "host2/nic0", 9))
	if got, want := trafficText(m.known()), "host: host1, host2, host4; host1 > host4 7, host4 > host2 9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	m.add(message(result.KindJob, "c", "elsewhere/nic0", "host2/nic0", 9))
	if got := m.known(); got != nil {
		t.Errorf("with a host that no link names: %s, want nothing", trafficText(got))
	}
}

// More than 64 ends are shown by host, more than 64 hosts several to a row.
func TestTrafficOfMany(t *testing.T) {
	all := func(hosts int, links []result.LinkRow) *trafficMeter {
		m := newTrafficMeter(links)
		for h := range hosts {
			for g := range 4 {
				m.add(message(result.KindCollective, fmt.Sprintf("rank%d>rank%d#0", 4*h+g, 4*((h+1)%hosts)+g),
					fmt.Sprintf("host%d/gpu%d", h+1, g), fmt.Sprintf("host%d/gpu%d", (h+1)%hosts+1, g), 1))
			}
		}
		return m
	}
	if got := all(16, hosts(16)).known(); got.What != "rank" || len(got.Ends) != 64 {
		t.Errorf("64 ranks: %d rows by %s, want 64 by rank", len(got.Ends), got.What)
	}
	if got := all(20, hosts(20)).known(); got.What != "host" || len(got.Ends) != 20 || got.Bytes[19][0] != 4 {
		t.Errorf("80 ranks: %s", trafficText(got))
	}
	got := all(150, hosts(150)).known()
	if got.What != "3 hosts" || len(got.Ends) != 50 || got.Ends[49].Name != "host148 to host150" ||
		got.Bytes[0][0] != 8 || got.Bytes[0][1] != 4 {
		t.Errorf("150 hosts: %s", trafficText(got))
	}
}

// The matrix leaves blank what no table counts, and says where most went.
func TestTrafficChart(t *testing.T) {
	m := newTrafficMeter(hosts(3))
	m.add(message(result.KindCollective, "rank0>rank2#0", "host1/gpu0", "host2/gpu0", 100))
	m.add(message(result.KindCollective, "rank1>rank3#0", "host1/gpu1", "host2/gpu1", 50))
	f := checked(t, trafficChart(&Data{Flows: &FlowStats{Traffic: m.known()}}))[0]
	if got, want := fmt.Sprint(f.Map.Cells), "[[NaN NaN 100 0] [NaN NaN 0 50] [0 0 NaN NaN] [0 0 NaN NaN]]"; got != want {
		t.Errorf("cells %s, want %s", got, want)
	}
	want := "Payload that went through the network, by rank, over the whole run: 150 B in all," +
		" the most 100 B from rank 0 to rank 2. Inside a host bytes go over NVLink, which no table counts."
	if f.Caption != want {
		t.Errorf("caption %q, want %q", f.Caption, want)
	}
	pair := newTrafficMeter(hosts(2))
	pair.add(message(result.KindJob, "a", "host1/nic0", "host2/nic0", 7))
	if got := trafficChart(&Data{Flows: &FlowStats{Traffic: pair.known()}}); len(got) > 0 {
		t.Error("a matrix of one pair is drawn")
	}
}

// A map is logarithmic where most of its values would look like nothing beside the greatest.
func TestSequential(t *testing.T) {
	if a := sequential("", "B", matrix(0, 5, 60, 100)); a.Log || a.Low != 0 || a.High != 100 {
		t.Errorf("even values: %+v, want linear from 0 to 100", a)
	}
	if a := sequential("", "B", matrix(0, 3, 4, 100)); !a.Log || a.Low != 1 || a.High != 100 {
		t.Errorf("one of many: %+v, want logarithmic from 1 to 100", a)
	}
	if a := sequential("", "B", matrix(2, 3, 4, 1e6)); !a.Log || a.Low != 1000 {
		t.Errorf("far apart: %+v, want logarithmic from 1000", a)
	}
	if a := sequential("", "B", matrix(0, 0)); a.Log || a.High <= 0 {
		t.Errorf("zeros: %+v, want some axis", a)
	}
}
