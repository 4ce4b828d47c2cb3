package nic

import "railyard/internal/engine/sim"

// See package fabric: as a busy island's window begins, the memory of its NICs and queue pairs is asked for
// at once.

// warmFrom is how many events for each half of a queue pair make an island busy: then most of them will
// send or receive in the window.
const warmFrom = 12

// Lines of 64 bytes: the larger part of each, from its first field on.
const (
	cardLines     = 8
	senderLines   = 13
	receiverLines = 5
)

// listHalves notes to which islands the halves of a queue pair belong.
func (n *Net) listHalves(i int) {
	from, to := n.senders[i].card.isl, n.receivers[i].card.isl
	from.senders = append(from.senders, int32(i))
	to.receivers = append(to.receivers, int32(i))
}

// warm has the memory of an island's NICs brought into the cache, if its window before had so many events
// that this one will need it.
func (n *Net) warm(at *sim.Island, events int64) {
	isl := &n.islands[at.Index()]
	if events < warmFrom*int64(len(isl.senders)+len(isl.receivers)) {
		return
	}
	for _, i := range isl.cards {
		sim.PrefetchLines((*int64)(&n.cards[i].wakeAt), cardLines)
	}
	for _, i := range isl.senders {
		sim.PrefetchLines(&n.senders[i].popped, senderLines)
	}
	for _, i := range isl.receivers {
		sim.PrefetchLines(&n.receivers[i].marks, receiverLines)
	}
}
