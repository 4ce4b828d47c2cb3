package verbs_test

import (
	"fmt"
	"strings"
	"testing"

	"railyard/internal/base/unit"
	"railyard/internal/engine/roce"
	"railyard/internal/engine/verbs"
	"railyard/internal/net/wire"
)

// said is a packet as the conversations below have it.
func said(r *wire.RoCE) string {
	text := fmt.Sprintf("%v %06x", r.BTH.Opcode, uint32(r.BTH.PSN))
	if r.BTH.AckReq {
		text += " AckReq"
	}
	switch {
	case r.BTH.Opcode == wire.AtomicAcknowledge:
		return text + fmt.Sprintf(" MSN %d held %d", r.AETH.MSN, r.AtomicAck)
	case r.BTH.Opcode == wire.ReadRequest:
		return text + fmt.Sprintf(" %d B at %d", r.RETH.Length, r.RETH.Address-regionAt)
	case r.BTH.Opcode.HasAETH():
		text += fmt.Sprintf(" syndrome %02x MSN %d", uint8(r.AETH.Kind)<<5|r.AETH.Value, r.AETH.MSN)
		if r.BTH.Opcode == wire.Acknowledge {
			return text
		}
	}
	return text + fmt.Sprintf(" %d B", len(r.Payload))
}

