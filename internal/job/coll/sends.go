package coll

import "slices"

// Traffic is what a rank sends to one peer in one channel. A message without
// elements is not sent and does not count; the peer is listed all the same.
type Traffic struct {
	Peer     int32
	Messages int64
	Elems    int64
}

// counter is a schedule that knows its traffic without going through its
// operations, of which a ring over n ranks has about 6n for each of them.
type counter interface {
	traffic(to []Traffic, rank, channel int, share share) []Traffic
}

// AppendTraffic appends what rank sends in channel, peer by peer in order of
// first use. elems is the size of the buffer that it sends from, cut evenly.
func AppendTraffic(to []Traffic, s Schedule, rank, channel, elems int) []Traffic {
	first, last := split(elems, s.Channels(), channel)
	k := Slices(s)
	if c, ok := s.(counter); ok {
		return c.traffic(to, rank, channel, share{elems: last - first, parts: s.Chunks() / k, slices: k})
	}
	of := [bufferKinds]share{Out: {last - first, s.Chunks() / k, k}, In: {last - first, Inputs(s) / k, k}}
	return enumerate(to, s, rank, channel, func(b Buffer, chunk int) int64 { return of[b].chunk(chunk) })
}

// AppendBlocks is AppendTraffic of a schedule out of place, in which a rank has size(rank, block)
// elements for each block of its input: see BlockLayout.
func AppendBlocks(to []Traffic, s Schedule, rank, channel int, size func(rank, block int) int) []Traffic {
	k := Slices(s)
	through, passes := s.(passer)
	return enumerate(to, s, rank, channel, func(b Buffer, chunk int) int64 {
		from, block := rank, chunk/k
		if passes && b == Out {
			first, last, _ := through.Passes(rank, block)
			from, block = int(first), int(last)
		}
		lo, hi := split(size(from, block), s.Channels(), channel)
		return share{hi - lo, 1, k}.chunk(chunk % k)
	})
}

// enumerate counts operation by operation.
func enumerate(to []Traffic, s Schedule, rank, channel int, elems func(b Buffer, chunk int) int64) []Traffic {
	begin := len(to)
	for i := range s.Len(rank, channel) {
		op := s.Op(rank, channel, i)
		if op.Kind != Send {
			continue
		}
		at := slices.IndexFunc(to[begin:], func(t Traffic) bool { return t.Peer == op.Peer })
		if at < 0 {
			at = len(to) - begin
			to = append(to, Traffic{Peer: op.Peer})
		}
		t := &to[begin+at]
		if n := elems(op.Buffer, int(op.Chunk)); n > 0 {
			t.Messages++
			t.Elems += n
		}
	}
	return to
}

// share is a channel's part of a buffer: parts, of which each is so many slices.
type share struct{ elems, parts, slices int }

// chunk returns the elements of one chunk.
func (s share) chunk(c int) int64 {
	lo, hi := split(s.elems, s.parts, c/s.slices)
	first, last := split(hi-lo, s.slices, c%s.slices)
	return int64(last - first)
}

// add adds n parts in a row, each sent times times, slice by slice.
func (t *Traffic) add(s share, part, n, times int) {
	if n <= 0 {
		return
	}
	size, larger := s.elems/s.parts, s.elems%s.parts // the first ones have an element more
	more := min(max(larger-part, 0), n)
	t.Messages += int64(times) * (int64(more)*int64(min(size+1, s.slices)) + int64(n-more)*int64(min(size, s.slices)))
	t.Elems += int64(times) * (int64(n)*int64(size) + int64(more))
}

// traffic: step t sends ring chunk p+first-t, so all steps together send every
// ring chunk steps/n times, and those of the steps left over once more.
func (r *Ring) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	n, p := r.Ranks(), int(r.pos[channel][rank])
	if r.steps == 0 {
		return to
	}
	t := Traffic{Peer: r.at(channel, p+1)}
	t.add(sh, 0, n, r.steps/n)
	over := r.steps % n
	lo := wrap(p+r.first-over+1, n) // of the last ones, back from p+first
	before := min(over, n-lo)
	t.add(sh, lo, before, 1)
	t.add(sh, 0, over-before, 1)
	return append(to, t)
}

// traffic: within its host a rank sends all shares but one in the first ring, and again in the last; to the next host all chunks of its
// own share twice, but two of them once.
func (h *Hierarchical) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	p := int(h.pos[channel][rank])
	host, at := p/h.perHost, p%h.perHost
	shares := func(t *Traffic, l, times int) { t.add(sh, int(h.chunk(l, 0)), h.hosts, times) }
	if h.perHost > 1 {
		t := Traffic{Peer: h.at(channel, host*h.perHost+wrap(at+1, h.perHost))}
		for l := range h.perHost {
			shares(&t, l, 2)
		}
		shares(&t, at+1, -1)
		shares(&t, at+2, -1)
		to = append(to, t)
	}
	if h.hosts > 1 {
		t := Traffic{Peer: h.at(channel, wrap(host+1, h.hosts)*h.perHost+at)}
		shares(&t, at+1, 2)
		t.add(sh, int(h.chunk(at+1, host+1)), 1, -1)
		t.add(sh, int(h.chunk(at+1, host+2)), 1, -1)
		to = append(to, t)
	}
	return to
}
