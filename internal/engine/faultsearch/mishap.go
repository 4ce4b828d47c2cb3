package faultsearch

import (
	"railyard/internal/base/unit"
	"railyard/internal/engine/fabric"
	"railyard/internal/engine/host"
	"railyard/internal/engine/nic"
	"railyard/internal/net/qos"
	"railyard/internal/net/topo"
	"railyard/internal/net/wire"
)

// drawMishaps gives every other case with faults ports that are set otherwise for a while, switches that reboot or
// leak, and ports whose PFC is stuck.
func (c *Case) drawMishaps(d *dice) {
	f := c.Fabric.Faults
	if f == nil || d.one(2) {
		return
	}
	for d.one(2) {
		f.Settings = append(f.Settings, c.drawSetting(d))
	}
	var switches []topo.NodeID
	for id, n := range c.Graph.Nodes {
		if n.Kind != topo.HostKind {
			switches = append(switches, topo.NodeID(id))
		}
	}
	if d.one(3) {
		c.reboot(pick(d, switches...), d)
	}
	if d.one(4) {
		f.Leaks = append(f.Leaks, fabric.Leak{Switch: pick(d, switches...), While: c.while(d), Bytes: unit.Bytes(d.below(500_000))})
	}
	if d.one(4) {
		w := c.while(d)
		p := fabric.PortID(d.below(len(c.Graph.Ports)))
		if len(f.Storms) == 0 || f.Storms[0].Port != p {
			f.Storms = append(f.Storms, fabric.Storm{Port: p, From: w.From, Until: w.Until})
			c.Fabric.PFC.Quanta = max(c.Fabric.PFC.Quanta, 1000)
		}
	}
}

// drawWatchdog gives the switches of every fourth case a watchdog, which is quick.
func (c *Case) drawWatchdog(d *dice) {
	if d.one(4) {
		c.Fabric.Watchdog = &fabric.Watchdog{Detect: unit.Microsecond + d.time(200*unit.Microsecond),
			Restore: unit.Microsecond + d.time(200*unit.Microsecond), Forward: d.one(2)}
		c.Lossy = true
	}
}

// drawTrust has the switches of every fifth case look at tags, which frames have on links of hosts alone.
func (c *Case) drawTrust(d *dice) {
	if d.one(5) {
		other := uint8(1)
		c.Fabric.Untagged, c.Fabric.Tunnel = &other, -wire.VLANBytes
		c.Lossy, c.Mixed = true, true
	}
}

// drawDropThreshold gives the queues of RoCE data of every fifth case a drop threshold.
func (c *Case) drawDropThreshold(d *dice) {
	if d.one(5) {
		c.Fabric.Classes[0].Drop = qos.Length{Bytes: c.Fabric.LargestFrame + unit.Bytes(d.below(300_000))}
		c.Lossy = true
	}
}

// drawReceiveBuffer gives the NICs of every fourth case a buffer with an end, which pauses or drops.
func (c *Case) drawReceiveBuffer(d *dice) {
	if !d.one(4) {
		return
	}
	r := &nic.ReceiveBuffer{XON: unit.Bytes(d.below(20_000)), Pauses: d.one(2)}
	r.XOFF = r.XON + unit.Bytes(d.below(20_000)) + 1
	r.Size = max(r.XOFF, c.Fabric.LargestFrame) + unit.Bytes(d.below(300_000))
	c.NIC.Receive, c.Fabric.HostsPause = r, r.Pauses
	c.Lossy = true
}

// while draws a stretch of time.
func (c *Case) while(d *dice) fabric.While {
	at := unit.Time(d.time(unit.Millisecond))
	return fabric.While{From: at, Until: at.Add(1 + d.time(unit.Millisecond))}
}

// drawSetting draws what somebody has made of a port.
func (c *Case) drawSetting(d *dice) fabric.Setting {
	s := fabric.Setting{Port: fabric.PortID(d.below(len(c.Graph.Ports))), While: c.while(d)}
	if d.one(3) {
		s.From = 0
	}
	if d.one(2) {
		s.Rate = pick[unit.Bitrate](d, 1, 10, 100) * unit.GigabitPerSec
	}
	if s.NoECN = d.one(4); !s.NoECN && d.one(3) {
		low := unit.Bytes(d.below(100_000))
		s.ECN = qos.Curve(low, low+unit.Bytes(d.below(100_000)), ratio(1, 2), d.one(2))
	}
	if s.NoPFC = d.one(4); s.NoPFC {
		c.Lossy = true
	}
	if d.one(4) {
		s.XOFF = unit.Bytes(d.between(1, 100_000))
	}
	if d.one(5) {
		s.MTU = unit.Bytes(d.between(256, 4200))
		c.Lossy = true
	}
	if d.one(5) {
		s.ClassOf = new([64]uint8)
		for _, dscp := range c.Fabric.DSCP {
			s.ClassOf[dscp] = uint8(d.below(3))
		}
		c.Lossy, c.Mixed = true, true
	}
	return s
}

// reboot takes a switch down with all its links.
func (c *Case) reboot(id topo.NodeID, d *dice) {
	w, f := c.while(d), c.Fabric.Faults
	f.Reboots = append(f.Reboots, fabric.Reboot{Switch: id, At: w.From})
	for _, p := range c.Graph.Nodes[id].Ports {
		f.Downs = append(f.Downs, fabric.Down{Link: c.Graph.Ports[p].Link, From: w.From, Until: w.Until})
	}
	c.Lossy = true
}

// drawHostGraph puts a PCIe switch and its uplink between the GPU and the NIC of each host, with rates of their own, and
// has one of the links carry less for a while:
//
//	GPU -0-> switch -1-> CPU -2-> NIC
//	          memory -3---^
func (c *Case) drawHostGraph(d *dice) {
	if !d.one(3) {
		return
	}
	g := &host.Graph{ToCard: [][][]int32{{{0, 2, 4}}}, FromMemory: [][]int32{{6, 3, 1}}}
	for range 4 {
		g.Rates = append(g.Rates, pick[unit.Bitrate](d, 0, 4, 8, 31, 63)*8*unit.GigabitPerSec)
	}
	c.Host.Graph = g
	for range d.below(3) {
		from := unit.Time(d.time(500 * unit.Microsecond))
		c.Host.Faults = &host.Faults{PCIe: []host.Slower{{Host: int32(d.below(len(c.Graph.Hosts))),
			While: host.While{From: from, Until: from.Add(1 + d.time(unit.Millisecond))},
			Rate:  pick[unit.Bitrate](d, 1, 2) * 8 * unit.GigabitPerSec, Named: d.one(2), Link: int32(d.below(4))}}}
	}
}
