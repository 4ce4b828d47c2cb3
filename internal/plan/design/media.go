package design

import (
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/net/catalogue"
	"railyard/internal/net/topo"
)

// A cage is a port of a switch with the cables in it: several where it is broken out.
type cage struct {
	node   topo.NodeID
	number int
}

// A bundle is cables that share cages, and so a medium: the ends of a splitter, the engines of a plug.
type bundle struct {
	cables  []int // indices into the cables of the network
	longest unit.Length
	cages   []cage
}

// choose gives each cable its medium, and puts cables and transceivers on the bill. cables and links are of
// one network, in the same order.
func (l *Layout) choose(w *drawn, cables []Cable, links []topo.LinkID) {
	for _, b := range bundles(w, cables, links) {
		rate := cables[b.cables[0]].Rate
		m := catalogue.MediumFor(rate, b.longest)
		if m == nil {
			l.tooFar(w.net.Name, &cables[b.cables[0]], b.longest)
			continue
		}
		if !m.Optics && b.tangled() {
			if m = opticsFor(rate, b.longest); m == nil {
				l.tooFar(w.net.Name, &cables[b.cables[0]], b.longest)
				continue
			}
		}
		for _, i := range b.cables {
			cables[i].Medium = m
			if !m.Optics {
				cables[i].Length = b.longest
			}
		}
		l.bill.bundle(l, w, b, m, cables, links)
	}
}

// tooFar reports a cable that nothing carries, once for each network and rate.
func (l *Layout) tooFar(net string, c *Cable, length unit.Length) {
	text := fmt.Sprintf("%s: a cable of %v from %s to %s: nothing in the catalogue carries %v farther than %v", net,
		length, c.From.Device.Name, c.To.Device.Name, c.Rate, catalogue.Farthest(c.Rate))
	for _, f := range l.Findings {
		if f.Message[:min(len(f.Message), len(net)+2)] == net+": " {
			return
		}
	}
	l.wrong("racks", text, "shorter rows, another rate")
}

// bundles joins the cables of a network that share cages.
func bundles(w *drawn, cables []Cable, links []topo.LinkID) []*bundle {
	at := map[cage]*bundle{}
	of := make([]*bundle, len(cables))
	var all []*bundle
	for i, link := range links {
		b := &bundle{cables: []int{i}, longest: cables[i].Length}
		for _, p := range [2]topo.PortID{topo.PortID(2 * link), topo.PortID(2*link + 1)} {
			name := w.ports[p]
			if name.NIC >= 0 || name.Part == 0 {
				continue
			}
			c := cage{w.graph.Ports[p].Node, name.Number}
			if other := at[c]; other != nil && other != b {
				b = join(other, b, at, of)
			} else if other == nil {
				b.cages = append(b.cages, c)
				at[c] = b
			}
		}
		of[i] = b
	}
	seen := map[*bundle]bool{}
	for _, b := range of {
		if !seen[b] {
			seen[b] = true
			all = append(all, b)
		}
	}
	return all
}

// join makes one bundle of two, the larger one growing.
func join(a, b *bundle, at map[cage]*bundle, of []*bundle) *bundle {
	if len(a.cables) < len(b.cables) {
		a, b = b, a
	}
	a.cables = append(a.cables, b.cables...)
	a.longest = max(a.longest, b.longest)
	a.cages = append(a.cages, b.cages...)
	for _, c := range b.cages {
		at[c] = a
	}
	for _, i := range b.cables {
		of[i] = a
	}
	return a
}

// tangled reports whether copper cannot join the cages of a bundle: both ends are broken out, and not to
// each other alone.
func (b *bundle) tangled() bool { return len(b.cages) > 2 || len(b.cages) == 2 && len(b.cables) < 2 }

// opticsFor is the first kind with transceivers that reaches so far.
func opticsFor(rate unit.Bitrate, length unit.Length) *catalogue.Medium {
	for i := range catalogue.Media {
		if m := &catalogue.Media[i]; m.Optics && m.Least <= rate && rate <= m.Most && length <= m.Reach {
			return m
		}
	}
	return nil
}
