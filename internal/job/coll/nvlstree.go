package coll

import (
	"fmt"
	"sort"
)

// NVLSTree is NCCL's all-reduce over hosts whose NVSwitches add (src/device/all_reduce.h, NVLS_TREE):
// in each host every rank is the head of a share of the data, as in NVLS. The switch adds the host's
// parts for the head; the heads of a share sum over a tree of hosts and send the total back; each head
// has its switch copy the total to its host.
//
//	host 0    [ adds ]   [ copies ]        host 1 as host 0
//	            |  |        ^  ^
//	heads       0  1  ...   0  1
//	            |  |        |  |
//	tree of  up to the parent, down to the children: share by share, each over its head's NIC
//	hosts
//
// The first half of the channels goes over NCCL's one binary tree of hosts, the second half over the
// other (DoubleTreeAllReduce).
//
// A share is cut into rounds (chunk = head * rounds + round), and a rank does, turn by turn, what the
// rounds under way need of it. In turn t it adds up round t - a of its share and passes it up, takes
// down and hands out the round whose total has come by then, and takes the totals of others; rounds
// begin a = nvlsAhead turns before they are added. Who is d hosts below the root takes a round down
// 2d times a hop's rounds after it went up, as in Tree. Each message has its own staging slot.
//
// Every message is sent in an earlier turn than that in which it is received, or in the same turn
// by a host below on the way up: so no rank waits for itself (Check proves it).
type NVLSTree struct {
	orders
	perHost, rounds int
	fan             int // most hosts below a host
	lag             int // how many rounds a hop between hosts is long
	trees           [2]shape
}

