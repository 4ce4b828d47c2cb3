package configs

import (
	"fmt"
	"slices"

	"railyard/internal/base/located"
	"railyard/internal/base/unit"
	"railyard/internal/config/netconf"
	"railyard/internal/engine/fabric"
	"railyard/internal/net/inventory"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/scenario"
	"railyard/internal/plan/switches"
)

// Routers are the switches with their addresses and sessions, in the order of the graph; Devices adds the rest.
func Routers(p *plan.Plan) (*inventory.Inventory, []netconf.Device, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, nil, err
	}
	return in, netconf.Design(in), nil
}

// Devices are the switches as they are to be configured, in the order of the graph. Their thresholds
// are the values that the engine runs with.
func Devices(p *plan.Plan) ([]netconf.Device, error) {
	if p.Scenario.Fabric.QoS.Trust == "pcp" {
		return nil, located.Problems{p.Scenario.Wrong("fabric.qos.trust", "pcp: no command of any platform that puts frames into "+
			"classes by their tag is on record, want dscp")}
	}
	in, devices, err := Routers(p)
	if err != nil {
		return nil, err
	}
	cfg, problems := p.FabricConfig(), located.Problems{}
	k := 0
	for id := range p.Graph.Nodes {
		if p.Graph.Nodes[id].Kind == topo.HostKind {
			continue
		}
		d := &devices[k]
		k++
		c := configured{plan: p, in: in, of: p.Switches.FabricAt(topo.NodeID(id)), device: d}
		if err := c.qos(&cfg, topo.NodeID(id)); err != nil {
			return nil, err
		}
		problems = append(problems, c.problems...)
		d.Balance = c.balance(topo.NodeID(id))
		d.LLDP = &netconf.LLDP{On: true}
		d.Intern()
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return devices, nil
}

// configured is a switch whose configuration is being made.
type configured struct {
	plan     *plan.Plan
	in       *inventory.Inventory
	of       *scenario.Fabric // as the switch has it
	device   *netconf.Device
	problems located.Problems
}

// refuse reports a key whose value no configuration can say.
func (c *configured) refuse(path, format string, args ...any) {
	c.problems = append(c.problems, c.plan.Scenario.Wrong(path, format, args...))
}

// qos gives each port the profile that its thresholds make.
func (c *configured) qos(cfg *fabric.Config, id topo.NodeID) error {
	g, policy := c.plan.Graph, cfg.PolicyOf(id)
	s, err := policy.Switch(fabric.Links(g, id))
	if err != nil {
		return fmt.Errorf("switch %s: %w", g.Nodes[id].Name, err)
	}
	d, q := c.device, &netconf.QoS{}
	d.QoS = q
	q.Pools.Size = policy.Buffer.Size
	watchdog := c.plan.Switches.Watchdog()
	if c.of.QoS.PFC.Enabled && watchdog != nil {
		q.Watchdog = netconf.NewWatchdog(watchdog.Detect, watchdog.Restore, c.of.QoS.PFC.Watchdog.Action)
	}
	named := make(map[string]int, len(d.Interfaces))
	for i := range d.Interfaces {
		named[d.Interfaces[i].Name] = i
	}
	classes := len(policy.Classes)
	var last []qos.Port // of which profile was made last
	profile := 0
	for i, port := range g.Nodes[id].Ports {
		at := s.Ports[i*classes : (i+1)*classes]
		if !slices.Equal(at, last) {
			last, profile = at, q.Use(c.profile(at))
		}
		here := &d.Interfaces[named[c.in.Ports[port].Name.String()]]
		here.MTU = c.of.MTU
		here.QoS = &netconf.PortQoS{Profile: profile, Cable: g.Links[g.Ports[port].Link].Length}
		if c.of.QoS.PFC.Enabled {
			here.QoS.PFC, here.QoS.Watchdog = netconf.PFCAuto, q.Watchdog.On
			q.Pools.Headroom += at[switches.ClassData].PFC.Headroom
		}
	}
	c.shares(&s, &policy)
	return nil
}

// shares says the split of the buffer in percent: headroom rounded up, and what ports keep for
// classes without PFC rounded down.
func (c *configured) shares(s *qos.Switch, policy *qos.Policy) {
	pools, size := &c.device.QoS.Pools, int64(policy.Buffer.Size)
	if !c.of.QoS.PFC.Enabled || size <= 0 {
		return
	}
	lossy := int64(0)
	for i := range s.Ports {
		if !s.Ports[i].Lossless() {
			lossy += int64(s.Ports[i].Reserve)
		}
	}
	pools.HeadroomPart = int((100*int64(pools.Headroom) + size - 1) / size)
	pools.LossyPart = int((100*lossy + size - 1) / size)
	pools.LosslessPart = 100 - pools.HeadroomPart - pools.LossyPart
}

// dlbMAC is what NX-OS's dlb writes, the same on all switches: the book's, which is locally
// administered.
const dlbMAC = "aa:bb:cc:dd:ee:ff"

// balance is how a switch chooses among equal links; nil: it has none.
func (c *configured) balance(id topo.NodeID) *netconf.Balance {
	var ports []topo.PortID
	for _, g := range c.in.Groups(c.plan.Routes, id) {
		if len(g.Ports) > 1 {
			ports = append(ports, g.Ports...)
		}
	}
	if len(ports) == 0 {
		return nil
	}
	f := c.of
	b := &netconf.Balance{Method: string(f.Balance)}
	switch {
	case f.Balance == scenario.BalanceECMP:
		b.Seed, b.QP = c.plan.Switches.SeedNumber(id), f.Hash.Fields == scenario.HashFieldsQP
	case f.Balance == scenario.BalanceDLB:
		b.Unit, b.MAC = f.DLB.Mode, dlbMAC
		if b.Unit == "flowlet" {
			b.Gap = f.DLB.Gap
		}
		slices.Sort(ports)
		for _, port := range slices.Compact(ports) {
			b.Ports = append(b.Ports, c.in.Ports[port].Name.String())
		}
	}
	return b
}

// profile is how a port treats classes, at its thresholds.
func (c *configured) profile(at []qos.Port) (out netconf.Profile) {
	q := &c.of.QoS
	for d := range out.Classify {
		out.Classify[d] = uint8(q.OtherPriority)
		if len(at) == 1 { // one class: all of it
			out.Classify[d] = uint8(q.DataPriority)
		}
	}
	out.Classify[q.DSCP] = uint8(q.DataPriority)
	data := netconf.Class{TC: uint8(q.DataPriority), Queue: uint8(q.DataPriority), Share: 100}
	if len(at) > 1 {
		out.Classify[q.CNPDSCP] = uint8(q.CNPPriority)
		cnp, other := uint8(q.CNPPriority), uint8(q.OtherPriority)
		out.Classes = append(out.Classes, netconf.Class{TC: cnp, Queue: cnp, Strict: true})
		sum := q.DataWeight + q.OtherWeight
		data.Share = 100 * q.DataWeight / sum
		if data.Share*sum != 100*q.DataWeight {
			c.refuse("fabric.qos.data_weight", "%d beside %d is no whole percent, as configurations have it",
				q.DataWeight, q.OtherWeight)
		}
		out.Classes = append(out.Classes, netconf.Class{TC: other, Queue: other, Share: 100 - data.Share})
	}
	port := &at[switches.ClassData]
	data.Drop = port.Drop
	if port.Marks() {
		data.ECN = c.ecn(&port.ECN)
	}
	if port.Lossless() {
		data.Pause = &netconf.Pause{Priority: data.TC, Buffer: &netconf.Buffer{
			XOFF: port.PFC.Fixed, Alpha: port.PFC.Alpha.Lowest(), Resume: c.of.QoS.PFC.ResumeOffset, Reserve: port.Reserve,
			Headroom: port.PFC.Headroom,
		}}
		if port.PFC.Fixed > 0 {
			data.Pause.Buffer.Alpha = unit.Ratio{}
		}
	}
	out.Classes = append(out.Classes, data)
	out.Tidy()
	return out
}

func (c *configured) ecn(m *qos.Marking) *netconf.ECN {
	percent := m.Probability.Of(100)
	if m.Probability.Num*100 != percent*m.Probability.Den || percent < 1 {
		c.refuse("fabric.qos.ecn.probability", "%s is no whole percent, as configurations have it", m.Probability)
	}
	return &netconf.ECN{Min: m.Min, Max: m.Max, Probability: int(percent)}
}

// NotConfigured says what a run or its names have of switches that no configuration of theirs has.
func NotConfigured(p *plan.Plan) (all []string) {
	if r := &p.Scenario.Fabric.Routing; p.Scenario.Fabric.Overlay() && !(r.Speaks() && r.Protocol == string(inventory.EVPN)) {
		all = append(all, "tunnels of VXLAN (fabric.encapsulation): in the packets of a run only, for want of "+
			"fabric.routing.protocol evpn; addresses and routes are those that carry them")
	}
	if p.Graph.Bonded() && !inventory.Paired(p.Graph) {
		all = append(all, "MLAG or Ethernet segments of switches that share NICs (cluster.nic.bond): in the packets of a run, in "+
			"names and in addresses only; not every such switch has links to the one other that shares its NICs")
	}
	return all
}
