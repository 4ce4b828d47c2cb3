package netconf

import "fmt"

// facts lists what is said of BGP.
func (b *BGP) facts() (all []Fact) {
	say := func(place, what, format string, args ...any) {
		all = append(all, Fact{What: what, Value: fmt.Sprintf(format, args...), Place: place})
	}
	const speaker = "bgp" // where all of it is said
	identifier := ""
	if b.RouterID.IsValid() { // else the platform finds one
		identifier = fmt.Sprintf(", router identifier %v", b.RouterID)
	}
	say(speaker, "BGP", "AS %d%s", b.AS, identifier)
	say(speaker, "BGP timers", "%v, hold %v", b.Keepalive, b.Hold)
	relaxed := ""
	if b.Relax {
		relaxed = ", of ASs that differ too"
	}
	say(speaker, "equal paths", "%d%s", b.MaximumPaths, relaxed)
	one := func(what, format string, args ...any) { say(what, what, format, args...) }
	for i := range b.Neighbours {
		one("neighbour "+b.Neighbours[i].Name(), "%s", &b.Neighbours[i])
	}
	if b.Connected {
		say(speaker, "subnets of interfaces", "originated")
	}
	for _, p := range b.Networks {
		one("network "+p.String(), "originated")
	}
	for _, a := range b.Aggregates {
		only := ""
		if a.SummaryOnly {
			only = " alone"
		}
		one("aggregate "+a.Prefix.String(), "advertised%s", only)
	}
	return all
}

// Name is the address of a neighbour, or the port it is behind.
func (n *Neighbour) Name() string {
	if n.Address.IsValid() {
		return n.Address.String()
	}
	return n.Port
}

// String says what is agreed with a neighbour.
func (n *Neighbour) String() string {
	text := fmt.Sprintf("AS %d", n.AS)
	switch {
	case n.External:
		text = "another AS"
	case n.Internal:
		text = "the same AS"
	}
	if n.EVPN {
		text += ", EVPN"
	}
	if n.Source.IsValid() {
		text += fmt.Sprintf(", from %v", n.Source)
	}
	if n.Hops > 0 {
		text += fmt.Sprintf(", over at most %d links", n.Hops)
	}
	if n.BFD != nil {
		text += fmt.Sprintf(", BFD %d x %v", n.BFD.Multiplier, n.BFD.Interval)
	}
	if n.AllowASIn > 0 {
		text += fmt.Sprintf(", own AS %d times", n.AllowASIn)
	}
	if n.Client {
		text += ", reflector's client"
	}
	if n.NextHopSelf {
		text += ", next hop self"
	}
	return text
}