// conversation has a send work requests to b, and returns every packet. Those of the numbers in lost do not arrive.
func conversation(t *testing.T, receives []uint32, lost map[int]bool, works ...verbs.Work) (a, b *host, all []string) {
	t.Helper()
	a, b = newHost(t), newHost(t)
	a.to(t, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend)
	b.to(t, verbs.Init, verbs.ReadyToReceive, verbs.ReadyToSend)
	for _, size := range receives {
		if err := b.PostReceive(verbs.Receive{Local: b.span(size)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range works {
		if w.Key == 0 {
			w.Key = b.key
		}
		w.Address += regionAt
		if w.Local.Length > 0 {
			w.Local.Key, w.Local.Address = a.key, regionAt
		}
		if err := a.PostSend(w); err != nil {
			t.Fatal(err)
		}
	}
	now := unit.Time(0)
	for range 3000 {
		now = now.Add(unit.Microsecond)
		a.Expire(now)
		for _, x := range [][2]*host{{a, b}, {b, a}} {
			var r wire.RoCE
			for x[0].Next(now, &r) {
				n := len(all)
				all = append(all, said(&r))
				if !lost[n] {
					x[1].Receive(now, &r, false)
				}
			}
		}
	}
	return a, b, all
}

func work(op roce.Op, size uint32) verbs.Work {
	return verbs.Work{Op: op, Local: verbs.Span{Length: size}, Imm: 7, Swap: 5}
}

// TestConversations: which packets go, both ways, frame by frame: one in a microsecond each way. PSNs begin at fffffe and
// wrap; the requester asks for an acknowledgement with each fourth packet of the queue pair and with the last of a message
// (IBTA vol. 1, 9.7.1, 9.7.5 and table 46).
func TestConversations(t *testing.T) {
	for name, c := range map[string]struct {
		receives []uint32
		lost     map[int]bool
		works    []verbs.Work
		want     string
		status   []verbs.Status
	}{
		"a WRITE of five packets": {works: []verbs.Work{work(roce.OpWrite, 4097)},
			status: []verbs.Status{verbs.Success}, want: `
			RDMA WRITE First fffffe 1024 B
			RDMA WRITE Middle ffffff 1024 B
			RDMA WRITE Middle 000000 1024 B
			RDMA WRITE Middle 000001 AckReq 1024 B
			Acknowledge 000001 syndrome 1f MSN 0
			RDMA WRITE Last 000002 AckReq 1 B
			Acknowledge 000002 syndrome 1f MSN 1`},
		"SENDs into receives": {receives: []uint32{0, 2000},
			works:  []verbs.Work{work(roce.OpSendImm, 0), work(roce.OpSend, 2000)},
			status: []verbs.Status{verbs.Success, verbs.Success}, want: `
			SEND Only with Immediate fffffe AckReq 0 B
			Acknowledge fffffe syndrome 1f MSN 1
			SEND First ffffff 1024 B
			SEND Last 000000 AckReq 976 B
			Acknowledge 000000 syndrome 1f MSN 2`},
		"a gap": {lost: map[int]bool{1: true}, works: []verbs.Work{work(roce.OpWrite, 3000)},
			status: []verbs.Status{verbs.Success}, want: `
			RDMA WRITE First fffffe 1024 B
			RDMA WRITE Middle ffffff 1024 B
			RDMA WRITE Last 000000 AckReq 952 B
			Acknowledge ffffff syndrome 60 MSN 0
			RDMA WRITE Middle ffffff 1024 B
			RDMA WRITE Last 000000 AckReq 952 B
			Acknowledge 000000 syndrome 1f MSN 1`},
		"a lost acknowledgement": {lost: map[int]bool{1: true}, works: []verbs.Work{work(roce.OpWrite, 1)},
			status: []verbs.Status{verbs.Success}, want: `
			RDMA WRITE Only fffffe AckReq 1 B
			Acknowledge fffffe syndrome 1f MSN 1
			RDMA WRITE Only fffffe AckReq 1 B
			Acknowledge fffffe syndrome 1f MSN 1`},
		"a wrong key behind a good WRITE": {works: []verbs.Work{work(roce.OpWrite, 1), {Op: roce.OpWrite, Key: 5,
			Local: verbs.Span{Length: 1}}, work(roce.OpWrite, 1)},
			status: []verbs.Status{verbs.Success, verbs.RemoteAccess, verbs.Flushed}, want: `
			RDMA WRITE Only fffffe AckReq 1 B
			Acknowledge fffffe syndrome 1f MSN 1
			RDMA WRITE Only ffffff AckReq 1 B
			Acknowledge ffffff syndrome 62 MSN 1`},
		"a READ between WRITEs": {works: []verbs.Work{work(roce.OpWrite, 1), work(roce.OpRead, 3000), work(roce.OpWrite, 2)},
			status: []verbs.Status{verbs.Success, verbs.Success, verbs.Success}, want: `
			RDMA WRITE Only fffffe AckReq 1 B
			Acknowledge fffffe syndrome 1f MSN 1
			RDMA READ Request ffffff AckReq 3000 B at 0
			RDMA READ Response First ffffff syndrome 1f MSN 2 1024 B
			RDMA WRITE Only 000002 AckReq 2 B
			RDMA READ Response Middle 000000 1024 B
			RDMA READ Response Last 000001 syndrome 1f MSN 2 952 B
			Acknowledge 000002 syndrome 1f MSN 3`},
		"a READ of nothing": {works: []verbs.Work{work(roce.OpRead, 0)}, status: []verbs.Status{verbs.Success}, want: `
			RDMA READ Request fffffe AckReq 0 B at 0
			RDMA READ Response Only fffffe syndrome 1f MSN 1 0 B`},
		"one READ more than there may be": {works: []verbs.Work{work(roce.OpRead, 5000), work(roce.OpRead, 1), work(roce.OpRead, 2)},
			status: []verbs.Status{verbs.Success, verbs.Success, verbs.Success}, want: `
			RDMA READ Request fffffe AckReq 5000 B at 0
			RDMA READ Response First fffffe syndrome 1f MSN 1 1024 B
			RDMA READ Request 000003 AckReq 1 B at 0
			RDMA READ Response Middle ffffff 1024 B
			RDMA READ Response Middle 000000 1024 B
			RDMA READ Response Middle 000001 1024 B
			RDMA READ Response Last 000002 syndrome 1f MSN 1 904 B
			RDMA READ Request 000004 AckReq 2 B at 0
			RDMA READ Response Only 000003 syndrome 1f MSN 2 1 B
			RDMA READ Response Only 000004 syndrome 1f MSN 3 2 B`},
		"a lost response": {lost: map[int]bool{3: true}, works: []verbs.Work{work(roce.OpRead, 5000), work(roce.OpWrite, 1)},
			status: []verbs.Status{verbs.Success, verbs.Success}, want: `
			RDMA READ Request fffffe AckReq 5000 B at 0
			RDMA READ Response First fffffe syndrome 1f MSN 1 1024 B
			RDMA WRITE Only 000003 AckReq 1 B
			RDMA READ Response Middle ffffff 1024 B
			RDMA READ Response Middle 000000 1024 B
			RDMA READ Request ffffff AckReq 3976 B at 1024
			RDMA READ Response First ffffff syndrome 1f MSN 1 1024 B
			RDMA WRITE Only 000003 AckReq 1 B
			RDMA READ Response Middle 000000 1024 B
			RDMA READ Response Middle 000001 1024 B
			RDMA READ Response Last 000002 syndrome 1f MSN 1 904 B
			Acknowledge 000003 syndrome 1f MSN 2`},
		"a lost READ": {lost: map[int]bool{0: true}, works: []verbs.Work{work(roce.OpRead, 1500), work(roce.OpWrite, 1)},
			status: []verbs.Status{verbs.Success, verbs.Success}, want: `
			RDMA READ Request fffffe AckReq 1500 B at 0
			RDMA WRITE Only 000000 AckReq 1 B
			Acknowledge fffffe syndrome 60 MSN 0
			RDMA READ Request fffffe AckReq 1500 B at 0
			RDMA READ Response First fffffe syndrome 1f MSN 1 1024 B
			RDMA WRITE Only 000000 AckReq 1 B
			RDMA READ Response Last ffffff syndrome 1f MSN 1 476 B
			Acknowledge 000000 syndrome 1f MSN 2`},
		"a lost last response": {lost: map[int]bool{2: true}, works: []verbs.Work{work(roce.OpRead, 1500)},
			status: []verbs.Status{verbs.Success}, want: `
			RDMA READ Request fffffe AckReq 1500 B at 0
			RDMA READ Response First fffffe syndrome 1f MSN 1 1024 B
			RDMA READ Response Last ffffff syndrome 1f MSN 1 476 B
			RDMA READ Request ffffff AckReq 476 B at 1024
			RDMA READ Response Only ffffff syndrome 1f MSN 1 476 B`},
		"a lost answer to an addition": {lost: map[int]bool{1: true},
			works:  []verbs.Work{work(roce.OpFetchAdd, 8), work(roce.OpFetchAdd, 8)},
			status: []verbs.Status{verbs.Success, verbs.Success}, want: `
			FetchAdd fffffe AckReq 0 B
			ATOMIC Acknowledge fffffe MSN 1 held 0
			FetchAdd ffffff AckReq 0 B
			ATOMIC Acknowledge ffffff MSN 2 held 5
			FetchAdd fffffe AckReq 0 B
			ATOMIC Acknowledge fffffe MSN 2 held 0
			FetchAdd ffffff AckReq 0 B
			ATOMIC Acknowledge ffffff MSN 2 held 5`},
		"a READ without the right": {works: []verbs.Work{{Op: roce.OpRead, Key: 1, Local: verbs.Span{Length: 1}}, work(roce.OpWrite, 1)},
			status: []verbs.Status{verbs.RemoteAccess, verbs.Flushed}, want: `
			RDMA READ Request fffffe AckReq 1 B at 0
			Acknowledge fffffe syndrome 62 MSN 0`},
		"a receive that is too short": {receives: []uint32{1500}, works: []verbs.Work{work(roce.OpSend, 1501)},
			status: []verbs.Status{verbs.RemoteInvalid}, want: `
			SEND First fffffe 1024 B
			SEND Last ffffff AckReq 477 B
			Acknowledge ffffff syndrome 61 MSN 0`},
	} {
		t.Run(name, func(t *testing.T) {
			a, _, all := conversation(t, c.receives, c.lost, c.works...)
			if got, want := strings.Join(all, "\n"), strings.ReplaceAll(strings.TrimSpace(c.want), "\t", ""); got != want {
				t.Errorf("said\n%s\nwant\n%s", got, want)
			}
			for i, want := range c.status {
				if w, ok := a.send.Poll(); !ok || w.Status != want {
					t.Errorf("completion %d: %v, %v, want %v", i, w.Status, ok, want)
				}
			}
		})
	}
}

// TestNotReady: without a receive each try is answered with the timer's code (0.01 ms), at the PSN that is not taken.
func TestNotReady(t *testing.T) {
	_, b, all := conversation(t, nil, nil, work(roce.OpSend, 1500))
	want := []string{"SEND First fffffe 1024 B", "Acknowledge fffffe syndrome 21 MSN 0"}
	for i, text := range all {
		if text != want[i%2] {
			t.Fatalf("packet %d: %s, want %s", i, text, want[i%2])
		}
	}
	if n := int64(len(all) / 2); n < 200 || b.Counters().RNRSent != n {
		t.Errorf("%d tries in 3 ms, %d counted, want about 300", n, b.Counters().RNRSent)
	}
}

// TestPartitions: a packet of another partition, or for another queue pair, is not taken and not answered.
func TestPartitions(t *testing.T) {
	for key, ok := range map[uint16]bool{0xFFFF: true, 0x7FFF: true, 0x8001: false, 1: false, 0xFFFE: false} {
		h := newHost(t)
		h.to(t, verbs.Init, verbs.ReadyToReceive)
		r := wire.RoCE{BTH: wire.BTH{Opcode: wire.WriteOnly, PKey: key, DestQP: 2, PSN: 0xFFFFFE, AckReq: true}}
		var out wire.RoCE
		if got := h.Receive(1, &r, false); got != ok || h.Next(1, &out) != ok {
			t.Errorf("P_Key 0x%04x: %v, want %v", key, got, ok)
		}
		r.BTH.PKey, r.BTH.DestQP = 0xFFFF, 3
		if h.Receive(1, &r, false) {
			t.Error("a packet for another queue pair is taken")
		}
	}
}
