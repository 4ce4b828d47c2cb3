package plan

import (
	"testing"

	"pgregory.net/rapid"

	"railyard/internal/net/topo"
)

// At each vertex all edges have other colours, and there are no more colours than were asked for (Kőnig): so no two flows of a leaf
// take one spine. What this notices: a path of two colours that is swapped wrongly, an edge at a vertex that has no room.
func TestEdgesOfAVertexHaveOtherColours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		colours := rapid.IntRange(1, 5).Draw(rt, "colours")
		leaves := rapid.IntRange(1, 4).Draw(rt, "leaves")
		var c colouring
		for i := range rapid.IntRange(1, 60).Draw(rt, "edges") {
			from := topo.NodeID(rapid.IntRange(0, leaves-1).Draw(rt, "from"))
			to := topo.NodeID(rapid.IntRange(0, leaves-1).Draw(rt, "to"))
			c.add(int32(i), c.vertex(false, from, colours), c.vertex(true, to, colours))
		}
		type place struct{ vertex, colour int32 }
		taken := map[place]int{}
		for e, ends := range c.ends {
			if c.of[e] != int32(e) || c.colourOf[e] < 0 || c.colourOf[e] >= int32(colours) {
				rt.Fatalf("edge %d is of %d and has colour %d of %d", e, c.of[e], c.colourOf[e], colours)
			}
			for _, v := range ends {
				at := place{v, c.colourOf[e]}
				if before, two := taken[at]; two {
					rt.Fatalf("edges %d and %d have colour %d at vertex %d", before, e, at.colour, v)
				}
				taken[at] = e
			}
		}
	})
}
