package lab

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"railyard/internal/base/unit"
	"railyard/internal/net/wire"
)

var rdmaBench = Bench{
	Meaning: "an RDMA WRITE on the wire: the messages that connect the queue pairs, and its packets, header by header",
	Params: []Param{
		{Name: "bytes", Meaning: "of the message, 1 to 65536", Default: 4000.0},
		{Name: "mtu", Meaning: "payload of a full packet, 256 to 4096", Default: 1024.0},
		{Name: "qp", Meaning: "number of the queue pair", Default: "0x123456"},
		{Name: "psn", Meaning: "sequence number of its first packet", Default: "0x000abc"},
		{Name: "p_key", Meaning: "its partition", Default: "0x8012"},
		{Name: "printed", Meaning: "a number of a queue pair as it is printed somewhere", Default: "0x12345678"},
	},
	Run: runRDMA,
}

// hex reads a number of at most so many bits from an argument.
func (a Args) hex(name string, most int) (uint32, error) {
	v, err := strconv.ParseUint(a.Text(name), 0, most)
	if err != nil {
		return 0, fmt.Errorf("%s: %q: want a number of at most %d bits, such as 0x000abc", name, a.Text(name), most)
	}
	return uint32(v), nil
}

// rdmaWrite is what the bench is about.
type rdmaWrite struct {
	bytes, mtu            int
	qp, psn, key, printed uint32
}

func rdmaOf(a Args) (w rdmaWrite, err error) {
	if w.bytes, err = a.Whole("bytes", 1, 1<<16); err != nil {
		return w, err
	}
	if w.mtu, err = a.Whole("mtu", 256, 4096); err != nil {
		return w, err
	}
	for _, n := range []struct {
		name string
		bits int
		to   *uint32
	}{{"qp", 24, &w.qp}, {"psn", 24, &w.psn}, {"p_key", 16, &w.key}, {"printed", 32, &w.printed}} {
		if *n.to, err = a.hex(n.name, n.bits); err != nil {
			return w, err
		}
	}
	return w, nil
}

// frame is the frame with a packet.
func (w *rdmaWrite) frame(r *wire.RoCE) []byte {
	f := wire.Frame{IPv4: &wire.IPv4{DSCP: 24, ECN: 2, TTL: 64, Source: netip.AddrFrom4([4]byte{10, 0, 1, 2}),
		Dest: netip.AddrFrom4([4]byte{10, 0, 1, 3})}, UDP: &wire.UDP{Source: 49152}, RoCE: r}
	return f.Append(nil)
}

func runRDMA(a Args) (*Shown, error) {
	w, err := rdmaOf(a)
	if err != nil {
		return nil, err
	}
	s := &Shown{}
	cm := w.connect(s)
	packets, frames := w.write(s)
	s.add("packets", float64(packets), fmt.Sprintf("%d / %d, rounded up", w.bytes, w.mtu), "packets of the message")
	s.add("frames", float64(frames), "", "bytes of their frames")
	s.add("connecting", float64(cm), "", "bytes of a frame with a message of the connection managers")
	s.add("psn", float64(w.psn), "", "sequence number of the first packet")
	s.add("last_psn", float64(wire.PSN(w.psn).Add(packets-1)), fmt.Sprintf("%d + %d", w.psn, packets-1), "and of the last")
	s.add("bits", float64(bits.Len32(w.printed)), a.Text("printed"), "bits that the printed number of a queue pair takes")
	s.add("partition", float64(w.key&0x7FFF), fmt.Sprintf("0x%04x without bit 15", w.key), "the partition of the P_Key")
	s.add("member", float64(w.key>>15), "", "its bit 15: a full member")
	return s, nil
}

// connect shows the messages that connect and close the queue pairs, and returns how long a frame with one is.
func (w *rdmaWrite) connect(s *Shown) (size int) {
	t := Table{Name: "connect", Title: "The connection: messages between the connection managers, queue pair 1 to queue pair 1",
		Columns: []string{"message", "from", "says"}}
	for _, m := range []struct {
		from, says string
		cm         wire.CM
	}{
		{"client", fmt.Sprintf("queue pair 0x%06x, PSN 0x%06x, P_Key 0x%04x, MTU %d", w.qp, w.psn, w.key, w.mtu),
			wire.CM{Kind: wire.CMRequest, Request: wire.Request{QP: w.qp, PSN: wire.PSN(w.psn), PKey: uint16(w.key),
				MTU: wire.MTUOf(unit.Bytes(w.mtu))}}},
		{"server", fmt.Sprintf("queue pair 0x%06x, PSN 0x%06x, address, R_Key", w.qp, w.psn),
			wire.CM{Kind: wire.CMReply, Reply: wire.Reply{QP: w.qp, PSN: wire.PSN(w.psn)}}},
		{"client", "ready to use", wire.CM{Kind: wire.CMReady}},
		{"client", fmt.Sprintf("at the end: no more from queue pair 0x%06x", w.qp), wire.CM{Kind: wire.CMDisconnect, RemoteQP: w.qp}},
		{"server", "closed", wire.CM{Kind: wire.CMDisconnectReply}},
	} {
		b := w.frame(&wire.RoCE{BTH: wire.BTH{Opcode: wire.DatagramSend, DestQP: wire.ServiceQP},
			DETH: wire.DETH{QKey: wire.ServiceQKey, SourceQP: wire.ServiceQP}, Payload: m.cm.Append(nil)})
		size = len(b)
		t.Rows = append(t.Rows, []string{m.cm.Kind.String(), m.from, m.says})
	}
	s.Tables = append(s.Tables, t)
	return size
}

// write shows the packets, and returns how many there are and the bytes of their frames.
func (w *rdmaWrite) write(s *Shown) (packets, frames int) {
	packets = (w.bytes + w.mtu - 1) / w.mtu
	t := Table{Name: "packets", Title: "The packets of the WRITE", Columns: []string{"opcode", "number", "PSN", "RETH",
		"immediate", "payload", "frame"}}
	short := strings.NewReplacer("RDMA ", "", "with Immediate", "+ imm.")
	yes := map[bool]string{true: "yes", false: "-"}
	for i := range packets {
		last := i == packets-1
		op := wire.WriteOpcode(i == 0, last, last)
		payload := min(w.mtu, w.bytes-i*w.mtu)
		psn := wire.PSN(w.psn).Add(i)
		b := w.frame(&wire.RoCE{BTH: wire.BTH{Opcode: op, DestQP: w.qp, PSN: psn, PKey: uint16(w.key), AckReq: last},
			RETH: wire.RETH{Length: uint32(w.bytes)}, ImmDt: wire.ImmDt(w.bytes), Payload: make([]byte, payload)})
		frames += len(b)
		t.Rows = append(t.Rows, []string{short.Replace(op.String()), fmt.Sprintf("0x%02x", uint8(op)), fmt.Sprintf("0x%06x", uint32(psn)),
			yes[op.HasRETH()], yes[op.HasImmDt()], strconv.Itoa(payload), strconv.Itoa(len(b))})
	}
	s.Tables = append(s.Tables, t)
	return packets, frames
}
