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

// AppendTraffic appends what rank sends in channel, in a buffer of elems
// elements, peer by peer in order of first use.
func AppendTraffic(to []Traffic, s Schedule, rank, channel, elems int) []Traffic {
	first, last := split(elems, s.Channels(), channel)
	sh := share{elems: last - first, chunks: s.Chunks()}
	if c, ok := s.(counter); ok {
		return c.traffic(to, rank, channel, sh)
	}
	return enumerate(to, s, rank, channel, sh)
}

// enumerate counts operation by operation.
func enumerate(to []Traffic, s Schedule, rank, channel int, sh share) []Traffic {
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
		if n := sh.run(int(op.Chunk), 1); n > 0 {
			t.Messages++
			t.Elems += n
		}
	}
	return to
}

// share is a channel's part of a buffer, in chunks.
type share struct{ elems, chunks int }

// run returns the elements of n chunks in a row, the first of them chunk.
func (s share) run(chunk, n int) int64 {
	lo, _ := split(s.elems, s.chunks, chunk)
	_, hi := split(s.elems, s.chunks, chunk+n-1)
	return int64(hi - lo)
}

// filled returns how many of n chunks in a row hold an element: the first
// chunks do.
func (s share) filled(chunk, n int) int64 {
	return int64(min(max(min(s.elems, s.chunks)-chunk, 0), n))
}

// add adds n chunks in a row, each sent times times.
func (t *Traffic) add(s share, chunk, n, times int) {
	if n > 0 {
		t.Messages += int64(times) * s.filled(chunk, n)
		t.Elems += int64(times) * s.run(chunk, n)
	}
}

// traffic: step t sends ring chunk p+first-t, so all steps together send every
// ring chunk steps/n times, and those of the steps left over once more.
func (r *Ring) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	n, k, p := r.Ranks(), r.slices, int(r.pos[channel][rank])
	if r.steps == 0 {
		return to
	}
	t := Traffic{Peer: r.at(channel, p+1)}
	t.add(sh, 0, n*k, r.steps/n)
	over := r.steps % n
	lo := int(r.chunk(p+r.first-over+1, 0)) / k // of the last ones, back from p+first
	before := min(over, n-lo)
	t.add(sh, lo*k, before*k, 1)
	t.add(sh, 0, (over-before)*k, 1)
	return append(to, t)
}

// traffic: every chunk to each child.
func (b *Broadcast) traffic(to []Traffic, rank, channel int, sh share) []Traffic {
	for _, c := range b.node(int(b.pos[channel][rank])).children {
		if c >= 0 {
			t := Traffic{Peer: b.at(channel, c)}
			t.add(sh, 0, b.chunks, 1)
			to = append(to, t)
		}
	}
	return to
}
