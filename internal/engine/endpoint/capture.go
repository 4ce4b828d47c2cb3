package endpoint

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"time"

	"railyard/internal/net/pcapng"
	"railyard/internal/net/wire"
)

// Capture writes every packet of an endpoint to a file (package pcapng), as Ethernet frames with addresses that are made up
// from the IP addresses: a socket does not see the real ones.
type Capture struct {
	w   io.Writer
	err error
	buf []byte
	b   []byte
	own netip.Addr
}

// NewCapture begins a capture of the endpoint at an address.
func NewCapture(w io.Writer, own netip.Addr) *Capture {
	c := &Capture{w: w, own: own}
	c.b = pcapng.AppendSection(nil, pcapng.Section{Application: "railyard"})
	c.b = pcapng.AppendInterface(c.b, pcapng.Interface{Name: own.String(), Text: "RoCEv2 of railyard's endpoint",
		Link: pcapng.LinkEthernet, Digits: 9, Comments: []string{"MAC addresses are made up from IP addresses"}})
	c.put()
	return c
}

func (c *Capture) put() {
	if c.err == nil {
		_, c.err = c.w.Write(c.b)
	}
	c.b = c.b[:0]
}

// Err returns the first error of writing.
func (c *Capture) Err() error { return c.err }

// Packet is that of Watcher.
func (c *Capture) Packet(at time.Time, b []byte, sent bool) {
	six := wire.IsIPv6(b)
	head := int(wire.PacketHeaders(six))
	if len(b) < head+int(wire.BTHBytes) {
		return
	}
	eth := wire.Ethernet{Dest: wire.MAC{2, 0, b[16], b[17], b[18], b[19]}, Source: wire.MAC{2, 0, b[12], b[13], b[14], b[15]},
		Type: wire.TypeIPv4}
	if six { // the last four bytes of the addresses
		eth = wire.Ethernet{Dest: wire.MAC{2, 0, b[36], b[37], b[38], b[39]}, Source: wire.MAC{2, 0, b[20], b[21], b[22], b[23]},
			Type: wire.TypeIPv6}
	}
	c.buf = append(eth.Append(c.buf[:0]), b...)
	if six { // the socket writes the checksum, and does not tell it
		ip, err := wire.DecodeIPv6(b)
		if err != nil {
			return
		}
		udp := c.buf[wire.EthernetBytes+wire.IPv6Bytes:]
		udp[6], udp[7] = 0, 0
		binary.BigEndian.PutUint16(udp[6:], wire.UDPChecksum(ip.Source, ip.Dest, udp))
	}
	p := pcapng.Packet{Time: uint64(at.UnixNano()), Length: uint32(len(c.buf)), Data: c.buf, Direction: pcapng.Inbound}
	if sent {
		p.Direction = pcapng.Outbound
	}
	if h, err := wire.DecodeBTH(b[head:]); err == nil {
		p.Comments = []string{fmt.Sprintf("%v, queue pair 0x%06x, PSN %d", h.Opcode, h.DestQP, h.PSN)}
	}
	c.b = pcapng.AppendPacket(c.b, &p)
	c.put()
}
