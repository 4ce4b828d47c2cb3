package whatif

import (
	"fmt"

	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
)

// anyRate is what every link of an ideal network has: no job fills a hundredth of it, so that whatever meets on a link meets
// for no time that counts.
const anyRate = "{link: \"*/*\", rate: 100Tb/s, delay: 1ps}"

// idealChanges makes the network ideal, that of files and that inside hosts too: see the package. What the job does stays as
// it is, so that the same messages are sent.
func idealChanges(p *plan.Plan) []scenario.Change {
	sc := p.Scenario
	changes := append(settledRows(p), uncontrolled, set("transport.window", "none"), set("transport.window_scale", "false"),
		set("fabric.links.named", "["+anyRate+"]"),
		set("fabric.switch.latency", "0ns"), set("fabric.switch.buffer", huge),
		set("fabric.qos.pfc", "{enabled: false}"), set("fabric.qos.ecn", "{enabled: false}"),
		set("cluster.nic.latency", "0ns"), set("cluster.host.pcie", "100TB/s"), set("cluster.host.pcie_latency", "0ns"))
	for _, x := range []struct {
		given bool
		key   string
	}{
		{sc.Fabric.QoS.DropThreshold.Set, "fabric.qos.drop_threshold"},
		{sc.Cluster.NIC.ReceiveBuffer.Set, "cluster.nic.receive_buffer"},
		{sc.Cluster.Host.Graph.Set, "cluster.host.graph"},
		{sc.Fabric.Config.Set, "fabric.config"},
		{sc.Fabric.Switch.PortRate.Set, "fabric.switch.port_rate"},
	} {
		switch {
		case x.given && x.key == "fabric.switch.port_rate":
			changes = append(changes, set(x.key, "any"))
		case x.given:
			changes = append(changes, set(x.key, "none"))
		}
	}
	for i := range sc.Background.Entries {
		changes = append(changes, set(fmt.Sprintf("background.flows[%d].enabled", i), "false"))
	}
	for _, list := range []string{"cluster.host.links", "faults", "fabric.switches"} {
		if sc.Given(list) {
			changes = append(changes, remove(list))
		}
	}
	return changes
}

// settledRows writes down what NCCL's model chose for collectives, so that another network does not change it.
func settledRows(p *plan.Plan) (changes []scenario.Change) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		for k, row := range j.Rows {
			c := &j.Spec.Collectives[k]
			if c.Protocol != scenario.ProtocolAuto {
				continue
			}
			at := fmt.Sprintf("%s.collectives[%d].", j.Spec.Path(), k)
			changes = append(changes, set(at+"algorithm", string(row.Algorithm)), set(at+"protocol", string(row.Protocol)),
				set(at+"channels", fmt.Sprint(row.Channels)))
		}
	}
	return changes
}
