package plan

import (
	"slices"

	"railyard/internal/net/topo"
)

// A colouring of the edges of a bipartite multigraph.
type colouring struct {
	index    map[colourKey]int32
	degree   map[colourKey]int
	at       [][]int32 // by vertex and colour: the edge, -1 none
	ends     [][2]int32
	of       []int32 // by edge: whose it is
	colourOf []int32 // by edge
}

// colourKey is a vertex: a leaf that sends or receives, and which of its vertices.
type colourKey struct {
	receives bool
	leaf     topo.NodeID
	part     int
}

// vertex is the vertex of a leaf that has room for an edge.
func (c *colouring) vertex(receives bool, leaf topo.NodeID, colours int) int32 {
	if c.index == nil {
		c.index, c.degree = map[colourKey]int32{}, map[colourKey]int{}
	}
	whole := colourKey{receives: receives, leaf: leaf}
	key := whole
	key.part = c.degree[whole] / colours
	c.degree[whole]++
	v, known := c.index[key]
	if !known {
		v = int32(len(c.at))
		c.index[key] = v
		c.at = append(c.at, slices.Repeat([]int32{-1}, colours))
	}
	return v
}

// add colours an edge.
func (c *colouring) add(of, from, to int32) {
	e := int32(len(c.ends))
	c.ends, c.of, c.colourOf = append(c.ends, [2]int32{from, to}), append(c.of, of), append(c.colourOf, -1)
	a := c.free(from)
	if b := c.free(to); c.at[to][a] >= 0 {
		c.swap(to, a, b)
	}
	c.set(e, a)
}

func (c *colouring) free(v int32) int32 { return int32(slices.Index(c.at[v], -1)) }

func (c *colouring) set(e, colour int32) {
	c.colourOf[e] = colour
	for _, v := range c.ends[e] {
		c.at[v][colour] = e
	}
}

// swap exchanges two colours along the path that begins at a vertex with the first.
func (c *colouring) swap(v, first, second int32) {
	var path []int32
	for a, b := first, second; c.at[v][a] >= 0; a, b = b, a {
		e := c.at[v][a]
		path = append(path, e)
		v ^= c.ends[e][0] ^ c.ends[e][1]
	}
	for _, e := range path {
		for _, v := range c.ends[e] {
			c.at[v][c.colourOf[e]] = -1
		}
	}
	for _, e := range path {
		c.set(e, first+second-c.colourOf[e])
	}
}
