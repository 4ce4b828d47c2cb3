package run

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"railyard/internal/plan/scenario"
)

// fabrics are networks by design and what is special about them: the cluster and the fabric.
var fabrics = map[string]string{
	"single-switch":  "cluster: {hosts: 3, host: {gpus: 2}}\nfabric: {design: single-switch}",
	"isolated VLANs": "cluster: {hosts: 3, host: {gpus: 8}}\nfabric: {design: single-switch, vlans: isolated}",
	"rail-optimized": "cluster: {hosts: 4, host: {gpus: 4}}\nfabric: {segment: 2, spines: 3}",
	"rail-only":      "cluster: {hosts: 4, host: {gpus: 4}}\nfabric: {design: rail-only}",
	"two rails a switch": "cluster: {hosts: 4, host: {gpus: 4}}\n" +
		"fabric: {segment: 2, rails_per_leaf: 2, spines: 2}",
	"book's segment": "preset: book-segment\ncluster: {hosts: 2}\nfabric: {segment: 2}",
	"book's pod":     "preset: book-pod\ncluster: {hosts: 4}\nfabric: {segment: 2}",
	"shared by four": "cluster: {hosts: 4, host: {gpus: 8}, nic: {shared_by: 4}}",
	"pods": "cluster: {hosts: 8, host: {gpus: 2}}\n" +
		"fabric: {segment: 2, pods: 2, superspines: 4, superspine_groups: 2}",
	"dual plane": "cluster: {hosts: 4, host: {gpus: 2}, nic: {per_gpu: 2}}\nfabric: {planes: 2, segment: 2}",
	"leaf-spine": "cluster: {hosts: 4, host: {gpus: 4}}\nfabric: {design: leaf-spine, leaves: 2, spines: 4}",
	"partial":    "cluster: {hosts: 6, host: {gpus: 1}}\nfabric: {design: leaf-spine, leaves: 6, spines: 6, spines_per_leaf: 4}",
	"dragonfly":  "cluster: {hosts: 6, host: {gpus: 2}}\nfabric: {design: dragonfly}",
	"dual-rail":  "cluster: {hosts: 3, host: {gpus: 2}, nic: {ports: 2}}\nfabric: {design: dual-rail}",
	"dual-rail, no bond": "cluster: {hosts: 3, host: {gpus: 2}, nic: {ports: 2, bond: {mode: none}}}\n" +
		"fabric: {design: dual-rail, links: {peer: 0}}",
	"dual-homed rails": "cluster: {hosts: 4, host: {gpus: 2}, nic: {ports: 2}}\nfabric: {segment: 2}",
	"dual-homed leaves": "cluster: {hosts: 4, host: {gpus: 2}, nic: {ports: 2}}\n" +
		"fabric: {design: leaf-spine, leaves: 4}",
	"a plane a port": "cluster: {hosts: 4, host: {gpus: 2}, nic: {ports: 2}}\nfabric: {segment: 2, planes: 2}",
	"shared, two ports": "cluster: {hosts: 2, host: {gpus: 4}, nic: {shared: true, ports: 2, bond: {mode: none}}}\n" +
		"fabric: {design: single-switch}",
	"PCIe graph": "cluster: {hosts: 2, host: {gpus: 4, graph: preset}, nic: {shared: true}}\nfabric: {design: single-switch}",
	"direct":     "cluster: {hosts: 2, host: {gpus: 4}}\nfabric: {design: direct}",
}

// Every design carries an all-to-all: each GPU's part reaches every other, over NVLink where no switch joins
// their rails.
func TestEveryDesignCarriesTraffic(t *testing.T) {
	for _, d := range scenario.Designs {
		text := strings.Join(slices.Collect(maps.Values(fabrics)), "\n")
		if !strings.Contains(text, "design: "+d.Name) && d.Name != "rail-optimized" && d.Name != "custom" {
			t.Errorf("no network of design %s", d.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fabrics)) {
		t.Run(name, func(t *testing.T) {
			r := run(t, fabrics[name]+"\njob:\n  collective: {exit: peer}\n  collectives: [{op: all-to-all, bytes: 64kB, "+
				"channels: 2, warmup: 0, iterations: 1}, {op: all-reduce, bytes: 64kB, channels: 2, warmup: 0, "+
				"iterations: 1}]\n", Options{})
			if len(r.Collectives) != 2 || r.Drops > 0 || r.Retransmits > 0 {
				t.Errorf("%d collectives, %d drops, %d retransmissions", len(r.Collectives), r.Drops, r.Retransmits)
			}
		})
	}
}
