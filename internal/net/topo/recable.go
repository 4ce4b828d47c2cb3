package topo

// Recabling gives a link another cable. A Rate of 0 leaves the rate, neither Length nor Delay
// leaves both.
type Recabling struct {
	Link  LinkID
	Cable Cable
	Only  int // 1: the rate is of what end A sends alone, 2: of what B does; 0: of both, and of the link
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
		l.Length, l.Delay = cable.Length, cable.propagation()
		if c.Only == 0 {
			l.Rate = cable.Rate
		}
		for k, p := range []PortID{port, g.Peer(port)} {
			if out.Ports[p].Delay = l.Delay; c.Only == 0 || c.Only == k+1 {
				out.Ports[p].Rate = cable.Rate
			}
		}
	}
	return &out, nil
}
