package verbs

import (
	"encoding/binary"
	"fmt"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/net/wire"
)

// READs and atomic operations: IBTA vol. 1, 9.4.4 and 9.4.5, and what is judged of them, 9.7.4.1.

// mayAsk reports what is wrong with a work request whose answer brings bytes.
func (p *QP) mayAsk(w *Work) error {
	switch packets := (int64(w.Local.Length) + int64(p.params.MTU) - 1) / int64(p.params.MTU); {
	case p.params.Reads == 0:
		return fmt.Errorf("queue pair 0x%06x: a READ or an atomic operation, of which none may be outstanding here", p.number)
	case w.Op.Atomic() && w.Local.Length != roce.AtomicBytes:
		return fmt.Errorf("queue pair 0x%06x: an atomic operation on %d bytes, want %d", p.number, w.Local.Length, roce.AtomicBytes)
	case packets > roce.MostResponses:
		return fmt.Errorf("queue pair 0x%06x: a READ of %d packets, want at most %d", p.number, packets, int64(roce.MostResponses))
	}
	return nil
}

// ask takes a READ or an atomic operation.
func (p *QP) ask(now unit.Time) {
	pk := &p.pk
	expected := p.r.Expects(pk.PSN)
	if expected && !p.judgeAsk(pk) {
		return
	}
	a := p.r.Receive(now, pk, &p.params)
	switch {
	case a.Nak:
		p.counters.OutOfSequence++
	case !expected && a.Again:
		p.counters.Duplicate++
	case a.Accept && pk.Opcode == wire.ReadRequest:
		p.counters.Reads++
	case a.Accept:
		p.counters.Atomics++
	}
}

// judgeAsk is judge for a READ or an atomic operation, which it executes: then the packet has what the memory held.
func (p *QP) judgeAsk(pk *roce.Packet) bool {
	l, need := &pk.Landing, RemoteRead
	if pk.Opcode != wire.ReadRequest {
		need = RemoteAtomic
	}
	if !p.r.Valid(pk, &p.params) || p.at.Access&need == 0 || l.Length > MaxMessage ||
		need == RemoteAtomic && l.Address%roce.AtomicBytes != 0 {
		return p.refuse(wire.NAKInvalid)
	}
	b, ok := p.domain.At(l.Key, l.Address, int(l.Length), need)
	if !ok && l.Length > 0 {
		return p.refuse(wire.NAKRemoteAccess)
	}
	if need == RemoteAtomic {
		held := binary.NativeEndian.Uint64(b)
		switch {
		case pk.Opcode == wire.FetchAdd:
			binary.NativeEndian.PutUint64(b, held+pk.Swap)
		case held == pk.Compare:
			binary.NativeEndian.PutUint64(b, pk.Swap)
		}
		pk.Swap = held
	}
	return true
}

// brought puts what a response has brought where the work request wants it.
func (p *QP) brought(at *roce.Payload, payload []byte) {
	to := p.sends.At(at.Message).b[at.Offset : at.Offset+int64(at.Size)]
	if p.pk.Opcode == wire.AtomicAcknowledge {
		binary.NativeEndian.PutUint64(to, p.pk.Swap)
		return
	}
	copy(to, payload[:min(unit.Bytes(len(payload)), at.Size)])
}
