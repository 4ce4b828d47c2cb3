package topo

// NewRoutesUpDown is NewRoutesWithout, but for ways that go down from one tier to another and up again, as route
// reflectors leave them that reflect to those below and beside them (RFC 4456). Tiers are as Kind has them.
func NewRoutesUpDown(g *Graph, dead func(LinkID) bool) *Routes {
	return newRoutes(g, dead, rules{upDown: true})
}

// NewRoutesBGP is NewRoutesWithout as eBGP leaves it on links that all cost 1: a switch tells its neighbours the best
// of its shortest ways, that by the switch of the lowest number, and refuses one with its own AS number in it
// (RFC 4271, sections 9.1.2 and 9.1.2.2). as has one for each node, 0 for hosts.
func NewRoutesBGP(g *Graph, dead func(LinkID) bool, as []uint32) *Routes {
	return newRoutes(g, dead, rules{as: as})
}

// rules say which ways are refused.
type rules struct {
	upDown bool
	as     []uint32 // by node; nil: none
}

func (by *rules) none() bool { return !by.upDown && by.as == nil }

// why says what is refused of the ways that there are.
func (by *rules) why() string {
	if by.upDown {
		return "route reflectors pass on none of the paths there are, which go down and up again"
	}
	return "every path comes by two switches of one AS number, which BGP refuses (RFC 4271, section 9.1.2); " +
		"AS numbers of their own for spines leave it"
}

// refusals are the rules and what a search knows for them. Twins are refused alike: they are of one class.
type refusals struct {
	tiers []Kind // by switch number, if ways that go down and up again are none; else nil
	falls []bool // by switch number: its way goes down all the way

	as   []int32 // by switch number: which AS of several switches it is in, from 1, 0: it is alone; nil: nobody looks
	next []int32 // by switch number: the first switch of its best way, -1: it is there
}

// refusals numbers the classes of switches.
func (by *rules) refusals(g *Graph, nodes []NodeID) (x refusals) {
	if by.upDown {
		x.falls = make([]bool, len(nodes))
		for _, n := range nodes {
			x.tiers = append(x.tiers, g.Nodes[n].Kind)
		}
	}
	many := map[uint32]int{}
	for _, n := range nodes {
		if by.as != nil {
			many[by.as[n]]++
		}
	}
	if len(many) == 0 || len(many) == len(nodes) { // a way that comes by a switch twice is no shortest one
		return x
	}
	x.as, x.next = make([]int32, len(nodes)), make([]int32, len(nodes))
	number := map[uint32]int32{}
	for s, n := range nodes {
		as := by.as[n]
		if many[as] == 1 {
			continue
		}
		if number[as] == 0 {
			number[as] = int32(len(number) + 1)
		}
		x.as[s] = number[as]
	}
	return x
}

// appendClass appends the class of a switch: those of two are no twins.
func (x *refusals) appendClass(key []byte, s int) []byte {
	if x.tiers != nil { // a leaf may go up where a super-spine with the same neighbour may not go down
		key = append(key, byte(x.tiers[s]))
	}
	if x.as != nil {
		key = append(key, byte(x.as[s]), byte(x.as[s]>>8), byte(x.as[s]>>16))
	}
	return key
}

// begin starts a search.
func (x *refusals) begin(roots []int32) {
	clear(x.falls)
	for _, root := range roots {
		if x.tiers != nil {
			x.falls[root] = true
		}
		if x.as != nil {
			x.next[root] = -1
		}
	}
}

// reach notes that a search has found a way from switch t by s; equal: as short as one that it had.
func (x *refusals) reach(s, t int32, equal bool) {
	if x.tiers != nil {
		x.falls[t] = x.tiers[t] > x.tiers[s] || x.tiers[t] == x.tiers[s] && x.falls[s] || equal && x.falls[t]
	}
	if x.as != nil && (!equal || s < x.next[t]) {
		x.next[t] = s
	}
}

// leads reports whether a switch takes the way of the next one: it does not go down to where that goes up, nor has
// its own AS behind it.
func (x *refusals) leads(from, to int32) bool {
	if x.tiers != nil && x.tiers[from] > x.tiers[to] && !x.falls[to] {
		return false
	}
	if x.as != nil && x.as[from] != 0 {
		for ; to >= 0; to = x.next[to] {
			if x.as[to] == x.as[from] {
				return false
			}
		}
	}
	return true
}
