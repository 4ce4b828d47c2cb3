package wire

import (
	"fmt"

	"railyard/internal/base/unit"
)

// Bytes of each part of a frame. Between the FCS of one frame and the preamble of
// the next a link carries the gap.
const (
	PreambleBytes unit.Bytes = 8  // preamble and start delimiter, IEEE 802.3 clause 3
	GapBytes      unit.Bytes = 12 // inter-packet gap, IEEE 802.3 clause 4
	EthernetBytes unit.Bytes = 14 // addresses and ethertype, untagged
	FCSBytes      unit.Bytes = 4  // frame check sequence
	IPv4Bytes     unit.Bytes = 20 // without options, RFC 791
	UDPBytes      unit.Bytes = 8  // RFC 768
	ICRCBytes     unit.Bytes = 4  // invariant CRC, IBTA vol. 1 section 7.8

	BTHBytes   unit.Bytes = 12 // base transport header, IBTA vol. 1 section 9.2
	RETHBytes  unit.Bytes = 16 // RDMA extended transport header, section 9.3
	AETHBytes  unit.Bytes = 4  // ACK extended transport header, section 9.3
	ImmDtBytes unit.Bytes = 4  // immediate data, section 9.3

	VLANBytes  unit.Bytes = 4  // tag, IEEE 802.1Q section 9.6
	IPv6Bytes  unit.Bytes = 40 // without extension headers, RFC 8200
	VXLANBytes unit.Bytes = 8  // RFC 7348

	AtomicETHBytes    unit.Bytes = 28  // IBTA vol. 1 section 9.3
	AtomicAckETHBytes unit.Bytes = 8   // section 9.3
	DETHBytes         unit.Bytes = 8   // section 9.3
	MADBytes          unit.Bytes = 256 // a management datagram, section 13.4.2

	CNPReservedBytes unit.Bytes = 16 // after the BTH of a CNP, annex A17.9.3
	CNPBytes                    = BTHBytes + CNPReservedBytes

	// CMFrameBytes is a whole frame with a connection manager's datagram.
	CMFrameBytes = rocev2Headers + DETHBytes + MADBytes

	// OverlayBytes is what VXLAN puts around a frame (RFC 7348, section 5). The FCS is the outer frame's, in the place
	// of the inner one's.
	OverlayBytes = EthernetBytes + IPv4Bytes + UDPBytes + VXLANBytes

	PFCFrameBytes = MinFrameBytes
)

// Sizes says how many bytes each kind of frame takes. Frame bytes include the FCS
// and leave out preamble and gap; that is what queues and buffers count.
type Sizes struct {
	Data  unit.Bytes // a data frame without payload, RETH and ImmDt
	RETH  unit.Bytes // added to the first (or only) packet of a message
	ImmDt unit.Bytes // added to the last packet of a message with immediate
	ACK   unit.Bytes // a whole ACK or NAK frame
	CNP   unit.Bytes // a whole CNP frame; 0 if congestion is signalled in the ACK
	PFC   unit.Bytes // a whole pause frame

	Overhead unit.Bytes // preamble and gap: what a link carries beside each frame
	Tag      unit.Bytes // of Data, ACK and CNP: a VLAN tag, which frames have on links of hosts
}

const rocev2Headers = EthernetBytes + IPv4Bytes + UDPBytes + BTHBytes + ICRCBytes + FCSBytes

// RoCEv2 is the default: RoCEv2 over untagged Ethernet and IPv4.
var RoCEv2 = Sizes{
	Data:     rocev2Headers,
	RETH:     RETHBytes,
	ImmDt:    ImmDtBytes,
	ACK:      rocev2Headers + AETHBytes,
	CNP:      rocev2Headers + CNPReservedBytes,
	PFC:      PFCFrameBytes,
	Overhead: PreambleBytes + GapBytes,
}

// HPCCNS3 is the frames of the HPCC authors' ns-3 simulator, preset hpcc-ns3: 14
// (layer 2) + 20 (IP) + 8 (UDP) + 6 (sequence, priority group) before the payload,
// and neither FCS nor preamble nor gap anywhere. Its ACK carries the congestion
// bit, so there is no CNP.
var HPCCNS3 = Sizes{Data: 48, ACK: 60, PFC: 43}

// DataFrame returns the bytes of the frame of one data packet. first and imm say
// that it is a message's first packet, and that it carries immediate data. The up to
// three pad bytes of a payload that is no multiple of four are not counted.
func (s Sizes) DataFrame(payload unit.Bytes, first, imm bool) unit.Bytes {
	if payload < 0 {
		panic(fmt.Sprintf("wire: payload of %d bytes", payload))
	}
	n := payload + s.Data
	if first {
		n += s.RETH
	}
	if imm {
		n += s.ImmDt
	}
	return n
}

// MaxDataFrame returns the largest data frame of a path MTU (payload bytes): that of
// a message of one packet with immediate.
func (s Sizes) MaxDataFrame(mtu unit.Bytes) unit.Bytes { return s.DataFrame(mtu, true, true) }

// Untagged returns the sizes without the tag.
func (s Sizes) Untagged() Sizes {
	s.Data, s.ACK, s.CNP, s.Tag = s.Data-s.Tag, s.ACK-s.Tag, max(0, s.CNP-s.Tag), 0
	return s
}

// OnLink returns the bytes for which a frame occupies a link.
func (s Sizes) OnLink(frame unit.Bytes) unit.Bytes { return frame + s.Overhead }
