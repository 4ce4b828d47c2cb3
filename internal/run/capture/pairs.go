package capture

import (
	"slices"
	"sort"

	"railyard/internal/engine/fabric"
	"railyard/internal/engine/nic"
	"railyard/internal/net/topo"
)

// post is a message with a copy of its bytes, nil where nothing real is sent or nobody wants them.
type post struct {
	nic.Posted
	payload []byte
}

// pair is what is known of a queue pair: the messages that its packets may be of.
type pair struct {
	messages []post
	before   int64 // messages that are not kept any more, all of them acknowledged
	near     int64 // a packet sequence number that was seen lately, counted from 0
	seen     bool  // one of its frames is in the file
}

// late is how many acknowledged messages are kept, for packets of them that are still on their way: duplicates.
const late = 16

func (p *pair) post(m *post) {
	p.messages = append(p.messages, *m)
	if old := m.Acked - late - p.before; old > late { // not one by one
		p.messages = slices.Delete(p.messages, 0, int(min(old, int64(len(p.messages)))))
		p.before += old
	}
}

// expand returns the sequence number, counted from 0, that 24 bits of it mean.
func (p *pair) expand(psn uint32) int64 {
	return p.near + int64(int32((psn-uint32(p.near))<<8)>>8)
}

// message returns the message that a packet belongs to; nil if it is not known.
func (p *pair) message(seq int64) *post {
	i := sort.Search(len(p.messages), func(i int) bool { return p.messages[i].Last >= seq })
	if i == len(p.messages) || p.messages[i].First > seq {
		return nil
	}
	return &p.messages[i]
}

// ended is how many messages end at or before a packet.
func (p *pair) ended(seq int64) int64 {
	return p.before + int64(sort.Search(len(p.messages), func(i int) bool { return p.messages[i].Last > seq }))
}

// packetID names a packet of a queue pair.
type packetID struct {
	qp  int32
	psn uint32
}

// marks remembers which port marked packets that may be on their way.
type marks struct {
	at    map[packetID]topo.PortID
	order []packetID // those before first are forgotten
	first int
}

// most is how many marks are remembered.
const most = 1 << 16

func (m *marks) note(e *fabric.Event) {
	id := packetID{e.Flow, e.PSN}
	if _, known := m.at[id]; !known {
		m.order = append(m.order, id)
	}
	m.at[id] = e.Port
	if len(m.at) <= most {
		return
	}
	delete(m.at, m.order[m.first])
	if m.first++; m.first == most {
		m.order = slices.Delete(m.order, 0, m.first)
		m.first = 0
	}
}
