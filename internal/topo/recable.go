package topo

// Recabling gives a link another cable. A Rate of 0 leaves the rate, neither Length nor Delay
// leaves both.
type Recabling struct {
	Link  LinkID
	Cable Cable
}

// Recabled returns a network of the same nodes and links in which some links have other cables. The
// error names the first that no cable is like.
func (g *Graph) Recabled(changes []Recabling) (*Graph, error) {
	out := *g
	out.Links, out.Ports = append([]Link(nil), g.Links...), append([]Port(nil), g.Ports...)
	for _, c := range changes {
		l, port := &out.Links[c.Link], PortID(2*c.Link) // see Peer: a link's ports are neighbours
		cable := c.Cable
		if cable.Rate == 0 {
			cable.Rate = l.Rate
		}
		if cable.Length == 0 && cable.Delay == 0 {
			cable.Length, cable.Delay = l.Length, l.Delay
		}
		if err := cable.check("link " + out.Ports[port].Name); err != nil {
			return nil, err
		}
		l.Rate, l.Length, l.Delay = cable.Rate, cable.Length, cable.propagation()
		for _, p := range []PortID{port, g.Peer(port)} {
			out.Ports[p].Rate, out.Ports[p].Delay = l.Rate, l.Delay
		}
	}
	return &out, nil
}
