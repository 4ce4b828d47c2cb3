package intent

import (
	"railyard/internal/base/unit"
	"railyard/internal/config/hostinfo"
	"railyard/internal/config/hostlint"
	"railyard/internal/config/lint"
	"railyard/internal/config/netconf"
	"railyard/internal/net/inventory"
	"railyard/internal/net/topo"
	"railyard/internal/plan/configs"
	"railyard/internal/plan/foresight"
	"railyard/internal/plan/network"
	"railyard/internal/plan/plan"
	"railyard/internal/plan/transport"
)

// Switches is what configurations of a scenario's switches are held against.
func Switches(p *plan.Plan) (*lint.Design, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	devices, err := configs.Devices(p)
	if err != nil {
		return nil, err
	}
	d := &lint.Design{DSCP: p.Scenario.Fabric.QoS.DSCP, CNPDSCP: p.Scenario.Fabric.QoS.CNPDSCP,
		Frame: transport.Frames(p.Scenario).MaxDataFrame(p.Scenario.Transport.MTU), Devices: map[string]*netconf.Device{}}
	d.Circle = foresight.Circle(p)
	for i := range devices {
		d.Devices[devices[i].Name] = &devices[i]
	}
	delays := map[string]unit.Duration{}
	for id := range p.Graph.Ports {
		port := &p.Graph.Ports[id]
		delays[p.Graph.Nodes[port.Node].Name+" "+in.Ports[topo.PortID(id)].Name.String()] = port.Delay
	}
	d.Delay = func(device, port string) unit.Duration { return delays[device+" "+port] }
	return d, nil
}

// Hosts is what hosts of a scenario are held against.
func Hosts(p *plan.Plan) (*hostlint.Design, error) {
	in, err := network.Inventory(p.Scenario, p.Graph)
	if err != nil {
		return nil, err
	}
	q, t := &p.Scenario.Fabric.QoS, &p.Scenario.Transport
	d := &hostlint.Design{DSCP: q.DSCP, CNPDSCP: q.CNPDSCP, Priority: q.DataPriority, MTU: t.MTU,
		Packet: inventory.IPMTU(transport.Frames(p.Scenario).MaxDataFrame(t.MTU)), Hosts: map[string]*hostlint.Meant{}}
	g := p.Graph
	for i := range g.NICs {
		nic := &g.NICs[i]
		name := g.Hosts[nic.Host].Name
		if d.Hosts[name] == nil {
			d.Hosts[name] = &hostlint.Meant{}
		}
		port := &g.Ports[nic.Port]
		far := g.Peer(nic.Port)
		m := hostlint.MeantNIC{Leaf: g.Nodes[port.To].Name, Port: in.Ports[far].Name.String(), Cable: port.Delay}
		if a := in.Ports[nic.Port].Address.V4; a.IsValid() {
			m.Address = a.Addr()
		}
		d.Hosts[name].NICs = append(d.Hosts[name].NICs, m)
	}
	return d, nil
}

// Written is what hosts were read to write into packets.
func Written(hosts []*hostinfo.Host) (w lint.Hosts) {
	if v, at, ok := hostlint.DataDSCP(hosts); ok {
		w.DSCP = lint.Written{Value: v, Place: at}
	}
	if v, at, ok := hostlint.CNPDSCP(hosts); ok {
		w.CNPDSCP = lint.Written{Value: v, Place: at}
	}
	w.Cards = hostlint.Cards(hosts)
	return w
}
