package roce

import (
	"railyard/internal/base/lists"
	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

// READs and atomic operations at the responder (IBTA vol. 1, 9.4.4, 9.4.5 and 9.7.5.1). It remembers the latest
// Params.Resources of them. One that comes again has the same answer: a READ is read again, an atomic operation is not
// executed again. Answers go in the order of requests, so an ACK waits until the responses before it have gone.
//
//	onAsk --> kept (a ring of resources)
//	      \-> queue: [READ 5..9] [ACK 10] [atomic 11] --> Answer
type asked struct {
	kept    []resource // the latest are before at
	at      int
	queue   lists.Queue[response]
	waiting int // of the queue, those that have not come before
}

// resource is a READ or an atomic operation that was executed.
type resource struct {
	first, last int64   // sequence numbers of its responses
	landing     Landing // of a READ
	held        uint64  // of an atomic operation: what the memory held
	atomic      bool
}

// response is what is to be sent: the rest of what a READ wants, the answer to an atomic operation, or a reply.
type response struct {
	resource
	reply
	next    int64 // sequence number
	msn     uint32
	replies bool
	again   bool
}

// room reports whether one more may be executed: those that are not answered have their resources.
func (r *Responder) room(p *Params) bool {
	return p.Resources > 0 && (r.asked == nil || r.asked.waiting < p.Resources)
}

// onAsk takes a READ or an atomic operation. One that is expected was judged: see Valid; of an atomic one Swap is now what
// the memory held.
func (r *Responder) onAsk(now unit.Time, pk *Packet, a Reply, p *Params) Reply {
	seq := expand(pk.PSN, r.expected)
	switch {
	case seq > r.expected:
		a.Verdict = r.missing(now, p)
		r.answer(pk, &a, p)
	case seq < r.expected:
		a.Again = r.asked != nil && r.repeat(seq, pk, p)
	default:
		a.Accept = true
		if r.asked == nil {
			r.asked = &asked{}
		}
		want := resource{first: seq, last: seq, landing: pk.Landing, held: pk.Swap, atomic: pk.Opcode != wire.ReadRequest}
		if !want.atomic {
			want.last += p.packets(pk.Landing.Length) - 1
		}
		r.asked.keep(&want, p)
		r.push(&want, false, p)
		r.expected, r.gap, r.unacked = want.last+1, false, 0
	}
	return a
}

// keep remembers a request.
func (s *asked) keep(want *resource, p *Params) {
	if len(s.kept) < p.Resources {
		s.kept = append(s.kept, *want)
		return
	}
	s.kept[s.at] = *want
	s.at = (s.at + 1) % len(s.kept)
}

// push puts an answer behind what is to be sent before it. A READ counts among the messages as soon as it is begun (IBTA
// vol. 1, 9.7.7.1, C9-148).
func (r *Responder) push(want *resource, again bool, p *Params) {
	s := r.asked
	if r.owed.answer { // it goes first
		r.owed.answer = false
		s.queue.Push(response{reply: r.owed.reply, replies: true})
	}
	if n := s.queue.Len(); n > 0 && s.queue.At(n-1).replies {
		s.queue.At(n - 1).msn = r.msn(p)
	}
	if !again {
		s.waiting++
		r.taken++
	}
	s.queue.Push(response{resource: *want, next: want.first, msn: r.msn(p), again: again})
}

// mostRepeats is how many answers may wait, for each resource; what is asked for beyond is dropped.
const mostRepeats = 2

// repeat answers a request that came before, or the rest of it; false: it is not remembered, or is none of them.
func (r *Responder) repeat(seq int64, pk *Packet, p *Params) bool {
	s := r.asked
	for i := range s.kept {
		k := s.kept[i]
		if seq < k.first || seq > k.last || k.atomic != (pk.Opcode != wire.ReadRequest) {
			continue
		}
		if !k.atomic {
			gone := (seq - k.first) * int64(p.MTU)
			if pk.Landing.Key != k.landing.Key || pk.Landing.Address != k.landing.Address+uint64(gone) ||
				pk.Landing.Length > k.landing.Length-unit.Bytes(gone) {
				return false
			}
			k.first, k.last, k.landing = seq, seq+p.packets(pk.Landing.Length)-1, pk.Landing
		}
		if !s.restart(&k, seq) && s.queue.Len() < mostRepeats*p.Resources {
			r.push(&k, true, p)
		}
		return true
	}
	return false
}

// restart reports whether the rest of a READ is on its way already; then it goes on from where it is asked for. So a
// requester that asks again and again does not have all of it sent as often.
func (s *asked) restart(k *resource, seq int64) bool {
	for i := range s.queue.Len() {
		w := s.queue.At(i)
		if w.replies || w.atomic || k.atomic || w.last != k.last || w.first > seq {
			continue
		}
		if w.next > seq {
			w.resource, w.next = *k, seq
		}
		return true
	}
	return false
}

// owe puts a reply behind what is to be sent before it, in the place of one that is there already. It reports false if
// nothing is before it.
func (s *asked) owe(o *reply) bool {
	n := s.queue.Len()
	if n == 0 {
		return false
	}
	if last := s.queue.At(n - 1); last.replies {
		last.reply = *o
		return true
	}
	s.queue.Push(response{reply: *o, replies: true})
	return true
}

// answer writes the next packet to pk; msn is how many messages are complete now.
func (s *asked) answer(pk *Packet, msn uint32, p *Params) {
	w := s.queue.At(0)
	switch {
	case w.replies:
		if s.queue.Len() > 1 {
			msn = w.msn
		}
		w.reply.write(pk, msn)
		s.queue.Pop()
		return
	case w.atomic:
		*pk = Packet{Opcode: wire.AtomicAcknowledge, PSN: uint32(w.next) & PSNMask, Swap: w.held}
	default:
		gone := (w.next - w.first) * int64(p.MTU)
		*pk = Packet{Opcode: readOpcode(w.next == w.first, w.next == w.last), PSN: uint32(w.next) & PSNMask}
		pk.Landing.Address, pk.Landing.Key = w.landing.Address+uint64(gone), w.landing.Key
		pk.Payload.Size = min(p.MTU, w.landing.Length-unit.Bytes(gone))
	}
	if pk.Opcode != wire.ReadResponseMiddle {
		pk.AETH = wire.AETH{Kind: wire.ACK, Value: NoCredits, MSN: w.msn}
	}
	pk.Again = w.again
	if w.next++; w.next > w.last {
		if !w.again {
			s.waiting--
		}
		s.queue.Pop()
	}
}

func readOpcode(first, last bool) wire.Opcode {
	switch {
	case first && last:
		return wire.ReadResponseOnly
	case first:
		return wire.ReadResponseFirst
	case last:
		return wire.ReadResponseLast
	}
	return wire.ReadResponseMiddle
}

// Responds reports whether what Answer writes next is a response to a READ: its driver says when it may go.
func (r *Responder) Responds() bool {
	return !r.owed.cnp && r.asked != nil && r.asked.queue.Len() > 0 && !r.asked.queue.At(0).replies
}

// Silence drops what is to be sent: the queue pair is in error.
func (r *Responder) Silence() {
	r.closed, r.asked, r.owed = true, nil, owed{}
}
