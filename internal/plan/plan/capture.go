package plan

import (
	"errors"
	"fmt"

	"railyard/internal/base/located"
	"railyard/internal/net/wire"
	"railyard/internal/plan/network"
	"railyard/internal/plan/transport"
)

// Captured says which ports capture.links names, by port; nil: none.
func (p *Plan) Captured() []bool { return p.captured }

// QPN is the number of a queue pair on the wire, at its end that receives data, or at the one that sends
// them: those of senders follow the others.
func (p *Plan) QPN(pair int32, sender bool) uint32 {
	n := uint32(p.Scenario.Transport.FirstQPN) + uint32(pair)
	if sender {
		n += uint32(len(p.Pairs))
	}
	return n & uint32(wire.PSNMask)
}

// PSN is a packet sequence number on the wire; the engine counts packets of each queue pair from 0.
func (p *Plan) PSN(n uint32) uint32 {
	return (n + uint32(p.Scenario.Transport.FirstPSN)) & uint32(wire.PSNMask)
}

// capturedPorts finds the ports that are captured. It reports links that there are not.
func (p *Plan) capturedPorts() error {
	var all located.Problems
	if p.Scenario.Capture.On() {
		p.captured = make([]bool, len(p.Graph.Ports))
	}
	for i, name := range p.Scenario.Capture.Links {
		if name == "" { // of a file with something wrong, and this was refused
			continue
		}
		links, err := p.names.Links(name)
		if err != nil {
			all = append(all, p.Scenario.Wrong(fmt.Sprintf("capture.links[%d]", i), "%v", err))
		}
		for _, l := range links {
			p.captured[2*l], p.captured[2*l+1] = true, true
		}
	}
	return all.Err()
}

// planCapture reports frames that a capture cannot show.
func (p *Plan) planCapture() error {
	c := &p.Scenario.Capture
	if !c.On() {
		return nil
	}
	var all located.Problems
	if transport.Frames(p.Scenario).Untagged() != wire.RoCEv2 {
		all = append(all, p.Scenario.Wrong("capture.links", "frames have other sizes than RoCEv2 over IPv4 "+
			"(transport.frames), and so no headers that are known: want those of transport.preset default"))
	}
	if last := int64(p.Scenario.Transport.FirstQPN) + 2*int64(len(p.Pairs)) - 1; last > int64(wire.PSNMask) {
		all = append(all, p.Scenario.Wrong("transport.first_qpn", "0x%06x: %d queue pairs with two ends each pass 0xffffff "+
			"from there, want at most 0x%06x", p.Scenario.Transport.FirstQPN, len(p.Pairs),
			int64(wire.PSNMask)-2*int64(len(p.Pairs))+1))
	}
	if p.Scenario.Fabric.Addresses.IPv6 {
		all = append(all, p.Scenario.Wrong("fabric.addresses.ipv6", "true: frames are captured as RoCEv2 over IPv4, whose "+
			"headers are 20 bytes shorter, want false with capture.links"))
	}
	if _, err := network.Inventory(p.Scenario, p.Graph); err != nil {
		var more located.Problems
		if !errors.As(err, &more) {
			return err
		}
		all = append(all, more...)
	}
	if len(all) > 0 {
		return all.Sorted()
	}
	return nil
}