// NVLSTreeAllReduce returns the all-reduce over orders that have perHost ranks of a host in a row,
// each share in so many rounds.
func NVLSTreeAllReduce(in [][]int32, rounds, perHost int) (*NVLSTree, error) {
	const name = "nvls-tree-all-reduce"
	o, err := newOrders(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkHosts(name, in, perHost); err != nil {
		return nil, err
	}
	t := &NVLSTree{orders: o, perHost: perHost, rounds: rounds, lag: 1, trees: [2]shape{btree, mirrored}}
	for _, tree := range t.trees {
		for h := range t.hosts() {
			t.fan = max(t.fan, tree(t.hosts(), h).fan())
		}
	}
	return t, pieces(name+": rounds", 2*perHost+t.fan, rounds)
}

// Lagged returns the same for hops between hosts that take as long as so many rounds.
func (t *NVLSTree) Lagged(between int) (*NVLSTree, error) {
	if err := pieces(t.Name()+": rounds per hop", 2*t.Ranks(), between); err != nil {
		return nil, err
	}
	s := *t
	s.lag = between
	return &s, nil
}

// Name returns the algorithm's name, a key of Algorithms.
func (t *NVLSTree) Name() string { return "nvls-tree-all-reduce" }

// Chunks returns the ranks of a host * rounds.
func (t *NVLSTree) Chunks() int { return t.perHost * t.rounds }

// Slices returns the rounds of a share.
func (t *NVLSTree) Slices() int { return t.rounds }

// Slots returns one for each message that a rank receives.
func (t *NVLSTree) Slots() int { return t.rounds * (2*t.peers() + t.fan + 1) }

// Goal returns what the schedule is to achieve.
func (t *NVLSTree) Goal() Goal { return Goal{Collective: AllReduce} }

// SwitchAdds reports that switches add and copy what goes on inside hosts.
func (t *NVLSTree) SwitchAdds() bool { return t.perHost > 1 }

func (t *NVLSTree) hosts() int { return t.Ranks() / t.perHost }

// peers is the ranks of its host that a rank exchanges messages with.
func (t *NVLSTree) peers() int { return t.perHost - 1 }

// treePart is what a rank does for a round.
type treePart uint8

const (
	treeOut    treePart = iota // sends its parts to their heads: an op for each peer
	treeAdd                    // receives and adds what others have of its share: two for each
	treeUp                     // receives and adds what hosts below have: two for each; sends it up
	treeDown                   // receives and copies the total from above; sends it to hosts below
	treeHand                   // sends the total to all of its host: one for each
	treeGather                 // receives the totals of others: two for each
	treeParts
)

// treeSeat is a rank's place: what it does for a round, and when.
type treeSeat struct {
	local int // its place in its host, and the share that it is the head of
	first int // the position of its host's first rank
	host  node
	ops   [treeParts]int // of a round
	turn  [treeParts]int // in which round 0 has them
	last  int            // turns in all
}

// seat is the place of a rank in a channel.
func (t *NVLSTree) seat(rank, channel int) (s treeSeat) {
	at, peers := int(t.pos[channel][rank]), t.peers()
	s.local = at % t.perHost
	s.first = at - s.local
	s.host = t.trees[channel*len(t.trees)/t.Channels()](t.hosts(), at/t.perHost)
	below, above := s.host.fan(), 0
	if s.host.parent >= 0 {
		above = 1
	}
	s.ops = [treeParts]int{peers, 2 * peers, 2*below + above, 2*above + below, peers, 2 * peers}
	a := min(nvlsAhead, t.rounds)
	down := a + 2*t.lag*s.host.depth
	s.turn = [treeParts]int{0, a, a, down, down, down + a}
	s.last = s.turn[treeGather] + t.rounds
	return s
}

// before is how many ops of a part come before a turn.
func (t *NVLSTree) before(s *treeSeat, part treePart, turn int) int {
	return s.ops[part] * min(max(turn-s.turn[part], 0), t.rounds)
}

// until is how many ops come before a turn.
func (t *NVLSTree) until(s *treeSeat, turn int) (ops int) {
	for part := range treeParts {
		ops += t.before(s, part, turn)
	}
	return ops
}

// inTurn is the order of the parts within a turn: what has been under way for longest comes first, but that
// sums go up before totals come down.
var inTurn = [treeParts]treePart{treeGather, treeAdd, treeUp, treeDown, treeHand, treeOut}

// Len returns the rounds times the ops of one.
func (t *NVLSTree) Len(rank, channel int) int {
	s := t.seat(rank, channel)
	return t.until(&s, s.last)
}

// find returns what op i is part of: the op-th of that part of a round.
func (t *NVLSTree) find(s *treeSeat, i int) (part treePart, round, op int) {
	turn := sort.Search(s.last, func(turn int) bool { return t.until(s, turn+1) > i })
	i -= t.until(s, turn)
	for _, part := range inTurn {
		round := turn - s.turn[part]
		if round < 0 || round >= t.rounds {
			continue
		}
		if i < s.ops[part] {
			return part, round, i
		}
		i -= s.ops[part]
	}
	panic("coll: an op behind the last")
}

// begin returns the first op of a part of a round.
func (t *NVLSTree) begin(s *treeSeat, part treePart, round int) int {
	turn := s.turn[part] + round
	i := t.until(s, turn)
	for _, p := range inTurn {
		if p == part {
			return i
		}
		i += t.before(s, p, turn+1) - t.before(s, p, turn)
	}
	panic("coll: a part that no turn has")
}

// Op returns op i of rank in channel.
func (t *NVLSTree) Op(rank, channel, i int) Op {
	s := t.seat(rank, channel)
	part, k, j := t.find(&s, i)
	op := Op{Slot: -1, After: -1, Acked: -1, Peer: -1, Chunk: int32(s.local*t.rounds + k)}
	switch part {
	case treeOut:
		to := wrap(s.local+1+j, t.perHost)
		op.Peer, op.Chunk, op.Switch = t.at(channel, s.first+to), int32(to*t.rounds+k), int32(t.perHost)
	case treeHand:
		op.Peer, op.Switch = t.at(channel, s.first+wrap(s.local+1+j, t.perHost)), -int32(t.perHost)
		op.After = t.total(&s, k)
	case treeAdd:
		t.takes(&op, i, j, wrap(s.local-1-j/2, t.perHost), channel, &s, k*t.peers()+j/2)
		if op.Kind == Reduce {
			op.Switch = 1
		}
	case treeGather:
		from := wrap(s.local-1-j/2, t.perHost)
		t.takes(&op, i, j, from, channel, &s, (t.rounds+k)*t.peers()+j/2)
		op.Chunk = int32(from*t.rounds + k)
		if op.Kind == Recv {
			op.After = -1
		} else { // the rank has sent its own part from here: to the head from places on
			op.Kind, op.Acked = Copy, int32(t.begin(&s, treeOut, k)+t.peers()-1-j/2)
		}
	case treeUp:
		t.upOp(&op, i, j, channel, &s, k)
	case treeDown:
		t.downOp(&op, i, j, channel, &s, k)
	}
	return op
}

// takes makes a Recv from the host's rank at a place, or the Reduce after it. Sums are added one after the other.
func (t *NVLSTree) takes(op *Op, i, j, from, channel int, s *treeSeat, slot int) {
	op.Kind, op.Slot = Recv, int32(slot)
	if j%2 == 0 {
		op.Peer = t.at(channel, s.first+from)
		if j > 0 {
			op.After = int32(i - 1)
		}
		return
	}
	op.Kind, op.After = Reduce, int32(i-1)
}

// summed is the op by which the own host's parts of a round are added, -1 in a host of one rank.
func (t *NVLSTree) summed(s *treeSeat, k int) int32 {
	if t.peers() == 0 {
		return -1
	}
	return int32(t.begin(s, treeAdd, k) + s.ops[treeAdd] - 1)
}

// total is the op after which the rank has the total of a round.
func (t *NVLSTree) total(s *treeSeat, k int) int32 {
	switch {
	case s.host.parent >= 0:
		return int32(t.begin(s, treeDown, k) + 1)
	case s.host.fan() > 0:
		return int32(t.begin(s, treeUp, k) + 2*s.host.fan() - 1)
	}
	return t.summed(s, k)
}

// beside is the rank with the same share in another host.
func (t *NVLSTree) beside(channel, host int, s *treeSeat) int32 {
	return t.at(channel, host*t.perHost+s.local)
}

// upOp is op j of a round on its way up.
func (t *NVLSTree) upOp(op *Op, i, j, channel int, s *treeSeat, k int) {
	op.After = int32(i - 1)
	if j == 0 {
		op.After = t.summed(s, k)
	}
	if j == 2*s.host.fan() {
		op.Peer = t.beside(channel, s.host.parent, s)
		return
	}
	op.Kind, op.Slot = Recv, int32(t.rounds*(2*t.peers()+j/2)+k)
	if j%2 == 0 {
		op.Peer = t.beside(channel, s.host.children[j/2], s)
		return
	}
	op.Kind = Reduce
}

// downOp is op j of a round on its way down.
func (t *NVLSTree) downOp(op *Op, i, j, channel int, s *treeSeat, k int) {
	child := j
	if s.host.parent >= 0 {
		child = j - 2
		switch j {
		case 0:
			op.Kind, op.Slot = Recv, int32(t.rounds*(2*t.peers()+t.fan)+k)
			op.Peer = t.beside(channel, s.host.parent, s)
			return
		case 1:
			op.Kind, op.Slot, op.After = Copy, int32(t.rounds*(2*t.peers()+t.fan)+k), int32(i-1)
			op.Acked = int32(t.begin(s, treeUp, k) + 2*s.host.fan())
			return
		}
	}
	op.Peer, op.After = t.beside(channel, s.host.children[child], s), t.total(s, k)
}

// traffic: to each peer of the host its share and the own total, to the hosts above and below the own share.
func (t *NVLSTree) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	s := t.seat(rank, channel)
	for step := 1; step <= t.peers(); step++ {
		peer := wrap(s.local+step, t.perHost)
		all := Traffic{Peer: t.at(channel, s.first+peer)}
		all.add(sh, peer, 1, 1)
		all.add(sh, s.local, 1, 1)
		to = append(to, all)
	}
	for _, host := range append([]int{s.host.parent}, s.host.children[:]...) {
		if host >= 0 {
			all := Traffic{Peer: t.beside(channel, host, &s)}
			all.add(sh, s.local, 1, 1)
			to = append(to, all)
		}
	}
	return to
}
