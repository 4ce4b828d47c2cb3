package survey

import "railyard/internal/net/topo"

// meets counts what equal places of lists of uplinks lead to. Lists are in the order of ports, as those of equal next hops.
func meets(g *topo.Graph) (all []Meet) {
	type place struct {
		above topo.NodeID
		at    int
	}
	for i, kind := range roles[:len(roles)-1] {
		m := Meet{Role: kind.String(), Above: roles[i+1].String()}
		met, below, longest := map[place]int{}, map[topo.NodeID]int{}, 0
		switches(g, kind, func(n *topo.Node) {
			at, seen := 0, map[topo.NodeID]bool{}
			for _, p := range n.Ports {
				to := g.Ports[p].To
				if g.Nodes[to].Kind != roles[i+1] {
					continue
				}
				met[place{to, at}]++
				m.Most = max(m.Most, met[place{to, at}])
				if !seen[to] {
					seen[to] = true
					below[to]++
					m.Below = max(m.Below, below[to])
				}
				at++
			}
			longest = max(longest, at)
		})
		if longest > 1 && m.Below > 1 {
			all = append(all, m)
		}
	}
	return all
}
