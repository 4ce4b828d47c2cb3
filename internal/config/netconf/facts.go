package netconf

import (
	"fmt"
	"strings"

	"railyard/internal/base/unit"
)

// A Fact is one thing that a device says, of the device or of a port.
type Fact struct {
	Port  string // "": the device
	What  string
	Value string
	Place string // of Parsed.Places, where it is said; "": of a port, that of the interface
}

// Facts lists what a device says: of the device, then in order of interfaces.
func (d *Device) Facts() (all []Fact) {
	if q := d.QoS; q != nil {
		all = append(all, Fact{What: "PFC watchdog", Value: q.Watchdog.String(), Place: "watchdog"})
		if q.Pools != (Pools{}) {
			all = append(all, Fact{What: "buffer", Value: q.Pools.String(), Place: "buffer"})
		}
	}
	if d.LLDP != nil {
		all = append(all, Fact{What: "LLDP", Value: d.LLDP.String(), Place: "lldp"})
	}
	if d.Balance != nil {
		text := d.Balance.String()
		if len(d.Balance.Ports) > 0 {
			text += " on " + strings.Join(d.Balance.Ports, " ")
		}
		all = append(all, Fact{What: "load balancing", Value: text, Place: "balance"})
	}
	if d.Peer != nil {
		all = append(all, Fact{What: "peer switch", Value: d.Peer.String(), Place: "peer"})
	}
	if d.Tunnels != nil {
		all = append(all, d.Tunnels.facts()...)
	}
	if d.BGP != nil {
		all = append(all, d.BGP.facts()...)
	}
	for i := range d.Interfaces {
		all = append(all, d.portFacts(&d.Interfaces[i])...)
	}
	return all
}

func (d *Device) portFacts(i *Interface) (all []Fact) {
	say := func(what, format string, args ...any) {
		all = append(all, Fact{Port: i.Name, What: what, Value: fmt.Sprintf(format, args...)})
	}
	say(i.Kind.String(), "there")
	if i.VLAN > 0 && i.Kind == Physical {
		say("VLAN", "%d", i.VLAN)
	}
	if i.VRF != "" {
		say("VRF", "%s", i.VRF)
	}
	if i.Trunk {
		say("VLANs", "several")
	}
	if i.Down {
		say("shut down", "yes")
	}
	if i.Channel > 0 {
		say("port channel", "%d", i.Channel)
	}
	for _, a := range i.Addresses {
		say("address "+a.String(), "there")
	}
	if i.MAC != "" {
		say("MAC", "%s", i.MAC)
	}
	if i.MTU > 0 {
		say("largest frame", "%v", i.MTU)
	}
	if i.LLDP != (PortLLDP{}) {
		say("LLDP", "silent %v, DCBX %s", i.LLDP.Silent, i.LLDP.DCBX)
	}
	p := d.ProfileOf(i)
	if p == nil {
		return all
	}
	say("PFC", "%s", i.QoS.PFC)
	say("watchdog", "%v", i.QoS.Watchdog)
	if i.QoS.Cable > 0 {
		say("cable", "%v", i.QoS.Cable)
	}
	for dscp, tc := range p.Classify {
		say(fmt.Sprintf("DSCP %d", dscp), "class %d", tc)
	}
	for k := range p.Classes {
		c := &p.Classes[k]
		of := fmt.Sprintf("class %d ", c.TC)
		say(of+"queue", "%d", c.Queue)
		say(of+"served", "%s", c.Served())
		if c.ECN != nil {
			say(of+"WRED", "%s", c.ECN)
		}
		if c.Pause == nil {
			continue
		}
		say(of+"pauses", "priority %d", c.Pause.Priority)
		if b := c.Pause.Buffer; b != nil {
			say(of+"ingress", "xOFF %s, xON %v below, headroom %v, reserve %v", b.XOFFText(), b.Resume,
				b.Headroom, b.Reserve)
		}
	}
	return all
}

// Served says when a class's queue is served.
func (c *Class) Served() string {
	if c.Strict {
		return "strict"
	}
	return fmt.Sprintf("%d%%", c.Share)
}

// String says a watchdog's setting.
func (w Watchdog) String() string {
	if !w.On {
		return "off"
	}
	text := "on"
	if w.Poll > 0 {
		text += fmt.Sprintf(", looks every %v", w.Poll)
	}
	if w.Detect > 0 {
		text += fmt.Sprintf(", acts after %v", w.Detect)
	}
	if w.Restore > 0 {
		text += fmt.Sprintf(", gives back after %v", w.Restore)
	}
	if w.Action != "" {
		text += ", " + w.Action
	}
	return text
}

// String says what of the packet buffer is for whom.
func (p Pools) String() string {
	var parts []string
	for _, of := range []struct {
		what string
		size unit.Bytes
	}{{"size", p.Size}, {"headroom", p.Headroom}} {
		if of.size > 0 {
			parts = append(parts, fmt.Sprintf("%s %v", of.what, of.size))
		}
	}
	for _, of := range []struct {
		what    string
		percent int
	}{{"lossless", p.LosslessPart}, {"headroom", p.HeadroomPart}, {"lossy", p.LossyPart}} {
		if of.percent > 0 {
			parts = append(parts, fmt.Sprintf("%s %d%%", of.what, of.percent))
		}
	}
	return strings.Join(parts, ", ")
}

// String says whether it speaks, and how.
func (l *LLDP) String() string {
	on := "off"
	if l.On {
		on = "on"
	}
	return fmt.Sprintf("%s, DCBX %s", on, l.DCBX)
}

// A Difference is a fact that two devices have otherwise; "-" where one does not say it. Ports that
// differ alike share one.
type Difference struct {
	Ports []string `json:"ports,omitempty"`
	What  string   `json:"what"`
	A     string   `json:"a"`
	B     string   `json:"b"`
}

// Diff lists what two devices say differently, in the order of a, then what only b says.
func Diff(a, b *Device) (all []Difference) {
	type key struct{ port, what string }
	factsA, factsB := a.Facts(), b.Facts()
	of := map[key]string{}
	for _, f := range factsB {
		of[key{f.Port, f.What}] = f.Value
	}
	index := map[alike]int{}
	add := func(port, what, x, y string) {
		k := alike{what, x, y, port != ""}
		at, known := index[k]
		if !known {
			at = len(all)
			index[k] = at
			all = append(all, Difference{What: what, A: x, B: y})
		}
		if port != "" {
			all[at].Ports = append(all[at].Ports, port)
		}
	}
	said := map[key]bool{}
	for _, f := range factsA {
		k := key{f.Port, f.What}
		said[k] = true
		other, there := of[k]
		if !there {
			other = "-"
		}
		if other != f.Value {
			add(f.Port, f.What, f.Value, other)
		}
	}
	for _, f := range factsB {
		if !said[key{f.Port, f.What}] {
			add(f.Port, f.What, "-", f.Value)
		}
	}
	return all
}

// alike is what ports have in common that share a difference.
type alike struct {
	what, a, b string
	ofPort     bool
}
