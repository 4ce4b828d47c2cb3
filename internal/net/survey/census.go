package survey

import "railyard/internal/net/topo"

// A place is a class of edges, from 1, or one edge of class 0.
type place struct {
	class int32
	edge  int32
}

// A census is how many of the ends there are at places, in all or, where rails are VLANs, of each rail.
type census struct {
	on   map[place]map[int32]int64 // by rail, or of rail 0
	same map[samePlace]int64       // pairs of one host, of one rail or of any
}

type samePlace struct {
	from place
	to   int32
}

func (w *walker) census() *census {
	g, c := w.g, &census{map[place]map[int32]int64{}, map[samePlace]int64{}}
	rail := func(n topo.NICID) int32 {
		if g.Isolated {
			return g.NICs[n].Rail
		}
		return 0
	}
	for _, of := range w.byHost() {
		for _, n := range of {
			e := w.edgeOf[n]
			if e < 0 {
				continue
			}
			for _, at := range []place{{edge: e}, {class: w.alike[e] + 1}} {
				if c.on[at] == nil {
					c.on[at] = map[int32]int64{}
				}
				c.on[at][rail(n)]++
				for _, m := range of {
					if rail(m) == rail(n) {
						c.same[samePlace{at, w.edgeOf[m]}]++
					}
				}
			}
		}
	}
	return c
}

// pairs is how many ordered pairs of ends of different hosts there are from a place to an edge.
func (c *census) pairs(from place, to int32) (n int64) {
	for rail, a := range c.on[from] {
		n += a * c.on[place{edge: to}][rail]
	}
	return n - c.same[samePlace{from, to}]
}

// byHost splits the ends by their hosts.
func (w *walker) byHost() [][]topo.NICID {
	all := make([][]topo.NICID, len(w.g.Hosts))
	for _, n := range w.ends {
		h := w.g.NICs[n].Host
		all[h] = append(all[h], n)
	}
	return all
}
